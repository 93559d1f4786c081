"""Weekly work for each muscle, in fractional sets: one for what an exercise is done for, half for what helps."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from spotter.training.exercise import Exercise
from spotter.training.vocabulary import Level, Muscle, Pattern

INDIRECT: Final = 0.5
LEAST_A_WEEK: Final = 4.0
"""Under this, growth can hardly be measured."""
MOST_A_SESSION: Final = 10.0

# They do not load a muscle towards its limit, so they are no sets in this sense.
_NOT_COUNTED: Final = frozenset({Pattern.MOBILITY, Pattern.CARDIO})


@dataclass(frozen=True, slots=True)
class Target:
    low: float
    high: float


TARGETS: Final[dict[Level, Target]] = {
    Level.BEGINNER: Target(6, 10),
    Level.INTERMEDIATE: Target(10, 16),
    Level.ADVANCED: Target(12, 20),
}


def fractional_sets(work: Iterable[tuple[Exercise, int]]) -> dict[Muscle, float]:
    """Of exercises with their working sets; warm-up sets are not work."""
    total: dict[Muscle, float] = {}
    for exercise, sets in work:
        if exercise.pattern in _NOT_COUNTED:
            continue
        for muscle in exercise.primary:
            total[muscle] = total.get(muscle, 0.0) + sets
        for muscle in exercise.secondary:
            total[muscle] = total.get(muscle, 0.0) + sets * INDIRECT
    return total


def deficits(
    done: Mapping[Muscle, float], level: Level, muscles: Iterable[Muscle] = Muscle
) -> dict[Muscle, float]:
    """What is missing to the low end of the week's target, the most first. Done is what the last seven days hold."""
    target = TARGETS[level].low
    missing = {muscle: max(target - done.get(muscle, 0.0), 0.0) for muscle in muscles}
    return dict(sorted(missing.items(), key=lambda item: -item[1]))


def room(
    done: Mapping[Muscle, float], in_session: Mapping[Muscle, float], level: Level, muscle: Muscle
) -> float:
    """How many more sets make sense for a muscle now: within the week's target and what one session can use."""
    week = TARGETS[level].high - done.get(muscle, 0.0) - in_session.get(muscle, 0.0)
    return max(min(week, MOST_A_SESSION - in_session.get(muscle, 0.0)), 0.0)
