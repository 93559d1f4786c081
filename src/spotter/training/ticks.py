"""Sets ticked off while a workout is done. Kept beside the workout, so that a second device, or the same one after a
dropped connection, goes on where the first stopped."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from spotter.clock import now
from spotter.errors import Conflict
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import table, underway
from spotter.training.done import Report, SetReport
from spotter.training.tables import WorkoutOnTable
from spotter.training.workout import Workout, WorkoutExercise


@dataclass(frozen=True, slots=True)
class Tick:
    """What somebody said about one set, and when. Of two about the same set, the later holds: they may arrive in any
    order, and more than once."""

    exercise_id: UUID
    set_number: int
    done: bool
    at: datetime
    reps: int | None = None
    seconds: int | None = None
    weight_kg: float | None = None


async def mark(uow: UnitOfWork, session_id: UUID, ticks: Iterable[Tick]) -> WorkoutOnTable:
    """Of exercises that are no longer there (swapped meanwhile) nothing is kept. A tick that was taken back stays as
    one that was: an older one that comes late must not bring it to life again."""
    row = await open_workout(uow, session_id)
    known = {one.id: one for one in table.read(row).exercises}
    entries = list(row.sets)
    for tick in ticks:
        exercise = known.get(tick.exercise_id)
        if exercise is None:
            continue
        place = next((at for at, one in enumerate(entries) if _is_about(one, tick)), None)
        if place is None:
            entries.append(_entry(exercise, tick))
        elif datetime.fromisoformat(entries[place]["at"]) <= tick.at:
            entries[place] = _entry(exercise, tick)
    row.sets = entries
    row.updated_at = now()
    await uow.session.flush()
    return row


def _is_about(entry: Mapping[str, Any], tick: Tick) -> bool:
    return (entry.get("exercise_id"), entry.get("set_number")) == (str(tick.exercise_id), tick.set_number)


def _entry(exercise: WorkoutExercise, tick: Tick) -> dict[str, Any]:
    """As `underway` keeps it: what an agent logged and what was ticked by hand are one list."""
    return {
        "exercise_id": str(tick.exercise_id),
        "name": exercise.name,
        "catalogue_id": exercise.exercise_id or "",
        "set_number": tick.set_number,
        "reps": tick.reps,
        "seconds": tick.seconds,
        "weight_kg": tick.weight_kg,
        "at": tick.at.isoformat(),
        **({} if tick.done else {"undone": True}),
    }


async def open_workout(uow: UnitOfWork, session_id: UUID) -> WorkoutOnTable:
    row = await table.on_table(uow, session_id)
    if row is None or row.state != "open":
        raise Conflict("There is no workout on the table. It may have been finished on another device.")
    return row


def reports(workout: Workout, entries: Sequence[Mapping[str, Any]]) -> dict[UUID, Report]:
    """What was ticked, as a report of each exercise. One with no set done was not done."""
    found: dict[UUID, Report] = {}
    done = sorted(underway.sets_of(entries), key=lambda one: one.set_number)
    for exercise in workout.exercises:
        own = [one for one in done if one.exercise_id == exercise.id]
        each = tuple(
            SetReport(one.set_number, one.reps, one.seconds, one.weight_kg, one.rpe, one.notes) for one in own
        )
        if each and exercise.id is not None:
            found[exercise.id] = Report(completed=True, sets=len(each), each=each)
    return found
