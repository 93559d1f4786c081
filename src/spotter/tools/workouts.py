"""The workout on the table: making it, changing it, logging it.

Whoever wrote it, no exercise gets on the table unchecked (F4): every change here goes through the same check, and what
the check changed is told.
"""

from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from spotter.clock import now
from spotter.errors import Conflict
from spotter.ids import new_id
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, ToolFailed, tool
from spotter.store.unit_of_work import UnitOfWork
from spotter.tools.timers import unknown_exercise
from spotter.training import athletes, own_exercises, table
from spotter.training.check import Checked, check_workout
from spotter.training.done import Report, done_workout
from spotter.training.finishing import finish
from spotter.training.rules import MAX_MINUTES
from spotter.training.sources import listed
from spotter.training.tables import WorkoutOnTable
from spotter.training.workout import Workout, WorkoutExercise

_EXERCISE: TypeAdapter[WorkoutExercise] = TypeAdapter(WorkoutExercise)
_FIXED = frozenset({"id", "type"})
Reason = Annotated[str, Field(max_length=300)]


class CompletedExercise(BaseModel):
    model_config = ConfigDict(extra="forbid")

    exercise_id: UUID
    completed: bool
    actual_sets: Annotated[int, Field(ge=0, le=50)] | None = None
    actual_reps: Annotated[int, Field(ge=0, le=500)] | None = None
    actual_seconds: Annotated[int, Field(ge=0, le=4 * 3600)] | None = None
    actual_weight_kg: Annotated[float, Field(ge=0, le=500)] | None = None
    rpe: Annotated[float, Field(ge=1, le=10)] | None = None
    notes: Annotated[str, Field(max_length=500)] = ""


@tool(category="workouts", examples=["give me a 30 minute workout", "upper body, no equipment", "leg day"])
async def generate_workout(context: ToolContext, workout: Workout) -> Answer:
    """Put a workout on the table, in the order in which it is done: warm-up (phase warmup), main part, cool-down, with
    the minutes there are as summary.total_duration_estimate. It is checked against injuries, equipment, level and
    time; what has to change is changed, and you are told."""
    uow = await context.transaction()
    checked = await _checked(context, uow, workout, _minutes(workout), whole=True)
    placed = await table.put(uow, context.session_id, checked.workout)
    return _told(
        placed,
        checked,
        {"exercise_count": len(placed.exercises)},
        f"Workout with {len(placed.exercises)} exercises",
    )


@tool(category="workouts", examples=["swap the second one", "not that one", "something else for squats"])
async def swap_exercise(
    context: ToolContext, exercise_id: UUID, new_exercise: WorkoutExercise, reason: Reason = ""
) -> Answer:
    """Replace an exercise of the current workout by another one, in its place."""
    uow = await context.transaction()
    row, workout = await _current(uow, context)
    place = _place(workout, exercise_id)
    old = workout.exercises[place]
    new = new_exercise.model_copy(
        update={"id": new_id(), "phase": old.phase, "pair": new_exercise.pair or old.pair}
    )
    exercises = [*workout.exercises[:place], new, *workout.exercises[place + 1 :]]
    checked = await _checked(context, uow, workout.model_copy(update={"exercises": exercises}))
    fresh = _kept(checked, new)
    _refuse_twin(workout, old, fresh)
    placed = await table.put(uow, context.session_id, checked.workout, row.request)
    data = {"old_exercise": old.name, "new_exercise": fresh.name, "new_id": str(fresh.id)}
    return _told(placed, checked, data, f"Swapped {old.name} for {fresh.name}")


@tool(category="workouts", examples=["only 2 sets", "make the plank shorter", "more reps", "less rest"])
async def adjust_exercise(context: ToolContext, exercise_id: UUID, adjustments: dict[str, Any]) -> Answer:
    """Change numbers or notes of an exercise of the workout: sets, reps, hold_time, duration, rounds, work_time,
    rest_time, rest_between_sets, weight_kg, notes. Its id and type cannot change; swap it for that."""
    uow = await context.transaction()
    row, workout = await _current(uow, context)
    place = _place(workout, exercise_id)
    old = workout.exercises[place]
    wanted = {name: value for name, value in adjustments.items() if name not in _FIXED}
    if not wanted:
        raise FixAndRetry("Give at least one adjustment; id and type cannot be changed.")
    try:
        new = _EXERCISE.validate_python({**old.model_dump(), **wanted})
    except ValidationError as error:
        problems = "; ".join(f"{problem['loc'][-1]}: {problem['msg']}" for problem in error.errors()[:6])
        raise FixAndRetry(
            f"{old.name} ({old.type}) cannot be adjusted like this: {problems}. Nothing changed."
        ) from None
    exercises = [*workout.exercises[:place], new, *workout.exercises[place + 1 :]]
    checked = await _checked(context, uow, workout.model_copy(update={"exercises": exercises}))
    before, after = old.model_dump(mode="json"), _kept(checked, new).model_dump(mode="json")
    placed = await table.put(uow, context.session_id, checked.workout, row.request)
    stored = {name: after.get(name) for name in wanted}
    data = {
        "exercise_name": old.name,
        "adjustments": stored,
        "old_values": {name: before.get(name) for name in wanted},
    }
    changes = ", ".join(f"{name} {before.get(name)} → {value}" for name, value in stored.items())
    return _told(placed, checked, data, f"Adjusted {old.name}: {changes}")


@tool(category="workouts", examples=["drop the burpees", "remove the last one", "too much, cut one"])
async def remove_exercise(context: ToolContext, exercise_id: UUID, reason: Reason = "") -> Answer:
    """Take an exercise out of the current workout."""
    uow = await context.transaction()
    row, workout = await _current(uow, context)
    place = _place(workout, exercise_id)
    if len(workout.exercises) == 1:
        raise FixAndRetry("It is the only exercise left. Swap it, or make a new workout.")
    removed = workout.exercises[place]
    rest = [one for one in workout.exercises if one.id != exercise_id]
    checked = await _checked(context, uow, workout.model_copy(update={"exercises": rest}))
    placed = await table.put(uow, context.session_id, checked.workout, row.request)
    data = {"removed_exercise": removed.name, "remaining_count": len(placed.exercises)}
    return _told(placed, checked, data, f"Removed {removed.name}; {len(placed.exercises)} left")


@tool(
    category="workouts", examples=["done", "log it", "did everything but the last", "I only managed 2 sets"]
)
async def log_workout(
    context: ToolContext,
    completed_exercises: Annotated[list[CompletedExercise], Field(min_length=1, max_length=40)],
    workout_notes: Annotated[str, Field(max_length=2000)] = "",
) -> Answer:
    """Log the current workout: for each exercise whether it was completed, and what was done where it differs from
    the plan. Exercises you leave out count as not done."""
    uow = await context.transaction()
    row, workout = await _current(uow, context)
    by_id = {one.exercise_id: one for one in completed_exercises}
    known = {one.id for one in workout.exercises}
    for exercise_id in by_id:
        if exercise_id not in known:
            raise FixAndRetry(unknown_exercise(exercise_id, workout))
    reports = {exercise_id: _report(one) for exercise_id, one in by_id.items()}
    try:
        finished = await finish(
            uow, row, done_workout(workout, reports, context.effect_id, row.session_id, now(), workout_notes)
        )
    except Conflict as logged_before:
        raise ToolFailed(logged_before.detail) from None
    count, sets = finished.exercises, finished.done.working_sets
    data = {
        "workout_id": str(finished.workout_id),
        "logged_count": count,
        "total_in_workout": len(workout.exercises),
        "sets": sets,
        "experience": finished.earned.as_json(),
        "badges": [badge.name for badge in finished.badges],
    }
    new = f" New: {', '.join(badge.name for badge in finished.badges)}." if finished.badges else ""
    told = f"Logged {count} of {len(workout.exercises)} exercises, {sets} sets. {finished.earned.told()}{new}"
    return Answer({"success": True, **data}, told)


def _report(one: CompletedExercise) -> Report:
    return Report(
        one.completed,
        one.actual_sets,
        one.actual_reps,
        one.actual_seconds,
        one.actual_weight_kg,
        one.rpe,
        one.notes,
    )


def _minutes(workout: Workout) -> int | None:
    """The time it was written for. Nothing where nobody said: then the athlete's usual time holds."""
    told = workout.summary.total_duration_estimate
    return max(1, round(told)) if told else None


async def _checked(
    context: ToolContext,
    uow: UnitOfWork,
    workout: Workout,
    minutes: int | None = MAX_MINUTES,
    *,
    whole: bool = False,
) -> Checked:
    """Or a refusal the model can act on. A change to a workout that lies on the table neither shortens it nor brings
    back what was taken out."""
    if context.scope.user_id is None:
        raise ToolFailed("No athlete is signed in here, so no workout can be made for them.")
    book = await own_exercises.book_for(uow)
    athlete = await athletes.load(uow, context.scope.user_id, context.session_id, athletes.finder(book))
    checked = check_workout(workout, athlete, book, minutes=minutes, whole=whole)
    if checked.refused is not None:
        raise FixAndRetry(checked.refused)
    return checked


async def _current(uow: UnitOfWork, context: ToolContext) -> tuple[WorkoutOnTable, Workout]:
    row = await table.on_table(uow, context.session_id)
    if row is None or row.state != "open":
        raise FixAndRetry("There is no workout on the table. generate_workout makes one.")
    return row, table.read(row)


def _place(workout: Workout, exercise_id: UUID) -> int:
    for place, exercise in enumerate(workout.exercises):
        if exercise.id == exercise_id:
            return place
    raise FixAndRetry(unknown_exercise(exercise_id, workout))


def _kept(checked: Checked, wanted: WorkoutExercise) -> WorkoutExercise:
    """What the check made of it. Where nothing is left of it, the athlete keeps what they had."""
    found = next((one for one in checked.workout.exercises if one.id == wanted.id), None)
    if found is None:
        raise FixAndRetry(f"{' '.join(checked.changes)} Nothing changed: choose another exercise or amount.")
    return found


def _refuse_twin(workout: Workout, old: WorkoutExercise, fresh: WorkoutExercise) -> None:
    """The check keeps the first of two that are the same: swapped in before its twin, it would push the twin out."""
    others = (one for one in workout.exercises if one.id != old.id and one.phase is fresh.phase)
    if any(one.exercise_id == fresh.exercise_id for one in others):
        raise FixAndRetry(f"{fresh.name} is in this workout already. Nothing changed: choose another one.")


def _told(workout: Workout, checked: Checked, data: dict[str, Any], headline: str) -> Answer:
    """For programs everything, for the model as little as it needs to go on: ids, names, numbers, what changed."""
    shown = table.as_json(workout)
    lines = [f"{headline}.", *listed(shown)]
    if checked.changes:
        lines.append("The check changed: " + " ".join(checked.changes) + " Tell the athlete.")
    full = {"success": True, **data, "exercises": shown["exercises"], "summary": shown["summary"]}
    return Answer({**full, "changes": list(checked.changes)}, "\n".join(lines))


TOOLS = (generate_workout, swap_exercise, adjust_exercise, remove_exercise, log_workout)
