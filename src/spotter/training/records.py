"""The best an athlete ever did of each exercise, read off the history."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from spotter.store.unit_of_work import UnitOfWork
from spotter.training.one_rep_max import one_rep_max
from spotter.training.tables import NOT_WORK, LoggedSet


@dataclass(frozen=True, slots=True)
class Record:
    """The best of one exercise. `estimate_kg` is what a single heaviest lift would be, where that can be told."""

    exercise_id: str
    name: str
    at: datetime
    weight_kg: float | None
    reps: int | None
    seconds: int | None
    estimate_kg: float | None
    times: int
    """In how many workouts it was done."""


async def of(uow: UnitOfWork, user_id: UUID) -> list[Record]:
    """The best of every exercise, the newest first."""
    found: dict[str, Record] = {}
    times: dict[str, set[UUID]] = {}
    for row in await _sets(uow, user_id):
        times.setdefault(row.exercise_id, set()).add(row.workout_id)
        best = found.get(row.exercise_id)
        if best is None or _score(row) > _score_of(best):
            found[row.exercise_id] = _record(row)
    counted = (replace(one, times=len(times[exercise_id])) for exercise_id, one in found.items())
    return sorted(counted, key=lambda one: (one.at, one.name), reverse=True)


async def _sets(uow: UnitOfWork, user_id: UUID) -> Sequence[LoggedSet]:
    query = (
        select(LoggedSet)
        .where(LoggedSet.user_id == user_id, LoggedSet.set_type.notin_(NOT_WORK))
        .order_by(LoggedSet.completed_at, LoggedSet.workout_id, LoggedSet.position)
    )
    return (await uow.session.scalars(query)).all()


def _score(one: LoggedSet) -> tuple[float, ...]:
    return ((one.weight_g or 0) / 1000, one.reps or 0, one.seconds or 0)


def _score_of(record: Record) -> tuple[float, ...]:
    return (record.weight_kg or 0, record.reps or 0, record.seconds or 0)


def _record(row: LoggedSet) -> Record:
    weight = row.weight_g / 1000 if row.weight_g else None
    guess = one_rep_max(weight, row.reps) if weight and row.reps else None
    return Record(
        exercise_id=row.exercise_id,
        name=row.name,
        at=row.completed_at,
        weight_kg=weight,
        reps=row.reps,
        seconds=row.seconds,
        estimate_kg=guess.kilograms if guess else None,
        times=0,
    )
