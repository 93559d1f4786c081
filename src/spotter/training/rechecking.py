"""What lies on the table when something new is known of its athlete: checked again in the same transaction (F4)."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from spotter.store.unit_of_work import UnitOfWork
from spotter.training import athletes, own_exercises, table
from spotter.training.check import check_workout
from spotter.training.rules import MAX_MINUTES
from spotter.training.sources import listed
from spotter.training.workout import Workout

TAKEN_OFF: Final = "The workout was taken off the table."


@dataclass(frozen=True, slots=True)
class Rechecked:
    """A workout that did not stay as it was."""

    session_id: UUID
    workout: Workout | None
    """None when nothing of it could stay."""
    changes: tuple[str, ...]

    def told(self) -> str:
        """For an agent: the workout as it is now, and why."""
        if self.workout is None:
            return f"{TAKEN_OFF} {' '.join(self.changes)}"
        changed = f"The check changed: {' '.join(self.changes)} Tell the athlete."
        return "\n".join([*listed(table.as_json(self.workout)), changed])

    def as_json(self) -> dict[str, Any]:
        shown = table.as_json(self.workout) if self.workout is not None else {"exercises": [], "summary": {}}
        return {
            "exercises": shown["exercises"],
            "summary": shown["summary"],
            "changes": list(self.changes),
        }


async def recheck(uow: UnitOfWork) -> list[Rechecked]:
    """All that the caller has open, in whatever conversation; those that had to change."""
    open_now = [(row.session_id, table.read(row)) for row in await table.all_open(uow)]
    found = [await _recheck_one(uow, session_id, workout) for session_id, workout in open_now]
    return [one for one in found if one is not None]


async def _recheck_one(uow: UnitOfWork, session_id: UUID, workout: Workout) -> Rechecked | None:
    assert uow.scope.user_id is not None
    book = await own_exercises.book_for(uow)
    athlete = await athletes.load(uow, uow.scope.user_id, session_id, athletes.finder(book))
    checked = check_workout(workout, athlete, book, minutes=MAX_MINUTES, whole=False)
    if checked.refused is not None:
        await table.take_off(uow, session_id)
        return Rechecked(session_id, None, (checked.refused,))
    if not checked.changes:
        return None
    placed = await table.put(uow, session_id, _newly_named(workout, checked.workout))
    return Rechecked(session_id, placed, checked.changes)


def _newly_named(before: Workout, after: Workout) -> Workout:
    """What stands in for another gets an id of its own: sets that were ticked of the other are not its sets."""
    known = {one.id: one.exercise_id for one in before.exercises}
    exercises = [
        one if known.get(one.id) == one.exercise_id else one.model_copy(update={"id": None})
        for one in after.exercises
    ]
    return after.model_copy(update={"exercises": exercises})
