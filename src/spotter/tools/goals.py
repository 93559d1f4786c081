"""What the athlete trains for."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, tool
from spotter.training import goals, words
from spotter.training.sources import weights
from spotter.training.vocabulary import Muscle

Weight = Annotated[float, Field(description="from -10 (avoid) to 10 (most of all)")]


class CategoryGoal(BaseModel):
    model_config = ConfigDict(extra="forbid")

    category: Annotated[str, Field(min_length=1, max_length=60)]
    weight: Weight


class MuscleGoal(BaseModel):
    model_config = ConfigDict(extra="forbid")

    muscle: Annotated[str, Field(min_length=1, max_length=60)]
    weight: Weight


Most = Field(max_length=40)


@tool(category="goals", examples=["I want bigger arms", "focus on strength", "less cardio please"])
async def set_goals(
    context: ToolContext,
    category_goals: Annotated[list[CategoryGoal], Most] = [],  # noqa: B006 - becomes part of a schema
    muscle_goals: Annotated[list[MuscleGoal], Most] = [],  # noqa: B006
) -> Answer:
    """Set what the athlete trains for. Categories: strength, hypertrophy, endurance, power, skill, mobility, fat_loss,
    cardio, or their own. Muscles by name; «shoulders», «arms», «back», «legs» and «core» stand for their muscles.
    Weights beyond ±10 are cut to ±10."""
    if not category_goals and not muscle_goals:
        raise FixAndRetry("Give at least one category goal or muscle goal.")
    categories = {
        words.plain(goal.category).replace(" ", "_"): goals.clamped(goal.weight) for goal in category_goals
    }
    muscles: dict[str, int] = {}
    for goal in muscle_goals:
        named = words.muscles_of(goal.muscle)
        if not named:
            raise FixAndRetry(
                f"There is no muscle called {goal.muscle!r}. There are: {', '.join(Muscle)}. Nothing was changed."
            )
        muscles |= {muscle.value: goals.clamped(goal.weight) for muscle in named}
    uow = await context.transaction()
    await goals.set_category_goals(uow, categories)
    await goals.set_muscle_goals(uow, muscles)
    updated: dict[str, Any] = {
        "category_goals": [{"category": name, "weight": weight} for name, weight in categories.items()],
        "muscle_goals": [{"muscle": name, "weight": weight} for name, weight in muscles.items()],
    }
    return Answer({"success": True, "updated": updated}, f"Goals now: {weights(categories | muscles)}")


TOOLS = (set_goals,)
