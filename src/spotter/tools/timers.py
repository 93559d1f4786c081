"""Timers for what is on the table: when to work, when to rest, in seconds from the start."""

from typing import Any
from uuid import UUID

from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, tool
from spotter.training import table
from spotter.training.timers import Timer, timer_for, timers_for
from spotter.training.workout import Workout


@tool(category="timers", examples=["time the plank", "start a timer for the second one"])
async def generate_exercise_timer(context: ToolContext, exercise_id: UUID) -> Answer:
    """A timer for one exercise of the current workout: its work and rest periods in order."""
    workout = await current_workout(context)
    found = next((one for one in workout.exercises if one.id == exercise_id), None)
    if found is None:
        raise FixAndRetry(unknown_exercise(exercise_id, workout))
    timer = timer_for(found)
    return Answer({"success": True, "timer": shown(timer)}, f"Timer for {timer.name}: {timer.seconds} s")


@tool(category="timers", examples=["timers for the whole workout", "run me through it"])
async def generate_workout_timers(context: ToolContext) -> Answer:
    """Timers for the whole current workout, in order, with the change-overs between exercises."""
    timers = timers_for(await current_workout(context))
    whole = sum(timer.seconds for timer in timers)
    return Answer(
        {"success": True, "timers": [shown(timer) for timer in timers], "total_seconds": whole},
        f"Timers for {len(timers)} exercises, {whole // 60} min {whole % 60} s in all",
    )


async def current_workout(context: ToolContext) -> Workout:
    row = await table.on_table(await context.transaction(), context.session_id)
    if row is None or row.state != "open":
        raise FixAndRetry("There is no workout on the table. generate_workout makes one.")
    return table.read(row)


def unknown_exercise(exercise_id: UUID, workout: Workout) -> str:
    there = "; ".join(f"{one.id} {one.name}" for one in workout.exercises)
    return f"The current workout has no exercise {exercise_id}. It has: {there}. Nothing was changed."


def shown(timer: Timer) -> dict[str, Any]:
    return {
        "exercise_id": str(timer.exercise_id) if timer.exercise_id else None,
        "name": timer.name,
        "total_seconds": timer.seconds,
        "periods": [
            {"kind": period.kind, "label": period.label, "seconds": period.seconds}
            for period in timer.periods
        ],
    }


TOOLS = (generate_exercise_timer, generate_workout_timers)
