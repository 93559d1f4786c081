"""What must be true of every session, as checks that read its log once, from the front, and keep little.

The numbers are those of the list of invariants: I1 no gap, I2 what was acknowledged is there, I3 the chain of hashes,
I4 every call has one result, I5 effects match results, I6 nothing is stuck, I7 one turn at a time, I8 rebuilding gives
the same, I9 every prefix is a legal prompt, I16 (in `approval_invariants.py`) nothing that needs an approval happens
without one.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, TypeAlias
from uuid import UUID

from spotter.sessions import projections
from spotter.sessions.codec import Event, UnreadableEvent, dump, load
from spotter.sessions.events import (
    Action,
    ApprovalDecided,
    ApprovalRequested,
    Content,
    Ending,
    Handoff,
    Outcome,
    Result,
    Stage,
    TurnResumed,
    UserMessage,
    ending_of,
    is_direct,
)

Invariant: TypeAlias = Literal["I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "I9", "I16"]
PATIENCE: Final = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Violation:
    invariant: Invariant
    session_id: UUID
    sequence: int | None
    what: str


class Found(NamedTuple):
    """A violation of the session at hand."""

    invariant: Invariant
    sequence: int | None
    what: str


@dataclass(frozen=True, slots=True)
class SessionRow:
    session_id: UUID
    last_sequence: int
    context_start: int
    fence: int
    turn_open: bool
    lease_owner: int | None
    lease_until: datetime | None
    erased: bool
    copied: int
    """How many of its events came from another session."""
    now: datetime
    agent: str
    stage: str | None
    waiting_since: datetime | None
    waiting: frozenset[UUID]
    """Messages in the inbox."""
    marks: Mapping[str, str]
    """By call: the state of an effect outside that has no key."""
    outbox: frozenset[str]
    """Calls that left something to deliver."""
    approvals: Sequence["ApprovalRow"] = ()


class ApprovalRow(NamedTuple):
    approval_id: UUID
    call_id: str
    state: str
    decided_at: datetime | None
    settled: bool


class EventRow(NamedTuple):
    sequence: int
    kind: str
    text: str
    at: datetime
    hash: bytes


@dataclass(slots=True)
class Chain:
    """I1 and I3."""

    session: SessionRow
    last: int = 0
    _hash: bytes = b""

    def take(self, row: EventRow) -> Iterator[Found]:
        if row.sequence != self.last + 1:
            yield Found("I1", row.sequence, f"comes after {self.last}")
        self.last = row.sequence
        expected = hashlib.sha256(self._hash + f"{row.kind}\n{row.text}".encode()).digest()
        self._hash = row.hash
        if len(row.hash) != len(expected):
            yield Found("I3", row.sequence, "its hash has the wrong length")
        elif not self.session.erased and row.hash != expected:
            yield Found("I3", row.sequence, "its hash does not match its content and the event before it")

    def end(self) -> Iterator[Found]:
        if self.last != self.session.last_sequence:
            yield Found("I1", self.last, f"is the last, but the session says {self.session.last_sequence}")


@dataclass(slots=True)
class Rebuilt:
    """I8: an event read and written again is the same bytes; folds of both are the same."""

    events: list[Event] = field(default_factory=list)
    again: list[Event] = field(default_factory=list)

    def read(self, row: EventRow) -> tuple[Content | None, list[Found]]:
        try:
            content = load(row.kind, row.text)
            written = dump(content)
            again = load(row.kind, written)
        except UnreadableEvent as error:
            return None, [Found("I8", row.sequence, error.detail)]
        self.events.append(Event(row.sequence, row.at, content))
        self.again.append(Event(row.sequence, row.at, again))
        if written != row.text:
            return content, [Found("I8", row.sequence, "reads back as other bytes")]
        return content, []

    def fold(self) -> Iterator[Found]:
        """Compares, and forgets what it has compared."""
        for name, project in (
            ("transcript", projections.transcript),
            ("messages", projections.messages),
            ("totals", projections.totals),
            ("open calls", projections.unanswered_calls),
            ("approvals", projections.pending_approvals),
        ):
            if project(self.events) != project(self.again):
                yield Found("I8", self.events[0].sequence, f"from here on, {name} rebuild differently")
        self.events.clear()
        self.again.clear()


@dataclass(slots=True)
class Standing:
    """I8: who speaks and where the session stands is what its log says."""

    session: SessionRow
    _agent: str | None = None
    _stage: str | None = None

    def take(self, sequence: int, content: Content) -> None:
        if isinstance(content, Handoff):
            self._agent = content.to_agent
        elif isinstance(content, Stage) and content.accepted and sequence > self.session.copied:
            self._stage = content.to_stage

    def end(self) -> Iterator[Found]:
        if self._agent not in (None, self.session.agent):
            yield Found("I8", None, f"{self.session.agent} speaks, but the log says {self._agent}")
        if self._stage not in (None, self.session.stage):
            yield Found("I8", None, f"it stands at {self.session.stage}, but the log says {self._stage}")


@dataclass(slots=True)
class Calls:
    """I4 and I5."""

    session: SessionRow
    _open: dict[str, int] = field(default_factory=dict)
    _outcomes: dict[str, Outcome] = field(default_factory=dict)
    _uncertain: dict[str, int] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)
    """Calls that may stay open beyond their turn: a person was asked."""

    def take(self, sequence: int, content: Content) -> Iterator[Found]:
        match content:
            case Action(call_id=call_id):
                if call_id in self._open:
                    yield Found("I4", sequence, f"call {call_id} is made again before it was answered")
                self._open[call_id] = sequence
            case Result(call_id=call_id, outcome=outcome):
                if self._open.pop(call_id, None) is None and sequence > self.session.copied:
                    yield Found("I4", sequence, f"a result without an open call: {call_id}")
                self._remember(sequence, call_id, outcome)
            case UserMessage(source="voice"):
                pass
            case ApprovalRequested(call_id=call_id):
                self._asked.add(call_id)
            case UserMessage():
                yield from self._leave()
            case _:
                pass
        if ending_of(content) is not None:
            yield from self._leave()

    def _remember(self, sequence: int, call_id: str, outcome: Outcome) -> None:
        if call_id in self.session.marks or call_id in self.session.outbox:
            self._outcomes[call_id] = outcome
        if outcome is Outcome.UNCERTAIN and sequence > self.session.copied:
            self._uncertain[call_id] = sequence

    def _leave(self) -> Iterator[Found]:
        """The turn is over: nothing may be open, unless a person was asked about it."""
        for call_id, sequence in self._open.items():
            if call_id not in self._asked and sequence > self.session.copied:
                yield Found("I4", sequence, f"call {call_id} never got a result, and its turn is over")
        self._open = {call_id: place for call_id, place in self._open.items() if call_id in self._asked}

    def end(self) -> Iterator[Found]:
        if not self.session.turn_open:
            yield from self._leave()
        waiting = {row.call_id for row in self.session.approvals if not row.settled}
        for call_id in self._open.keys() & self._asked:
            if call_id not in waiting and self._open[call_id] > self.session.copied:
                yield Found(
                    "I4", self._open[call_id], f"call {call_id} waits for an approval nobody can give"
                )
        for call_id, state in self.session.marks.items():
            yield from self._check_mark(call_id, state, self._outcomes.get(call_id))
        for call_id, sequence in self._uncertain.items():
            if self.session.marks.get(call_id) != "uncertain":
                yield Found("I5", sequence, f"call {call_id} is uncertain, but its effect is not marked so")
        for call_id in self.session.outbox:
            if self._outcomes.get(call_id) is not Outcome.OK:
                yield Found("I5", None, f"call {call_id} left something to deliver, but has no good result")

    def _check_mark(self, call_id: str, state: str, outcome: Outcome | None) -> Iterator[Found]:
        match state:
            case "attempting":
                if not self.session.turn_open:
                    yield Found("I5", None, f"call {call_id} is still being attempted, but its turn is over")
            case "uncertain":
                if outcome is not Outcome.UNCERTAIN:
                    yield Found("I5", None, f"the effect of call {call_id} is uncertain, its result is not")
            case _:
                if outcome is None or outcome is Outcome.UNCERTAIN:
                    yield Found(
                        "I5", None, f"the effect of call {call_id} is done, its result says otherwise"
                    )


@dataclass(slots=True)
class TurnsOf:
    """I6 and I7."""

    session: SessionRow
    _began: int = 0
    _ending: Ending | None = Ending.FINAL

    def take(self, sequence: int, content: Content) -> Iterator[Found]:
        if sequence <= self.session.copied:
            return
        if isinstance(content, UserMessage) and content.source != "voice":
            if self._ending is None:
                yield Found("I7", sequence, "a turn begins before the one before it has ended")
            self._began += 1
            self._ending = None
        if isinstance(content, Action) and is_direct(content.call_id):
            if self._ending is None:
                yield Found("I7", sequence, "a call from outside begins while a turn is going on")
            self._began += 1
            self._ending = None
        if isinstance(content, ApprovalDecided | TurnResumed) and self._ending is not None:
            self._began += 1  # what was decided about is gone on with, under a fence of its own
            self._ending = None
        if (ending := ending_of(content)) is not None:
            if self._ending is not None:
                yield Found("I7", sequence, "a turn ends a second time")
            self._ending = ending

    def end(self) -> Iterator[Found]:
        session = self.session
        if session.fence < self._began:
            yield Found("I7", None, f"{self._began} turns were begun, but the fence is only {session.fence}")
        if session.turn_open != (session.lease_until is not None):
            yield Found("I7", None, "it has a lease without a turn, or a turn without a lease")
        if not session.turn_open and self._ending is None and not session.erased:
            yield Found("I6", session.last_sequence, "the last turn is closed, but never ended")
        if session.lease_until is not None and session.now - session.lease_until > PATIENCE:
            yield Found("I6", None, f"nobody has taken its open turn over since {session.lease_until}")
        waited = session.waiting_since
        if waited is not None and not session.turn_open and session.now - waited > PATIENCE:
            yield Found("I6", None, f"a message has been waiting since {waited} and no turn is open")


@dataclass(slots=True)
class Acknowledged:
    """I2: what clients were told is recorded, is, once. What they were refused may be recorded, once at most."""

    session: SessionRow
    promised: Sequence[tuple[UUID, bool]]
    _seen: Counter[UUID] = field(default_factory=Counter)

    def take(self, content: Content) -> None:
        if self.promised and isinstance(content, UserMessage) and content.message_id is not None:
            self._seen[content.message_id] += 1

    def end(self) -> Iterator[Found]:
        for message_id, accepted in self.promised:
            times = self._seen[message_id] + (message_id in self.session.waiting)
            if times > 1 or (accepted and times == 0):
                yield Found("I2", None, f"message {message_id} is there {times} times")
