"""Looking up what is known of the athlete."""

from typing import Annotated, Any, Literal

from pydantic import Field

from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, tool
from spotter.training.sources import fetch_all

SourceName = Literal[
    "user_profile",
    "category_goals",
    "muscle_goals",
    "active_preferences",
    "workout_history",
    "exercise_distribution",
    "user_settings",
]


@tool(
    category="data", examples=["what did I do last week", "which preferences do I have"], reads_private=True
)
async def fetch_data(
    context: ToolContext,
    sources: Annotated[list[SourceName], Field(min_length=1, max_length=7)],
    params: dict[str, dict[str, Any]] = {},  # noqa: B006 - becomes part of a schema
) -> Answer:
    """Fetch what is known of the athlete and not in the conversation yet. `params` by source, e.g.
    {"workout_history": {"limit": 5}}."""
    if context.scope.user_id is None:
        raise FixAndRetry("No athlete is signed in here, so there is nothing to fetch.")
    found = await fetch_all(
        context.database, context.scope, sources, session_id=context.session_id, params=params
    )
    data = {one.source: one.formatted for one in found}
    told = "\n".join(f"{one.source}:\n{one.formatted}" for one in found)
    return Answer({"success": not any(one.failed for one in found), "data": data}, told)


TOOLS = (fetch_data,)
