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
from spotter.training.rules import careful
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

_UNHURRIED: Final = 60
_TWICE_IS_TOO_LONG: Final = 15
_NO_TIME_TO_LOAD: Final = 20
"""Minutes in which nobody does each side by itself, or leads up to a heavy bar."""
_DAYS_TO_NEW: Final = 14
_TIES: Final = 1.5
_SENIOR: Final = 65
_RESTED: Final = 2
"""Days after which a lift is due again."""
_KEPT_UP: Final = {Goal.STRENGTH: 2.2, Goal.POWER: 1.5, Goal.HYPERTROPHY: 1.3}
_RESISTED: Final = {Goal.STRENGTH: 1.0, Goal.HYPERTROPHY: 1.0, Goal.POWER: 0.5, Goal.SKILL: 0.0}
"""Who has weights and wants to be strong did not come for push-ups."""
_LIGHT: Final = frozenset({Equipment.BANDS, Equipment.MEDICINE_BALL})
_GUIDED: Final = frozenset({Equipment.MACHINE, Equipment.CABLE})
FAST: Final = 8.0
_FAST_GOALS: Final = frozenset({Goal.POWER, Goal.FAT_LOSS, Goal.CARDIO, Goal.ENDURANCE})
_GENTLE: Final = frozenset({Intensity.LIGHT, Intensity.STRETCHING})

# The highest level of loaded work a coach gives without a reason, and the level of body-weight work that suits.
_LOADED_UP_TO: Final = {Level.BEGINNER: 3.0, Level.INTERMEDIATE: 5.0, Level.ADVANCED: 6.0}
BODY_WEIGHT: Final = {Level.BEGINNER: 2.7, Level.INTERMEDIATE: 4.5, Level.ADVANCED: 6.0}
_FAR: Final = 2.0
_TOO_GENTLE: Final = {Level.BEGINNER: 0.3, Level.INTERMEDIATE: 1.2, Level.ADVANCED: 2.0}


class Scorer:
    """For one athlete and one request."""

    def __init__(
        self,
        request: Request,
        athlete: Athlete,
        goal: Goal,
        limits: Limits,
        record: Record,
        minutes: int = _UNHURRIED,
    ) -> None:
        self._athlete = athlete
        self._goal = goal
        self._limits = limits
        self._record = record
        self._asked = f"{athlete.user_id}/{request.today}/{request.attempt}/{_words(request, goal)}/"
        effort = request.effort or athlete.effort
        self._harder = {Effort.EASY: -0.7, Effort.NORMAL: 0.0, Effort.HARD: 0.5}[effort]
        self._harder -= goal is Goal.ENDURANCE  # easier, but more often
        self._minutes = minutes
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
            + 1.0 * (exercise.id in STAPLES and not too_easy(exercise, self._athlete.level))
            + _RESISTED.get(self._goal, 0.4) * _resistance(exercise)
            - 0.5 * exercise.unproven
            - (2.0 if used <= 1 else 0.8) * (exercise.id in record.last_session)
            - 1.5 * sum(exercise.load_on(joint) for joint in self._limits.joints)
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
        if exercise.met >= FAST and self._goal not in _FAST_GOALS:
            off += 1.5
        off += 2.0 * (exercise.unilateral and self._minutes <= _TWICE_IS_TOO_LONG)
        off += 1.5 * (Equipment.BARBELL in exercise.equipment and self._minutes <= _NO_TIME_TO_LOAD)
        skilled = 2.0 if self._goal in (Goal.POWER, Goal.SKILL) else 0.0
        if loaded(exercise):
            return off + 0.6 * max(0.0, exercise.level - _LOADED_UP_TO[level] - self._harder - skilled)
        if exercise.pattern not in CORES:
            off += 0.6 * max(0, self._record.proven.get(exercise.pattern, 0) - 1 - exercise.level)
        gently = careful(self._athlete)
        away = exercise.level - BODY_WEIGHT[level] - self._harder + 1.5 * gently
        untried = level is Level.BEGINNER and exercise.pattern not in self._record.proven
        steep = 2.2 if untried else 1.5 if gently else 0.8
        if exercise.pattern in CORES or not exercise.equipment.isdisjoint(_LIGHT):
            slack = 0.2
        else:
            slack = 0.35 if level is Level.BEGINNER else 0.6
        return off + (slack * -away if away < 0 else steep * max(0.0, away - skilled / 2))

    def too_easy(self, exercise: Exercise) -> bool:
        return too_easy(exercise, self._athlete.level)

    def too_hard(self, exercise: Exercise) -> bool:
        """A trick for most people of this level."""
        most = _LOADED_UP_TO if loaded(exercise) else BODY_WEIGHT
        return exercise.level > most[self._athlete.level] + _FAR

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
    """By something that can be made heavier as one gets stronger."""
    return exercise.unit in _LOADED and exercise.equipment.isdisjoint(_LIGHT)


def thrust(exercise: Exercise) -> bool:
    """One joint, and yet the main lift of many a day."""
    return (
        exercise.pattern is Pattern.HIP_EXTENSION
        and exercise.unit is UnitType.WEIGHT_REPS
        and exercise.primary[0] is Muscle.GLUTES
    )


def too_easy(exercise: Exercise, level: Level) -> bool:
    """Body weight alone, and well below what somebody of this level does; of the trunk that says little."""
    free = exercise.unit not in _LOADED and exercise.pattern not in CORES
    return free and exercise.level <= BODY_WEIGHT[level] - _FAR


def _resistance(exercise: Exercise) -> float:
    """0 to 1: whether it is done against a weight, a cable or a band; of the trunk that says little."""
    if exercise.unit not in _LOADED or exercise.pattern in CORES:
        return 0.0
    return 1.0 if loaded(exercise) else 0.6


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
        if Equipment.BARBELL in exercise.equipment:
            return 1.0
        return 0.65 if exercise.equipment & _GUIDED else 0.8
    if exercise.unit in _LOADED:
        return 0.6
    return min(0.8, exercise.level / 8)


def _many(exercise: Exercise) -> float:
    """0 to 1: how far it can be repeated."""
    return min(1.0, exercise.range[1] / 15)


def _at_once(exercise: Exercise) -> float:
    """Whether one can go to it straight from another exercise, out of breath: not to a bar that is loaded first."""
    return float(Equipment.BARBELL not in exercise.equipment and exercise.range[1] >= 12)


_LOADED: Final = frozenset({UnitType.WEIGHT_REPS, UnitType.WEIGHT_DURATION, UnitType.SHORT_DISTANCE_WEIGHT})

FITS: Final[Mapping[Goal, Callable[[Exercise], float]]] = {
    Goal.STRENGTH: lambda each: 0.45 * _compound(each) + 0.55 * _heavy(each) ** 2,
    Goal.HYPERTROPHY: lambda each: 0.35 * _compound(each) + 0.3 * _moves(each) + 0.35 * _heavy(each),
    Goal.ENDURANCE: lambda each: 0.4 * _compound(each) + 0.2 * (1 - 0.7 * _heavy(each)) + 0.4 * _many(each),
    Goal.POWER: lambda each: 1.0 if each.met >= FAST else 0.4 * _compound(each) + 0.4 * _heavy(each),
    Goal.SKILL: lambda each: 0.65 * bool(each.places) + 0.35 * _compound(each),
    Goal.MOBILITY: lambda each: float(each.pattern is Pattern.MOBILITY),
    Goal.FAT_LOSS: lambda each: 0.3 * min(1.0, each.met / 8) + 0.35 * _compound(each) + 0.35 * _at_once(each),
    Goal.CARDIO: lambda each: min(1.0, each.met / 10),
}
"""0 to 1: how well an exercise serves a goal."""


def _words(request: Request, goal: Goal) -> str:
    asked = (request.regions, request.splits, request.muscles, request.patterns)
    return ".".join([str(request.minutes), goal, *(each for some in asked for each in sorted(some))])
