"""How training has gone: what the log of the last days comes to."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import select

from spotter.store.unit_of_work import UnitOfWork
from spotter.training.catalogue import Catalogue
from spotter.training.one_rep_max import one_rep_max
from spotter.training.tables import NOT_WORK, LoggedSet, LoggedWorkout
from spotter.training.vocabulary import Muscle
from spotter.training.volume import fractional_sets


@dataclass(frozen=True, slots=True)
class Period:
    """What was done from `start` until `end`, the end itself not included."""

    start: datetime
    end: datetime
    workouts: int
    minutes: int
    sets: int
    volume_kg: float
    by_muscle: Mapping[Muscle, float]
    by_category: Mapping[str, int]
    best: Mapping[str, float]
    """By exercise, the best estimate of a single heaviest lift in kilograms."""


async def period(uow: UnitOfWork, user_id: UUID, start: datetime, end: datetime, book: Catalogue) -> Period:
    workouts = (
        await uow.session.scalars(
            select(LoggedWorkout).where(
                LoggedWorkout.user_id == user_id,
                LoggedWorkout.completed_at >= start,
                LoggedWorkout.completed_at < end,
            )
        )
    ).all()
    sets = (
        await uow.session.scalars(
            select(LoggedSet).where(
                LoggedSet.user_id == user_id,
                LoggedSet.completed_at >= start,
                LoggedSet.completed_at < end,
                LoggedSet.set_type.notin_(NOT_WORK),
            )
        )
    ).all()
    categories: Counter[str] = Counter()
    for workout in workouts:
        for item in workout.exercises["items"]:
            if item.get("completed", True):
                categories.update(item.get("categories", ()))
    return Period(
        start=start,
        end=end,
        workouts=len(workouts),
        minutes=sum(workout.minutes or 0 for workout in workouts),
        sets=len(sets),
        volume_kg=sum((one.weight_g or 0) / 1000 * (one.reps or 0) for one in sets),
        by_muscle=_by_muscle(sets, book),
        by_category=categories,
        best=_best(sets),
    )


async def last_days(uow: UnitOfWork, user_id: UUID, days: int, now: datetime, book: Catalogue) -> Period:
    return await period(uow, user_id, now - timedelta(days=days), now + timedelta(minutes=1), book)


def _by_muscle(sets: Sequence[LoggedSet], book: Catalogue) -> dict[Muscle, float]:
    counted = Counter(one.exercise_id for one in sets)
    work = [(known, count) for name, count in counted.items() if (known := book.get(name)) is not None]
    return fractional_sets(work)


def _best(sets: Sequence[LoggedSet]) -> dict[str, float]:
    found: defaultdict[str, float] = defaultdict(float)
    for one in sets:
        if one.weight_g and one.reps:
            guess = one_rep_max(one.weight_g / 1000, one.reps)
            if guess is not None:
                found[one.name] = max(found[one.name], guess.kilograms)
    return dict(found)
