"""Who a workout is for and what they asked for: everything a programme and its check may depend on."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from spotter.training.limits import Condition, Injury
from spotter.training.vocabulary import Equipment, Level, Muscle, Pattern, Region, Split


class Goal(StrEnum):
    """What training is for. The seeds call these categories."""

    STRENGTH = "strength"
    HYPERTROPHY = "hypertrophy"
    ENDURANCE = "endurance"
    POWER = "power"
    SKILL = "skill"
    MOBILITY = "mobility"
    FAT_LOSS = "fat_loss"
    CARDIO = "cardio"


class Effort(StrEnum):
    EASY = "easy"
    NORMAL = "normal"
    HARD = "hard"


class Clearance(StrEnum):
    """What the health questions said."""

    UNKNOWN = "unknown"
    CLEARED = "cleared"
    SEE_CLINICIAN = "see_clinician"


@dataclass(frozen=True, slots=True)
class PastSet:
    exercise_id: str
    reps: int | None = None
    seconds: int | None = None
    weight_kg: float | None = None
    rpe: float | None = None


@dataclass(frozen=True, slots=True)
class PastWorkout:
    done_at: datetime
    sets: tuple[PastSet, ...]


@dataclass(frozen=True, slots=True)
class Athlete:
    user_id: UUID
    age: int | None = None
    weight_kg: float | None = None
    level: Level = Level.BEGINNER
    equipment: frozenset[Equipment] | None = None
    """None when nobody has said: then only what everybody has is used."""
    minutes: int | None = None
    goals: Mapping[Goal, int] = field(default_factory=dict)
    """−10 to 10."""
    muscle_goals: Mapping[Muscle, int] = field(default_factory=dict)
    injuries: tuple[Injury, ...] = ()
    sore: frozenset[Muscle] = frozenset()
    """From training: spared, not protected."""
    conditions: frozenset[Condition] = frozenset()
    clearance: Clearance = Clearance.UNKNOWN
    excluded: frozenset[str] = frozenset()
    """Exercises they do not want, by id."""
    effort: Effort = Effort.NORMAL
    past: tuple[PastWorkout, ...] = ()
    """Newest first, as far back as matters: eight weeks, and further where there is little."""
    rusty: frozenset[str] = frozenset()
    """Exercises that were last done longer ago than that: their old loads are too much now."""


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for this time. Empty means: as it suits the athlete."""

    minutes: int | None = None
    regions: frozenset[Region] = frozenset()
    splits: frozenset[Split] = frozenset()
    muscles: frozenset[Muscle] = frozenset()
    patterns: frozenset[Pattern] = frozenset()
    goal: Goal | None = None
    effort: Effort | None = None
    equipment: frozenset[Equipment] | None = None
    """For this time only."""
    include: tuple[str, ...] = ()
    """Exercises they want in it, by id."""
    exclude: frozenset[str] = frozenset()
    injuries: tuple[Injury, ...] = ()
    today: date = date.min
    attempt: int = 0
    """Another one of the same: breaks ties differently."""


EVERYWHERE: Final = frozenset({Equipment.NONE, Equipment.WALL, Equipment.CHAIR})
"""What is there when nobody has said what is."""


def asking(athlete: Athlete, request: Request) -> Athlete:
    """The athlete as they are for this request: what they said now counts like what is stored. What was designed for a
    request is checked for this one."""
    return replace(
        athlete,
        equipment=request.equipment if request.equipment is not None else athlete.equipment,
        injuries=(*athlete.injuries, *(each for each in request.injuries if each not in athlete.injuries)),
        excluded=athlete.excluded | request.exclude,
    )
