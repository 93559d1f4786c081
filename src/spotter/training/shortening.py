"""Making a workout fit into the time there is, as a coach would: small exercises first, the warm-up never."""

from collections.abc import Callable, MutableSequence, Sequence
from typing import Final

from spotter.training.catalogue import Catalogue
from spotter.training.check_amounts import Placed
from spotter.training.timing import block_of, seconds_of, total_seconds
from spotter.training.vocabulary import Mechanic
from spotter.training.workout import DurationExercise, HoldExercise, IntervalsExercise, Phase, RepsExercise

LEAST_WARM_UP: Final = 60
"""Seconds; less is none."""
_LEAST_SETS: Final = 2
_LEAST_ROUNDS: Final = 3
_LEAST_DURATION: Final = 60
_LEAST_REST: Final = 60
_REST_STEP: Final = 30


def in_time(
    placed: Sequence[Placed],
    book: Catalogue,
    minutes: int,
    tolerance: float,
    changes: MutableSequence[str],
) -> list[Placed]:
    """Single-joint work goes first, then sets down to two, then time, then whole exercises from the end."""
    most = minutes * 60 * tolerance
    kept = list(placed)
    if _seconds(kept, book) <= most:
        return kept
    for shorten in (
        _drop_small,
        _cut_sets,
        _cut_time,
        _less_rest,
        _drop_last,
        _single_sets,
        _shorter_warm_up,
    ):
        while _seconds(kept, book) > most and (shorter := shorten(kept)) is not None:
            kept = shorter
    changes.append(f"It was shortened to fit into {minutes} minutes.")
    return kept


def _seconds(placed: Sequence[Placed], book: Catalogue) -> float:
    return seconds_of([one.exercise for one in placed], book)


def _drop_small(placed: list[Placed]) -> list[Placed] | None:
    mains = [n for n, one in enumerate(placed) if one.exercise.phase is Phase.MAIN]
    small = [n for n in mains if placed[n].known.mechanic is Mechanic.ISOLATION]
    return _without(placed, small[-1]) if small and len(mains) > 2 else None


def _cut_sets(placed: list[Placed]) -> list[Placed] | None:
    return _largest(placed, _sets_over(_LEAST_SETS, _LEAST_ROUNDS), lambda sets: sets - 1)


def _single_sets(placed: list[Placed]) -> list[Placed] | None:
    return _largest(placed, _sets_over(1, 1), lambda sets: sets - 1)


def _cut_time(placed: list[Placed]) -> list[Placed] | None:
    def name(one: Placed) -> tuple[str, int] | None:
        exercise = one.exercise
        if isinstance(exercise, DurationExercise) and exercise.duration > _LEAST_DURATION:
            return "duration", exercise.duration
        return None

    return _largest(placed, name, lambda seconds: max(_LEAST_DURATION, seconds * 4 // 5))


def _less_rest(placed: list[Placed]) -> list[Placed] | None:
    def name(one: Placed) -> tuple[str, int] | None:
        exercise = one.exercise
        if isinstance(exercise, RepsExercise | HoldExercise) and exercise.rest_between_sets > _LEAST_REST:
            return "rest_between_sets", exercise.rest_between_sets
        return None

    return _largest(placed, name, lambda rest: max(_LEAST_REST, rest - _REST_STEP))


def _sets_over(sets: int, rounds: int) -> Callable[[Placed], tuple[str, int] | None]:
    def name(one: Placed) -> tuple[str, int] | None:
        exercise = one.exercise
        if isinstance(exercise, RepsExercise | HoldExercise) and exercise.sets > sets:
            return "sets", exercise.sets
        if isinstance(exercise, IntervalsExercise) and exercise.rounds > rounds:
            return "rounds", exercise.rounds
        return None

    return name


def _largest(
    placed: list[Placed], what: Callable[[Placed], tuple[str, int] | None], less: Callable[[int], int]
) -> list[Placed] | None:
    """The one with most of it, and of those the last, gets less of it."""
    found = [(amount[1], n, amount[0]) for n, one in enumerate(placed) if (amount := what(one)) is not None]
    if not found:
        return None
    value, place, name = max(found)
    return [*placed[:place], placed[place].having(**{name: less(value)}), *placed[place + 1 :]]


def _drop_last(placed: list[Placed]) -> list[Placed] | None:
    mains = [n for n, one in enumerate(placed) if one.exercise.phase is Phase.MAIN]
    cooling = [n for n, one in enumerate(placed) if one.exercise.phase is Phase.COOL_DOWN]
    if len(mains) > 1:
        return _without(placed, mains[-1])
    return _without(placed, cooling[-1]) if cooling else None


def _shorter_warm_up(placed: list[Placed]) -> list[Placed] | None:
    """To what still is one."""
    warming = [n for n, one in enumerate(placed) if one.exercise.phase is Phase.WARM_UP]
    if len(warming) < 2:
        return None
    left = total_seconds([block_of(placed[n].exercise, placed[n].known) for n in warming[:-1]])
    return _without(placed, warming[-1]) if left >= LEAST_WARM_UP else None


def _without(placed: list[Placed], place: int) -> list[Placed]:
    return [*placed[:place], *placed[place + 1 :]]
