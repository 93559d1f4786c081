"""The end of a workout that belongs to a visit: whoever tells of it, the coach or the athlete's own ticks, the visit
stands where that leaves it."""

from dataclasses import replace
from typing import Final
from uuid import UUID

from spotter.scenarios.coach import moving
from spotter.scenarios.coach.stages import AGENTS, CoachStage, Refused
from spotter.scenarios.coach.standing import Standing, session_of
from spotter.sessions.events import Move
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import finishing
from spotter.training.finishing import Finished
from spotter.training.history import Done
from spotter.training.tables import WorkoutOnTable

_TOWARDS: Final = {
    CoachStage.PLANNING: (CoachStage.WORKOUT, "Sets of it are done."),
    CoachStage.WORKOUT: (CoachStage.LOGGING, "The athlete is done with it."),
}


async def finish(
    uow: UnitOfWork, session_id: UUID, row: WorkoutOnTable, done: Done
) -> tuple[Finished, tuple[Move, ...]]:
    """What was done is logged in any case; how far the visit gets is judged step by step, as ever."""
    visit = await session_of(uow, session_id)
    moves: list[Move] = []
    while (ahead := _TOWARDS.get(visit.stage)) is not None:
        visit, moved = await _towards(uow, visit, *ahead)
        moves += moved
        if visit.stage is not ahead[0]:
            break
    finished = await finishing.finish(uow, row, done)
    if visit.stage is CoachStage.LOGGING:
        _, moved = await _towards(uow, visit, CoachStage.COMPLETE, "The workout is in the log.")
        moves += moved
    return finished, tuple(moves)


async def _towards(
    uow: UnitOfWork, visit: Standing, to: CoachStage, reason: str
) -> tuple[Standing, tuple[Move, ...]]:
    """Where it stands then, and what the log is told: also of a step that was refused."""
    taken = await moving.take(uow, visit, to, reason)
    if isinstance(taken, Refused):
        return visit, (moving.refused_step(visit, to, taken),)
    return replace(visit, stage=to, agent=AGENTS[to]), taken
