"""Which exercise is the best one for a place: DOMAIN §2.10's score, and a coach's taste.

Ties are broken the same way for the same athlete, day and wish, so that a workout can be made again.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Final

from spotter.training.athlete import Athlete, Effort, Goal, Request
from spotter.training.exercise import Exercise
from spotter.training.limits import Condition, Limits
from spotter.training.record import Record
from spotter.training.slots import CORES, Slot
from spotter.training.staples import STAPLES
from spotter.training.vocabulary import (
    Equipment,
    Flag,
    Intensity,
    Kind,
    Level,
    Mechanic,
    Muscle,
    Pattern,
    Suits,
    UnitType,
)
from spotter.training.volume import TARGETS

_DAYS_TO_NEW: Final = 14
_TIES: Final = 1.5
_SENIOR: Final = 65
_RESTED: Final = 3
"""Days after which a lift is due again."""
_KEPT_UP: Final = {Goal.STRENGTH: 2.2, Goal.POWER: 1.5, Goal.HYPERTROPHY: 1.3}
_FAST: Final = 8.0
_FAST_GOALS: Final = frozenset({Goal.POWER, Goal.FAT_LOSS, Goal.CARDIO, Goal.ENDURANCE})
_GENTLE: Final = frozenset({Intensity.LIGHT, Intensity.STRETCHING})

# The highest level of loaded work a coach gives without a reason, and the level of body-weight work that suits.
_LOADED_UP_TO: Final = {Level.BEGINNER: 3.0, Level.INTERMEDIATE: 5.0, Level.ADVANCED: 6.0}
_BODY_WEIGHT: Final = {Level.BEGINNER: 2.7, Level.INTERMEDIATE: 4.5, Level.ADVANCED: 6.0}
_TOO_GENTLE: Final = {Level.BEGINNER: 0.3, Level.INTERMEDIATE: 1.2, Level.ADVANCED: 2.0}


class Scorer:
    """For one athlete and one request."""

    def __init__(
        self, request: Request, athlete: Athlete, goal: Goal, limits: Limits, record: Record
    ) -> None:
        self._athlete = athlete
        self._goal = goal
        self._limits = limits
        self._record = record
        self._asked = f"{athlete.user_id}/{request.today}/{request.attempt}/{_words(request, goal)}/"
        effort = request.effort or athlete.effort
        self._harder = {Effort.EASY: -0.7, Effort.NORMAL: 0.0, Effort.HARD: 0.5}[effort]
        self._known: dict[str, float] = {}
        self._ties: dict[str, float] = {}

    def score(self, exercise: Exercise) -> float:
        if (known := self._known.get(exercise.id)) is None:
            known = self._known[exercise.id] = self._score(exercise)
        return known

    def tie(self, exercise: Exercise) -> float:
        """Between 0 and 1, and always the same for the same question."""
        if (known := self._ties.get(exercise.id)) is not None:
            return known
        digest = hashlib.blake2b((self._asked + exercise.id).encode(), digest_size=4).digest()
        known = self._ties[exercise.id] = int.from_bytes(digest) / 2**32
        return known

    def need(self, slot: Slot) -> float:
        """How much the muscles of a place want to be trained today."""
        muscles = slot.muscles if len(slot.muscles) < len(Muscle) else ()
        return sum(self.muscle_need(each) for each in muscles) / len(muscles) if muscles else 0.5

    def muscle_need(self, muscle: Muscle) -> float:
        athlete, record = self._athlete, self._record
        target = TARGETS[athlete.level].low
        due = max(0.0, target - record.week.get(muscle, 0.0)) / target
        tired = {0: 2.0, 1: 2.0, 2: 0.5}.get(record.rested.get(muscle, 99), 0.0)
        return due + athlete.muscle_goals.get(muscle, 0) / 8 - tired - (muscle in athlete.sore)

    def _score(self, exercise: Exercise) -> float:
        record = self._record
        used = record.last_used.get(exercise.id, _DAYS_TO_NEW)
        return (
            3.0 * FITS[self._goal](exercise)
            + 1.0 * max(-1.5, min(1.5, self.muscle_need(exercise.primary[0])))
            + 1.0 * min(used, _DAYS_TO_NEW) / _DAYS_TO_NEW
            + 0.7 * (exercise.id in STAPLES)
            - (2.0 if used <= 1 else 0.8) * (exercise.id in record.last_session)
            - 1.0 * sum(exercise.load_on(joint) for joint in self._limits.joints)
            - self._unsuited(exercise)
            + self._ladder(exercise)
            + self._suits(exercise)
            + self._kept_up(exercise, used)
            + _TIES * self.tie(exercise)
        )

    def _unsuited(self, exercise: Exercise) -> float:
        """Too hard, too easy, or held where moving would do more."""
        level = self._athlete.level
        off = 0.8 * (exercise.kind is Kind.HOLD and exercise.pattern not in CORES | {Pattern.HOLD_SKILL})
        if exercise.intensity in _GENTLE and exercise.pattern not in CORES:
            off += _TOO_GENTLE[level]
        if level is Level.BEGINNER and Flag.FALL_RISK in exercise.flags:
            off += 1.0
        if exercise.met >= _FAST and self._goal not in _FAST_GOALS:
            off += 1.5
        skilled = 2.0 if self._goal in (Goal.POWER, Goal.SKILL) else 0.0
        if loaded(exercise):
            return off + 0.6 * max(0.0, exercise.level - _LOADED_UP_TO[level] - self._harder - skilled)
        if exercise.pattern not in CORES:
            off += 0.6 * max(0, self._record.proven.get(exercise.pattern, 0) - 1 - exercise.level)
        away = exercise.level - _BODY_WEIGHT[level] - self._harder
        return off + (0.35 * -away if away < 0 else 0.5 * max(0.0, away - skilled / 2))

    def _ladder(self, exercise: Exercise) -> float:
        """The rung the log says, or none at all."""
        for place in exercise.places:
            if (rung := self._record.rungs.get(place.ladder)) is not None:
                return 2.2 - 2.0 * abs(place.rung - rung) - 0.4 * (place.rung > rung)
        return 0.0

    def _kept_up(self, exercise: Exercise, used: int) -> float:
        """Lifts that have loads in the log are worth going on with, once they have been rested."""
        performed = self._record.sessions.get(exercise.id)
        if not performed or performed[-1].weight_kg is None or used < _RESTED:
            return 0.0
        return _KEPT_UP.get(self._goal, 0.0)

    def _suits(self, exercise: Exercise) -> float:
        return 1.5 * len(suited_to(self._athlete) & exercise.suits)


def suited_to(athlete: Athlete) -> frozenset[Suits]:
    """What an exercise should be good for when somebody is not just anybody."""
    found = {Suits.PREGNANCY} if Condition.PREGNANCY in athlete.conditions else set()
    if athlete.age is not None and athlete.age >= _SENIOR and athlete.level is Level.BEGINNER:
        found.add(Suits.SENIOR)
    return frozenset(found)


def loaded(exercise: Exercise) -> bool:
    return exercise.unit in _LOADED and Equipment.BANDS not in exercise.equipment


def _compound(exercise: Exercise) -> float:
    """Several joints are worth more; of the trunk that says nothing, and a bridge does as much as a hinge."""
    if exercise.pattern in CORES:
        return 0.6
    return float(exercise.mechanic is Mechanic.COMPOUND or exercise.primary[0] is Muscle.GLUTES)


def _moves(exercise: Exercise) -> float:
    return 0.6 if exercise.pattern in CORES else float(exercise.kind is Kind.REPS)


def _heavy(exercise: Exercise) -> float:
    """0 to 1: how far it can be loaded."""
    if loaded(exercise):
        return 1.0 if Equipment.BARBELL in exercise.equipment else 0.85
    if exercise.unit in _LOADED:
        return 0.5
    return min(0.8, exercise.level / 8)


_LOADED: Final = frozenset({UnitType.WEIGHT_REPS, UnitType.WEIGHT_DURATION, UnitType.SHORT_DISTANCE_WEIGHT})

FITS: Final[Mapping[Goal, Callable[[Exercise], float]]] = {
    Goal.STRENGTH: lambda each: 0.45 * _compound(each) + 0.55 * _heavy(each),
    Goal.HYPERTROPHY: lambda each: 0.35 * _compound(each) + 0.3 * _moves(each) + 0.35 * _heavy(each),
    Goal.ENDURANCE: lambda each: 0.5 * _compound(each) + 0.5 * (1 - 0.7 * _heavy(each)),
    Goal.POWER: lambda each: 1.0 if each.met >= _FAST else 0.4 * _compound(each) + 0.4 * _heavy(each),
    Goal.SKILL: lambda each: 0.65 * bool(each.places) + 0.35 * _compound(each),
    Goal.MOBILITY: lambda each: float(each.pattern is Pattern.MOBILITY),
    Goal.FAT_LOSS: lambda each: 0.5 * min(1.0, each.met / 8) + 0.5 * _compound(each),
    Goal.CARDIO: lambda each: min(1.0, each.met / 10),
}
"""0 to 1: how well an exercise serves a goal."""


def _words(request: Request, goal: Goal) -> str:
    asked = (request.regions, request.splits, request.muscles, request.patterns)
    return ".".join([str(request.minutes), goal, *(each for some in asked for each in sorted(some))])
