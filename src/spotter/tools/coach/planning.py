"""The plan: weeks of training on the calendar, single sessions, and starting one of them."""

from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import Field

from spotter.clock import now
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, ToolFailed, tool
from spotter.scenarios.coach import facts, moving, visit
from spotter.scenarios.coach.stages import CoachStage, Refused, not_yet
from spotter.scenarios.coach.standing import Standing
from spotter.store.unit_of_work import UnitOfWork
from spotter.tools.coach.visiting import standing
from spotter.training import athletes, profile, programme, schedule, table, underway
from spotter.training.athlete import Athlete
from spotter.training.catalogue import catalogue
from spotter.training.check import Checked, check_workout
from spotter.training.design import NothingFits
from spotter.training.programme import MOST_WEEKS, USUAL_DAYS, USUAL_WEEKS
from spotter.training.sources import amount
from spotter.training.tables import ScheduledWorkout
from spotter.training.workout import Summary, Workout, WorkoutExercise

_AT: Final = time(9, tzinfo=UTC)
Title = Annotated[str, Field(min_length=1, max_length=120)]
Focus = Annotated[list[Annotated[str, Field(max_length=60)]], Field(max_length=12)]


@tool(category="coach", examples=["make me a plan", "a four week programme", "plan my training"])
async def create_plan(
    context: ToolContext,
    weeks: Annotated[int, Field(ge=1, le=MOST_WEEKS)] = USUAL_WEEKS,
    days_per_week: Annotated[int, Field(ge=1, le=6)] | None = None,
    minutes: Annotated[int, Field(ge=8, le=120)] | None = None,
    start: date | None = None,
) -> Answer:
    """Write a plan of several weeks onto the calendar, designed from the profile: goals, level, equipment, injuries,
    days and minutes. It replaces what was planned from its first day on. You are told the sessions and the reasons;
    explain them."""
    uow, session = await standing(context, CoachStage.PLANNING)
    await _fit(uow, session)
    athlete = await _athlete(context, uow)
    settings = await profile.settings(uow, session.user_id)
    days = min(6, days_per_week or (settings.days_per_week if settings else None) or USUAL_DAYS)
    first = max(start or now().date(), now().date())
    try:
        planned = programme.programme(
            athlete, catalogue(), weeks=weeks, days=days, start=first, minutes=minutes
        )
    except NothingFits as nothing:
        raise FixAndRetry(str(nothing)) from None
    for row in await visit.upcoming(uow):
        if row.scheduled_for.date() >= first:
            await schedule.change(uow, row.id, {"status": "cancelled"})
    rows = []
    for one in planned.sessions:
        checked = _checked(one.workout, athlete, minutes)
        rows.append(await _put(uow, one.title, one.day, one.focus, checked.workout))
    plan = await visit.plan_of(uow)
    lines = [f"A plan of {weeks} weeks with {days} sessions a week is on the calendar. The first week:"]
    lines += [_line(row) for row in rows[:days]]
    lines.append("Why: " + " ".join(planned.reasons))
    if planned.left_out:
        lines.append("Left out: " + ", ".join(planned.left_out[:4]) + ".")
    data = {
        "success": True,
        "plan": plan,
        "reasons": planned.reasons,
        "left_out": planned.left_out,
        "weeks": weeks,
    }
    return Answer(data, "\n".join(lines))


@tool(category="coach", examples=["put a session on Saturday", "one more session for my legs"])
async def create_session(
    context: ToolContext,
    title: Title,
    date: date,
    exercises: Annotated[list[WorkoutExercise], Field(min_length=1, max_length=40)],
    focus: Focus = [],  # noqa: B006 - becomes part of a schema
) -> Answer:
    """Put one training session on the calendar, with its exercises in the order in which they are done. It is checked
    against injuries, equipment, level and time; what has to change is changed, and you are told."""
    uow, session = await standing(context, CoachStage.PLANNING)
    await _fit(uow, session)
    if date < now().date():
        raise FixAndRetry("That day is over. Choose today or a later one.")
    workout = Workout(exercises=exercises, summary=Summary(focus_areas=focus))
    checked = _checked(workout, await _athlete(context, uow), None)
    row = await _put(uow, title, date, focus, checked.workout)
    changed = f" The check changed: {' '.join(checked.changes)} Tell the person." if checked.changes else ""
    data = {"success": True, "session": visit.planned(row), "changes": list(checked.changes)}
    return Answer(data, f"On the calendar: {_line(row)}.{changed}")


@tool(category="coach", examples=["let us start", "I am ready to train", "start the workout"])
async def start_workout(context: ToolContext, session_id: UUID | None = None) -> Answer:
    """Begin a planned session now (its id; the next one if you leave it out). The visit goes on to the workout, if
    the stored health answers allow it."""
    uow, session = await standing(context, CoachStage.PLANNING)
    await _fit(uow, session)
    row = await _wanted(uow, session_id)
    planned, title = row.id, row.title
    checked = _checked(Workout.model_validate(row.workout), await _athlete(context, uow), None)
    placed = await underway.begin(uow, session.id, checked.workout, {"scheduled_id": str(planned)})
    moved = await moving.take(uow, session, CoachStage.WORKOUT, f"{title} begins.")
    if isinstance(moved, Refused):
        raise ToolFailed(moved.reason)
    data = {
        "success": True,
        "title": title,
        "workout": table.as_json(placed),
        "changes": list(checked.changes),
    }
    return Answer(data, f"{title} is on the table.", moves=moved)


async def _fit(uow: UnitOfWork, session: Standing) -> None:
    """Said again where it matters: no plan and no workout for who has not passed the health questions."""
    if (reason := not_yet(await facts.load(uow, session))) is not None:
        raise ToolFailed(f"{reason} Move the visit to intake.")


async def _athlete(context: ToolContext, uow: UnitOfWork) -> Athlete:
    assert context.scope.user_id is not None
    return await athletes.load(uow, context.scope.user_id, context.session_id, athletes.finder(catalogue()))


def _checked(workout: Workout, athlete: Athlete, minutes: int | None) -> Checked:
    told = workout.summary.total_duration_estimate
    time_there = minutes or (max(1, round(told)) if told else None)
    checked = check_workout(workout, athlete, catalogue(), minutes=time_there, whole=True)
    if checked.refused is not None:
        raise FixAndRetry(checked.refused)
    return checked


async def _put(uow: UnitOfWork, title: str, day: date, focus: Any, workout: Workout) -> ScheduledWorkout:
    estimate = workout.summary.total_duration_estimate
    return await schedule.plan(
        uow,
        title,
        datetime.combine(day, _AT),
        minutes=round(estimate) if estimate else None,
        focus=list(focus),
        workout=table.as_json(workout),
    )


async def _wanted(uow: UnitOfWork, session_id: UUID | None) -> ScheduledWorkout:
    rows = [row for row in await visit.upcoming(uow) if row.workout]
    if not rows:
        raise FixAndRetry("Nothing is planned. create_plan makes a plan, create_session a single session.")
    if session_id is None:
        return rows[0]
    found = next((row for row in rows if row.id == session_id), None)
    if found is None:
        there = "; ".join(f"{row.id} {row.title}" for row in rows[:8])
        raise FixAndRetry(f"There is no planned session {session_id}. The next ones: {there}.")
    return found


def _line(row: ScheduledWorkout) -> str:
    items = (row.workout or {}).get("exercises", [])
    main = ", ".join(amount(item) for item in items if item.get("phase") == "main")
    return f"[{row.id}] {row.scheduled_for:%a %Y-%m-%d} {row.title} ({row.minutes or '?'} min): {main}"


TOOLS = (create_plan, create_session, start_workout)
