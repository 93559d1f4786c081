"""How long training takes, and roughly what it burns: the one time model (DOMAIN §2.6).

Every set costs its work and the rest after it, every exercise of the main part costs the walk to it. Exercises that are
done in turns share their rest. Designing, checking and the timers all count with this.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar, assert_never

from spotter.training.catalogue import Catalogue
from spotter.training.exercise import Exercise
from spotter.training.vocabulary import Kind
from spotter.training.workout import (
    DurationExercise,
    HoldExercise,
    IntervalsExercise,
    Phase,
    RepsExercise,
    Workout,
    WorkoutExercise,
)

TRANSITION_SECONDS: Final = 40
"""Between exercises: walking over, setting up."""
DRILL_SECONDS: Final = 10
"""Between the drills of a warm-up or a cool-down, which need nothing set up."""
PAIR_SECONDS: Final = 15
"""From one exercise to the other when two or more are done in turns."""
USUAL_SECONDS_PER_REP: Final = 3.5

_T = TypeVar("_T")


class Block(NamedTuple):
    """One exercise, as far as time goes."""

    sets: int
    work: float
    """Seconds of one set, both sides."""
    rest: float
    """Seconds after a set."""
    main: bool = True
    pair: str | None = None

    @property
    def change(self) -> int:
        return TRANSITION_SECONDS if self.main else DRILL_SECONDS


def total_seconds(blocks: Sequence[Block]) -> float:
    return sum(group_seconds(group) for group in in_turns(blocks, lambda block: (block.main, block.pair)))


def group_seconds(group: Sequence[Block]) -> float:
    """One exercise by itself, or several in turns: a short change inside each round, the longest rest after it."""
    changes = sum(block.change for block in group)
    if len(group) == 1:
        (block,) = group
        return block.sets * (block.work + block.rest) + changes
    rounds = max(block.sets for block in group)
    work = sum(block.sets * block.work for block in group)
    rest = PAIR_SECONDS * (len(group) - 1) + max(block.rest for block in group)
    return work + rounds * rest + changes


def in_turns(items: Sequence[_T], key: Callable[[_T], tuple[object, str | None]]) -> Iterator[list[_T]]:
    """Neighbours of one part of the workout with the same letter, together; all others alone."""
    group: list[_T] = []
    last: tuple[object, str | None] | None = None
    for item in items:
        now = key(item)
        if group and (now != last or now[1] is None):
            yield group
            group = []
        group.append(item)
        last = now
    if group:
        yield group


def minutes_of(workout: Workout, book: Catalogue) -> float:
    return seconds_of(workout.exercises, book) / 60


def seconds_of(exercises: Sequence[WorkoutExercise], book: Catalogue) -> float:
    return total_seconds([block_of(each, _known(each, book)) for each in exercises])


def block_of(exercise: WorkoutExercise, known: Exercise | None) -> Block:
    main = exercise.phase is Phase.MAIN
    match exercise:
        case RepsExercise() | HoldExercise():
            work = set_seconds(exercise, known) * (2 if exercise.per_side else 1)
            return Block(exercise.sets, work, exercise.rest_between_sets, main, exercise.pair)
        case DurationExercise():
            return Block(1, exercise.duration, 0, main, exercise.pair)
        case IntervalsExercise():
            return Block(exercise.rounds, exercise.work_time, exercise.rest_time, main, exercise.pair)
        case _:
            assert_never(exercise)


def set_seconds(exercise: RepsExercise | HoldExercise, known: Exercise | None) -> float:
    """Of one set of one side."""
    if isinstance(exercise, HoldExercise):
        return exercise.hold_time
    is_known = known is not None and known.kind is Kind.REPS
    return exercise.reps * (known.seconds_per_unit if known and is_known else USUAL_SECONDS_PER_REP)


def _known(exercise: WorkoutExercise, book: Catalogue) -> Exercise | None:
    return book.get(exercise.exercise_id) if exercise.exercise_id else None


@dataclass(frozen=True, slots=True)
class Shares:
    """Of a session, in minutes."""

    warm_up: int
    main: int
    cool_down: int


def shares(minutes: int) -> Shares:
    """Half an hour is 4, 23 and 3 minutes; others in proportion, within what warming up needs and is good for."""
    warm_up = min(max(round(minutes * 0.13), 2), 10)
    cool_down = min(max(round(minutes * 0.09), 1), 5)
    return Shares(warm_up, max(minutes - warm_up - cool_down, 1), cool_down)


@dataclass(frozen=True, slots=True)
class RampSet:
    weight_kg: float
    reps: int


def ramp(weight_kg: float, step: float = 2.5) -> list[RampSet]:
    """Sets that lead up to the first heavy lift: 40 % × 8, 60 % × 5, 80 % × 3."""
    sets = [
        RampSet(round(weight_kg * share / step) * step, reps)
        for share, reps in ((0.4, 8), (0.6, 5), (0.8, 3))
    ]
    return [each for each in sets if 0 < each.weight_kg < weight_kg]


def kilocalories(met: float, weight_kg: float, minutes: float) -> int:
    """Gross, rounded to ten: no formula knows it better."""
    return round(met * 3.5 * weight_kg / 200 * minutes / 10) * 10
