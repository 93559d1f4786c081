"""A stretch of words that means one thing."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Written in capitals in the grammars."""

    EXERCISE = "EXERCISE"
    MUSCLE = "MUSCLE"
    REGION = "REGION"
    SPLIT = "SPLIT"
    PATTERN = "PATTERN"
    EQUIP = "EQUIP"
    KIT = "KIT"
    PLACE = "PLACE"
    GOAL = "GOAL"
    LEVEL = "LEVEL"
    INTENSITY = "INTENSITY"
    BODY = "BODY"
    CONDITION = "CONDITION"
    DUR = "DUR"
    WEIGHT = "WEIGHT"
    SETS = "SETS"
    """Sets with what was done in each: 3x10, 3 sets of 10, 10,9,8."""
    NSETS = "NSETS"
    REPS = "REPS"
    DIST = "DIST"
    RPE = "RPE"
    PERCENT = "PERCENT"
    NUM = "NUM"
    DATE = "DATE"
    PERIOD = "PERIOD"
    REF = "REF"


@dataclass(frozen=True, slots=True)
class Tag:
    kind: Kind
    value: str
    """The meaning in our vocabulary, or the unit of an amount."""
    first: int
    end: int
    """Tokens `first` to `end`, the last not included."""
    amount: float = 0.0
    """Minutes are given in seconds, miles in metres, pounds in kilograms."""
    high: float | None = None
    """The upper end of a range."""
    each: tuple[float, ...] = ()
    """The repetitions of each set, where they differ."""
    sets: int = 0
