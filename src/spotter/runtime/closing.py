"""Ending a turn from outside of its loop: somebody cancelled it, or it broke.

Whoever was interrupted does not know whether their last words reached the log. So the session is locked first, the log
is read, and what is missing is added in the same transaction: each call gets one result, the turn one end.
"""

from typing import Any, Final
from uuid import UUID

import psycopg

from spotter.errors import SpotterError
from spotter.identity import audit
from spotter.llm.port import Model
from spotter.runtime.speech import Speech
from spotter.sessions import projections
from spotter.sessions.codec import Event, storable
from spotter.sessions.events import (
    Action,
    AssistantMessage,
    Content,
    Ending,
    Failure,
    Outcome,
    Result,
    UsageRecord,
    ending_of,
)
from spotter.sessions.log import Fenced, SessionLog, Turn
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork

NOT_CARRIED_OUT: Final = "Not carried out: the turn ended first."
_LOCK: Final = """
    SELECT fence = %s AND turn_open, coalesce((
        SELECT max(e.sequence_number) FROM agent_events e
        WHERE e.org_id = s.org_id AND e.session_id = s.id AND e.event_type = 'user_message'
    ), 0) FROM agent_sessions s WHERE s.org_id = %s AND s.id = %s FOR UPDATE OF s
"""
_SETTLE: Final = """
    UPDATE agent_effects SET state = 'uncertain', settled_at = now()
    WHERE org_id = %s AND session_id = %s AND call_id = ANY (%s) AND state = 'attempting' RETURNING call_id
"""

# Decisions that wait for this turn; when everything is stopped, also requests nobody has decided about.
_ASKED: Final = """
    SELECT call_id, tool FROM approvals WHERE org_id = %s AND session_id = %s AND settled_at IS NULL
    AND (%s OR decided_at IS NOT NULL) ORDER BY requested_at, id FOR UPDATE
"""
_VOID: Final = """
    UPDATE approvals SET settled_at = now(), decided_at = coalesce(decided_at, now()),
        state = CASE WHEN state IN ('pending', 'approved') THEN 'superseded' ELSE state END
    WHERE org_id = %s AND session_id = %s AND call_id = ANY (%s) AND settled_at IS NULL RETURNING id
"""


async def close_turn(
    database: Database,
    log: SessionLog,
    scope: Scope,
    turn: Turn,
    last: Content,
    *,
    said: AssistantMessage | None = None,
) -> tuple[Ending, int]:
    """How the turn ended and with which event: with `last`, unless it had ended by itself. `said` is what people saw
    of an answer that was cut off. Raises `Fenced` when the turn is no longer ours."""
    async with database.unit_of_work(scope) as uow:
        connection = await uow.driver()
        ours, began = await _locked(connection, scope, turn)
        events = await log.read(scope, turn.session_id, after=began - 1, connection=connection)
        if events and (ended := ending_of(events[-1].content)) is not None:
            return ended, events[-1].sequence
        if not ours:
            raise Fenced("This turn was taken over by another process, or has ended.")
        unanswered = projections.unanswered_calls(events)
        unanswered += await _asked(connection, scope, turn, unanswered, ending_of(last))
        missing = await _results(connection, scope, turn, unanswered)
        if said is not None and not missing and not _has_said(events, said):
            missing.append(said)
        done = await log.append(
            scope, turn.session_id, [*missing, last], fence=turn.fence, close=True, connection=connection
        )
        await void(uow, turn.session_id, [call.call_id for call in unanswered])
    ending = ending_of(last)
    assert ending is not None
    return ending, done.last


async def _locked(connection: psycopg.AsyncConnection[Any], scope: Scope, turn: Turn) -> tuple[bool, int]:
    cursor = await connection.execute(_LOCK, (turn.fence, scope.org_id, turn.session_id))
    row = await cursor.fetchone()
    if row is None:
        raise Fenced("The session of this turn is gone.")
    return bool(row[0]), int(row[1])


async def _asked(
    connection: psycopg.AsyncConnection[Any],
    scope: Scope,
    turn: Turn,
    known: list[Action],
    ending: Ending | None,
) -> list[Action]:
    """Calls of earlier turns that people were asked about and that end with this one."""
    everything = ending is Ending.CANCELLED
    cursor = await connection.execute(_ASKED, (scope.org_id, turn.session_id, everything))
    ids = {call.call_id for call in known}
    rows = await cursor.fetchall()
    return [Action(tool=tool, args="", call_id=call_id) for call_id, tool in rows if call_id not in ids]


async def void(uow: UnitOfWork, session_id: UUID, call_ids: list[str]) -> None:
    """These calls have their results: no approval of them has any power left."""
    if not call_ids:
        return
    cursor = await (await uow.driver()).execute(_VOID, (uow.scope.org_id, session_id, call_ids))
    for (approval_id,) in await cursor.fetchall():
        await audit.record(uow, "approval.superseded", target=str(approval_id))


async def _results(
    connection: psycopg.AsyncConnection[Any], scope: Scope, turn: Turn, unanswered: list[Action]
) -> list[Content]:
    if not unanswered:
        return []
    ids = [call.call_id for call in unanswered]
    cursor = await connection.execute(_SETTLE, (scope.org_id, turn.session_id, ids))
    begun = {row[0] for row in await cursor.fetchall()}
    return [uncertain(call) if call.call_id in begun else cancelled(call) for call in unanswered]


def cancelled(call: Action) -> Result:
    return Result(
        tool=call.tool,
        call_id=call.call_id,
        outcome=Outcome.CANCELLED,
        error=NOT_CARRIED_OUT,
        formatted=NOT_CARRIED_OUT,
    )


def uncertain(call: Action) -> Result:
    text = (
        f"{call.tool} was begun, but nobody knows whether it was done. It was not repeated. Say so openly, and let a "
        "person check."
    )
    return Result(tool=call.tool, call_id=call.call_id, outcome=Outcome.UNCERTAIN, error=text, formatted=text)


def said_so_far(speech: Speech | None, model: Model) -> AssistantMessage | None:
    """It was shown, so it was said; what it cost nobody told us."""
    if speech is None or not speech.text:
        return None
    usage = UsageRecord(model=model.name, provider=model.provider, reported=False)
    verdict = speech.verdict() if speech.verdict is not None else None
    return AssistantMessage(text=storable(speech.text), usage=usage, moderation=verdict)


def failure_of(error: Exception) -> Failure:
    code, detail = "internal", "Something broke on our side. What was done is recorded."
    if isinstance(error, SpotterError):
        code, detail = error.code, error.detail
    return Failure(code=code, detail=detail, ends=Ending.FAILED)


def _has_said(events: list[Event], said: AssistantMessage) -> bool:
    return any(
        isinstance(event.content, AssistantMessage) and event.content.text == said.text for event in events
    )
