"""Taking a step in a visit: judged by the stored facts, recorded in the log, with the agent who speaks there."""

from spotter.scenarios.coach import facts
from spotter.scenarios.coach.stages import (
    AGENTS,
    Allowed,
    CoachStage,
    Facts,
    Judgement,
    Refused,
    judge,
)
from spotter.scenarios.coach.standing import Standing
from spotter.sessions.events import Handoff, Move, Stage
from spotter.store.unit_of_work import UnitOfWork


async def judged(uow: UnitOfWork, session: Standing, to: CoachStage) -> tuple[Judgement, Facts]:
    found = await facts.load(uow, session)
    return judge(session.stage, to, found), found


def step(session: Standing, to: CoachStage, reason: str) -> tuple[Move, ...]:
    """The events of a step that was allowed."""
    stage = Stage(from_stage=session.stage, to_stage=to, reason=reason)
    if session.agent == AGENTS[to]:
        return (stage,)
    return (stage, Handoff(from_agent=session.agent, to_agent=AGENTS[to], reason=reason))


def refused_step(session: Standing, to: CoachStage, judgement: Refused) -> Stage:
    return Stage(from_stage=session.stage, to_stage=to, accepted=False, reason=judgement.reason)


async def take(uow: UnitOfWork, session: Standing, to: CoachStage, reason: str) -> tuple[Move, ...] | Refused:
    judgement, _ = await judged(uow, session, to)
    return step(session, to, reason) if isinstance(judgement, Allowed) else judgement
