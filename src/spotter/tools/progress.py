"""How training has gone."""

from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from spotter.clock import now
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, tool
from spotter.training import athletes, experience_log, goals, own_exercises, progress
from spotter.training.progress import Period
from spotter.training.vocabulary import Muscle
from spotter.training.volume import TARGETS

Days = Annotated[int, Field(ge=1, le=366)]


@tool(category="progress", examples=["how did my week go", "am I getting better", "how is my progress"])
async def get_progress_summary(context: ToolContext, days: Days = 7) -> Answer:
    """What was done in the last days compared with the same time before, with streak, level and what was missed."""
    uow, user_id = await context.transaction(), _athlete(context)
    book = await own_exercises.book_for(uow)
    recent = await progress.last_days(uow, user_id, days, now(), book)
    before = await progress.period(uow, user_id, recent.start - timedelta(days=days), recent.start, book)
    standing = await experience_log.standing(uow, user_id, now().date())
    athlete = await athletes.load(uow, user_id, context.session_id, athletes.finder(book))
    target = TARGETS[athlete.level].low * days / 7
    missing = [muscle for muscle in _MAIN_MUSCLES if recent.by_muscle.get(muscle, 0.0) < target / 2]
    data = {
        "days": days,
        "now": shown(recent),
        "before": shown(before),
        "experience": standing.as_json(),
        "least_trained": [muscle.value for muscle in missing[:5]],
    }
    lines = [
        f"Last {days} days: {recent.workouts} workouts, {recent.sets} sets, {recent.minutes} min"
        f" (before: {before.workouts} workouts, {before.sets} sets).",
        f"Level {standing.level}, {standing.total} XP, streak {standing.streak.weeks} weeks.",
    ]
    if recent.workouts and missing:
        lines.append(
            "Little work for: " + ", ".join(muscle.replace("_", " ") for muscle in missing[:5]) + "."
        )
    return Answer({"success": True, **data}, " ".join(lines))


@tool(category="progress", examples=["my stats", "how many sets did I do for chest", "what is my best bench"])
async def get_workout_stats(context: ToolContext, days: Days = 30) -> Answer:
    """Numbers of the last days: workouts, sets, volume, sets for each muscle, best lifts."""
    uow, user_id = await context.transaction(), _athlete(context)
    found = await progress.last_days(uow, user_id, days, now(), await own_exercises.book_for(uow))
    muscles = ", ".join(f"{muscle}:{sets:g}" for muscle, sets in _most(found.by_muscle))
    best = ", ".join(f"{name} {weight:g} kg" for name, weight in sorted(found.best.items())[:8])
    told = (
        f"Last {days} days: {found.workouts} workouts, {found.sets} sets, {found.volume_kg:g} kg moved. "
        f"Sets by muscle: {muscles or 'none'}. Best estimated single lifts: {best or 'none'}."
    )
    return Answer({"success": True, "days": days, **shown(found)}, told)


@tool(category="progress", examples=["am I reaching my goals", "how far am I with my goals"])
async def get_goal_progress(context: ToolContext, days: Days = 28) -> Answer:
    """The athlete's goals beside what was really trained in the last days."""
    uow, user_id = await context.transaction(), _athlete(context)
    found = await progress.last_days(uow, user_id, days, now(), await own_exercises.book_for(uow))
    categories = await goals.category_goals(uow, user_id)
    muscles = await goals.muscle_goals(uow, user_id)
    if not categories and not muscles:
        return Answer({"success": True, "goals": []}, "No goals are set yet. set_goals sets them.")
    rows: list[dict[str, Any]] = [
        {"goal": name, "weight": weight, "done": found.by_category.get(name, 0), "unit": "exercises"}
        for name, weight in categories.items()
    ]
    rows += [
        {"goal": name, "weight": weight, "done": found.by_muscle.get(Muscle(name), 0.0), "unit": "sets"}
        for name, weight in muscles.items()
        if name in set(Muscle)
    ]
    lines = [f"{row['goal']} ({row['weight']:+d}): {row['done']:g} {row['unit']}" for row in rows]
    return Answer({"success": True, "days": days, "goals": rows}, f"Last {days} days. " + "; ".join(lines))


def shown(found: Period) -> dict[str, Any]:
    return {
        "workouts": found.workouts,
        "minutes": found.minutes,
        "sets": found.sets,
        "volume_kg": round(found.volume_kg, 1),
        "sets_by_muscle": {muscle.value: sets for muscle, sets in _most(found.by_muscle)},
        "exercises_by_category": dict(found.by_category),
        "best_estimated_lifts_kg": {name: round(weight, 1) for name, weight in found.best.items()},
    }


def _most(found: Any) -> list[tuple[Muscle, float]]:
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


def _athlete(context: ToolContext) -> Any:
    if context.scope.user_id is None:
        raise FixAndRetry("No athlete is signed in here.")
    return context.scope.user_id


_MAIN_MUSCLES = (
    Muscle.QUADS,
    Muscle.HAMSTRINGS,
    Muscle.GLUTES,
    Muscle.CHEST,
    Muscle.LATS,
    Muscle.UPPER_BACK,
    Muscle.FRONT_DELTS,
    Muscle.ABS,
)

TOOLS = (get_progress_summary, get_workout_stats, get_goal_progress)
