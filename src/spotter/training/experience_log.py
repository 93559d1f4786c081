"""What an athlete has earned, kept as entries that are only ever added to."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from spotter.ids import new_id
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import experience, profile
from spotter.training.experience import Entry, Rule, Streak, Trained
from spotter.training.history import Done
from spotter.training.local_time import zone_of
from spotter.training.tables import ExperienceEntry, LoggedSet, LoggedWorkout

_USUAL_DAYS = 2
_CORRECTION = "#"
"""After a workout's id: which correction of it."""


@dataclass(frozen=True, slots=True)
class Earned:
    points: int
    total: int
    streak: Streak

    @property
    def level(self) -> int:
        return experience.level_at(self.total)

    def as_json(self) -> dict[str, Any]:
        return {
            "xp": self.points,
            "total_xp": self.total,
            "level": self.level,
            "next_level_at": experience.points_to_reach(self.level + 1),
            "streak_weeks": self.streak.weeks,
            "best_streak_weeks": self.streak.best,
            "freezes": self.streak.freezes,
        }

    def told(self) -> str:
        weeks = f", {self.streak.weeks} weeks in a row" if self.streak.weeks > 1 else ""
        return f"+{self.points} XP, {self.total} in all, level {self.level}{weeks}."


async def award(uow: UnitOfWork, workout_id: UUID, done: Done) -> Earned:
    """For a workout that was just logged. Asked again for the same one, it gives nothing more."""
    assert uow.scope.user_id is not None
    ledger = await entries(uow, uow.scope.user_id)
    new, streak = await _due(uow, workout_id, done, ledger)
    await _add(uow, new, done.completed_at)
    points = experience.total(new)
    return Earned(points, experience.total(ledger) + points, streak)


async def correct(uow: UnitOfWork, workout_id: UUID, done: Done) -> Earned:
    """For a workout that was written down before and has just been put right: what it should have earned, less what was
    booked for it. The difference is booked; nothing that was is changed."""
    assert uow.scope.user_id is not None
    ledger = await entries(uow, uow.scope.user_id)
    own = [one for one in ledger if one.session_id.split(_CORRECTION)[0] == str(workout_id)]
    due, streak = await _due(uow, workout_id, done, [one for one in ledger if one not in own])
    owed: Counter[Rule] = Counter()
    for entry in due:
        owed[entry.rule] += entry.points
    for entry in own:
        owed[entry.rule] -= entry.points
    number = len({one.session_id for one in own})
    day = done.completed_at.astimezone(await zone_of(uow)).date()
    new = [
        Entry(f"{workout_id}{_CORRECTION}{number}", rule, points, day, undone=points < 0)
        for rule, points in owed.items()
        if points
    ]
    await _add(uow, new, done.completed_at)
    points = experience.total(new)
    return Earned(points, experience.total(ledger) + points, streak)


async def _due(
    uow: UnitOfWork, workout_id: UUID, done: Done, ledger: Sequence[Entry]
) -> tuple[list[Entry], Streak]:
    """What a workout earns beside what is in the ledger."""
    assert uow.scope.user_id is not None
    user_id = uow.scope.user_id
    at = done.completed_at.astimezone(await zone_of(uow, user_id))
    today = at.date()
    days = [day for day in await trained_days(uow, user_id) if day < today]
    streak = await streak_of(uow, user_id, today)
    trained = Trained(
        session_id=str(workout_id),
        at=at,
        working_sets=done.working_sets,
        planned_sets=sum(int(item.get("sets", item.get("rounds", 1))) for item in done.items),
        records=await _records(uow, user_id, workout_id, done),
        all_planned=all(item.get("completed") for item in done.items),
        mobility=any(
            "mobility" in item.get("categories", ()) for item in done.items if item.get("completed")
        ),
    )
    due = experience.award(trained, ledger, last=max(days, default=None), streak_weeks=streak.weeks)
    return due, streak


async def standing(uow: UnitOfWork, user_id: UUID, today: date) -> Earned:
    return Earned(0, experience.total(await entries(uow, user_id)), await streak_of(uow, user_id, today))


async def entries(uow: UnitOfWork, user_id: UUID) -> list[Entry]:
    rows = await uow.session.scalars(
        select(ExperienceEntry)
        .where(ExperienceEntry.user_id == user_id, ExperienceEntry.kind == "xp")
        .order_by(ExperienceEntry.earned_at, ExperienceEntry.id)
    )
    zone = await zone_of(uow, user_id)
    return [
        Entry(
            row.key,
            Rule(row.rule.removeprefix("undo:")),
            row.amount,
            row.earned_at.astimezone(zone).date(),
            row.amount < 0,
        )
        for row in rows
    ]


async def trained_days(uow: UnitOfWork, user_id: UUID) -> Sequence[date]:
    """By the athlete's own calendar: who trains at eleven at night has trained that day."""
    rows = await uow.session.scalars(
        select(LoggedWorkout.completed_at).where(LoggedWorkout.user_id == user_id)
    )
    zone = await zone_of(uow, user_id)
    return sorted({moment.astimezone(zone).date() for moment in rows})


async def streak_of(uow: UnitOfWork, user_id: UUID, today: date) -> Streak:
    settings = await profile.settings(uow, user_id)
    goal = (settings.days_per_week if settings else None) or _USUAL_DAYS
    return experience.weekly_streak(await trained_days(uow, user_id), goal, today)


async def _records(uow: UnitOfWork, user_id: UUID, workout_id: UUID, done: Done) -> int:
    """Exercises lifted heavier, or done more often or longer at once, than ever before. The first time is none."""
    names = {one.exercise_id for one in done.sets}
    rows = await uow.session.execute(
        select(
            LoggedSet.exercise_id,
            func.max(LoggedSet.weight_g),
            func.max(LoggedSet.reps),
            func.max(LoggedSet.seconds),
        )
        .where(
            LoggedSet.user_id == user_id,
            LoggedSet.exercise_id.in_(names),
            LoggedSet.workout_id != workout_id,
        )
        .group_by(LoggedSet.exercise_id)
    )
    best = {row[0]: (row[1] or 0, row[2] or 0, row[3] or 0) for row in rows}
    broken = set()
    for one in done.sets:
        if one.exercise_id not in best:
            continue
        weight, reps, seconds = best[one.exercise_id]
        heavier = one.weight_kg is not None and round(one.weight_kg * 1000) > weight
        more = not one.weight_kg and ((one.reps or 0) > reps > 0 or (one.seconds or 0) > seconds > 0)
        if heavier or more:
            broken.add(one.exercise_id)
    return len(broken)


async def _add(uow: UnitOfWork, new: Sequence[Entry], at: datetime) -> None:
    for entry in new:
        await uow.session.execute(
            insert(ExperienceEntry)
            .values(
                org_id=uow.scope.org_id,
                id=new_id(),
                user_id=uow.scope.user_id,
                kind="xp",
                amount=entry.points,
                rule=f"undo:{entry.rule}" if entry.undone else entry.rule.value,
                key=entry.session_id,
                earned_at=at,
                metadata={},
            )
            .on_conflict_do_nothing(index_elements=["org_id", "user_id", "key", "rule"])
        )
