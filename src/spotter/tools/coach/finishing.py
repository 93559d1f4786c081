"""After the workout: into the history, and what it earned."""

from typing import Annotated

from pydantic import Field

from spotter.clock import now
from spotter.errors import Conflict
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, ToolFailed, tool
from spotter.scenarios.coach import closing, visit
from spotter.scenarios.coach.stages import CoachStage
from spotter.sessions.events import Stage
from spotter.tools.coach.visiting import standing
from spotter.training import table, underway


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
    try:
        finished, moves = await closing.finish(uow, session.id, row, done)
    except Conflict as written_before:
        raise ToolFailed(written_before.detail) from None
    refused = next((one.reason for one in moves if isinstance(one, Stage) and not one.accepted), None)
    if refused is not None:
        raise ToolFailed(refused)
    earned, badges = finished.earned, finished.badges
    data = {
        "success": True,
        "workout_id": str(finished.workout_id),
        "sets": len(done.sets),
        "minutes": done.minutes,
        "experience": earned.as_json(),
        "new_badges": [badge.name for badge in badges],
        "next": await visit.next_planned(uow),
    }
    told = f"Written down: {len(done.sets)} sets. {earned.told()}"
    if badges:
        told += f" New badges: {', '.join(badge.name for badge in badges)}."
    return Answer(data, told, moves=moves)


TOOLS = (complete_workout,)
