"""After the workout: into the history, and what it earned."""

from contextlib import suppress
from typing import Annotated
from uuid import UUID

from pydantic import Field

from spotter.clock import now
from spotter.errors import NotFound
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, ToolFailed, tool
from spotter.scenarios.coach import moving, visit
from spotter.scenarios.coach.stages import CoachStage, Refused
from spotter.store.unit_of_work import UnitOfWork
from spotter.tools.coach.visiting import standing
from spotter.training import badge_log, experience_log, history, schedule, table, underway
from spotter.training.tables import WorkoutOnTable


@tool(category="coach", examples=["that was all", "write it down", "all correct"])
async def complete_workout(
    context: ToolContext, notes: Annotated[str, Field(max_length=2000)] = ""
) -> Answer:
    """Write the logged sets into the history, with XP, level, streak and badges. The visit is complete then."""
    uow, session = await standing(context, CoachStage.LOGGING)
    row = await table.on_table(uow, session.id)
    if row is None or row.state != "open":
        raise FixAndRetry("There is no workout to write down.")
    if not underway.sets_of(row.sets):
        raise FixAndRetry("No set was logged. log_set logs them; without one there is nothing to write down.")
    done = underway.done_workout(table.read(row), row.sets, context.effect_id, session.id, now(), notes)
    workout_id = await history.log(uow, done)
    if workout_id is None:
        raise ToolFailed("This workout was written down before. Nothing was changed.")
    await _done_as_planned(uow, row)
    await table.clear(uow, row)
    earned = await experience_log.award(uow, workout_id, done)
    badges = await badge_log.award(uow)
    moved = await moving.take(uow, session, CoachStage.COMPLETE, "The workout is in the log.")
    if isinstance(moved, Refused):
        raise ToolFailed(moved.reason)
    data = {
        "success": True,
        "workout_id": str(workout_id),
        "sets": len(done.sets),
        "minutes": done.minutes,
        "experience": earned.as_json(),
        "new_badges": [badge.name for badge in badges],
        "next": await visit.next_planned(uow),
    }
    told = f"Written down: {len(done.sets)} sets. {earned.told()}"
    if badges:
        told += f" New badges: {', '.join(badge.name for badge in badges)}."
    return Answer(data, told, moves=moved)


async def _done_as_planned(uow: UnitOfWork, row: WorkoutOnTable) -> None:
    """Only now: a session that was broken off is still to be done."""
    planned = row.request.get("scheduled_id")
    if planned is None:
        return
    with suppress(NotFound):  # called off meanwhile
        await schedule.change(uow, UUID(planned), {"status": "done"})


TOOLS = (complete_workout,)
