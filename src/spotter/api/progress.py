"""How training has gone, as a page shows it: this week by muscle, the history, records, days, points."""

from datetime import date, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel, Field

from spotter.api.access import Caller
from spotter.api.fields import storable_text
from spotter.api.pages import Cursor, Page, PageParams, page_of
from spotter.api.routing import router
from spotter.api.transactions import Transaction
from spotter.api.workouts import EarnedBadge, Experience, experience_of
from spotter.clock import now
from spotter.training import (
    athletes,
    badge_log,
    experience_log,
    history,
    own_exercises,
    profile,
    progress,
    records,
)
from spotter.training.local_time import zone_of
from spotter.training.tables import LoggedWorkout
from spotter.training.vocabulary import Muscle
from spotter.training.volume import TARGETS

routes = router("progress", prefix="/api/training")

_USUAL_DAYS = 2


class Standing(BaseModel):
    experience: Experience
    days_per_week: int = Field(description="how many training days keep the streak")
    badges: list[EarnedBadge] = Field(description="oldest first")


class MuscleVolume(BaseModel):
    muscle: Muscle
    sets: float = Field(description="one for what an exercise is done for, half for what helps")


class Week(BaseModel):
    start: date
    workouts: int
    sets: int
    minutes: int
    volume_kg: float
    muscles: list[MuscleVolume]


class Volume(BaseModel):
    target_low: float = Field(description="sets a week for each muscle that make sense at this level")
    target_high: float
    weeks: list[Week] = Field(description="the running week first; weeks begin on Monday")


class LoggedExercise(BaseModel):
    name: str
    completed: bool
    amount: str


class PastWorkout(BaseModel):
    id: UUID
    completed_at: datetime
    title: str
    notes: str
    minutes: int | None
    source: str
    exercises: list[LoggedExercise]


class PersonalRecord(BaseModel):
    exercise_id: str
    name: str
    at: datetime
    weight_kg: float | None
    reps: int | None
    seconds: int | None
    estimate_kg: float | None = Field(
        description="what a single heaviest lift would be, where that can be told"
    )
    times: int


class PersonalRecords(BaseModel):
    items: list[PersonalRecord]


class TrainedDays(BaseModel):
    days: list[date] = Field(description="with at least one workout, oldest first")


@routes.get("/standing")
async def get_standing(caller: Caller, uow: Transaction) -> Standing:
    """Points, level, streak and badges."""
    user_id = caller.require_person()
    zone = await zone_of(uow)
    standing = await experience_log.standing(uow, user_id, now().astimezone(zone).date())
    settings = await profile.settings(uow, user_id)
    badges = await badge_log.held(uow, user_id)
    return Standing(
        experience=experience_of(standing),
        days_per_week=(settings.days_per_week if settings else None) or _USUAL_DAYS,
        badges=[EarnedBadge(id=one.id, name=one.name, description=one.description) for one in badges],
    )


@routes.get("/volume")
async def get_volume(
    caller: Caller, uow: Transaction, weeks: Annotated[int, Query(ge=1, le=26)] = 8
) -> Volume:
    """Work for each muscle, week by week."""
    user_id = caller.require_person()
    zone, book = await zone_of(uow), await own_exercises.book_for(uow)
    athlete = await athletes.load(uow, user_id, None, athletes.finder(book))
    today = now().astimezone(zone)
    monday = (today - timedelta(days=today.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
    found = []
    for back in range(weeks):
        start = monday - timedelta(weeks=back)
        period = await progress.period(uow, user_id, start, start + timedelta(weeks=1), book)
        muscles = [MuscleVolume(muscle=name, sets=sets) for name, sets in period.by_muscle.items()]
        found.append(
            Week(
                start=start.date(),
                workouts=period.workouts,
                sets=period.sets,
                minutes=period.minutes,
                volume_kg=round(period.volume_kg, 1),
                muscles=sorted(muscles, key=lambda one: (-one.sets, one.muscle)),
            )
        )
    target = TARGETS[athlete.level]
    return Volume(target_low=target.low, target_high=target.high, weeks=found)


@routes.get("/history")
async def list_workouts(
    caller: Caller,
    uow: Transaction,
    page: PageParams,
    q: Annotated[str, Query(max_length=100, description="words in title, notes or exercises")] = "",
) -> Page[PastWorkout]:
    """What was done, newest first."""
    user_id = caller.require_person()
    rows = await history.search(uow, user_id, storable_text(q), limit=page.limit + 1, before=page.after)
    return page_of(rows, page, item=_past, place=lambda row: Cursor(row.completed_at, row.id))


@routes.get("/records")
async def list_records(caller: Caller, uow: Transaction) -> PersonalRecords:
    """The best of every exercise, the newest first."""
    found = await records.of(uow, caller.require_person())
    return PersonalRecords(items=[PersonalRecord.model_validate(one, from_attributes=True) for one in found])


@routes.get("/days")
async def list_trained_days(
    caller: Caller, uow: Transaction, weeks: Annotated[int, Query(ge=1, le=106)] = 26
) -> TrainedDays:
    """Days with a workout, for a calendar."""
    user_id = caller.require_person()
    since = (now() - timedelta(weeks=weeks)).date()
    days = await experience_log.trained_days(uow, user_id)
    return TrainedDays(days=[day for day in days if day >= since])


def _past(row: LoggedWorkout) -> PastWorkout:
    return PastWorkout(
        id=row.id,
        completed_at=row.completed_at,
        title=row.title,
        notes=row.notes,
        minutes=row.minutes,
        source=row.source,
        exercises=[_exercise(item) for item in row.exercises["items"]],
    )


def _exercise(item: dict[str, Any]) -> LoggedExercise:
    load = f", {item['weight_kg']:g} kg" if item.get("weight_kg") else ""
    sets = item.get("sets_done") or item.get("sets") or item.get("rounds")
    match item.get("type"):
        case "reps":
            amount = f"{sets} × {item.get('reps')}{load}"
        case "hold":
            amount = f"{sets} × {item.get('hold_time')} s{load}"
        case "duration":
            amount = f"{item.get('duration')} s"
        case "intervals":
            amount = f"{sets} × {item.get('work_time')} s"
        case _:
            amount = ""
    return LoggedExercise(
        name=str(item.get("name", "")), completed=bool(item.get("completed", True)), amount=amount
    )
