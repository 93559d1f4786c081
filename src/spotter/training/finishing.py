"""The end of a workout: into the history, off the table, and what it earned. Told by an agent or ticked off by hand."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from spotter.errors import Conflict
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import badge_log, experience_log, history, table
from spotter.training.badges import Badge
from spotter.training.done import Report, done_workout
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


async def finish(
    uow: UnitOfWork,
    row: WorkoutOnTable,
    reports: Mapping[UUID, Report],
    key: UUID,
    at: datetime,
    notes: str = "",
) -> Finished:
    """All of it or nothing. Logged once, however often it is asked for with the same key."""
    workout = table.read(row)
    done = done_workout(workout, reports, key, row.session_id, at, notes)
    workout_id = await history.log(uow, done)
    if workout_id is None:
        raise Conflict("This workout was logged before. Nothing was changed.")
    await table.clear(uow, row)
    earned = await experience_log.award(uow, workout_id, done)
    badges = tuple(await badge_log.award(uow))
    return Finished(workout_id, done, len(workout.exercises), earned, badges)
