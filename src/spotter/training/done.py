"""From a workout that was planned and what somebody says they did to what goes into the history. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar, assert_never
from uuid import UUID

from spotter.training.amount_done import amount_done
from spotter.training.history import Done, DoneSet
from spotter.training.timers import timer_for
from spotter.training.vocabulary import SetType
from spotter.training.workout import (
    DurationExercise,
    HoldExercise,
    IntervalsExercise,
    Phase,
    RepsExercise,
    Workout,
    WorkoutExercise,
)

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class SetReport:
    """One set as it was done; what is None was as planned."""

    number: int
    reps: int | None = None
    seconds: int | None = None
    weight_kg: float | None = None
    rpe: float | None = None
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What was really done of one exercise; what is None was as planned."""

    completed: bool
    sets: int | None = None
    reps: int | None = None
    seconds: int | None = None
    weight_kg: float | None = None
    rpe: float | None = None
    notes: str = ""
    each: tuple[SetReport, ...] | None = None
    """Set by set, where somebody counted along."""


_NOT_DONE = Report(completed=False)
_KINDS = {Phase.WARM_UP: SetType.WARMUP, Phase.MAIN: SetType.NORMAL, Phase.COOL_DOWN: SetType.COOLDOWN}


def done_workout(
    workout: Workout,
    reports: Mapping[UUID, Report],
    key: UUID,
    session_id: UUID,
    at: datetime,
    notes: str = "",
) -> Done:
    """What nobody reported was not done. The key is the call's own, so that logging twice is logging once."""
    items: list[dict[str, Any]] = []
    sets: list[DoneSet] = []
    seconds = 0
    for exercise in workout.exercises:
        report = reports.get(exercise.id, _NOT_DONE) if exercise.id is not None else _NOT_DONE
        done = list(_sets(exercise, report)) if report.completed else []
        items.append(_item(exercise, report, done))
        if report.completed:
            kind = _KINDS[exercise.phase]
            sets += (replace(one, set_type=kind) for one in done)
            seconds += timer_for(exercise).seconds
    return Done(
        completed_at=at,
        items=items,
        sets=sets,
        source_key=f"call:{key}",
        title=", ".join(workout.summary.focus_areas[:3]),
        notes=notes,
        minutes=round(seconds / 60) if seconds else None,
        session_id=session_id,
    )


def _item(exercise: WorkoutExercise, report: Report, done: Sequence[DoneSet]) -> dict[str, Any]:
    shown: dict[str, Any] = exercise.model_dump(mode="json", exclude_none=True)
    shown.update(amount_done(exercise.type, done))
    return {**shown, "completed": report.completed, **({"done_notes": report.notes} if report.notes else {})}


def _sets(exercise: WorkoutExercise, report: Report) -> Iterator[DoneSet]:
    if report.each is not None:
        for one in report.each:
            yield replace(_one_set(exercise, one), rpe=one.rpe, notes=one.notes)
        return
    name = exercise.exercise_id or exercise.name
    match exercise:
        case RepsExercise():
            for number in range(1, (report.sets if report.sets is not None else exercise.sets) + 1):
                reps = report.reps if report.reps is not None else exercise.reps
                weight = report.weight_kg if report.weight_kg is not None else exercise.weight_kg
                yield DoneSet(
                    name, exercise.name, number, reps, None, weight, rpe=report.rpe, notes=report.notes
                )
        case HoldExercise():
            for number in range(1, (report.sets if report.sets is not None else exercise.sets) + 1):
                seconds = report.seconds if report.seconds is not None else exercise.hold_time
                weight = report.weight_kg if report.weight_kg is not None else exercise.weight_kg
                yield DoneSet(
                    name, exercise.name, number, None, seconds, weight, rpe=report.rpe, notes=report.notes
                )
        case DurationExercise():
            seconds = report.seconds if report.seconds is not None else exercise.duration
            yield DoneSet(name, exercise.name, 1, None, seconds, rpe=report.rpe, notes=report.notes)
        case IntervalsExercise():
            for number in range(1, (report.sets if report.sets is not None else exercise.rounds) + 1):
                yield DoneSet(name, exercise.name, number, None, exercise.work_time, rpe=report.rpe)
        case _:
            assert_never(exercise)


def _one_set(exercise: WorkoutExercise, one: SetReport) -> DoneSet:
    name = exercise.exercise_id or exercise.name
    match exercise:
        case RepsExercise(reps=reps, weight_kg=weight):
            return DoneSet(
                name, exercise.name, one.number, _or(one.reps, reps), None, _or(one.weight_kg, weight)
            )
        case HoldExercise(hold_time=seconds, weight_kg=weight):
            held = _or(one.seconds, seconds)
            return DoneSet(name, exercise.name, one.number, None, held, _or(one.weight_kg, weight))
        case DurationExercise(duration=seconds) | IntervalsExercise(work_time=seconds):
            return DoneSet(name, exercise.name, one.number, None, _or(one.seconds, seconds))
        case _:
            assert_never(exercise)


def _or(said: Value | None, planned: Value) -> Value:
    return planned if said is None else said
