"""The catalogue, for agents: what could be done instead, and whether something suits."""

from typing import Annotated, Any

from pydantic import Field

from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, tool
from spotter.training import athletes, own_exercises, words
from spotter.training.athlete import Athlete
from spotter.training.catalogue import Catalogue, swaps
from spotter.training.check import SEE_CLINICIAN, why_not, why_not_so
from spotter.training.exercise import Exercise
from spotter.training.rules import limits_of, must_be_cleared
from spotter.training.workout import WorkoutExercise


@tool(
    category="exercises", examples=["what else could I do", "alternatives to squats", "exercises for biceps"]
)
async def get_exercise_suggestions(
    context: ToolContext,
    instead_of: Annotated[str, Field(max_length=120)] | None = None,
    muscles: Annotated[list[Annotated[str, Field(max_length=60)]], Field(max_length=6)] = [],  # noqa: B006 - schema
    limit: Annotated[int, Field(ge=1, le=20)] = 5,
) -> Answer:
    """Exercises that suit this athlete (injuries, equipment, level, exclusions): in the place of another one, or for
    muscles. With their ids, for generate_workout and swap_exercise."""
    book = await own_exercises.book_for(await context.transaction())
    athlete = await _athlete(context, book)
    if must_be_cleared(athlete):
        raise FixAndRetry(SEE_CLINICIAN)
    if instead_of is not None:
        found = book.find(instead_of)
        if found is None:
            raise FixAndRetry(f"The catalogue knows no exercise {instead_of!r}. Try another name for it.")
        chosen = _instead_of(found.exercise, athlete, book, limit)
    elif muscles:
        chosen = _for_muscles(muscles, athlete, book, limit)
    else:
        raise FixAndRetry("Say instead_of which exercise, or for which muscles.")
    told = "\n".join(f"{each.id}: {each.name} ({', '.join(each.primary)})" for each in chosen)
    return Answer(
        {"success": True, "suggestions": [shown(each) for each in chosen]}, told or "Nothing suits all of it."
    )


@tool(category="exercises", examples=["is this safe for my knee", "can I do deadlifts"])
async def validate_exercise(context: ToolContext, exercise: WorkoutExercise) -> Answer:
    """Whether an exercise suits this athlete in these amounts, and if not, why and what would."""
    book = await own_exercises.book_for(await context.transaction())
    athlete = await _athlete(context, book)
    known = book.get(exercise.exercise_id or "") or (
        match.exercise if (match := book.find(exercise.name)) is not None else None
    )
    if known is None:
        near = [match.exercise.name for match in book.search(exercise.name, limit=3)]
        hint = f" Near it: {', '.join(near)}." if near else ""
        data = {"success": True, "valid": False, "reasons": ["not in the catalogue"], "alternatives": near}
        return Answer(
            data, f"{exercise.name} is not in the catalogue, so nobody can say that it is safe.{hint}"
        )
    return _judged(exercise, known, athlete, book)


def _judged(exercise: WorkoutExercise, known: Exercise, athlete: Athlete, book: Catalogue) -> Answer:
    """By the same rules as a whole workout: who may train, what suits them, how much of it."""
    if must_be_cleared(athlete):
        return _unsuitable(known, ["a doctor or physiotherapist should clear them first"], [])
    if reasons := why_not(known, athlete, limits_of(athlete)):
        return _unsuitable(known, reasons, _instead_of(known, athlete, book, 3))
    if changes := why_not_so(exercise, known, athlete, book):
        data = _verdict(known, changes, [])
        return Answer(data, f"{known.name} suits, but not like this. {' '.join(changes)}")
    return Answer(_verdict(known, [], []), f"{known.name} suits.")


def _unsuitable(known: Exercise, reasons: list[str], instead: list[Exercise]) -> Answer:
    names = ", ".join(each.name for each in instead) or "nothing"
    data = _verdict(known, reasons, instead)
    return Answer(data, f"{known.name} does not suit: {'; '.join(reasons)}. Instead: {names}.")


def _verdict(known: Exercise, reasons: list[str], instead: list[Exercise]) -> dict[str, Any]:
    return {
        "success": True,
        "valid": not reasons,
        "exercise": shown(known),
        "reasons": reasons,
        "alternatives": [shown(each) for each in instead],
    }


def shown(exercise: Exercise) -> dict[str, Any]:
    return {
        "exercise_id": exercise.id,
        "name": exercise.name,
        "type": exercise.kind.value,
        "muscles": [muscle.value for muscle in exercise.primary],
        "equipment": sorted(item.value for item in exercise.equipment),
        "level": exercise.band.value,
        "cues": list(exercise.cues),
    }


async def _athlete(context: ToolContext, book: Catalogue) -> Athlete:
    if context.scope.user_id is None:
        raise FixAndRetry("No athlete is signed in here.")
    uow = await context.transaction()
    return await athletes.load(uow, context.scope.user_id, context.session_id, athletes.finder(book))


def _instead_of(exercise: Exercise, athlete: Athlete, book: Catalogue, limit: int) -> list[Exercise]:
    found = swaps(Catalogue(_suitable(book, athlete)), exercise, limits=limits_of(athlete), limit=limit)
    return [swap.exercise for swap in found]


def _for_muscles(names: list[str], athlete: Athlete, book: Catalogue, limit: int) -> list[Exercise]:
    muscles = frozenset(muscle for name in names for muscle in words.muscles_of(name))
    if not muscles:
        raise FixAndRetry(f"No muscle is called {', '.join(names)!r}.")
    found = [each for each in _suitable(book, athlete) if not muscles.isdisjoint(each.primary)]
    found.sort(key=lambda each: (-len(muscles & set(each.primary)), each.level, each.id))
    return found[:limit]


def _suitable(book: Catalogue, athlete: Athlete) -> list[Exercise]:
    """What the check would let through, so that nothing is offered that it then takes away."""
    limits = limits_of(athlete)
    return [each for each in book if not why_not(each, athlete, limits)]


TOOLS = (get_exercise_suggestions, validate_exercise)
