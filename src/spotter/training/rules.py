"""What is safe and sensible for whom: the numbers of DOMAIN §2, in one place for planning and for checking."""

from dataclasses import replace
from typing import Final

from spotter.training.athlete import Athlete, Clearance, Request
from spotter.training.exercise import Exercise
from spotter.training.limits import Condition, Limits, limits_for
from spotter.training.vocabulary import Equipment, Flag, Level, Muscle, Pattern, UnitType

# One step above one's band at most: the ranks of the catalogue.
MAX_RANK: Final = {Level.BEGINNER: 4, Level.INTERMEDIATE: 7, Level.ADVANCED: 10}
MAX_SETS: Final = {Level.BEGINNER: 4, Level.INTERMEDIATE: 5, Level.ADVANCED: 6}
MAX_SETS_A_SESSION: Final = {Level.BEGINNER: 20, Level.INTERMEDIATE: 26, Level.ADVANCED: 32}
MAX_SETS_A_MUSCLE: Final = {Level.BEGINNER: 8.0, Level.INTERMEDIATE: 10.0, Level.ADVANCED: 10.0}
"""Fractional: a muscle that only helps counts half."""
MAX_MINUTES: Final = 120
LONGEST_HOLD: Final = 180
LONGEST_TIME: Final = 60 * 60
LONGEST_INTERVALS: Final = 20 * 60
LONGEST_INTERVALS_A_SESSION: Final = 30 * 60
LOAD_STEP: Final = 1.10
"""A load may grow by a tenth from one time to the next."""
LONGEST_REST: Final = 5 * 60
CAREFUL_REST: Final = 60
"""Seconds between sets, at least, for those who should not get out of breath."""
CAREFUL_REPS: Final = 10
CAREFUL_HOLD: Final = 30
_FEWEST_CAREFUL_REPS: Final = 8
_VIGOROUS: Final = 8.0
_OLDER: Final = 70
_CAREFUL: Final = frozenset({Condition.PREGNANCY, Condition.HYPERTENSION, Condition.CARDIAC})
_PRESSURE: Final = frozenset({Condition.HYPERTENSION, Condition.CARDIAC})
_NO_SETS: Final = frozenset({Pattern.MOBILITY, Pattern.CARDIO, Pattern.LOCOMOTION})


def limits_of(athlete: Athlete, request: Request | None = None) -> Limits:
    injuries = (*athlete.injuries, *(request.injuries if request is not None else ()))
    limits = limits_for(injuries, athlete.conditions, MAX_RANK[athlete.level])
    if athlete.age is not None and athlete.age >= _OLDER and athlete.level is Level.BEGINNER:
        return replace(limits, flags=limits.flags | {Flag.FALL_RISK, Flag.IMPACT})
    return limits


def careful(athlete: Athlete) -> bool:
    return not _CAREFUL.isdisjoint(athlete.conditions)


def no_strain(athlete: Athlete) -> bool:
    """Nothing near a maximum: many repetitions, short holds, breathing."""
    return not _PRESSURE.isdisjoint(athlete.conditions)


def strains(exercise: Exercise, athlete: Athlete) -> str | None:
    """Why an exercise is too much for somebody with a condition, beyond what the limits say."""
    if exercise.unproven and (athlete.injuries or athlete.conditions):
        return "nobody has said which joints it loads, so not while something needs care"
    if not careful(athlete):
        return None
    if exercise.met >= _VIGOROUS:
        return "vigorous, and moderate effort is what suits their condition"
    loaded = exercise.unit is UnitType.WEIGHT_REPS
    if no_strain(athlete) and loaded and exercise.range[1] < _FEWEST_CAREFUL_REPS:
        return "only done heavy, which raises the blood pressure"
    return None


def must_be_cleared(athlete: Athlete) -> bool:
    """A heart condition waits for a doctor's word; others train gently meanwhile."""
    if athlete.clearance is Clearance.SEE_CLINICIAN:
        return True
    return Condition.CARDIAC in athlete.conditions and athlete.clearance is not Clearance.CLEARED


def counts(exercise: Exercise) -> bool:
    """Whether its sets load muscles towards what they can take in a day."""
    return exercise.pattern not in _NO_SETS


def shares_of(exercise: Exercise) -> dict[Muscle, float]:
    """How much of a set each muscle gets."""
    return dict.fromkeys(exercise.secondary, 0.5) | dict.fromkeys(exercise.primary, 1.0)


def with_the_floor(equipment: frozenset[Equipment]) -> frozenset[Equipment]:
    """Whatever somebody has, they have their body, the floor under it and a wall."""
    return equipment | {Equipment.NONE, Equipment.WALL}
