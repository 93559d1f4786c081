"""The calendar of workouts to come."""

from datetime import timedelta
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, Field, StringConstraints

from spotter.api.access import Caller
from spotter.api.fields import Body, Moment, storable_text
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.transactions import Transaction
from spotter.clock import now
from spotter.errors import InvalidInput
from spotter.training import schedule
from spotter.training.tables import ScheduledWorkout

routes = router("schedule", prefix="/api/training/schedule")

_LONGEST = timedelta(days=370)
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
Minutes = Annotated[int, Field(ge=5, le=300)]


class Scheduled(BaseModel):
    id: UUID
    title: str
    scheduled_for: AwareDatetime
    minutes: int | None
    focus: list[str]
    notes: str
    status: Literal["planned", "done", "cancelled"]
    has_workout: bool


class ScheduledList(BaseModel):
    items: list[Scheduled]


class NewScheduled(Body):
    title: Title
    scheduled_for: Moment
    minutes: Minutes | None = None
    notes: Annotated[str, Field(max_length=1000)] = ""


class ScheduledChange(Body):
    """Only what is given changes."""

    title: Title | None = None
    scheduled_for: Moment | None = None
    minutes: Minutes | None = None
    notes: Annotated[str, Field(max_length=1000)] | None = None
    status: Literal["planned", "done"] | None = None


@routes.get("")
async def list_scheduled(
    caller: Caller,
    uow: Transaction,
    start: Annotated[Moment | None, Query(description="now, if not given")] = None,
    end: Annotated[Moment | None, Query(description="60 days later, if not given")] = None,
) -> ScheduledList:
    """What is planned in a time, earliest first."""
    caller.require_person()
    begin = start or now()
    until = end or begin + timedelta(days=60)
    if until <= begin or until - begin > _LONGEST:
        raise InvalidInput("The end must come after the start, and not more than a year later.")
    return ScheduledList(items=[_shown(row) for row in await schedule.between(uow, begin, until)])


@routes.post("", status_code=201)
async def schedule_a_workout(caller: Caller, uow: Transaction, body: NewScheduled) -> Scheduled:
    """Put a workout on the calendar."""
    caller.require_person()
    row = await schedule.plan(
        uow,
        storable_text(body.title),
        body.scheduled_for,
        minutes=body.minutes,
        notes=storable_text(body.notes),
    )
    return _shown(row)


@routes.patch("/{scheduled_id}", responses=problem_responses(404))
async def change_scheduled(
    caller: Caller, uow: Transaction, scheduled_id: UUID, body: ScheduledChange
) -> Scheduled:
    """Move it, rename it, mark it done."""
    caller.require_person()
    values = {name: value for name, value in body.model_dump().items() if value is not None}
    for name in ("title", "notes"):
        if name in values:
            values[name] = storable_text(values[name])
    return _shown(await schedule.change(uow, scheduled_id, values))


@routes.delete("/{scheduled_id}", status_code=204, responses=problem_responses(404))
async def cancel_scheduled(caller: Caller, uow: Transaction, scheduled_id: UUID) -> None:
    """Take it off the calendar."""
    caller.require_person()
    await schedule.change(uow, scheduled_id, {"status": "cancelled"})


def _shown(row: ScheduledWorkout) -> Scheduled:
    return Scheduled(
        id=row.id,
        title=row.title,
        scheduled_for=row.scheduled_for,
        minutes=row.minutes,
        focus=row.focus,
        notes=row.notes,
        status=row.status,
        has_workout=row.workout is not None,
    )
