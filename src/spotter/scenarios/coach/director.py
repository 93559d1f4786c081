"""Where a visit stands once safety has answered instead of an agent: at the health questions again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import select

from spotter.runtime import verdicts
from spotter.runtime.context import SessionView
from spotter.scenarios.coach.stages import AGENTS, SCENARIO, STEPS, CoachStage
from spotter.scenarios.coach.standing import standing_of
from spotter.sessions.events import Handoff, Move, Stage
from spotter.sessions.log import Turn
from spotter.sessions.tables import AgentSession
from spotter.store.database import Database
from spotter.store.scope import Scope

_WHY: Final = "Something was said that needs looking at first."


@dataclass(frozen=True, slots=True)
class CoachDirector:
    database: Database

    async def after_red_flag(self, scope: Scope, turn: Turn, view: SessionView) -> Sequence[Move]:
        if turn.scenario != SCENARIO or view.to_answer is None:
            return ()
        if verdicts.red_flag_of(view.to_answer, view.turn_started) is None:
            return ()  # refused for another reason: that is no matter of health
        async with self.database.unit_of_work(scope) as uow:
            session = await uow.session.scalar(select(AgentSession).where(AgentSession.id == turn.session_id))
        if session is None:
            return ()
        now = standing_of(session)
        return back_to_intake(now.stage, now.agent)


def back_to_intake(now: CoachStage, agent: str) -> tuple[Move, ...]:
    """By allowed steps only: from the end of a visit the way leads over the ones between."""
    stages: list[Move] = []
    for stage in _way_back(now):
        stages.append(Stage(from_stage=now, to_stage=stage, reason=_WHY))
        now = stage
    if stages and agent != AGENTS[CoachStage.INTAKE]:
        stages.append(Handoff(from_agent=agent, to_agent=AGENTS[CoachStage.INTAKE], reason=_WHY))
    return tuple(stages)


def _way_back(now: CoachStage) -> list[CoachStage]:
    way: list[CoachStage] = []
    while now is not CoachStage.INTAKE:
        if (now, CoachStage.INTAKE) in STEPS:
            now = CoachStage.INTAKE
        else:
            now = CoachStage.WORKOUT if now is CoachStage.LOGGING else CoachStage.PLANNING
        way.append(now)
    return way
