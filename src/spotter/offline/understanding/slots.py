"""What a message can say, as values. Words for muscles, equipment and so on are those of the training room, as
plain strings, so that this room does not wait for it."""

from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, time
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True)
class Span:
    """Where in the message, in characters."""

    start: int
    end: int


class Side(StrEnum):
    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"


class Severity(StrEnum):
    MILD = "mild"
    MODERATE = "moderate"
    SEVERE = "severe"


class Lasting(StrEnum):
    """The durations of a preference."""

    PERMANENT = "permanent"
    TEMPORARY = "temporary"
    SESSION = "session"


class Direction(StrEnum):
    MORE = "more"
    LESS = "less"


@dataclass(frozen=True, slots=True)
class Duration:
    minutes: int
    longest: int | None = None
    """The upper end of "20 to 30 minutes"."""
    change: Direction | None = None
    """Of "10 minutes shorter": so much more or less than now, not so long."""
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Equipment:
    available: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    only: bool = False
    """Nothing but what is listed; with nothing listed, the body alone."""

    def __bool__(self) -> bool:
        return bool(self.available or self.without or self.only)

    def joined(self, other: "Equipment") -> "Equipment":
        """Both; what is said to be missing is there if it is also named as there."""
        available = tuple(dict.fromkeys((*self.available, *other.available)))
        without = dict.fromkeys((*self.without, *other.without))
        return Equipment(
            available, tuple(item for item in without if item not in available), self.only or other.only
        )


@dataclass(frozen=True, slots=True)
class Injury:
    part: str
    side: Side = Side.BOTH
    severity: Severity = Severity.MODERATE
    better: bool = False
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Goal:
    name: str
    weight: int
    """From −10 to 10."""
    kind: str = "category"
    """`category`, `muscle` or `skill`."""


@dataclass(frozen=True, slots=True)
class Taste:
    """Something liked or not wanted."""

    kind: str
    """`exercise`, `muscle`, `region`, `pattern` or `equipment`."""
    value: str
    wanted: bool
    lasting: Lasting
    words: str = field(default="", compare=False)
    """As it was said: "lunges" means all of them, though `value` can name but one."""


@dataclass(frozen=True, slots=True)
class When:
    day: date | None = None
    clock: time | None = None
    every: tuple[str, ...] = ()
    """Names of days for what repeats; all seven for "every day"."""
    last_day: date | None = None
    """With `day`, a stretch of days: "next week", "the weekend"."""
    span: Span | None = field(default=None, compare=False)

    def at(self, now: datetime) -> datetime | None:
        """The moment, in the zone of `now`, once a day is known."""
        if self.day is None:
            return None
        return datetime.combine(self.day, self.clock or time(9), tzinfo=now.tzinfo)


@dataclass(frozen=True, slots=True)
class Period:
    """What a question about the past asks for; both days belong to it."""

    name: str
    first: date | None = None
    last: date | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """Things on the table that are meant, by their ids in the workout."""

    ids: tuple[str, ...]
    words: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class LoggedSet:
    reps: int | None = None
    seconds: int | None = None
    metres: int | None = None
    weight_kg: float | None = None
    rpe: float | None = None


@dataclass(frozen=True, slots=True)
class SetLog:
    exercise: str | None
    sets: tuple[LoggedSet, ...]
    each_side: bool = False
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Either a new value or a direction for one property of an exercise."""

    what: str
    """`sets`, `reps`, `weight_kg`, `rest_seconds` or `seconds`."""
    value: float | None = None
    change: Direction | None = None


@dataclass(frozen=True, slots=True)
class Timer:
    seconds: int | None = None
    work: int | None = None
    rest: int | None = None
    rounds: int | None = None


@dataclass(frozen=True, slots=True)
class Slots:
    duration: Duration | None = None
    regions: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    muscles: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    exercises: tuple[str, ...] = ()
    equipment: Equipment = Equipment()
    injuries: tuple[Injury, ...] = ()
    sore: tuple[str, ...] = ()
    """Muscles that feel the last training. Not an injury: they get less to do."""
    conditions: tuple[str, ...] = ()
    goals: tuple[Goal, ...] = ()
    level: str | None = None
    intensity: str | None = None
    location: str | None = None
    tastes: tuple[Taste, ...] = ()
    lasting: Lasting | None = None
    when: When | None = None
    period: Period | None = None
    references: tuple[Reference, ...] = ()
    left_out: tuple[str, ...] = ()
    """Ids on the table that were named as the exception: "everything but the last"."""
    logs: tuple[SetLog, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    timer: Timer | None = None
    scheduled: tuple[str, ...] = ()
    """Ids of scheduled workouts that are meant."""
    option: str | None = None
    """Which answer to the open question was chosen."""
    instead: str | None = None
    """The exercise that should come in."""
    repeat: bool = False
    """The same as last time."""
    danger: str | None = None
    """What kind of red flag."""

    def merged(self, other: "Slots") -> "Slots":
        """Both; where only one value fits, the first that was said."""
        values: dict[str, Any] = {}
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            if each.name == "injuries":
                values[each.name] = _one_each(mine, theirs)
            elif each.name == "adjustments":
                values[each.name] = _stated(mine, theirs)
            elif each.name == "tastes":
                values[each.name] = _longest(mine, theirs)
            elif isinstance(mine, tuple):
                values[each.name] = tuple(dict.fromkeys((*mine, *theirs)))
            elif each.name == "equipment":
                values[each.name] = mine.joined(theirs)
            else:
                values[each.name] = mine or theirs
        return replace(self, **values)


def _one_each(some: tuple[Injury, ...], more: tuple[Injury, ...]) -> tuple[Injury, ...]:
    """Of two that are told of the same part, what is said in either."""
    found = {injury.part: injury for injury in some}
    for injury in more:
        known = found.get(injury.part, injury)
        side = known.side if known.side is not Side.BOTH else injury.side
        severity = known.severity if known.severity is not Severity.MODERATE else injury.severity
        found[injury.part] = replace(known, side=side, severity=severity)
    return tuple(found.values())


def _stated(some: tuple[Adjustment, ...], more: tuple[Adjustment, ...]) -> tuple[Adjustment, ...]:
    """ "Heavier, 4 kilos more": where there is a value, the direction alone says nothing new."""
    both = tuple(dict.fromkeys((*some, *more)))
    known = {each.what for each in both if each.value is not None}
    return tuple(each for each in both if each.value is not None or each.what not in known)


def _longest(some: tuple[Taste, ...], more: tuple[Taste, ...]) -> tuple[Taste, ...]:
    """Said for today and for good, it is for good."""
    found: dict[tuple[str, str, bool], Taste] = {}
    for taste in (*some, *more):
        key = (taste.kind, taste.value, taste.wanted)
        if key not in found or taste.lasting is Lasting.PERMANENT:
            found[key] = taste
    return tuple(found.values())


NOTHING = Slots()
