"""Workouts on days to come."""

from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import Field

from spotter.clock import now
from spotter.errors import NotFound
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, tool
from spotter.training import schedule, table
from spotter.training.local_time import UTC_ZONE, local, zone_of
from spotter.training.tables import ScheduledWorkout

Title = Annotated[str, Field(min_length=1, max_length=120)]
When = Annotated[
    datetime,
    Field(
        description="date and time, e.g. 2026-11-19T07:00:00; local time, unless an offset such as +01:00 is given"
    ),
]
Minutes = Annotated[int, Field(ge=5, le=300)]
Focus = Annotated[list[Annotated[str, Field(max_length=60)]], Field(max_length=8)]
_SOON = timedelta(days=60)


@tool(category="calendar", examples=["put legs on Thursday 7am", "plan a workout for tomorrow evening"])
async def schedule_workout(
    context: ToolContext,
    title: Title,
    scheduled_for: When,
    duration_minutes: Minutes | None = None,
    focus: Focus = [],  # noqa: B006 - becomes part of a schema
    notes: Annotated[str, Field(max_length=1000)] = "",
    include_current_workout: bool = False,
) -> Answer:
    """Put a workout on the calendar. With include_current_workout the one we are talking about goes with it."""
    uow = await context.transaction()
    zone = await zone_of(uow)
    at = local(scheduled_for, zone)
    if at < now() - timedelta(minutes=5):
        raise FixAndRetry(f"{at.isoformat()} has passed; now it is {local(now(), zone).isoformat()}.")
    workout: dict[str, Any] | None = None
    if include_current_workout:
        current = await table.on_table(uow, context.session_id)
        if current is None:
            raise FixAndRetry("There is no current workout to include. Leave include_current_workout out.")
        workout = current.workout
    row = await schedule.plan(
        uow, title, at, minutes=duration_minutes, focus=focus, workout=workout, notes=notes
    )
    return Answer({"success": True, "scheduled": shown(row)}, f"Scheduled {line(row, zone)}")


@tool(category="calendar", examples=["what is planned", "when is my next workout"])
async def get_scheduled_workouts(
    context: ToolContext, start: When | None = None, end: When | None = None
) -> Answer:
    """What is on the calendar, from now for 60 days unless said."""
    uow = await context.transaction()
    zone = await zone_of(uow)
    begin = local(start, zone) if start else now() - timedelta(hours=12)
    found = await schedule.between(uow, begin, local(end, zone) if end else begin + _SOON)
    told = "\n".join(line(row, zone) for row in found) or "Nothing is scheduled in this time."
    return Answer({"success": True, "scheduled": [shown(row) for row in found]}, told)


@tool(category="calendar", examples=["move Thursday's session to Friday", "make it an hour later"])
async def update_scheduled_workout(
    context: ToolContext,
    scheduled_id: UUID,
    scheduled_for: When | None = None,
    title: Title | None = None,
    duration_minutes: Minutes | None = None,
    notes: Annotated[str, Field(max_length=1000)] | None = None,
) -> Answer:
    """Change a scheduled workout, by the id in square brackets. Only what is given changes."""
    zone = await zone_of(await context.transaction())
    values = {
        name: value
        for name, value in (
            ("scheduled_for", local(scheduled_for, zone) if scheduled_for else None),
            ("title", title),
            ("minutes", duration_minutes),
            ("notes", notes),
        )
        if value is not None
    }
    if not values:
        raise FixAndRetry("Say what should change: scheduled_for, title, duration_minutes or notes.")
    row = await _change(context, scheduled_id, values)
    return Answer({"success": True, "scheduled": shown(row)}, f"Now {line(row, zone)}")


@tool(category="calendar", examples=["cancel Friday's workout", "take it off the calendar"])
async def cancel_scheduled_workout(
    context: ToolContext, scheduled_id: UUID, reason: Annotated[str, Field(max_length=300)] = ""
) -> Answer:
    """Take a scheduled workout off the calendar, by the id in square brackets."""
    row = await _change(
        context, scheduled_id, {"status": "cancelled", **({"notes": reason} if reason else {})}
    )
    zone = await zone_of(await context.transaction())
    return Answer({"success": True, "cancelled": shown(row)}, f"Cancelled {line(row, zone)}")


async def _change(context: ToolContext, scheduled_id: UUID, values: dict[str, Any]) -> ScheduledWorkout:
    try:
        return await schedule.change(await context.transaction(), scheduled_id, values)
    except NotFound:
        raise FixAndRetry(
            f"There is no scheduled workout {scheduled_id}. get_scheduled_workouts shows what there is."
        ) from None


def shown(row: ScheduledWorkout) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "title": row.title,
        "scheduled_for": row.scheduled_for.isoformat(),
        "duration_minutes": row.minutes,
        "focus": row.focus,
        "notes": row.notes,
        "status": row.status,
        "has_workout": row.workout is not None,
    }


def line(row: ScheduledWorkout, zone: ZoneInfo = UTC_ZONE) -> str:
    lasting = f", {row.minutes} min" if row.minutes else ""
    return f"[{row.id}] {_clock(row.scheduled_for.astimezone(zone))} {row.title}{lasting}"


def _clock(moment: datetime) -> str:
    return f"{moment:%a %Y-%m-%d %H:%M %z}".strip()


TOOLS = (schedule_workout, get_scheduled_workouts, update_scheduled_workout, cancel_scheduled_workout)
