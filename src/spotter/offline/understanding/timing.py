"""When, for which time, and which of the plans."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from spotter.offline.understanding.dates import last_days, period_of, when_of
from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.moving import shifted_by
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.slots import Period, When
from spotter.offline.understanding.tags import Kind, Tag
from spotter.offline.understanding.text import fold

_DATED: Final = frozenset(
    {Intent.SCHEDULE, Intent.RESCHEDULE, Intent.CANCEL_SCHEDULED, Intent.LIST_SCHEDULE, Intent.SET_PREFERENCE}
)
_LOOKING_BACK: Final = frozenset(
    {Intent.HISTORY, Intent.PROGRESS, Intent.STATS, Intent.GOAL_PROGRESS, Intent.LOG}
)
_HABIT: Final = pattern("filling.habit")
_TO: Final = pattern("filling.to")


def when_in(line: Line, wanted: frozenset[Intent], table: Table, now: datetime) -> When | None:
    if not wanted & _DATED or (wanted & _DATED == {Intent.SET_PREFERENCE} and not _HABIT.search(line.text)):
        return None
    tags = line.tags(Kind.DATE, Kind.PERIOD)
    if Intent.RESCHEDULE in wanted:
        target = [tag for match in _TO.finditer(line.text) for tag in line.tags_in(match, Kind.DATE)]
        if moved := shifted_by(line, scheduled_in(line, wanted, table, now), table):
            return moved
        shifted = re.search(r"\b(?:later|earlier)\b", line.text)
        tags = target or ([] if shifted else _newest(_not_theirs(tags, line, table, now)))
        if tags and all(tag.value.startswith("clock:") for tag in tags):
            return _same_day(when_of(tags, now, line.tokens), scheduled_in(line, wanted, table, now), table)
    elif Intent.CANCEL_SCHEDULED in wanted or not line.has(Kind.DATE):
        tags = [tag for tag in tags if tag.kind is Kind.DATE or Intent.LIST_SCHEDULE in wanted]
    else:
        tags = line.tags(Kind.DATE)
    return when_of(tags, now, line.tokens)


def _newest(tags: list[Tag]) -> list[Tag]:
    """The last day that is said, and the last hour."""
    hours = [tag for tag in tags if tag.value.startswith("clock:")]
    return [*[tag for tag in tags if tag not in hours][-1:], *hours[-1:]]


def _same_day(when: When | None, meant: tuple[str, ...], table: Table) -> When | None:
    """Only an hour: the day stays."""
    days = {plan.day for plan in table.scheduled if plan.id in meant}
    return replace(when, day=days.pop() if len(days) == 1 else None) if when else None


def _one_day(tag: Tag) -> Tag:
    """ "Saturdays no good" is said of one Saturday, where there is a plan for it."""
    return replace(tag, value=tag.value.replace("every:", "day:", 1))


def _not_theirs(tags: list[Tag], line: Line, table: Table, now: datetime) -> list[Tag]:
    """Without the days that only say which workout is meant."""
    days = {item.day for item in table.scheduled}
    return [
        tag for tag in tags if not ((when := when_of([_one_day(tag)], now, line.tokens)) and when.day in days)
    ]


def period_in(line: Line, wanted: frozenset[Intent], now: datetime) -> Period | None:
    if not wanted & _LOOKING_BACK:
        return None
    for tag in line.tags(Kind.PERIOD, Kind.DATE):
        kind, _, words = tag.value.partition(":")
        if words == "these days" and Intent.STATS in wanted:
            continue
        if kind in {"period", "day"} and (found := period_of(words, now.date())):
            # What is logged without a day was done today.
            return None if found.name == "today" and wanted & _LOOKING_BACK == {Intent.LOG} else found
    if Intent.LOG in wanted:
        return None
    if match := _SO_LONG.search(line.text):
        return last_days(int(match["many"]), match["unit"], now.date())
    return Period("all") if _EVER.search(line.text) else None


_SO_LONG: Final = re.compile(
    r"\b(?P<many>\d+)(?:/NUM)? (?P<unit>day|week|month|year)s?\b(?! (?:in a row|ago|running))"
)
_EVER: Final = re.compile(
    r"\b(?:ever|since forever|lifetime|in my life|day one|of all time|(?:from|since) (?:the )?(?:beginning|start)"
    r"|since i (?:started|began|joined))\b"
)


def scheduled_in(line: Line, wanted: frozenset[Intent], table: Table, now: datetime) -> tuple[str, ...]:
    if not wanted & {Intent.RESCHEDULE, Intent.CANCEL_SCHEDULED}:
        return ()
    targets = [tag for match in _TO.finditer(line.text) for tag in line.tags_in(match, Kind.DATE)]
    if Intent.CANCEL_SCHEDULED in wanted:
        targets = []
    days = [
        when.day
        for tag in line.tags(Kind.DATE)
        if tag not in targets and (when := when_of([_one_day(tag)], now, line.tokens)) and when.day
    ]
    words = {fold(part) for unit in line.units for part in unit.word.split("_")}
    if Intent.CANCEL_SCHEDULED in wanted and _BOTH.search(line.text.replace("_", " ")):
        return tuple(item.id for item in table.scheduled)
    by_day = tuple(item.id for item in table.scheduled if item.day in days)
    by_title = tuple(item.id for item in table.scheduled if words & (_title_words(item.title) - _SAID_OF_ALL))
    found = by_day or by_title
    return found or (tuple(item.id for item in table.scheduled) if len(table.scheduled) == 1 else ())


_BOTH: Final = re.compile(
    r"\b(?:both|either|neither|everything|them all|all of (?:it|them|those)|the lot|all (?:my )?sessions)\b"
)
_SAID_OF_ALL: Final = frozenset({"workout", "session", "training", "day", "body", "the", "and", "my", "for"})


def _title_words(title: str) -> set[str]:
    return {fold(word) for word in re.findall(r"[a-z]+", title.lower())}
