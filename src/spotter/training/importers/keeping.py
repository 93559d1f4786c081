"""A workout of another app as it goes into the history. Pure.

The history shows each exercise as one line, so that line says the best of it: the sets with the most weight, and what
each of them had at least. All sets are kept beside it, as they were written.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from spotter.sessions.codec import storable
from spotter.training.catalogue import Catalogue
from spotter.training.exercise import Exercise
from spotter.training.history import Done, DoneSet
from spotter.training.importers.logged import LoggedExercise, LoggedSet, LoggedWorkout
from spotter.training.importers.outcome import Skipped
from spotter.training.parts import told
from spotter.training.vocabulary import Kind, SetType

_LONGEST_NAME: Final = 120
_LONGEST_NOTE: Final = 2_000
_FIRST_YEAR: Final = 1971
"""A date in 1970 is a clock that was never set."""
_A_DAY: Final = timedelta(days=1)


def kept(workout: LoggedWorkout, book: Catalogue, now: datetime) -> Done | Skipped:
    """The key follows from the workout, so that it is logged once however often its file is imported."""
    if workout.started.year < _FIRST_YEAR or workout.started.astimezone(UTC) > now + _A_DAY:
        return Skipped(f"{workout.started:%Y-%m-%d}", workout.title, "nobody can have trained at that date")
    ended = workout.ended or workout.started
    length = ended - workout.started
    return Done(
        completed_at=ended.astimezone(UTC),
        items=[_item(exercise, book) for exercise in workout.exercises],
        sets=[done for exercise in workout.exercises for done in _sets(exercise)],
        source_key=f"{workout.source}:{workout.id}",
        title=_text(workout.title, _LONGEST_NAME),
        notes=_text(workout.notes, _LONGEST_NOTE),
        minutes=round(length.total_seconds() / 60) or None,
        source=workout.source,
    )


def _sets(exercise: LoggedExercise) -> list[DoneSet]:
    name = _text(exercise.name, _LONGEST_NAME)
    return [
        DoneSet(
            exercise_id=exercise.exercise_id or name,
            name=name,
            set_number=number,
            reps=done.reps,
            seconds=round(done.seconds) if done.seconds is not None else None,
            weight_kg=done.weight_kg,
            metres=round(done.distance_m) if done.distance_m is not None else None,
            rpe=done.rpe,
            set_type=done.type.value,
            notes=_text(done.notes, _LONGEST_NOTE),
        )
        for number, done in enumerate(exercise.sets, 1)
    ]


def _item(exercise: LoggedExercise, book: Catalogue) -> dict[str, Any]:
    known = book.get(exercise.exercise_id) if exercise.exercise_id else None
    shown: dict[str, Any] = {"name": _text(exercise.name, _LONGEST_NAME), "muscles": [], "categories": []}
    if known is not None:
        shown = {name: value for name, value in told(known).items() if name != "instructions"}
    amount = _amount(exercise, known)
    return {**shown, **amount, "phase": "main", "completed": True}


def _amount(exercise: LoggedExercise, known: Exercise | None) -> Mapping[str, Any]:
    working = [each for each in exercise.sets if each.type is not SetType.WARMUP] or list(exercise.sets)
    top = max(each.weight_kg or 0.0 for each in working)
    best = [each for each in working if (each.weight_kg or 0.0) == top]
    weight = {"weight_kg": top} if top > 0 else {}
    efforts = [each.rpe for each in best if each.rpe]
    rpe = {"rpe": max(efforts)} if efforts else {}
    if reps := [each.reps for each in best if each.reps]:
        return {"type": "reps", "sets": len(reps), "reps": min(reps), **weight, **rpe}
    if held := _seconds(best):
        if known is not None and known.kind is Kind.HOLD:
            return {"type": "hold", "sets": len(held), "hold_time": min(held), **weight, **rpe}
        return {"type": "duration", "duration": sum(held), **rpe}
    return {}


def _seconds(sets: list[LoggedSet]) -> list[int]:
    return [round(each.seconds) for each in sets if each.seconds and round(each.seconds)]


def _text(text: str, longest: int) -> str:
    return storable(text)[:longest]
