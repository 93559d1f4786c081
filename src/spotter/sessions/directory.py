"""Sessions as things: making, finding, listing, forking, erasing."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Integer, cast, func, or_, select, text, update

from spotter.errors import InvalidInput, NotFound
from spotter.identity import audit
from spotter.ids import new_id
from spotter.sessions.codec import dump
from spotter.sessions.events import Content, Handoff, Outcome, Result
from spotter.sessions.tables import AgentEvent, AgentSession
from spotter.store.scope import NOBODY
from spotter.store.unit_of_work import UnitOfWork

CONVERSATION: Final = "conversation"
_TRIAL: Final = {"trial": True}
"""In the details of a session that only tries an agent out. It is nobody's conversation to go on with."""


def trial_mark(trial: bool) -> dict[str, Any]:
    return dict(_TRIAL) if trial else {}


def no_trial() -> ColumnElement[bool]:
    return ~AgentSession.details.contains(_TRIAL)


async def create(
    uow: UnitOfWork,
    agent: str,
    *,
    title: str = "",
    details: Mapping[str, Any] | None = None,
    scenario: str | None = None,
    stage: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    task_id: UUID | None = None,
    run_id: UUID | None = None,
    project_id: UUID | None = None,
    kind: str = CONVERSATION,
    session_id: UUID | None = None,
) -> AgentSession:
    """`task_id` and `run_id` say what it works for: its costs are theirs."""
    assert uow.scope.org_id is not None
    session = AgentSession(
        org_id=uow.scope.org_id,
        id=session_id or new_id(),
        user_id=uow.scope.user_id or NOBODY,
        agent=agent,
        title=title,
        details=dict(details or {}),
        scenario=scenario,
        stage=stage,
        overrides=dict(overrides) if overrides else None,
        task_id=task_id,
        run_id=run_id,
        project_id=project_id,
        kind=kind,
    )
    uow.session.add(session)
    await uow.session.flush()
    await uow.session.refresh(session)
    return session


async def get(uow: UnitOfWork, session_id: UUID) -> AgentSession:
    session = await uow.session.scalar(
        select(AgentSession).where(AgentSession.id == session_id, AgentSession.erased_at.is_(None))
    )
    if session is None:
        raise NotFound("There is no such session.")
    return session


async def own(uow: UnitOfWork, session_id: UUID) -> AgentSession:
    """The caller's own; another person's is not there, also for staff."""
    session = await get(uow, session_id)
    if session.user_id != (uow.scope.user_id or NOBODY):
        raise NotFound("There is no such session.")
    return session


async def with_agent(uow: UnitOfWork, agent: str, limit: int) -> Sequence[AgentSession]:
    """The caller's own sessions with an agent, the most recent first."""
    query = select(AgentSession).where(
        AgentSession.user_id == (uow.scope.user_id or NOBODY),
        AgentSession.agent == agent,
        AgentSession.erased_at.is_(None),
        no_trial(),
    )
    return (await uow.session.scalars(query.order_by(AgentSession.updated_at.desc()).limit(limit))).all()


async def latest_events(
    uow: UnitOfWork, session_id: UUID, kinds: Sequence[str], limit: int
) -> list[AgentEvent]:
    """The newest of some kinds, oldest first."""
    rows = await uow.session.scalars(
        select(AgentEvent)
        .where(AgentEvent.session_id == session_id, AgentEvent.event_type.in_(kinds))
        .order_by(AgentEvent.sequence_number.desc())
        .limit(limit)
    )
    return list(reversed(rows.all()))


async def latest(uow: UnitOfWork, agent: str) -> AgentSession | None:
    """The caller's own most recent session with an agent."""
    return await uow.session.scalar(
        select(AgentSession)
        .where(
            AgentSession.user_id == (uow.scope.user_id or NOBODY),
            AgentSession.agent == agent,
            AgentSession.erased_at.is_(None),
            no_trial(),
        )
        .order_by(AgentSession.updated_at.desc())
        .limit(1)
    )


async def listing(
    uow: UnitOfWork,
    *,
    limit: int,
    before: tuple[datetime, UUID] | None = None,
    user_id: UUID | None = None,
    search: str = "",
    forked_from: UUID | None = None,
    trials: bool = True,
) -> list[AgentSession]:
    """Most recently used first. One's own; staff see everybody's, or one person's. `search` looks at the title and at
    who answers. Without `trials`, those that only try an agent out are left away."""
    query = select(AgentSession).where(AgentSession.erased_at.is_(None), AgentSession.kind == CONVERSATION)
    if user_id is not None:
        query = query.where(AgentSession.user_id == user_id)
    if forked_from is not None:
        query = query.where(AgentSession.forked_from == forked_from)
    if not trials:
        query = query.where(no_trial())
    for word in search.split():
        fields = (AgentSession.title, AgentSession.agent, func.coalesce(AgentSession.scenario, ""))
        query = query.where(or_(*(one.icontains(word, autoescape=True) for one in fields)))
    if before is not None:
        query = query.where(
            (AgentSession.updated_at < before[0])
            | ((AgentSession.updated_at == before[0]) & (AgentSession.id < before[1]))
        )
    query = query.order_by(AgentSession.updated_at.desc(), AgentSession.id.desc()).limit(limit)
    return list(await uow.session.scalars(query))


async def move_context_start(uow: UnitOfWork, session_id: UUID, sequence: int) -> None:
    moved = await uow.session.execute(
        update(AgentSession)
        .where(AgentSession.id == session_id, AgentSession.last_sequence >= sequence)
        .values(context_start_sequence=sequence)
        .returning(AgentSession.id)
    )
    if moved.first() is None:
        raise InvalidInput("The context cannot start after the last event.")


async def request_cancel(uow: UnitOfWork, session_id: UUID) -> bool:
    """True when a turn is going on that will now stop."""
    asked = await uow.session.execute(
        update(AgentSession)
        .where(AgentSession.id == session_id, AgentSession.turn_open)
        .values(cancel_requested=True)
        .returning(AgentSession.id)
    )
    return asked.first() is not None


async def fork(
    uow: UnitOfWork,
    session_id: UUID,
    *,
    at: int | None = None,
    agent: str | None = None,
    model: str | None = None,
) -> AgentSession:
    """A new session that shares the history up to an event, and goes its own way from there, with another agent or
    another model if wished. The copied rows keep their hashes: the chain of the copy is the chain of the original."""
    source = await get(uow, session_id)
    upto = source.last_sequence if at is None else at
    if not 0 <= upto <= source.last_sequence:
        raise InvalidInput(f"There is no event {upto}: this session has {source.last_sequence}.")
    speaker, stage = await _standing(uow, source, upto)
    overrides = {**(source.overrides or {}), "model": model} if model is not None else source.overrides
    copy = AgentSession(
        org_id=source.org_id,
        id=new_id(),
        user_id=source.user_id,
        agent=speaker,
        scenario=source.scenario,
        stage=stage,
        overrides=overrides,
        title=source.title if upto else "",
        details=source.details,
        project_id=source.project_id,
        last_sequence=upto,
        context_start_sequence=await _context_start(uow, source, upto),
        forked_from=source.id,
        forked_at=upto,
    )
    uow.session.add(copy)
    await uow.session.flush()
    await uow.session.execute(_COPY_EVENTS, {"source": source.id, "copy": copy.id, "upto": upto})
    await _answer_asked(uow, copy)
    if agent is not None and agent != speaker:
        await _append(
            uow, copy, [Handoff(from_agent=speaker, to_agent=agent, reason="A fork with another agent.")]
        )
    await uow.session.refresh(copy)
    return copy


async def _standing(uow: UnitOfWork, source: AgentSession, upto: int) -> tuple[str, str | None]:
    """Who spoke and where the session stood when event `upto` was the last one: what the next change changed."""
    agent, stage = source.agent, source.stage
    if upto < source.last_sequence:
        row = (await uow.session.execute(_NEXT_MOVES, {"source": source.id, "upto": upto})).one()
        agent, stage = row[0] or agent, row[1] if row[1] is not None else stage
    return agent, stage or None


async def _answer_asked(uow: UnitOfWork, copy: AgentSession) -> None:
    """A fork has the words of a request, not its power: calls that wait for approval are answered there."""
    rows = await uow.session.execute(_ASKED, {"copy": copy.id})
    answers = [not_carried_out(call_id, tool) for call_id, tool in rows]
    if answers:
        await _append(uow, copy, answers)


async def _append(uow: UnitOfWork, session: AgentSession, events: Sequence[Content]) -> None:
    scope = uow.scope
    await uow.session.execute(
        _APPEND,
        {
            "org": scope.org_id,
            "user": scope.user_id,
            "role": scope.role or "",
            "copy": session.id,
            "kinds": [event.event_type for event in events],
            "contents": [dump(event) for event in events],
        },
    )


def not_carried_out(call_id: str, tool: str) -> Result:
    text = "Not carried out: it was waiting for an approval, which does not hold in a copy. Call it again if needed."
    return Result(tool=tool, call_id=call_id, outcome=Outcome.CANCELLED, error=text, formatted=text)


async def _context_start(uow: UnitOfWork, source: AgentSession, upto: int) -> int:
    """Where the context started when event `upto` was the last one: a checkpoint made later does not count."""
    if upto >= source.last_sequence or source.context_start_sequence == 0:
        return source.context_start_sequence
    start = await uow.session.scalar(
        select(cast(AgentEvent.content["covers"].as_string(), Integer))
        .where(
            AgentEvent.session_id == source.id,
            AgentEvent.event_type == "checkpoint",
            AgentEvent.sequence_number <= upto,
        )
        .order_by(AgentEvent.sequence_number.desc())
        .limit(1)
    )
    return start or 0


async def erase(uow: UnitOfWork, session_id: UUID) -> None:
    """Shreds what was said. That something was, and in which order, stays: the chain of hashes still holds."""
    done = await uow.session.scalar(text("SELECT spotter_auth.erase_session(:id)"), {"id": session_id})
    if not done:
        raise NotFound("There is no such session.")
    await audit.record(uow, "session.erased", target=str(session_id))
    await uow.session.execute(_FORGET_ASKED, {"id": session_id})


_FORGET_ASKED = text(
    "UPDATE approvals SET arguments = '{}', decision_reason = '', settled_at = coalesce(settled_at, now()),"
    " decided_at = coalesce(decided_at, now()),"
    " state = CASE WHEN state IN ('pending', 'approved') THEN 'superseded' ELSE state END WHERE session_id = :id"
)
_ASKED = text(
    "SELECT content ->> 'call_id', max(content ->> 'tool') FROM agent_events e WHERE session_id = :copy"
    " AND event_type = 'approval_requested' AND NOT EXISTS (SELECT 1 FROM agent_events r WHERE r.session_id = :copy"
    " AND r.event_type = 'result' AND r.content ->> 'call_id' = e.content ->> 'call_id')"
    " GROUP BY 1 ORDER BY min(sequence_number)"
)
_APPEND = text(
    "SELECT spotter_append("
    ":org, :user, :role, :copy, NULL, CAST(:kinds AS text[]), CAST(:contents AS text[]), false, NULL)"
)
_NEXT_MOVES = text(
    "SELECT (SELECT content ->> 'from_agent' FROM agent_events WHERE session_id = :source AND event_type = 'handoff'"
    " AND sequence_number > :upto ORDER BY sequence_number LIMIT 1),"
    " (SELECT content ->> 'from_stage' FROM agent_events WHERE session_id = :source AND event_type = 'stage'"
    " AND coalesce((content ->> 'accepted')::boolean, true) AND sequence_number > :upto"
    " ORDER BY sequence_number LIMIT 1)"
)
_COPY_EVENTS = text(
    "INSERT INTO agent_events (org_id, session_id, sequence_number, user_id, event_type, content, created_at, hash)"
    " SELECT org_id, :copy, sequence_number, user_id, event_type, content, created_at, hash FROM agent_events"
    " WHERE session_id = :source AND sequence_number <= :upto"
)
