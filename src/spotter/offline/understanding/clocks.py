"""Hours of the day in ordinary words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time
from typing import Final

from spotter.offline.understanding.text import Token

PART: Final = (
    r"(?:early morning|mid morning|late morning|morning|lunch time|lunchtime|lunch break|lunch hour|lunch|noon|midday|"
    r"late afternoon|mid afternoon|afternoon|early evening|evening|night|after work|before work|midnight|after lunch|"
    r"before breakfast|after breakfast|(?<!the )(?<!make )first thing(?: in the morning)?|(?:crack of )?dawn|sunrise|"
    r"tea time|teatime|"
    r"after dinner|after school)s?"
)
CLOCK: Final = (
    r"(?:(?:at |by |around )?(?:half past|half|quarter past|quarter to|\d+ past) \d+(?: (?:am|pm)| in the \w+)?"
    r"(?! (?:hours?|minutes))"
    r"|(?:at |by |around )?(?:5|10|20|25) to (?:[1-9]|1[0-2])(?: (?:am|pm)| in the \w+)"
    r"|at (?:5|10|20|25) to (?:[1-9]|1[0-2])(?= )"
    r"|(?:at |by |around |@ )?(?:[01]?\d|2[0-3])\.[0-5]\d (?:am|pm)"
    r"|(?:at|around) (?:[01]?\d|2[0-3])\.[0-5]\d(?! (?:kg|lb|km|%|x|sets?|reps|minutes|seconds|rpe))"
    r"|at (?:[01]\d|2[0-3])[0-5]\d(?! (?:kg|lb|m|metres|meters|reps|kcal|calories))"
    r"|(?:[01]\d|2[0-3])[0-5]\d (?:hrs|hours|h)"
    r"|(?:at |by |around )?\d+(?: : \d+)? in the (?:morning|afternoon|evening)"
    r"|(?:at |by |around |@ )?\d+(?: : \d+)? (?:am|pm|a \. m|p \. m|o'clock|oclock|o clock)"
    r"|(?:at|(?<!\d )by|around) (?:[01]?\d|2[0-4])(?: : [0-5]\d)?(?! (?:kg|lb|%|x|sets?|reps|minutes|seconds|rpe|:|\.))"
    r"|(?<! in )(?:[01]?\d|2[0-4]) : [0-5]\d(?= )"
    r"|(?:at|by|around) (?:noon|midday|lunch|midnight))"
)


_BY_SO_MUCH: Final = frozenset(
    (
        *(
            "extend",
            "longer",
            "shorter",
            "up",
            "down",
            "increase",
            "decrease",
            "reduce",
            "cut",
            "raise",
            "lower",
            "it",
        ),
        *(
            "shorten",
            "lengthen",
            "reps",
            "sets",
            "weight",
            "heavier",
            "lighter",
            "bump",
            "them",
            "rest",
            "trim",
            "drop",
        ),
    )
)
_AMOUNTS: Final = frozenset({"reps", "sets", "set", "x", "each", "kg", "side", "times"})


def is_no_hour(tokens: Sequence[Token], first: int, words: str) -> bool:
    """ "Longer by 5" and "3x15 at 20" are no hours."""
    if not first or not re.fullmatch(r"(?:at|by|around) [\d.]+", words):
        return False
    before = tokens[first - 1]
    if words.startswith("by"):
        return before.word in _BY_SO_MUCH
    return before.value is not None or before.word in _AMOUNTS


_PARTS: Final = {
    "early morning": time(6),
    "dawn": time(6),
    "sunrise": time(6),
    "mid morning": time(10),
    "late morning": time(11),
    "late afternoon": time(17),
    "tea time": time(17),
    "teatime": time(17),
    "before breakfast": time(7),
    "after breakfast": time(9),
    "after dinner": time(20),
    "after school": time(16),
    "first thing": time(8),
    "before work": time(7),
    "after work": time(18),
    "after lunch": time(13),
    "morning": time(8),
    "lunch": time(12),
    "noon": time(12),
    "midday": time(12),
    "afternoon": time(15),
    "evening": time(18),
    "midnight": time(0),
    "tonight": time(20),
    "night": time(20),
}


_PAST: Final = {"half past": 30, "half": 30, "quarter past": 15, "quarter to": 45}
_CLOCK_WORDS: Final = re.compile(
    r"(?P<spoken>half past |half |quarter past |quarter to |(?P<minutes>\d+) (?P<way>past|to) )?"
    r"(?P<hour>\d+)(?:(?: : |\.)(?P<minute>\d\d))?(?: (?P<half>a|p|o)\S*)?"
)


def part_of_day(words: str) -> time | None:
    return next((clock for name, clock in _PARTS.items() if re.search(rf"\b{name}", words)), None)


@dataclass(frozen=True, slots=True)
class Spoken:
    """An hour as it was said; `open`: it may be before or after noon."""

    hour: int
    minute: int
    open: bool
    bare: bool = False


def exact_clock(words: str) -> Spoken | None:
    match = _CLOCK_WORDS.search(words)
    if match is None:
        return None
    military = re.fullmatch(r"(?:at )?(\d\d)(\d\d)(?: \w+)?", words)
    if military:
        return Spoken(int(military[1]), int(military[2]), open=False)
    told = match["minute"] or match["half"] or match["spoken"]
    if not (told or re.match(r"(?:at|@|by|around) \d", words) or " in the " in words):
        return None
    spoken = (match["spoken"] or "").strip()
    hour, minute = int(match["hour"]), _PAST.get(spoken, int(match["minute"] or 0))
    if match["way"]:
        minute = int(match["minutes"]) if match["way"] == "past" else 60 - int(match["minutes"])
    hour -= spoken == "quarter to" or match["way"] == "to"
    if hour > 24 or minute > 59:
        return None
    if match["half"] == "p" and hour < 12:
        hour += 12
    elif match["half"] == "a" and hour == 12:
        hour = 0
    return Spoken(hour, minute, open=match["half"] not in {"a", "p"}, bare=not told)


def on_the_clock(exact: Spoken | None, part: time | None) -> time | None:
    """ "Quarter to seven" here and "tomorrow evening" there."""
    if exact is None:
        return part
    hour = exact.hour
    if (
        exact.open
        and hour < 12
        and (
            (part is not None and part >= time(13))
            or (part is None and exact.bare and 1 <= hour <= _NIGHT_ENDS)
        )
    ):
        hour += 12
    return time(hour % 24, exact.minute)


_NIGHT_ENDS: Final = 5
"""Nobody trains at three in the night."""
