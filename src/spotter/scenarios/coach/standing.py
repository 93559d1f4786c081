"""A visit as it stood when it was looked at."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import select

from spotter.errors import Conflict
from spotter.scenarios.coach.stages import SCENARIO, CoachStage
from spotter.sessions.tables import AgentSession
from spotter.store.unit_of_work import UnitOfWork

_NOT_HERE: Final = "This is not a visit to the coach."


@dataclass(frozen=True, slots=True)
class Standing:
    """A value: what is written meanwhile does not change it."""

    id: UUID
    user_id: UUID
    agent: str
    stage: CoachStage
    turn_open: bool = False


async def session_of(uow: UnitOfWork, session_id: UUID) -> Standing:
    """As it stands now. Whoever takes a step holds it until the step is recorded."""
    session = await uow.session.scalar(
        select(AgentSession)
        .where(
            AgentSession.id == session_id,
            AgentSession.scenario == SCENARIO,
            AgentSession.erased_at.is_(None),
        )
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    if session is None:
        raise Conflict(_NOT_HERE)
    return standing_of(session)


def standing_of(row: AgentSession) -> Standing:
    return Standing(row.id, row.user_id, row.agent, CoachStage(row.stage or CoachStage.INTAKE), row.turn_open)
