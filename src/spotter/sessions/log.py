"""The log. Everything that changes it is one call of one SQL function, so one round trip.

A model call is billed by the very statement that records it: there is no way to append the one without the other.
Sequence numbers come from the session's row, so they have no gaps; a turn's writer shows its fence with each
append, so a writer that was paused past its lease is refused instead of mixing into its successor's turn.
"""

import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from uuid import UUID

import psycopg
from psycopg_pool import AsyncConnectionPool

from spotter.errors import Conflict, NotFound, TooManyRequests
from spotter.sessions.charges import Biller, as_json, usage_in
from spotter.sessions.codec import Event, dump, load
from spotter.sessions.events import Action, Content, UserMessage
from spotter.sessions.reading import SharedReads, Wish
from spotter.store.scope import Scope
from spotter.store.stamps import Stamps

# Lists go out in binary: as text each piece is searched for quotes, which is half of what sending an event costs.
_APPEND: Final = "SELECT * FROM spotter_append(%s, %s, %s, %s, %s, %b, %b, %s, %s)"
_OPEN: Final = "SELECT * FROM spotter_open_turn(%s, %s, %s, %s, %s, %s, %s, %s, %s)"
_OPEN_CALL: Final = "SELECT * FROM spotter_open_call(%s, %s, %s, %s, %s, %s, %s, %s)"
_REOPEN: Final = "SELECT * FROM spotter_reopen_turn(%s, %s, %s, %s, %s, %s, %b, %b)"
_NEXT: Final = "SELECT * FROM spotter_next_turn(%s, %s, %s, %s, %s, %s)"
_TAKE_OVER: Final = "SELECT * FROM spotter_take_over(%s, %s, %s, %s, %s, %s, %s)"
_RENEW: Final = "SELECT * FROM spotter_renew(%s, %s, %s, %s, %s, %s)"
_READ: Final = "SELECT * FROM spotter_read(%s, %s, %s, %s, %s, %s)"

_SETTINGS: Final = 6
"""Where the stamp stands in a turn's row."""
_TURN_PATIENCE: Final = 25.0
"""Seconds a turn's own call may queue for a connection: longer than a request may. A turn that gave up would throw
away an answer that was paid for and ask the model again, and so make a busy moment busier. Less than the lease."""


class Fenced(Conflict):
    """Another process has taken this turn over. Whatever we were about to write must not happen."""

    code = "fenced"
    title = "The turn is no longer ours"


class AlreadySaid(Conflict):
    """The same message, sent again: its answer is in the log, or on its way there."""

    code = "already_said"
    title = "This was said before"


class SessionBusy(Conflict):
    code = "session_busy"
    title = "A turn is going on"


class TooManyTurns(TooManyRequests):
    code = "too_many_turns"
    title = "Too many turns at once"


class Appended(NamedTuple):
    last: int
    """The number of the last event."""
    capped: bool
    """Whether the organisation has caps on spending: then a model call is reserved first."""
    stop: bool
    """Whether somebody asked to stop the turn."""
    waiting: bool = False
    """With the end of a turn: whether there is something to go on with at once."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The right to write to a session until the lease ends."""

    session_id: UUID
    fence: int
    sequence: int
    """Of the last event when the turn was opened or taken over."""
    context_start: int
    agent: str
    """Who answers as it begins."""
    scenario: str | None = None
    overrides: dict[str, Any] | None = None
    settings: int = 0
    """The stamp of the organisation's settings as it began: see `store/stamps.py`."""
    capped: bool = False
    stop: bool = False
    """Somebody asked to stop it, before it was taken over."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The message waits for its turn, which will come after the event `after`."""

    after: int


@dataclass(frozen=True, slots=True)
class Lease:
    """Who asks for turns: this process, and for how long at a time."""

    owner: int
    seconds: float = 30.0


class SessionLog:
    """`biller` knows what model calls cost. A log without one is for reading. `stamps` hears from each turn that is
    opened how its organisation's settings stand."""

    def __init__(
        self, pool: "AsyncConnectionPool[Any]", biller: Biller | None = None, stamps: Stamps | None = None
    ) -> None:
        self._pool = pool
        self._biller = biller
        self._stamps = stamps
        self._shared = SharedReads(
            lambda wish: self.read(wish.scope, wish.session_id, after=wish.after, limit=wish.limit)
        )

    async def append(
        self,
        scope: Scope,
        session_id: UUID,
        events: Sequence[Content],
        *,
        fence: int | None = None,
        close: bool = False,
        bill: bool = True,
        connection: psycopg.AsyncConnection[Any] | None = None,
    ) -> Appended:
        """Adds events and bills their model calls, all or none. With `connection`, in its transaction.

        `fence` is the turn's; without it, no turn is needed (a voice transcript). `close` ends the turn. With
        `bill=False` it is another session's history, which was paid for there.
        """
        charges = await self._charges(scope, events) if bill else None
        arguments = (
            *_identity(scope),
            session_id,
            fence,
            [event.event_type for event in events],
            [dump(event) for event in events],
            close,
            charges,
        )
        patience = None if fence is None else _TURN_PATIENCE
        row = await self._call(_APPEND, arguments, connection, patience=patience)
        assert row is not None
        return Appended(*row)

    async def open_turn(
        self,
        scope: Scope,
        session_id: UUID,
        message: UserMessage,
        lease: Lease,
        *,
        wait: bool = True,
        key: UUID | None = None,
    ) -> Turn | Waiting:
        """Records the message and opens its turn, or lets it wait while another one is going on; with `wait=False`
        that is a `SessionBusy` and nothing is recorded. A `key` that was used before is `AlreadySaid`."""
        arguments = (*_identity(scope), session_id, lease.owner, lease.seconds, dump(message), wait, key)
        row = await self._opened(_OPEN, arguments)
        assert row is not None
        return _turn(session_id, row) or Waiting(int(row[1]))

    async def open_call(
        self, scope: Scope, session_id: UUID, call: Action, lease: Lease, *, key: UUID
    ) -> Turn:
        """Records a program's call and opens its turn. `SessionBusy` while another one is going on, and `AlreadySaid`
        when there was a call with this key: nothing is recorded then."""
        arguments = (*_identity(scope), session_id, lease.owner, lease.seconds, dump(call), key)
        turn = _turn(session_id, await self._opened(_OPEN_CALL, arguments))
        assert turn is not None
        return turn

    async def reopen_turn(
        self,
        scope: Scope,
        session_id: UUID,
        events: Sequence[Content],
        lease: Lease,
        connection: psycopg.AsyncConnection[Any],
    ) -> tuple[Turn | None, int]:
        """Adds what somebody decided, and opens the last turn again in the same transaction. While another turn is
        going on only the events are added, and the turn is None: `next_turn` comes back to it. Also the last
        event's number."""
        kinds, contents = [event.event_type for event in events], [dump(event) for event in events]
        arguments = (*_identity(scope), session_id, lease.owner, lease.seconds, kinds, contents)
        row = await self._call(_REOPEN, arguments, connection)
        assert row is not None
        return _turn(session_id, row), int(row[1])

    async def next_turn(self, scope: Scope, session_id: UUID, lease: Lease) -> Turn | None:
        """What to go on with, if no turn is going on: a call that was decided about, or the message that has waited
        longest."""
        arguments = (*_identity(scope), session_id, lease.owner, lease.seconds)
        return _turn(session_id, await self._opened(_NEXT, arguments, patience=_TURN_PATIENCE))

    async def take_over(self, scope: Scope, session_id: UUID, lease: Lease, fence: int) -> Turn | None:
        """A turn whose process died. None when it has ended, or somebody else was quicker."""
        arguments = (*_identity(scope), session_id, lease.owner, lease.seconds, fence)
        return _turn(session_id, await self._opened(_TAKE_OVER, arguments))

    async def renew(self, scope: Scope, turn: Turn, seconds: float) -> bool:
        """Keeps the lease; True when somebody asked to stop the turn. Zero seconds hands it back."""
        arguments = (*_identity(scope), turn.session_id, seconds, turn.fence)
        row = await self._call(_RENEW, arguments, patience=_TURN_PATIENCE)
        if row is None:
            raise Fenced("This turn was taken over by another process, or has ended.")
        return bool(row[0])

    async def read(
        self,
        scope: Scope,
        session_id: UUID,
        *,
        after: int = 0,
        limit: int = 100_000,
        connection: psycopg.AsyncConnection[Any] | None = None,
    ) -> list[Event]:
        """The events after a sequence number, in order. With `connection`, as its transaction sees them."""
        async with self._on(connection) as used:
            cursor = await used.execute(_READ, (*_identity(scope), session_id, after, limit))
            rows = await cursor.fetchall()
        return [Event(sequence, at, load(kind, text)) for sequence, kind, text, at in rows]

    async def read_together(
        self, scope: Scope, session_id: UUID, *, after: int = 0, limit: int = 100_000
    ) -> list[Event]:
        """As `read`, with everybody in this process who asks for the same meanwhile. Do not change what you get."""
        return await self._shared.read(Wish(scope, session_id, after, limit))

    async def _charges(self, scope: Scope, events: Sequence[Content]) -> str | None:
        if all(usage_in(event) is None for event in events):
            return None
        assert self._biller is not None, "a model call would be recorded and not billed"
        return as_json(await self._biller.charges(scope, events))

    async def _opened(
        self, statement: str, arguments: tuple[Any, ...], *, patience: float | None = None
    ) -> tuple[Any, ...] | None:
        """A turn's row. Never in somebody's transaction: what it says of the settings might be taken back."""
        asked = time.monotonic()
        row = await self._call(statement, arguments, patience=patience)
        if self._stamps is not None and row is not None and row[_SETTINGS] is not None:
            self._stamps.told(arguments[0], row[_SETTINGS], asked)
        return row

    async def _call(
        self,
        statement: str,
        arguments: tuple[Any, ...],
        connection: psycopg.AsyncConnection[Any] | None = None,
        *,
        patience: float | None = None,
    ) -> tuple[Any, ...] | None:
        async with self._on(connection, patience) as used:
            try:
                cursor = await used.execute(statement, arguments)
                row: tuple[Any, ...] | None = await cursor.fetchone()
            except psycopg.Error as error:
                raise _translated(error) from error
        return row

    def _on(
        self, connection: psycopg.AsyncConnection[Any] | None, patience: float | None = None
    ) -> AbstractAsyncContextManager[psycopg.AsyncConnection[Any]]:
        if connection is not None:
            return nullcontext(connection)
        return self._pool.connection(timeout=patience)


def _identity(scope: Scope) -> tuple[UUID | None, UUID | None, str]:
    return scope.org_id, scope.user_id, scope.role or ""


def _turn(session_id: UUID, row: tuple[Any, ...] | None) -> Turn | None:
    if row is None or row[0] is None:
        return None
    return Turn(session_id, *row)


def _translated(error: psycopg.Error) -> Exception:
    match error.sqlstate:
        case "SP001":
            return Fenced("This turn was taken over by another process, or has ended.")
        case "SP002":
            return NotFound("There is no such session.")
        case "SP004":
            return AlreadySaid("A message with this key was said before in this session.")
        case "SP005":
            return TooManyTurns(
                f"Your plan allows {error.diag.message_primary} turns at once, and they are all going on. Nothing was "
                "recorded. Say it again when one has ended.",
                retry_after=5,
            )
        case "SP003":
            return SessionBusy(
                "This session is answering another message. Wait for it, or let this one wait."
            )
        case _:
            return error
