"""The workout, set by set: what was done, what comes next, and what to do when something hurts."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, tool
from spotter.scenarios.coach import moving, visit
from spotter.scenarios.coach.stages import CoachStage, Refused
from spotter.sessions.events import Move
from spotter.store.unit_of_work import UnitOfWork
from spotter.tools.coach.visiting import standing
from spotter.training import correcting, pain, preferences, table, underway, words
from spotter.training.catalogue import catalogue
from spotter.training.limits import Severity, Side
from spotter.training.pain import Advice, Sign
from spotter.training.preferences import Duration, PreferenceType
from spotter.training.tables import WorkoutOnTable
from spotter.training.underway import Current, Part, SetDone
from spotter.training.vocabulary import Joint
from spotter.training.workout import Phase, Workout, WorkoutExercise

Note = Annotated[str, Field(max_length=500)]


@tool(category="coach", examples=["done, 10 reps", "12 at 20 kg, RPE 7", "held it for 30 seconds"])
async def log_set(
    context: ToolContext,
    *,
    exercise_id: UUID | None = None,
    name: Annotated[str, Field(max_length=120)] | None = None,
    set_number: Annotated[int, Field(ge=1, le=20)] | None = None,
    reps: Annotated[int, Field(ge=0, le=500)] | None = None,
    seconds: Annotated[int, Field(ge=0, le=4 * 3600)] | None = None,
    weight_kg: Annotated[float, Field(ge=0, le=500)] | None = None,
    rpe: Annotated[float, Field(ge=1, le=10)] | None = None,
    notes: Note = "",
) -> Answer:
    """Log one set of the workout, by the exercise's id or name (the one to do now if you leave both out). Give reps or
    seconds as they were done. The same set again is a correction, also after the workout was written down: name the
    exercise then, and its points follow. You are told what comes next."""
    uow, session = await standing(context, CoachStage.WORKOUT, CoachStage.LOGGING, CoachStage.COMPLETE)
    over = session.stage is CoachStage.COMPLETE
    row, workout = await _open(uow, context, "logged" if over else "open")
    if over and exercise_id is None and not name:
        raise FixAndRetry("The workout is written down. Name the exercise and the set to correct.")
    exercise, number = _meant(workout, row, exercise_id, name, set_number)
    if reps is None and seconds is None:
        raise FixAndRetry("Say how many repetitions or seconds it was. Nothing was logged.")
    if exercise.id is None:
        raise FixAndRetry("That exercise has no id. Nothing was logged.")
    done = SetDone(
        exercise.id, exercise.name, exercise.exercise_id or "", number, reps, seconds, weight_kg, rpe, notes
    )
    await underway.add_set(uow, row, done)
    if over:
        return await _corrected(uow, context, done)
    return _told(
        workout,
        row,
        f"Logged set {number} of {exercise.name}.",
        {"logged": exercise.name, "set_number": number},
    )


@tool(category="coach", examples=["warmed up", "ready", "skip the cool-down"])
async def finish_part(context: ToolContext, part: Part, skipped: bool = False) -> Answer:
    """The warm-up or the cool-down is done (or was skipped)."""
    uow, _ = await standing(context, CoachStage.WORKOUT)
    row, workout = await _open(uow, context)
    await underway.finish_part(uow, row, part, skipped=skipped)
    return _told(workout, row, f"The {part} is {'skipped' if skipped else 'done'}.", {"part": part})


@tool(category="coach", examples=["ouch, my knee, 6 out of 10", "my shoulder pinches a bit"])
async def report_pain(
    context: ToolContext,
    joint: Joint,
    level: Annotated[int, Field(ge=0, le=10)],
    side: Side = Side.BOTH,
    signs: Annotated[list[Sign], Field(max_length=6)] = [],  # noqa: B006 - becomes part of a schema
) -> Answer:
    """Somebody feels pain while training: where, how much from 0 to 10, and warning signs (sharp, giving_way, swelling,
    numbness, pop, locked). You are told what to do: go on, ease off, swap, or stop for today. Heed it."""
    uow, session = await standing(context, CoachStage.WORKOUT)
    row, workout = await _open(uow, context)
    judged = pain.judge(level, signs)
    loading = [one.name for one in _loading(workout, row.sets, joint)] if judged.severity is not None else []
    if judged.severity is not None:
        await _protect(context, uow, joint, side, judged.severity)
    moves: tuple[Move, ...] = ()
    if judged.advice is Advice.STOP:
        moved = await moving.take(
            uow, session, CoachStage.INTAKE, f"Pain in the {_said(joint)}: stopped for today."
        )
        moves = () if isinstance(moved, Refused) else moved
    data = {"success": True, "advice": judged.advice, "words": judged.words, "loading": loading}
    affected = f" It is loaded by: {', '.join(loading)}." if loading else ""
    return Answer(data, f"Advice: {judged.advice}. {judged.words}{affected}", moves=moves)


async def _protect(
    context: ToolContext, uow: UnitOfWork, joint: Joint, side: Side, severity: Severity
) -> None:
    where = _said(joint) if side is Side.BOTH else f"{side} {_said(joint)}"
    await preferences.keep(
        uow,
        PreferenceType.INJURY,
        f"{where}, {severity} (while training)",
        Duration.TEMPORARY,
        {"joint": joint.value, "severity": severity.value, "side": side.value},
        session_id=context.session_id,
    )


def _loading(workout: Workout, entries: Sequence[Mapping[str, Any]], joint: Joint) -> list[WorkoutExercise]:
    """What is still to be done and uses the joint."""
    done = {one.exercise_id: one.set_number for one in underway.sets_of(entries)}
    return [
        one
        for one in workout.exercises
        if one.phase is Phase.MAIN
        and done.get(one.id, 0) < underway.planned_sets(one)  # type: ignore[arg-type]
        and _uses(one, joint)
    ]


def _uses(one: WorkoutExercise, joint: Joint) -> bool:
    known = catalogue().get(one.exercise_id) if one.exercise_id else None
    return known is not None and known.joints.get(joint, 0) > 0


async def _corrected(uow: UnitOfWork, context: ToolContext, done: SetDone) -> Answer:
    found = await correcting.correct(uow, context.session_id, done)
    if found is None:
        raise FixAndRetry("This visit has no workout in the history. Nothing was changed.")
    what = "Added" if found.added else "Corrected"
    points = (
        f" {found.earned.points:+} XP for it, {found.earned.total} in all." if found.earned.points else ""
    )
    data = {"success": True, "logged": done.name, "set_number": done.set_number, "added": found.added}
    return Answer(
        {**data, "experience": found.earned.as_json()},
        f"{what} set {done.set_number} of {done.name} in the history.{points}",
    )


async def _open(uow: UnitOfWork, context: ToolContext, state: str = "open") -> tuple[WorkoutOnTable, Workout]:
    row = await table.on_table(uow, context.session_id)
    if row is None or row.state != state:
        raise FixAndRetry("No workout is going on.")
    return row, table.read(row)


def _meant(
    workout: Workout, row: WorkoutOnTable, exercise_id: UUID | None, name: str | None, number: int | None
) -> tuple[WorkoutExercise, int]:
    now = underway.current(workout, row.sets)
    if exercise_id is None and not name:
        now = now if now is not None and now.part is None else _first_set(workout)
        if now is None:
            raise FixAndRetry("All sets are logged. Name the exercise to correct one.")
        return now.exercise, number or now.set_number
    found = [one for one in workout.exercises if one.id == exercise_id or _called(one, name)]
    if not found:
        there = "; ".join(f"{one.id} {one.name}" for one in workout.exercises)
        raise FixAndRetry(f"The workout has no such exercise. It has: {there}. Nothing was logged.")
    mains = [one for one in found if one.phase is Phase.MAIN] or found
    done = max(
        (one.set_number for one in underway.sets_of(row.sets) if one.exercise_id == mains[0].id), default=0
    )
    return mains[0], number or done + 1


def _first_set(workout: Workout) -> Current | None:
    """Who logs a set has warmed up, whether they said so or not."""
    return underway.current(workout, [{"part": "warmup"}])


def _called(one: WorkoutExercise, name: str | None) -> bool:
    return name is not None and words.plain(one.name) == words.plain(name)


def _told(workout: Workout, row: WorkoutOnTable, headline: str, data: dict[str, Any]) -> Answer:
    now = underway.current(workout, row.sets)
    shown = visit.shown_current(now)
    left = underway.left(workout, row.sets)
    if now is None:
        coming = "That was all of it: move on to logging."
    elif now.part is not None:
        coming = f"Next: the {now.part}: " + ", ".join(one.name for one in now.exercises) + "."
    else:
        coming = f"Next: set {now.set_number} of {now.sets}, {now.exercise.name}. {left} sets left."
    return Answer({"success": True, **data, "current": shown, "sets_left": left}, f"{headline} {coming}")


def _said(joint: Joint) -> str:
    return joint.value.replace("_", " ")


TOOLS = (log_set, finish_part, report_pain)
