"""A workout as periods of work and rest: the time model played out, without the rest after the last set. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never
from uuid import UUID

from spotter.training.catalogue import Catalogue, catalogue
from spotter.training.timing import PAIR_SECONDS, block_of, in_turns, set_seconds
from spotter.training.workout import (
    DurationExercise,
    HoldExercise,
    IntervalsExercise,
    RepsExercise,
    Workout,
    WorkoutExercise,
)

PeriodKind: TypeAlias = Literal["work", "rest", "change"]


@dataclass(frozen=True, slots=True)
class Period:
    kind: PeriodKind
    label: str
    seconds: int


@dataclass(frozen=True, slots=True)
class Timer:
    exercise_id: UUID | None
    """None when it runs several exercises in turns."""
    name: str
    periods: tuple[Period, ...]

    @property
    def seconds(self) -> int:
        return sum(period.seconds for period in self.periods)


def timer_for(exercise: WorkoutExercise, book: Catalogue | None = None) -> Timer:
    return Timer(exercise.id, exercise.name, tuple(_alone(exercise, book or catalogue())))


def timers_for(workout: Workout, book: Catalogue | None = None) -> list[Timer]:
    """One for each exercise, or for several that are done in turns; with a change-over after each but the last."""
    book = book or catalogue()
    groups = list(in_turns(workout.exercises, lambda each: (each.phase, each.pair)))
    timers = [_timer(group, book) for group in groups]
    changes = [sum(block_of(each, None).change for each in group) for group in groups]
    return [
        Timer(timer.exercise_id, timer.name, (*timer.periods, Period("change", "Next exercise", change)))
        for timer, change in zip(timers[:-1], changes, strict=False)
    ] + timers[-1:]


def _timer(group: Sequence[WorkoutExercise], book: Catalogue) -> Timer:
    if len(group) == 1:
        return timer_for(group[0], book)
    name = " + ".join(each.name for each in group)
    return Timer(None, name, tuple(_together(group, book)))


def _alone(exercise: WorkoutExercise, book: Catalogue) -> Iterator[Period]:
    rest = round(block_of(exercise, None).rest)
    sets = _sets(exercise)
    for number in range(1, sets + 1):
        yield from _work(
            exercise, book, f"{_word(exercise)} {number} of {sets}" if sets > 1 else exercise.name
        )
        if number < sets and rest:
            yield Period("rest", "Rest", rest)


def _together(group: Sequence[WorkoutExercise], book: Catalogue) -> Iterator[Period]:
    rounds = max(_sets(each) for each in group)
    rest = round(max(block_of(each, None).rest for each in group))
    for number in range(1, rounds + 1):
        for place, exercise in enumerate(group):
            if place:
                yield Period("change", exercise.name, PAIR_SECONDS)
            if number <= _sets(exercise):
                yield from _work(exercise, book, f"{exercise.name}, set {number} of {_sets(exercise)}")
        if number < rounds and rest:
            yield Period("rest", "Rest", rest)


def _work(exercise: WorkoutExercise, book: Catalogue, label: str) -> Iterator[Period]:
    match exercise:
        case RepsExercise() | HoldExercise():
            known = book.get(exercise.exercise_id) if exercise.exercise_id else None
            seconds = round(set_seconds(exercise, known))
            if exercise.per_side:
                yield Period("work", f"{label}, first side", seconds)
                yield Period("work", f"{label}, other side", seconds)
            else:
                yield Period("work", label, seconds)
        case DurationExercise():
            yield Period("work", label, exercise.duration)
        case IntervalsExercise():
            yield Period("work", label, exercise.work_time)
        case _:
            assert_never(exercise)


def _word(exercise: WorkoutExercise) -> str:
    return "Round" if isinstance(exercise, IntervalsExercise) else "Set"


def _sets(exercise: WorkoutExercise) -> int:
    return block_of(exercise, None).sets
