"""What was done. Logging a workout writes it, its sets and the distribution together, or none of it."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Text, cast, func, or_, select, tuple_
from sqlalchemy.dialects.postgresql import JSONPATH, insert

from spotter.clock import now
from spotter.ids import new_id
from spotter.store.unit_of_work import UnitOfWork
from spotter.training.athlete import PastSet, PastWorkout
from spotter.training.tables import NOT_WORK, Distribution, LoggedSet, LoggedWorkout

_MOST_WORDS = 8
USUALLY_TOLD: Final = 10
MOST_TOLD: Final = 50
"""Workouts that anybody who plans is told at once. Who checks a plan has to know of as many."""


@dataclass(frozen=True, slots=True)
class DoneSet:
    exercise_id: str
    name: str
    set_number: int
    reps: int | None = None
    seconds: int | None = None
    weight_kg: float | None = None
    metres: int | None = None
    rpe: float | None = None
    set_type: str = "normal"
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """A workout to be logged."""

    completed_at: datetime
    items: Sequence[dict[str, Any]]
    """What was planned and done, as it is shown: each has a name, categories and muscles, and `completed`."""
    sets: Sequence[DoneSet]
    source_key: str
    title: str = ""
    notes: str = ""
    minutes: int | None = None
    session_id: UUID | None = None
    source: str = "spotter"

    @property
    def working_sets(self) -> int:
        """Without those that only warm up or ease off."""
        return sum(one.set_type not in NOT_WORK for one in self.sets)


async def log(uow: UnitOfWork, done: Done) -> UUID | None:
    """Its id; None when this very workout was logged before."""
    return (await log_all(uow, [done])).get(done.source_key)


async def log_all(uow: UnitOfWork, workouts: Sequence[Done]) -> dict[str, UUID]:
    """Ids of those that were not logged before, by their keys."""
    once = {done.source_key: done for done in workouts}
    inserted = await uow.session.execute(
        insert(LoggedWorkout)
        .values([_workout_row(uow, done) for done in once.values()])
        .on_conflict_do_nothing(index_elements=["org_id", "user_id", "source_key"])
        .returning(LoggedWorkout.source_key, LoggedWorkout.id)
    )
    ids = {row.source_key: row.id for row in inserted}
    added = [done for key, done in once.items() if key in ids]
    sets = [
        _set_row(uow, ids[done.source_key], position, one, done)
        for done in added
        for position, one in enumerate(done.sets, 1)
    ]
    if sets:
        await uow.session.execute(insert(LoggedSet), sets)
    if added:
        await _count(uow, [item for done in added for item in done.items if item.get("completed", True)])
    return ids


async def known_keys(uow: UnitOfWork, keys: Collection[str]) -> set[str]:
    """Which of these were logged before."""
    query = select(LoggedWorkout.source_key).where(
        LoggedWorkout.user_id == uow.scope.user_id, LoggedWorkout.source_key.in_(keys)
    )
    return set(await uow.session.scalars(query))


def _workout_row(uow: UnitOfWork, done: Done) -> dict[str, Any]:
    return {
        **_whose(uow),
        "id": new_id(),
        "completed_at": done.completed_at,
        "title": done.title,
        "exercises": {"items": list(done.items)},
        "notes": done.notes,
        "minutes": done.minutes,
        "session_id": done.session_id,
        "source": done.source,
        "source_key": done.source_key,
    }


async def recent(
    uow: UnitOfWork, user_id: UUID, *, limit: int = 10, since: datetime | None = None
) -> Sequence[LoggedWorkout]:
    query = select(LoggedWorkout).where(LoggedWorkout.user_id == user_id)
    if since is not None:
        query = query.where(LoggedWorkout.completed_at >= since)
    query = query.order_by(LoggedWorkout.completed_at.desc(), LoggedWorkout.id.desc()).limit(limit)
    return (await uow.session.scalars(query)).all()


async def search(
    uow: UnitOfWork, user_id: UUID, words: str, *, limit: int, before: tuple[datetime, UUID] | None
) -> Sequence[LoggedWorkout]:
    """Newest first: those in which every one of the words stands somewhere."""
    query = select(LoggedWorkout).where(LoggedWorkout.user_id == user_id)
    for word in words.split()[:_MOST_WORDS]:
        looked_at = [
            LoggedWorkout.title,
            LoggedWorkout.notes,
            cast(
                func.jsonb_path_query_array(LoggedWorkout.exercises, cast("$.items[*].name", JSONPATH)), Text
            ),
        ]
        query = query.where(or_(*(one.icontains(word, autoescape=True) for one in looked_at)))
    if before is not None:
        query = query.where(tuple_(LoggedWorkout.completed_at, LoggedWorkout.id) < tuple_(*before))
    query = query.order_by(LoggedWorkout.completed_at.desc(), LoggedWorkout.id.desc()).limit(limit)
    return (await uow.session.scalars(query)).all()


async def past(
    uow: UnitOfWork, user_id: UUID, since: datetime, *, latest: int = 0
) -> tuple[PastWorkout, ...]:
    """All since then, and so many of the latest however old they are. With their sets, newest first."""
    newest = (
        select(LoggedSet.completed_at)
        .where(LoggedSet.user_id == user_id)
        .distinct()
        .order_by(LoggedSet.completed_at.desc())
        .limit(latest)
        .subquery()
    )
    oldest = await uow.session.scalar(select(func.min(newest.c.completed_at)))
    since = min(since, oldest) if oldest is not None else since
    rows = await uow.session.scalars(
        select(LoggedSet)
        .where(
            LoggedSet.user_id == user_id,
            LoggedSet.completed_at >= since,
            LoggedSet.set_type.notin_(NOT_WORK),
        )
        .order_by(LoggedSet.completed_at.desc(), LoggedSet.workout_id, LoggedSet.position)
    )
    found: dict[tuple[datetime, UUID], list[PastSet]] = {}
    for row in rows:
        found.setdefault((row.completed_at, row.workout_id), []).append(
            PastSet(
                row.exercise_id,
                row.reps,
                row.seconds,
                row.weight_g / 1000 if row.weight_g is not None else None,
                row.rpe_tenths / 10 if row.rpe_tenths is not None else None,
            )
        )
    return tuple(PastWorkout(at, tuple(sets)) for (at, _), sets in found.items())


async def distribution(uow: UnitOfWork, user_id: UUID) -> Distribution | None:
    return await uow.session.scalar(select(Distribution).where(Distribution.user_id == user_id))


async def recount(uow: UnitOfWork, user_id: UUID) -> tuple[Counter[str], Counter[str]]:
    """The distribution as the history has it. What is stored must be the same."""
    rows = await uow.session.scalars(select(LoggedWorkout.exercises).where(LoggedWorkout.user_id == user_id))
    return _counts(item for row in rows for item in row["items"] if item.get("completed", True))


def _counts(items: Iterable[dict[str, Any]]) -> tuple[Counter[str], Counter[str]]:
    categories: Counter[str] = Counter()
    muscles: Counter[str] = Counter()
    for item in items:
        categories.update(item.get("categories", ()))
        muscles.update(item.get("muscles", ()))
    return categories, muscles


async def _count(uow: UnitOfWork, items: Sequence[dict[str, Any]]) -> None:
    whose = _whose(uow)
    await uow.session.execute(
        insert(Distribution).values(**whose).on_conflict_do_nothing(index_elements=["org_id", "user_id"])
    )
    row = (
        await uow.session.scalars(
            select(Distribution).where(Distribution.user_id == whose["user_id"]).with_for_update()
        )
    ).one()
    categories, muscles = _counts(items)
    row.category_counts = dict(Counter(row.category_counts) + categories)
    row.muscle_counts = dict(Counter(row.muscle_counts) + muscles)
    row.last_updated = now()
    await uow.session.flush()


async def workouts_between(uow: UnitOfWork, user_id: UUID, start: datetime, end: datetime) -> int:
    count = await uow.session.scalar(
        select(func.count()).where(
            LoggedWorkout.user_id == user_id,
            LoggedWorkout.completed_at >= start,
            LoggedWorkout.completed_at < end,
        )
    )
    return int(count or 0)


def _set_row(uow: UnitOfWork, workout_id: UUID, position: int, one: DoneSet, done: Done) -> dict[str, Any]:
    return {
        **_whose(uow),
        "workout_id": workout_id,
        "position": position,
        "exercise_id": one.exercise_id,
        "name": one.name,
        "set_number": one.set_number,
        "set_type": one.set_type,
        "reps": one.reps,
        "seconds": one.seconds,
        "weight_g": round(one.weight_kg * 1000) if one.weight_kg is not None else None,
        "metres": one.metres,
        "rpe_tenths": round(one.rpe * 10) if one.rpe is not None else None,
        "notes": one.notes,
        "completed_at": done.completed_at,
    }


def _whose(uow: UnitOfWork) -> dict[str, UUID]:
    assert uow.scope.org_id is not None
    assert uow.scope.user_id is not None
    return {"org_id": uow.scope.org_id, "user_id": uow.scope.user_id}
