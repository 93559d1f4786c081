"""The end of a workout: into the history, off the table, and what it earned. Told by an agent or ticked off by hand."""

from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from spotter.errors import Conflict, NotFound
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import badge_log, experience_log, history, schedule, table
from spotter.training.badges import Badge
from spotter.training.experience_log import Earned
from spotter.training.history import Done
from spotter.training.tables import WorkoutOnTable


@dataclass(frozen=True, slots=True)
class Finished:
    workout_id: UUID
    done: Done
    planned: int
    earned: Earned
    badges: tuple[Badge, ...]

    @property
    def exercises(self) -> int:
        return sum(1 for item in self.done.items if item["completed"])


async def finish(uow: UnitOfWork, row: WorkoutOnTable, done: Done) -> Finished:
    """All of it or nothing. Logged once, however often it is asked for with the same key."""
    planned = len(table.read(row).exercises)
    workout_id = await history.log(uow, done)
    if workout_id is None:
        raise Conflict("This workout was logged before. Nothing was changed.")
    await _done_as_planned(uow, row)
    await table.clear(uow, row)
    earned = await experience_log.award(uow, workout_id, done)
    badges = tuple(await badge_log.award(uow))
    return Finished(workout_id, done, planned, earned, badges)


async def _done_as_planned(uow: UnitOfWork, row: WorkoutOnTable) -> None:
    """Only now: a session that was broken off is still to be done."""
    planned = row.request.get("scheduled_id")
    if planned is None:
        return
    with suppress(NotFound):  # called off meanwhile
        await schedule.change(uow, UUID(planned), {"status": "done"})
