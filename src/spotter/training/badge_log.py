"""Which badges an athlete has: worked out from the history, kept with the day they came."""

from collections.abc import Iterable
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from spotter.clock import now
from spotter.ids import new_id
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import badges, experience_log
from spotter.training.badges import Badge
from spotter.training.catalogue import Catalogue, catalogue
from spotter.training.experience import Rule, Trained
from spotter.training.local_time import zone_of
from spotter.training.tables import NOT_WORK, ExperienceEntry, LoggedSet, LoggedWorkout

_KEY = "badge"
_BY_ID = {badge.id: badge for badge, _ in badges.BADGES}


async def award(uow: UnitOfWork) -> list[Badge]:
    """Those that are due and were not held yet. Asked again, none."""
    assert uow.scope.user_id is not None
    found = []
    for earned in badges.earned(await _trained(uow, uow.scope.user_id)):
        statement = (
            insert(ExperienceEntry)
            .values(
                org_id=uow.scope.org_id,
                id=new_id(),
                user_id=uow.scope.user_id,
                kind="badge",
                amount=0,
                rule=earned.badge.id,
                key=_KEY,
                earned_at=now(),
                metadata={"workout_id": earned.session_id},
            )
            .on_conflict_do_nothing(index_elements=["org_id", "user_id", "key", "rule"])
            .returning(ExperienceEntry.id)
        )
        if (await uow.session.execute(statement)).first() is not None:
            found.append(earned.badge)
    return found


async def held(uow: UnitOfWork, user_id: UUID) -> list[Badge]:
    rows = await uow.session.scalars(
        select(ExperienceEntry.rule)
        .where(ExperienceEntry.user_id == user_id, ExperienceEntry.kind == "badge")
        .order_by(ExperienceEntry.earned_at, ExperienceEntry.id)
    )
    return [_BY_ID[rule] for rule in rows if rule in _BY_ID]


async def _trained(uow: UnitOfWork, user_id: UUID) -> list[Trained]:
    records = {
        entry.session_id
        for entry in await experience_log.entries(uow, user_id)
        if entry.rule is Rule.RECORDS and not entry.undone
    }
    rungs = await _rungs(uow, user_id)
    zone = await zone_of(uow, user_id)
    rows = await uow.session.execute(
        select(
            LoggedWorkout.id,
            LoggedWorkout.completed_at,
            func.count(LoggedSet.position),
            func.coalesce(func.sum(LoggedSet.weight_g * func.coalesce(LoggedSet.reps, 1)), 0),
        )
        .outerjoin(
            LoggedSet,
            (LoggedSet.workout_id == LoggedWorkout.id)
            & (LoggedSet.user_id == LoggedWorkout.user_id)
            & (LoggedSet.org_id == LoggedWorkout.org_id)
            & LoggedSet.set_type.notin_(NOT_WORK),
        )
        .where(LoggedWorkout.user_id == user_id)
        .group_by(LoggedWorkout.id, LoggedWorkout.completed_at)
    )
    return [
        Trained(
            session_id=str(row[0]),
            at=row[1].astimezone(zone),
            working_sets=row[2],
            planned_sets=row[2],
            records=int(str(row[0]) in records),
            volume_kg=float(row[3] or 0) / 1000,
            rungs=rungs.get(row[0], 0),
        )
        for row in rows
    ]


async def _rungs(uow: UnitOfWork, user_id: UUID) -> dict[UUID, int]:
    """How many each workout brought. What is on a ladder is in the catalogue that ships."""
    book = catalogue()
    best = func.greatest(func.max(LoggedSet.reps), func.max(LoggedSet.seconds))
    rows = await uow.session.execute(
        select(LoggedSet.workout_id, LoggedSet.exercise_id, best)
        .where(
            LoggedSet.user_id == user_id,
            LoggedSet.exercise_id.in_([each.id for each in book if each.ladder is not None]),
            LoggedSet.set_type.notin_(NOT_WORK),
        )
        .group_by(LoggedSet.completed_at, LoggedSet.workout_id, LoggedSet.exercise_id)
        .order_by(LoggedSet.completed_at, LoggedSet.workout_id)
    )
    return rungs_climbed([(row[0], row[1], row[2] or 0) for row in rows], book)


def rungs_climbed(done: Iterable[tuple[UUID, str, int]], book: Catalogue) -> dict[UUID, int]:
    """From workouts, exercises and the best set of each, oldest first. A rung is climbed where a set of what is higher
    than ever was really managed. Where somebody starts on a ladder is no climb, and one workout climbs one rung."""
    highest: dict[str, int] = {}
    tops: dict[tuple[UUID, str], int] = {}
    for workout_id, exercise_id, best in done:
        known = book.get(exercise_id)
        if known is not None and known.ladder and known.rung and best >= known.range[0]:
            place = (workout_id, known.ladder)
            tops[place] = max(tops.get(place, 0), known.rung)
    climbed: dict[UUID, int] = {}
    for (workout_id, ladder), rung in tops.items():
        before = highest.setdefault(ladder, rung)
        if rung > before:
            highest[ladder] = rung
            climbed[workout_id] = climbed.get(workout_id, 0) + 1
    return climbed
