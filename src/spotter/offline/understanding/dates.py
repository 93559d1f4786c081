"""Days and hours in ordinary words, relative to a given now."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final

from spotter.offline.understanding.slots import Period, Span, When
from spotter.offline.understanding.tags import Kind, Tag
from spotter.offline.understanding.text import Token

DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS: Final = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]

_DAY: Final = (
    r"(?:monday|mon|tuesday|tues|tue|wednesday|wed|weds|thursday|thurs|thur|thu|friday|fri|saturday|sat|sunday|"
    r"sun)s?"
)
_MONTH: Final = (
    r"(?:january|jan|february|feb|march|april|apr|may|june|july|august|aug|september|sept|sep|october|oct|november|"
    r"nov|december|dec)"
)
_PART: Final = (
    r"(?:early morning|morning|lunch time|lunchtime|lunch|noon|midday|afternoon|evening|night|after work|before work|"
    r"midnight|after lunch)s?"
)
_CLOCK: Final = (
    r"(?:(?:at |by |around )?(?:half past|half|quarter past|quarter to) \d+(?: (?:am|pm))?(?! (?:hours?|minutes))"
    r"|(?:at |by |around )?\d+(?: : \d+)? in the (?:morning|afternoon|evening)"
    r"|(?:at |by |around |@ )?\d+(?: : \d+)? (?:am|pm|a \. m|p \. m|o'clock|oclock)"
    r"|(?:at|(?<!\d )by|around) (?:[01]?\d|2[0-4])(?: : [0-5]\d)?(?! (?:kg|lb|%|x|sets?|reps|minutes|seconds|rpe|:|\.))"
    r"|(?<! in )(?:[01]?\d|2[0-4]) : [0-5]\d(?= )"
    r"|(?:at|by|around) (?:noon|midday|lunch|midnight))"
)

_PATTERNS: Final = tuple(
    (value, re.compile(rf"(?<= )(?:{pattern})(?= )"))
    for value, pattern in (
        (
            "every",
            rf"(?:every|each) (?:single )?(?:other )?(?:day|weekday|weekend|{_PART}|{_DAY})"
            rf"(?:(?: ,| and| , and| &) (?:every )?{_DAY})*(?: {_PART})?",
        ),
        ("every", rf"(?:{_DAY[:-2]}s)(?:(?: ,| and| , and| &) {_DAY[:-2]}s)*(?: {_PART})?"),
        ("every", r"(?:daily|every single day|on weekdays)"),
        ("weekly", r"(?:every|each) week|weekly|(?:two|three|\d) times a week|twice a week"),
        (
            "period",
            r"(?:in |over |during |for |of )?(?:the )?(?:last|past|previous) (?:\d+ |few )?(?:days?|weeks?|"
            r"months?|years?|weekend)",
        ),
        (
            "period",
            r"(?:this|my|the) (?:week|month|year)(?: so far)?|so far|all time|yesterday|"
            r"(?:in )?the past|so far this (?:week|month|year)|recently|lately|these days",
        ),
        ("period", rf"(?:on )?last (?:{_DAY}|night)|since (?:{_MONTH}|{_DAY})"),
        ("day", r"(?:the )?day after tomorrow"),
        ("day", rf"(?:today|tonight|tomorrow|this (?:morning|afternoon|evening)|later today)(?: {_PART})?"),
        ("day", r"in (?:a|\d+|one) (?:days?|weeks?)(?: time)?|a week from (?:now|today)"),
        (
            "day",
            rf"(?:on )?(?:this |next |coming |the coming |following )?{_DAY}(?: next week)?(?: {_PART})?",
        ),
        ("day", r"(?:this|next|the|coming|at the|on the) weekend|next (?:week|month)|the week after"),
        (
            "day",
            rf"(?:on )?(?:the )?\d+ ?(?:st|nd|rd|th)?(?: of)? {_MONTH}|(?:on )?{_MONTH} (?:the )?\d+"
            r"(?: (?:st|nd|rd|th))?(?! (?:minutes|kg|reps))",
        ),
        ("day", r"(?:on )?the \d+ (?:st|nd|rd|th)(?! (?:exercise|one|move|set|rep|and|thing|movement))"),
        ("clock", _CLOCK),
        ("clock", rf"(?:in the |at )?(?:{_PART})"),
    )
)


def dates_in(tokens: Sequence[Token]) -> list[Tag]:
    text, starts = _joined(tokens)
    taken: set[int] = set()
    found: list[Tag] = []
    for value, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            first = starts.get(match.start())
            if first is None:
                continue
            end = first + match[0].count(" ") + 1
            if taken.isdisjoint(range(first, end)):
                taken.update(range(first, end))
                kind = Kind.PERIOD if value == "period" else Kind.DATE
                found.append(Tag(kind, f"{value}:{match[0]}", first, end))
    return found


def _joined(tokens: Sequence[Token]) -> tuple[str, dict[int, int]]:
    starts: dict[int, int] = {}
    length = 1
    for at, token in enumerate(tokens):
        starts[length] = at
        length += len(token.word) + 1
    return f" {' '.join(token.word for token in tokens)} ", starts


def when_of(tags: Iterable[Tag], now: datetime, tokens: Sequence[Token]) -> When | None:
    """All the pieces together: "Thursday" here and "7am" there are one moment."""
    day: date | None = None
    last_day: date | None = None
    clock: time | None = None
    every: tuple[str, ...] = ()
    used: list[Tag] = []
    weekly, named = False, []
    for tag in tags:
        kind, _, words = tag.value.partition(":")
        if kind == "every":
            every = (*every, *(name for name in _every(words) if name not in every))
        elif kind == "weekly":
            weekly = True
        elif kind in {"day", "period"}:
            found = _day(words, now.date())
            if found is None:
                continue
            if kind == "day" or day is None:
                day, last_day = found
        named += [DAYS[_weekday(name)] for name in re.findall(rf"\b{_DAY}\b", words)]
        clock = _clock(words) or clock
        used.append(tag)
    if weekly and named:
        every, day = tuple(dict.fromkeys((*every, *named))), None
    if not used or (day is None and clock is None and not every):
        return None
    if day is None and clock is not None and not every:
        day = now.date() if clock > now.timetz().replace(tzinfo=None) else now.date() + timedelta(days=1)
    span = Span(tokens[used[0].first].start, max(tokens[tag.end - 1].end for tag in used))
    return When(day=day, clock=clock, every=every, last_day=last_day, span=span)


def _every(words: str) -> tuple[str, ...]:
    if re.search(r"\bweekdays?\b", words):
        return DAYS[:5]
    if "weekend" in words:
        return DAYS[5:]
    named = tuple(_weekday(name) for name in re.findall(rf"\b{_DAY}\b", words))
    return tuple(DAYS[number] for number in dict.fromkeys(named)) if named else DAYS


def _weekday(name: str) -> int:
    return next(number for number, day in enumerate(DAYS) if day.startswith(name[:3]))


def _day(words: str, today: date) -> tuple[date, date | None] | None:
    monday = today - timedelta(days=today.weekday())
    fixed: dict[str, tuple[int, int | None]] = {
        "day after tomorrow": (2, None),
        "tomorrow": (1, None),
        "yesterday": (-1, None),
        "last night": (-1, None),
        "week after": (14 - today.weekday(), 20 - today.weekday()),
        "week from": (7, None),
        "today": (0, None),
        "tonight": (0, None),
    }
    for phrase, (offset, until) in fixed.items():
        if phrase in words:
            return today + timedelta(days=offset), None if until is None else today + timedelta(days=until)
    if "weekend" in words:
        saturday = monday + timedelta(days=12 if "next" in words else -2 if "last" in words else 5)
        return saturday, saturday + timedelta(days=1)
    if match := re.search(r"in (a|one|\d+) (day|week)", words):
        count = int(match[1]) if match[1].isdigit() else 1
        return (today + timedelta(days=min(count, 3650) * (7 if match[2] == "week" else 1))), None
    if match := re.search(rf"\b{_DAY}\b", words):
        return _named_day(words, _weekday(match[0]), today), None
    return _week_or_number(words, today, monday)


def _named_day(words: str, weekday: int, today: date) -> date:
    ahead = (weekday - today.weekday()) % 7
    if "last" in words.split():
        return today - timedelta(days=(7 - ahead) if ahead else 7)
    if "next" in words.split():
        return today - timedelta(days=today.weekday()) + timedelta(days=7 + weekday)
    return today + timedelta(days=ahead or 7)


def _week_or_number(words: str, today: date, monday: date) -> tuple[date, date | None] | None:
    if "next week" in words:
        return monday + timedelta(days=7), monday + timedelta(days=13)
    if "week" in words and "last" not in words and "past" not in words:
        return today, monday + timedelta(days=6)
    if "next month" in words:
        first = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
        return first, (first + timedelta(days=32)).replace(day=1) - timedelta(days=1)
    if re.match(r"this (morning|afternoon|evening)", words):
        return today, None
    number = re.search(r"\d+", words)
    if number is None:
        return None
    month = re.search(_MONTH, words)
    return _calendar_day(int(number[0]), month[0] if month else None, today)


def _calendar_day(number: int, month: str | None, today: date) -> tuple[date, None] | None:
    if not 1 <= number <= 31:
        return None
    if month:
        wanted = next(at for at, name in enumerate(MONTHS, start=1) if name.startswith(month[:3]))
        months = [(today.year + (wanted < today.month), wanted)]
    else:
        months = [
            (today.year + (today.month + at - 1) // 12, (today.month + at - 1) % 12 + 1) for at in range(3)
        ]
    for year, which in months:
        try:
            found = date(year, which, number)
        except ValueError:
            continue
        if found >= today:
            return found, None
    return None


_PARTS: Final = {
    "early morning": time(6),
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


def _clock(words: str) -> time | None:
    part = next((clock for name, clock in _PARTS.items() if name in words), None)
    match = re.search(
        r"(half past |half |quarter past |quarter to )?(\d+)(?: : (\d\d))?(?: (a|p|o)\S*)?", words
    )
    if match is None or not (
        match[3] or match[4] or match[1] or re.match(r"(at|@|by|around) \d", words) or " in the " in words
    ):
        return part
    spoken = (match[1] or "").strip()
    hour, minute = int(match[2]), _PAST.get(spoken, int(match[3] or 0))
    hour -= spoken == "quarter to"
    if hour > 24 or minute > 59:
        return part
    if (match[4] == "p" or (match[4] != "a" and part is not None and part >= time(13))) and hour < 12:
        hour += 12
    elif match[4] == "a" and hour == 12:
        hour = 0
    elif match[4] is None and match[3] is None and part is None and 1 <= hour <= 5:
        hour += 12  # nobody trains at three in the night
    return time(hour % 24, minute)


def period_of(words: str, today: date) -> Period | None:
    if match := re.search(r"(?:last|past|previous) (\d+|few) (day|week|month|year)", words):
        count = int(match[1]) if match[1].isdigit() else 3
        days = min(count * {"day": 1, "week": 7, "month": 30, "year": 365}[match[2]], 3650)
        return Period(f"last_{days}_days", today - timedelta(days=days), today)
    if unit := re.search(r"\b(week|month|year)\b|so far", words):
        before = bool(re.search("last|past|previous", words))
        first, last = _stretch(unit[1] or "week", today, before=before)
        return Period(f"{'last' if before else 'this'}_{unit[1] or 'week'}", first, last)
    if re.search(r"all time|the past$", words):
        return Period("all")
    if re.search(r"recent|lately|these days", words):
        return Period("last_14_days", today - timedelta(days=14), today)
    # Looking back, a named day is the one that was.
    found = _day(f"last {words}" if re.search(rf"\b{_DAY}\b", words) else words, today)
    if found is None:
        return None
    ago = (today - found[0]).days
    return Period({0: "today", 1: "yesterday"}.get(ago, "day"), found[0], found[1] or found[0])


def _stretch(unit: str, today: date, *, before: bool) -> tuple[date, date]:
    starts = {
        "week": today - timedelta(days=today.weekday()),
        "month": today.replace(day=1),
        "year": today.replace(month=1, day=1),
    }
    first = starts[unit]
    if not before:
        return first, today
    end = first - timedelta(days=1)
    earlier = {
        "week": first - timedelta(days=7),
        "month": end.replace(day=1),
        "year": end.replace(month=1, day=1),
    }
    return earlier[unit], end
