"""`spotter verify`: reads every session and checks that nothing was lost, doubled, changed or left lying.

Sessions are found as the job login, which sees ids only; each is then read as the runtime login for its organisation,
in one read-only snapshot, so that it can be run beside a busy server.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import psycopg

from spotter.errors import InvalidInput
from spotter.sessions.approval_invariants import Asked
from spotter.sessions.invariants import (
    Acknowledged,
    ApprovalRow,
    Calls,
    Chain,
    EventRow,
    Found,
    Rebuilt,
    SessionRow,
    Standing,
    TurnsOf,
    Violation,
)
from spotter.sessions.prompts import NewView, Prompts, View
from spotter.store.urls import DatabaseUrls

_BATCH: Final = 1_000
_MOST_KEPT: Final = 1_000
_MOST_SHOWN: Final = 50
_NOTHING: Final = UUID(int=0)

# Between two batches of a long session much is worked out here, while the snapshot is kept.
_PATIENT: Final = "-c idle_in_transaction_session_timeout=0"

_SESSIONS: Final = """
    SELECT org_id, id FROM agent_sessions WHERE (org_id, id) > (%(org)s, %(id)s)
    AND (%(only_org)s::uuid IS NULL OR org_id = %(only_org)s) AND (%(only)s::uuid IS NULL OR id = %(only)s)
    ORDER BY org_id, id LIMIT %(limit)s
"""
_ACT_FOR: Final = """
    SELECT set_config('spotter.org_id', %s, true), set_config('spotter.user_id', '', true),
           set_config('spotter.role', 'service', true)
"""
_SESSION: Final = """
    SELECT id, last_sequence, context_start_sequence, fence, turn_open, lease_owner, lease_until,
           erased_at IS NOT NULL, coalesce(forked_at, 0), now(), agent, stage
    FROM agent_sessions WHERE org_id = %s AND id = %s
"""
_WAITING: Final = """
    SELECT created_at, (content ->> 'message_id')::uuid FROM agent_inbox
    WHERE org_id = %s AND session_id = %s ORDER BY position
"""
_MARKS: Final = "SELECT call_id, state FROM agent_effects WHERE org_id = %s AND session_id = %s"
_OUTBOX: Final = """
    SELECT DISTINCT call_id FROM outbox WHERE org_id = %s AND session_id = %s AND call_id IS NOT NULL
"""
_APPROVALS: Final = """
    SELECT id, call_id, state, decided_at, settled_at IS NOT NULL FROM approvals
    WHERE org_id = %s AND session_id = %s ORDER BY requested_at, id
"""
_EVENTS: Final = """
    SELECT sequence_number, event_type, content::text, created_at, hash FROM agent_events
    WHERE org_id = %s AND session_id = %s AND sequence_number > %s ORDER BY sequence_number LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look at."""

    org_id: UUID | None = None
    session_id: UUID | None = None
    journal: Path | None = None
    """What clients were told: lines of {"session_id", "message_id", "status"}."""
    prefixes: int = 200


@dataclass(slots=True)
class Findings:
    sessions: int = 0
    events: int = 0
    prompts: int = 0
    open_turns: int = 0
    waiting: int = 0
    uncertain: int = 0
    undecided: int = 0
    erased: int = 0
    acknowledged: int = 0
    count: int = 0
    violations: list[Violation] = field(default_factory=list)
    organisations: set[UUID] = field(default_factory=set)

    @property
    def good(self) -> bool:
        return self.count == 0

    def add(self, session_id: UUID, found: Found) -> None:
        self.count += 1
        if len(self.violations) < _MOST_KEPT:
            self.violations.append(Violation(found.invariant, session_id, found.sequence, found.what))

    def lines(self) -> Iterator[str]:
        yield (
            f"{self.sessions} sessions of {len(self.organisations)} organisations, {self.events} events, "
            f"{self.prompts} prompts rebuilt."
        )
        yield f"{self.open_turns} turns are going on, {self.waiting} messages wait for theirs."
        if self.undecided:
            yield f"{self.undecided} calls wait for a person's approval."
        if self.uncertain:
            yield f"{self.uncertain} effects outside are uncertain: a person should look whether they happened."
        if self.erased:
            yield f"{self.erased} sessions are erased: their order is checked, their content is gone."
        if self.acknowledged:
            yield f"{self.acknowledged} messages of the journal were looked for."
        for violation in self.violations[:_MOST_SHOWN]:
            place = "" if violation.sequence is None else f", event {violation.sequence}"
            yield f"  {violation.invariant}  session {violation.session_id}{place}: {violation.what}"
        if self.count > _MOST_SHOWN:
            yield f"  … and {self.count - _MOST_SHOWN} more."


async def verify(urls: DatabaseUrls, new_view: NewView, wanted: Wanted = Wanted()) -> Findings:
    findings = Findings()
    promised = _journal(wanted.journal)
    async with await psycopg.AsyncConnection.connect(
        urls.runtime_direct, application_name="spotter verify", options=_PATIENT
    ) as connection:
        await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
        await connection.set_read_only(True)
        async for org_id, session_id in _sessions(urls, wanted):
            async with connection.transaction():
                reader = _Reader(connection, org_id, session_id)
                audit = _Audit(reader, new_view, wanted.prefixes, findings, promised.pop(session_id, []))
                await audit.run()
    for session_id, messages in promised.items():
        lost = sum(accepted for _, accepted in messages)
        if lost and wanted.session_id in (None, session_id):
            findings.add(
                session_id, Found("I2", None, f"is gone, with {lost} messages that were acknowledged")
            )
    return findings


async def _sessions(urls: DatabaseUrls, wanted: Wanted) -> AsyncIterator[tuple[UUID, UUID]]:
    org_id, session_id = _NOTHING, _NOTHING
    async with await psycopg.AsyncConnection.connect(
        urls.job, autocommit=True, application_name="spotter verify"
    ) as connection:
        while True:
            place = {"org": org_id, "id": session_id, "limit": _BATCH}
            only = {"only_org": wanted.org_id, "only": wanted.session_id}
            rows = await (await connection.execute(_SESSIONS, {**place, **only})).fetchall()
            for org_id, session_id in rows:
                yield org_id, session_id
            if len(rows) < _BATCH:
                return


@dataclass(frozen=True, slots=True)
class _Reader:
    """One session, inside a transaction that sees one moment."""

    connection: psycopg.AsyncConnection[Any]
    org_id: UUID
    session_id: UUID

    async def session(self) -> SessionRow | None:
        await self.connection.execute(_ACT_FOR, (str(self.org_id),))
        rows = await self._rows(_SESSION)
        if not rows:
            return None  # deleted since it was found
        waiting = await self._rows(_WAITING)
        values = (
            *rows[0],
            waiting[0][0] if waiting else None,
            frozenset(message_id for _, message_id in waiting if message_id is not None),
            dict(await self._rows(_MARKS)),
            frozenset(call_id for (call_id,) in await self._rows(_OUTBOX)),
            [ApprovalRow(*row) for row in await self._rows(_APPROVALS)],
        )
        return SessionRow(*values)

    async def events(self, after: int = 0) -> AsyncIterator[list[EventRow]]:
        while True:
            rows = [EventRow(*row) for row in await self._rows(_EVENTS, after, _BATCH)]
            if rows:
                yield rows
                after = rows[-1].sequence
            if len(rows) < _BATCH:
                return

    async def _rows(self, query: str, *more: object) -> list[Any]:
        cursor = await self.connection.execute(query.encode(), (self.org_id, self.session_id, *more))
        return await cursor.fetchall()


@dataclass(frozen=True, slots=True)
class _Audit:
    reader: _Reader
    new_view: NewView
    prefixes: int
    findings: Findings
    promised: list[tuple[UUID, bool]]

    async def run(self) -> None:
        session = await self.reader.session()
        if session is None:
            return
        self._count(session)
        chain = Chain(session)
        if session.erased:
            async for batch in self.reader.events():
                self._note(found for row in batch for found in chain.take(row))
            self._note(chain.end())
            return
        await self._read(session, chain)

    async def _read(self, session: SessionRow, chain: Chain) -> None:
        calls, turns, rebuilt, asked = Calls(session), TurnsOf(session), Rebuilt(), Asked(session)
        acknowledged, standing = Acknowledged(session, self.promised), Standing(session)
        prompts = Prompts(session, self.new_view, self.prefixes)
        async for batch in self.reader.events():
            self.findings.events += len(batch)
            for row in batch:
                self._note(chain.take(row))
                content, found = rebuilt.read(row)
                self._note(found)
                if content is None:
                    continue
                acknowledged.take(content)
                self._note(calls.take(row.sequence, content))
                self._note(turns.take(row.sequence, content))
                asked.take(row.sequence, content)
                standing.take(row.sequence, content)
                self._note(prompts.take(row.sequence, content))
            if rebuilt.events:
                self._note(rebuilt.fold())
        cold = await self._as_new_process_sees(session)
        for check in (chain, calls, turns, asked, acknowledged, standing):
            self._note(check.end())
        self._note(prompts.end(cold))
        self.findings.prompts += prompts.tried

    async def _as_new_process_sees(self, session: SessionRow) -> View:
        view = self.new_view()
        async for batch in self.reader.events(session.context_start):
            again = Rebuilt()
            for row in batch:
                again.read(row)
            view.feed(again.events)
        return view

    def _count(self, session: SessionRow) -> None:
        self.findings.sessions += 1
        self.findings.organisations.add(self.reader.org_id)
        self.findings.open_turns += session.turn_open
        self.findings.waiting += len(session.waiting)
        self.findings.erased += session.erased
        self.findings.uncertain += Counter(session.marks.values())["uncertain"]
        self.findings.undecided += sum(row.state == "pending" for row in session.approvals)
        self.findings.acknowledged += len(self.promised)

    def _note(self, found: Iterable[Found]) -> None:
        for one in found:
            self.findings.add(self.reader.session_id, one)


def _journal(path: Path | None) -> dict[UUID, list[tuple[UUID, bool]]]:
    promised: dict[UUID, list[tuple[UUID, bool]]] = {}
    if path is None:
        return promised
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        try:
            entry = json.loads(line)
            told = UUID(entry["message_id"]), 200 <= int(entry["status"]) < 300
            promised.setdefault(UUID(entry["session_id"]), []).append(told)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(
                f"Line {number} of {path} is no entry of a journal. One looks like "
                '{"session_id": "…", "message_id": "…", "status": 200}.'
            ) from error
    return promised
