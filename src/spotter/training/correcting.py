"""Putting a set right after the workout was written down: the history says what is true now, and what was earned
follows it by new entries. Nothing that was booked is changed."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from spotter.clock import now
from spotter.identity import audit
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import experience_log, history
from spotter.training.experience_log import Earned
from spotter.training.history import Done, DoneSet
from spotter.training.tables import LoggedSet, LoggedWorkout
from spotter.training.underway import SetDone, numbers_done


@dataclass(frozen=True, slots=True)
class Corrected:
    workout_id: UUID
    added: bool
    """It had been forgotten; otherwise it was there with other numbers."""
    earned: Earned


async def correct(uow: UnitOfWork, session_id: UUID, done: SetDone) -> Corrected | None:
    """None where the session has no workout in the history."""
    workout = await uow.session.scalar(
        select(LoggedWorkout)
        .where(LoggedWorkout.session_id == session_id, LoggedWorkout.user_id == uow.scope.user_id)
        .order_by(LoggedWorkout.completed_at.desc(), LoggedWorkout.id.desc())
        .limit(1)
        .with_for_update()
    )
    if workout is None:
        return None
    added = await _write(uow, workout, done)
    sets = await _sets(uow, workout.id)
    workout.exercises = {"items": [with_its_sets(item, sets, done) for item in workout.exercises["items"]]}
    await uow.session.flush()
    await _recount(uow)
    corrected = Done(workout.completed_at, workout.exercises["items"], sets, workout.source_key)
    earned = await experience_log.correct(uow, workout.id, corrected)
    detail = {"exercise": done.name, "set": done.set_number, "added": added, "xp": earned.points}
    await audit.record(uow, "training.set_corrected", target=str(workout.id), detail=detail)
    return Corrected(workout.id, added, earned)


async def _write(uow: UnitOfWork, workout: LoggedWorkout, done: SetDone) -> bool:
    called = done.catalogue_id or done.name
    row = await uow.session.scalar(
        select(LoggedSet).where(
            LoggedSet.workout_id == workout.id,
            LoggedSet.user_id == workout.user_id,
            LoggedSet.exercise_id == called,
            LoggedSet.set_number == done.set_number,
        )
    )
    added = row is None
    if row is None:
        last = await uow.session.scalar(
            select(func.max(LoggedSet.position)).where(
                LoggedSet.workout_id == workout.id, LoggedSet.user_id == workout.user_id
            )
        )
        row = LoggedSet(
            org_id=workout.org_id,
            workout_id=workout.id,
            position=(last or 0) + 1,
            user_id=workout.user_id,
            exercise_id=called,
            name=done.name,
            set_number=done.set_number,
            completed_at=workout.completed_at,
        )
        uow.session.add(row)
    row.reps, row.seconds = done.reps, done.seconds
    row.weight_g = round(done.weight_kg * 1000) if done.weight_kg is not None else None
    row.rpe_tenths = round(done.rpe * 10) if done.rpe is not None else None
    row.notes = done.notes
    await uow.session.flush()
    return added


async def _sets(uow: UnitOfWork, workout_id: UUID) -> list[DoneSet]:
    rows = await uow.session.scalars(
        select(LoggedSet)
        .where(LoggedSet.workout_id == workout_id, LoggedSet.user_id == uow.scope.user_id)
        .order_by(LoggedSet.position)
    )
    return [
        DoneSet(
            row.exercise_id,
            row.name,
            row.set_number,
            row.reps,
            row.seconds,
            row.weight_g / 1000 if row.weight_g is not None else None,
            rpe=row.rpe_tenths / 10 if row.rpe_tenths is not None else None,
            set_type=row.set_type,
        )
        for row in rows
    ]


def with_its_sets(item: dict[str, Any], sets: list[DoneSet], done: SetDone) -> dict[str, Any]:
    """Half of its sets make an exercise done, also when they are remembered later."""
    if item.get("id") != str(done.exercise_id) or "sets_done" not in item:
        return item
    own = [one for one in sets if one.exercise_id == (done.catalogue_id or done.name)]
    planned = item.get("sets") or item.get("rounds") or 1
    enough = isinstance(planned, int) and 2 * len(own) >= planned
    completed = bool(item.get("completed")) or enough
    return {**item, **numbers_done(str(item["type"]), own), "sets_done": len(own), "completed": completed}


async def _recount(uow: UnitOfWork) -> None:
    assert uow.scope.user_id is not None
    row = await history.distribution(uow, uow.scope.user_id)
    if row is not None:
        categories, muscles = await history.recount(uow, uow.scope.user_id)
        row.category_counts, row.muscle_counts = dict(categories), dict(muscles)
        row.last_updated = now()
        await uow.session.flush()
