"""Whether those who follow a stream still may: one question for all of this process' streams, every few seconds.

A request is looked at when it comes. A stream stays open for hours, and whoever signs out, is removed or has their key
revoked must not go on listening. Nothing is asked while nobody listens.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple, Self
from uuid import UUID

from psycopg import sql

from spotter.clock import now
from spotter.errors import Unavailable
from spotter.identity.principal import Principal
from spotter.store.database import Database
from spotter.store.faults import as_spotter_error
from spotter.tasks import end_tasks

log = logging.getLogger(__name__)

EVERY: Final = 2.0
"""Promised are five seconds from a revocation to the end of its streams."""
_AT_ONCE: Final = 100


class Mark(NamedTuple):
    """Something that must still be so."""

    kind: str
    id: UUID
    role: str = ""


# As in `authenticate.py`, but for the moment of the last change of a password: that is shown to the person alone, and
# ends their other sign-ins in the same organisation as well.
_STANDING: Final = sql.SQL("""
    SELECT 'api_key', k.id, k.role FROM api_keys k
    WHERE k.id = ANY({api_key}) AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > {now})
    UNION ALL
    SELECT 'sign_in', s.id, m.role FROM sign_in_sessions s
    JOIN memberships m ON m.org_id = s.org_id AND m.user_id = s.user_id AND m.removed_at IS NULL
    JOIN users u ON u.id = s.user_id AND u.disabled_at IS NULL
    WHERE s.id = ANY({sign_in}) AND s.revoked_at IS NULL AND s.expires_at > {now}
    UNION ALL
    SELECT 'person', m.user_id, m.role FROM memberships m
    JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
    WHERE m.user_id = ANY({person}) AND m.removed_at IS NULL
    UNION ALL
    SELECT 'visitor', m.user_id, '' FROM memberships m
    WHERE m.user_id = ANY({visitor})
        AND CASE WHEN m.guest_until IS NULL THEN m.removed_at IS NULL ELSE m.guest_until > {now} END
    UNION ALL
    SELECT 'widget', w.id, '' FROM widgets w WHERE w.id = ANY({widget}) AND w.enabled
""")
_KINDS: Final = ("api_key", "sign_in", "person", "visitor", "widget")


@dataclass(frozen=True, slots=True, eq=False)
class _Stream:
    org_id: UUID
    marks: frozenset[Mark]
    end: Callable[[], None]


class Standing:
    """One per process."""

    def __init__(self, database: Database, *, every: float = EVERY) -> None:
        self._database = database
        self._every = every
        self._open: set[_Stream] = set()
        self._looking: asyncio.Task[None] | None = None

    @contextmanager
    def watched(self, principal: Principal, end: Callable[[], None]) -> Iterator[None]:
        """Calls `end`, once, when the principal may no longer do what they could when this began; also when their role
        is another one now, for it was by that role that they were let in."""
        stream = _Stream(principal.org_id, marks_of(principal), end)
        self._open.add(stream)
        if self._looking is None:
            self._looking = asyncio.create_task(self._keep_looking(), name="standing of streams")
        try:
            yield
        finally:
            self._open.discard(stream)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await end_tasks(self._looking)

    async def _keep_looking(self) -> None:
        try:
            while True:
                await asyncio.sleep(self._every)
                if not self._open:
                    return
                await self._look_once()
        finally:
            self._looking = None

    async def _look_once(self) -> None:
        try:
            await self.look()
        except Exception as error:
            if isinstance(as_spotter_error(error), Unavailable):
                # Who cannot be looked at is not sent away: from a database that is away nobody reads anything new.
                log.debug("cannot look whether streams may go on: %s", error)
            else:
                log.exception("the look whether streams may go on met a bug and is tried again")

    async def look(self) -> None:
        streams = list(self._open)
        standing = await self._standing(streams)
        for stream in streams:
            if stream in self._open and not stream.marks <= standing[stream.org_id]:
                self._open.discard(stream)
                stream.end()

    async def _standing(self, streams: Iterable[_Stream]) -> dict[UUID, set[Mark]]:
        wanted: dict[UUID, set[Mark]] = defaultdict(set)
        for stream in streams:
            wanted[stream.org_id] |= stream.marks
        standing: dict[UUID, set[Mark]] = {}
        questions = ((org_id, _question(marks)) for org_id, marks in wanted.items())
        while some := dict(islice(questions, _AT_ONCE)):
            answers = await self._database.rows_of_each(some)
            standing |= {org_id: {Mark(*row) for row in rows} for org_id, rows in answers.items()}
        return standing


def marks_of(principal: Principal) -> frozenset[Mark]:
    if principal.kind == "api_key":
        return frozenset({Mark("api_key", principal.id, principal.role.value)})
    if principal.widget is not None:
        # Members there, whatever they are elsewhere.
        return frozenset({Mark("visitor", principal.id), Mark("widget", principal.widget.id)})
    if principal.guest:
        return frozenset({Mark("visitor", principal.id)})
    if principal.session_id is not None:
        return frozenset({Mark("sign_in", principal.session_id, principal.role.value)})
    return frozenset({Mark("person", principal.id, principal.role.value)})


def _question(marks: Set[Mark]) -> sql.Composed:
    ids = {kind: _ids(mark.id for mark in marks if mark.kind == kind) for kind in _KINDS}
    return _STANDING.format(now=sql.Literal(now()), **ids)


def _ids(ids: Iterable[UUID]) -> sql.Composed:
    return sql.SQL("{}::uuid[]").format(sql.Literal([str(one) for one in ids]))
