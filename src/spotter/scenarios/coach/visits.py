"""Visits as sessions (A6): begun, found, listed, counted, wished elsewhere, cleaned up."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Select, exists, func, select

from spotter.clock import now
from spotter.errors import NotFound
from spotter.identity import audit, guests
from spotter.identity.tables import Membership
from spotter.scenarios.coach import moving
from spotter.scenarios.coach.stages import AGENTS, SCENARIO, Allowed, CoachStage
from spotter.scenarios.coach.standing import session_of
from spotter.sessions import directory
from spotter.sessions.events import Content
from spotter.sessions.log import SessionLog
from spotter.sessions.tables import AgentSession
from spotter.store.scope import NOBODY
from spotter.store.unit_of_work import UnitOfWork

ACTIVE: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Denied:
    """A stage that was wished for and may not be entered."""

    wanted: CoachStage
    reason: str


async def begin(uow: UnitOfWork) -> AgentSession:
    first = CoachStage.INTAKE
    return await directory.create(uow, AGENTS[first], scenario=SCENARIO, stage=first)


async def own(uow: UnitOfWork, session_id: UUID) -> AgentSession:
    session = await directory.own(uow, session_id)
    if session.scenario != SCENARIO:
        raise NotFound("There is no such session.")
    return session


async def latest(uow: UnitOfWork) -> AgentSession | None:
    """Of the caller. A visit is one conversation over weeks: who comes back goes on with it."""
    return await uow.session.scalar(_mine(uow).order_by(AgentSession.updated_at.desc()).limit(1))


async def listing(uow: UnitOfWork, limit: int) -> Sequence[AgentSession]:
    return (await uow.session.scalars(_mine(uow).order_by(AgentSession.updated_at.desc()).limit(limit))).all()


def _mine(uow: UnitOfWork) -> Select[AgentSession]:
    return select(AgentSession).where(
        AgentSession.user_id == (uow.scope.user_id or NOBODY),
        AgentSession.scenario == SCENARIO,
        AgentSession.erased_at.is_(None),
        directory.no_trial(),
    )


async def wish(uow: UnitOfWork, log: SessionLog, session_id: UUID, wanted: CoachStage) -> Denied | None:
    """A client's wish. The table and the stored facts decide; either way the log says what came of it."""
    session = await session_of(uow, session_id)
    if session.turn_open:
        return Denied(wanted, "An answer is being given right now. Wait for it.")
    if session.stage is wanted:
        return None
    judgement, _ = await moving.judged(uow, session, wanted)
    events: Sequence[Content]
    if isinstance(judgement, Allowed):
        events, denied = moving.step(session, wanted, "The client asked for it."), None
    else:
        events, denied = [moving.refused_step(session, wanted, judgement)], Denied(wanted, judgement.reason)
    await log.append(uow.scope, session_id, events, connection=await uow.driver())
    return denied


@dataclass(frozen=True, slots=True)
class Statistics:
    total: int
    active: int
    """Used in the last day."""
    anonymous: int
    by_state: dict[str, int]


async def statistics(uow: UnitOfWork, user_id: UUID | None) -> Statistics:
    """One's own, or with `None` the organisation's (the database shows that to staff only)."""
    visits = [AgentSession.scenario == SCENARIO, AgentSession.erased_at.is_(None)]
    if user_id is not None:
        visits.append(AgentSession.user_id == user_id)
    guest = exists().where(
        Membership.org_id == AgentSession.org_id,
        Membership.user_id == AgentSession.user_id,
        Membership.guest_until.is_not(None),
    )
    row = (
        await uow.session.execute(
            select(
                func.count(),
                func.count().filter(AgentSession.updated_at > now() - ACTIVE),
                func.count().filter(guest),
            ).where(*visits)
        )
    ).one()
    states = await uow.session.execute(
        select(AgentSession.stage, func.count()).where(*visits).group_by(AgentSession.stage)
    )
    counted = {str(stage): count for stage, count in states}
    return Statistics(row[0], row[1], row[2], {stage: counted.get(stage, 0) for stage in CoachStage})


async def clean_up(uow: UnitOfWork, max_age: timedelta) -> int:
    """Guests of the organisation who came longer ago than that, with their sessions. Nobody else's history goes."""
    gone = 0
    for guest in await guests.expired(uow, now() - max_age):
        gone += await guests.retire(uow, guest, adopted=False)
    if gone:
        await audit.record(uow, "coach.guests_erased", detail={"guests": gone})
    return gone
