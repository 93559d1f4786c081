"""Several weeks of training: which days, what on them, and how it grows. Pure and repeatable.

Weeks build up gently and every fourth one is lighter; what is in a session comes from `design`, so it passes the check.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from spotter.training.athlete import Athlete, Effort, Request
from spotter.training.catalogue import Catalogue
from spotter.training.design import Design, design
from spotter.training.vocabulary import Region, Split
from spotter.training.workout import (
    HoldExercise,
    Phase,
    RepsExercise,
    Workout,
    WorkoutExercise,
)

MOST_WEEKS: Final = 12
USUAL_WEEKS: Final = 4
USUAL_DAYS: Final = 3
_LIGHTER_EVERY: Final = 4
_DAYS: Final = {1: (0,), 2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4), 5: (0, 1, 2, 4, 5), 6: (0, 1, 2, 3, 4, 5)}
"""Days after the first one, spread so that the same muscles rest."""


@dataclass(frozen=True, slots=True)
class Day:
    title: str
    regions: frozenset[Region] = frozenset()
    splits: frozenset[Split] = frozenset()


_FULL_A, _FULL_B, _FULL_C = (Day(f"Full body {letter}") for letter in "ABC")
_UPPER_A, _UPPER_B = (Day(f"Upper body {letter}", frozenset({Region.UPPER})) for letter in "AB")
_LOWER_A, _LOWER_B = (Day(f"Lower body {letter}", frozenset({Region.LOWER})) for letter in "AB")
_PUSH, _PULL, _LEGS = (Day(f"{split.value.capitalize()} day", splits=frozenset({split})) for split in Split)
_WEEKS: Final[dict[int, tuple[Day, ...]]] = {
    1: (_FULL_A,),
    2: (_FULL_A, _FULL_B),
    3: (_FULL_A, _FULL_B, _FULL_C),
    4: (_UPPER_A, _LOWER_A, _UPPER_B, _LOWER_B),
    5: (_UPPER_A, _LOWER_A, _FULL_A, _UPPER_B, _LOWER_B),
    6: (_PUSH, _PULL, _LEGS, replace(_PUSH, title="Push day 2"), replace(_PULL, title="Pull day 2"),
        replace(_LEGS, title="Legs day 2")),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlannedSession:
    day: date
    week: int
    title: str
    workout: Workout
    focus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Programme:
    sessions: tuple[PlannedSession, ...]
    reasons: tuple[str, ...]
    """Why it is as it is, in words for the athlete."""
    left_out: tuple[str, ...] = ()


def programme(
    athlete: Athlete, book: Catalogue, *, weeks: int, days: int, start: date, minutes: int | None = None
) -> Programme:
    """Raises `NothingFits`."""
    weeks, days = max(1, min(weeks, MOST_WEEKS)), max(1, min(days, len(_WEEKS)))
    first = [
        design(_request(day, number, start, minutes), athlete, book)
        for number, day in enumerate(_WEEKS[days])
    ]
    sessions = tuple(
        PlannedSession(
            start + timedelta(weeks=week - 1, days=offset),
            week,
            f"{day.title}, week {week}",
            _grown(made.workout, week),
            tuple(made.workout.summary.focus_areas),
        )
        for week in range(1, weeks + 1)
        for offset, day, made in zip(_DAYS[days], _WEEKS[days], first, strict=True)
    )
    return Programme(sessions, tuple(_reasons(first, weeks, days)), first[0].left_out)


def _request(day: Day, number: int, start: date, minutes: int | None) -> Request:
    return Request(
        minutes=minutes,
        regions=day.regions,
        splits=day.splits,
        today=start,
        attempt=number,
        effort=Effort.NORMAL,
    )


def _grown(workout: Workout, week: int) -> Workout:
    """The same exercises, a little more each week: what repeats can be learnt, and progress can be seen."""
    if week == 1:
        return workout
    return workout.model_copy(update={"exercises": [_more(one, week) for one in workout.exercises]})


def _more(one: WorkoutExercise, week: int) -> WorkoutExercise:
    steps = min((week - 1) % _LIGHTER_EVERY, 2)
    lighter = week % _LIGHTER_EVERY == 0
    change: dict[str, int] = {}
    if one.phase is Phase.MAIN and isinstance(one, RepsExercise | HoldExercise):
        if lighter:
            change = {"sets": max(1, one.sets - 1)}
        elif isinstance(one, RepsExercise):
            change = {"reps": one.reps + steps}
        else:
            change = {"hold_time": one.hold_time + 5 * steps}
    return one.model_copy(update=change) if change else one


def _reasons(first: Sequence[Design], weeks: int, days: int) -> Iterator[str]:
    yield first[0].reasons[0]
    match days:
        case 1 | 2 | 3:
            yield "Every session trains the whole body, so a missed day costs little."
        case 4 | 5:
            yield "Upper and lower body take turns, so that one rests while the other works."
        case _:
            yield "Pushing, pulling and legs take turns, so that each rests two days."
    if weeks > 1:
        yield "The exercises stay the same and grow by a repetition or a few seconds a week, so you see progress."
    if weeks >= _LIGHTER_EVERY:
        yield "Every fourth week is lighter: that is when the body catches up."
    yield from first[0].reasons[1:3]
