"""Days and hours in ordinary words, relative to a given now."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final

from spotter.offline.understanding.clocks import (
    CLOCK,
    PART,
    Spoken,
    exact_clock,
    is_no_hour,
    on_the_clock,
    part_of_day,
)
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
    r"(?:monday|mon|tuesday|tues|tue|wednesday|wed|weds|thursday|thurs|thur|thu|friday|fri|saturday|"
    r"sat(?! (?:on|at|in|down|around|here|there|all|behind))|sunday|sun)s?"
)
_MONTH: Final = (
    r"(?:january|jan|february|feb|march|april|apr|may|june|july|august|aug|september|sept|sep|october|oct|november|"
    r"nov|december|dec)"
)
_PLURAL: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
_PATTERNS: Final = tuple(
    (value, re.compile(rf"(?<= )(?:{pattern})(?= )"))
    for value, pattern in (
        ("period", r"(?:the )?day before yesterday|of late"),
        ("period", rf"(?:in|for|during|over|this) {_MONTH}(?! \d)"),
        (
            "every",
            rf"(?:every|each) (?:single )?(?:other )?(?:day|weekday|weekend|{PART}|{_DAY})"
            rf"(?:(?: ,| and| , and| &) (?:every )?{_DAY})*(?: {PART})?",
        ),
        ("every", rf"(?:on )?{_PLURAL}(?:(?: ,| and| , and| & | /)+ {_PLURAL})*(?: {PART})?"),
        ("every", rf"{_DAY} (?:through|thru) {_DAY}|mon(?:day)? (?:to|till|-) (?:fri|satur|sun|sat)(?:day)?"),
        ("every", rf"{_DAY}(?:(?: ,| and| , and| &| /| \+|)? {_DAY})+(?: {PART})?"),
        ("every", r"(?:daily|every single day|(?:on )?weekdays|(?:on |at )?weekends)"),
        ("weekly", r"(?:every|each) week|weekly|(?:two|three|\d) times a week|twice a week"),
        (
            "period",
            r"(?:in |over |during |for |of )?(?:the |this )?(?:last|past|previous) (?:\d+ |few |couple |half )?"
            r"(?:days?|weeks?|months?|years?|weekend|fortnight|quarter)",
        ),
        (
            "period",
            r"so far this (?:week|month|year)|(?:this|my|the) (?:week|month|year)(?: so far)?|so far|all time|"
            r"yesterday|(?:in )?the past|recently|lately|these days",
        ),
        ("period", rf"(?:on )?last (?:{_DAY}|night)|since (?:{_MONTH}|{_DAY})"),
        ("day", r"(?:the )?day after tomorrow"),
        (
            "day",
            r"(?:in )?(?:a|\d+|one|few) (?:days?|weeks?|fortnights?) (?:from|after) (?:now|today|tomorrow)"
            r"|in (?:a|\d+|one|a few) (?:days?|weeks?|fortnight)(?: time)?"
            r"|(?:a )?(?:week|fortnight) (?:from )?(?:now|today|tomorrow)|this time next week",
        ),
        ("day", rf"(?:today|tonight|tomorrow|this (?:morning|afternoon|evening)|later today)(?: {PART})?"),
        (
            "day",
            rf"(?:on )?(?:next|the following) week(?: on| ,)? {_DAY}(?: {PART})?|(?:a )?week on {_DAY}"
            rf"|{_DAY} week(?= )",
        ),
        (
            "day",
            rf"(?:on )?(?:this |next |coming |the coming |following )?{_DAY}(?: next week)?(?: {PART})?",
        ),
        ("day", r"(?:this|next|the|coming|at the|on the) weekend|next (?:week|month)|the week after"),
        (
            "day",
            rf"(?:on )?(?:the )?\d+ ?(?:st|nd|rd|th)?(?: of)? {_MONTH}|(?:on )?{_MONTH} (?:the )?\d+"
            r"(?: (?:st|nd|rd|th))?(?! (?:minutes|kg|reps))",
        ),
        ("day", r"(?:on|for|to|until) (?:the )?(?:[12]?\d|3[01]) / (?:1[0-2]|0?[1-9])(?= )"),
        (
            "day",
            r"(?:(?:on|for|by|until|to|is|was|from) the \d|(?:on )?the \d\d)\d? (?:st|nd|rd|th)"
            r"(?! (?:exercise|one|move|set|rep|and|thing|movement))",
        ),
        ("clock", CLOCK),
        ("clock", rf"(?:in the |at )?(?:{PART})"),
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
            if value == "clock" and is_no_hour(tokens, first, match[0]):
                continue
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
    clock: Spoken | None = None
    part: time | None = None
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
        clock = exact_clock(words) or clock
        part = part_of_day(words) or part
        used.append(tag)
    if weekly and named:
        every, day = tuple(dict.fromkeys((*every, *named))), None
    at = on_the_clock(clock, part)
    if not used or (day is None and at is None and not every):
        return None
    if day is None and at is not None and not every:
        day = now.date() if at > now.timetz().replace(tzinfo=None) else now.date() + timedelta(days=1)
    span = Span(tokens[used[0].first].start, max(tokens[tag.end - 1].end for tag in used))
    return When(day=day, clock=at, every=every, last_day=last_day, span=span)


def _every(words: str) -> tuple[str, ...]:
    if re.search(r"\bweekdays?\b", words):
        return DAYS[:5]
    if "weekend" in words:
        return DAYS[5:]
    named = tuple(_weekday(name) for name in re.findall(rf"\b{_DAY}\b", words))
    if re.search(r" (?:through|thru|to|till|until|-) ", words) and len(named) == 2 and named[0] < named[1]:
        return DAYS[named[0] : named[1] + 1]
    return tuple(DAYS[number] for number in dict.fromkeys(named)) if named else DAYS


def _weekday(name: str) -> int:
    return next(number for number, day in enumerate(DAYS) if day.startswith(name[:3]))


def _day(words: str, today: date) -> tuple[date, date | None] | None:
    monday = today - timedelta(days=today.weekday())
    fixed: dict[str, tuple[int, int | None]] = {
        "day after tomorrow": (2, None),
        "tomorrow": (1, None),
        "day before yesterday": (-2, None),
        "yesterday": (-1, None),
        "last night": (-1, None),
        "week after": (14 - today.weekday(), 20 - today.weekday()),
        "today": (0, None),
        "tonight": (0, None),
    }
    if ahead := _days_ahead(words):
        return today + timedelta(days=min(ahead, 3650)), None
    for phrase, (offset, until) in fixed.items():
        if phrase in words:
            return today + timedelta(days=offset), None if until is None else today + timedelta(days=until)
    if "weekend" in words:
        saturday = monday + timedelta(days=12 if "next" in words else -2 if "last" in words else 5)
        return saturday, saturday + timedelta(days=1)
    if match := re.search(rf"\b{_DAY}\b", words):
        return _named_day(words, _weekday(match[0]), today), None
    return _week_or_number(words, today, monday)


_AHEAD: Final = re.compile(
    r"(?:\bin )?(?P<many>a few|a|one|few|\d+)? ?\b(?P<unit>day|week|fortnight)s?"
    r"(?P<end> (?:from|after|today|tomorrow|now|time)\b)?"
)


def _days_ahead(words: str) -> int:
    """ "In three days", "a fortnight from today", "a week tomorrow"."""
    match = _AHEAD.search(words)
    if "this time next week" in words:
        return 7
    if match is None or "day after" in words or not (match["end"] or words.startswith("in ")):
        return 0
    many = (match["many"] or "a").removeprefix("a ")
    count = int(many) if many.isdigit() else 3 if many == "few" else 1
    return count * {"day": 1, "week": 7, "fortnight": 14}[match["unit"]] + ("tomorrow" in words)


def _named_day(words: str, weekday: int, today: date) -> date:
    ahead = (weekday - today.weekday()) % 7
    if re.search(r"week on|\w week$", words) and "next" not in words:
        return today + timedelta(days=(ahead or 7) + 7)
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
    dated = re.search(r"(\d+)(?: / (\d+))?", words)
    month = re.search(_MONTH, words)
    named = MONTHS[int(dated[2]) - 1] if dated and dated[2] else month[0] if month else None
    return _calendar_day(int(dated[1]), named, today) if dated else None


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


def period_of(words: str, today: date) -> Period | None:
    for spoken, counted in (("fortnight", "2 weeks"), ("quarter", "3 months"), ("half year", "6 months")):
        words = words.replace(spoken, counted)
    if match := re.search(r"(?:last|past|previous) (\d+|few|couple) (day|week|month|year)", words):
        count = int(match[1]) if match[1].isdigit() else {"few": 3, "couple": 2}[match[1]]
        return last_days(count, match[2], today)
    if unit := re.search(r"\b(week|month|year)\b|so far$", words):
        before = bool(re.search("last|past|previous", words))
        first, last = _stretch(unit[1] or "week", today, before=before)
        return Period(f"{'last' if before else 'this'}_{unit[1] or 'week'}", first, last)
    if re.search(r"all time|the past$", words):
        return Period("all")
    if re.search(r"recent|late|these days", words):
        return last_days(14, "day", today)
    month = re.search(rf"^\w+ ({_MONTH})$", words)
    return (_whole_month(month[1], today) if month else None) or _that_day(words, today)


def _that_day(words: str, today: date) -> Period | None:
    """Looking back, a named day is the one that was."""
    found = _day(f"last {words}" if re.search(rf"\b{_DAY}\b", words) else words, today)
    if found is None:
        return None
    ago = (today - found[0]).days
    return Period({0: "today", 1: "yesterday"}.get(ago, "day"), found[0], found[1] or found[0])


def _whole_month(name: str, today: date) -> Period | None:
    """A month by its name: this one, or the one before; of others nobody asks."""
    number = next(at for at, month in enumerate(MONTHS, start=1) if month.startswith(name[:3]))
    ago = (today.month - number) % 12
    if ago > 1:
        return None
    first, last = _stretch("month", today, before=bool(ago))
    return Period("last_month" if ago else "this_month", first, last)


def last_days(count: int, unit: str, today: date) -> Period:
    days = min(count * {"day": 1, "week": 7, "month": 30, "year": 365}[unit], 3650)
    return Period(f"last_{days}_days", today - timedelta(days=days), today)


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
