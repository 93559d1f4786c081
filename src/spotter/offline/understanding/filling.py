"""The slots of a clause, once it is known what the clause is for."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from spotter.offline.understanding.dates import period_of, when_of
from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.injuries import muscles_of, pain_in
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.kit import equipment_in
from spotter.offline.understanding.pointing import ON_THE_TABLE, references_in
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.references import by_name
from spotter.offline.understanding.setlogs import adjustments_in, logs_in, timer_in
from spotter.offline.understanding.slots import (
    Direction,
    Duration,
    Equipment,
    Injury,
    Period,
    Reference,
    SetLog,
    Slots,
    When,
)
from spotter.offline.understanding.tags import Kind, Tag
from spotter.offline.understanding.text import fold
from spotter.offline.understanding.wishes import goals_in, lasting_in, tastes_in, unwanted_tags

_PLANNING: Final = frozenset(
    {Intent.CREATE, Intent.SHORTER, Intent.LONGER, Intent.SET_PREFERENCE, Intent.SCHEDULE}
)
_DATED: Final = frozenset(
    {Intent.SCHEDULE, Intent.RESCHEDULE, Intent.CANCEL_SCHEDULED, Intent.LIST_SCHEDULE, Intent.SET_PREFERENCE}
)
_LOOKING_BACK: Final = frozenset(
    {Intent.HISTORY, Intent.PROGRESS, Intent.STATS, Intent.GOAL_PROGRESS, Intent.LOG}
)
_TASTY: Final = frozenset(
    {Intent.CREATE, Intent.SET_PREFERENCE, Intent.SHORTER, Intent.LONGER, Intent.SCHEDULE}
)

_CARRY: Final = frozenset(
    {Intent.EASIER, Intent.HARDER, Intent.SWAP, Intent.REMOVE, Intent.ADJUST, Intent.EXPLAIN}
)
_ABOUT_PAIN: Final = frozenset({Intent.REPORT_INJURY, Intent.INJURY_BETTER})

_NO_KIT: Final = frozenset(
    {Intent.LOG, Intent.HISTORY, Intent.PROGRESS, Intent.STATS, Intent.DELETE_PREFERENCE, Intent.TIMER}
)
_HAVING: Final = re.compile(r"\b(?:with|using|use|have|got|own|only|no|without|bodyweight)\b")
_AGAIN: Final = re.compile(
    r"\b(?:again|repeat|redo|rerun|once more|last time|previous|the usual|my usual|same)\b|yesterday|/PERIOD"
)
_UNLIKE: Final = re.compile(
    r"\b(?:different|not|new|else|other|fresh|change|sore|dead|fried|after|from|hurt|since|ease|into|start|skipped|missed)\b"
)

_CHANGE: Final = pattern("filling.change")
_QUICK: Final = pattern("filling.quick")
_REPEAT: Final = pattern("filling.repeat")
_HABIT: Final = pattern("filling.habit")
_TO: Final = pattern("filling.to")


def fill(
    line: Line, intents: Sequence[Intent], table: Table, now: datetime, carried: str | None = None
) -> Slots:
    """`carried`: what an earlier clause of the same message was about."""
    wanted = frozenset(intents)
    injuries, sore = pain_in(
        line, told=bool(wanted & _ABOUT_PAIN), healed=wanted & _ABOUT_PAIN == {Intent.INJURY_BETTER}
    )
    hurt = _hurt_tags(line, injuries, sore)
    tasty = bool(wanted & _TASTY) or not wanted
    unwanted = unwanted_tags(line) if tasty else set()
    aside = hurt | unwanted
    logs = tuple(logs_in(line)) if Intent.LOG in wanted else ()
    stated = Intent.SET_GOAL in wanted
    references, left_out, instead = references_in(line, wanted, table)
    if carried and not references and wanted & _CARRY and not line.has(Kind.EXERCISE, Kind.REF):
        references = (Reference((carried,)),)
    logs = tuple(_at_the_table(log, table) for log in logs)
    scheduled = _scheduled(line, wanted, table, now)
    if scheduled or (wanted and wanted <= _ABOUT_PAIN):
        aside |= set(line.tags(Kind.MUSCLE, Kind.REGION, Kind.SPLIT, Kind.PATTERN))
    return Slots(
        duration=_duration(line, wanted, table),
        regions=_values(line, Kind.REGION, aside),
        splits=_values(line, Kind.SPLIT, aside),
        muscles=()
        if stated
        else tuple(
            dict.fromkeys(m for tag in line.tags(Kind.MUSCLE) if tag not in aside for m in muscles_of(tag))
        ),
        patterns=_values(line, Kind.PATTERN, aside),
        exercises=tuple(v for v in _values(line, Kind.EXERCISE, unwanted) if v != instead),
        equipment=_equipment(line, wanted),
        injuries=tuple(injuries),
        sore=tuple(sore),
        conditions=_values(line, Kind.CONDITION, set()),
        goals=tuple(goals_in(line, stated=stated)) if stated or Intent.CREATE in wanted or not wanted else (),
        level=None if wanted and wanted <= ON_THE_TABLE else _first(line, Kind.LEVEL),
        intensity=_first(line, Kind.INTENSITY) or _effort(line),
        location=_place(line),
        tastes=tuple(tastes_in(line, hurt, stated=Intent.SET_PREFERENCE in wanted)) if tasty else (),
        lasting=lasting_in(line) if wanted & {Intent.SET_PREFERENCE, Intent.REPORT_INJURY} else None,
        when=_when(line, wanted, table, now),
        period=_period(line, wanted, now),
        references=references,
        left_out=left_out,
        logs=logs,
        adjustments=tuple(adjustments_in(line)) if Intent.ADJUST in wanted else (),
        timer=timer_in(line) if Intent.TIMER in wanted else None,
        scheduled=scheduled,
        instead=instead,
        repeat=Intent.CREATE in wanted and _repeats(line),
    )


def _at_the_table(log: SetLog, table: Table) -> SetLog:
    """ "Rows 3x12" said over dumbbell rows are dumbbell rows."""
    if log.exercise is None:
        return log
    ids = by_name(log.exercise, log.exercise.replace("_", " "), table.workout)
    meant = {item.exercise for item in table.workout if item.id in ids and item.exercise}
    return replace(log, exercise=meant.pop()) if len(meant) == 1 else log


def _repeats(line: Line) -> bool:
    """Asked for a workout, whoever speaks of an earlier one wants that again, unless something new is meant."""
    text = line.text
    if _REPEAT.search(text):
        return True
    return bool(_AGAIN.search(text)) and not _UNLIKE.search(text)


def _equipment(line: Line, wanted: frozenset[Intent]) -> Equipment:
    """Beside a change of what is on the table, a thing is only named; to have it must be said."""
    if wanted and wanted <= _NO_KIT:
        return Equipment()
    found = equipment_in(line)
    if wanted and wanted <= ON_THE_TABLE and not _HAVING.search(line.text):
        return replace(found, available=())
    return found


def _hurt_tags(line: Line, injuries: Iterable[Injury], sore: Iterable[str]) -> set[Tag]:
    spans = {injury.span for injury in injuries}
    tired = set(sore)
    return {
        tag
        for tag in line.tags(Kind.MUSCLE, Kind.BODY, Kind.REGION)
        if line.span_of(tag) in spans or (tired and tired & set(muscles_of(tag)))
    }


def _values(line: Line, kind: Kind, aside: set[Tag]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag.value for tag in line.tags(kind) if tag not in aside))


def _first(line: Line, kind: Kind) -> str | None:
    return next((tag.value for tag in line.tags(kind)), None)


_EFFORTS: Final = {"easy": "low", "gentle": "low", "light": "low", "hard": "high"}


def _effort(line: Line) -> str | None:
    """ "20 easy minutes"."""
    words = [token.word for tag in line.tags(Kind.DUR) for token in line.tokens[tag.first : tag.end]]
    return next((_EFFORTS[word] for word in words if word in _EFFORTS), None)


def _place(line: Line) -> str | None:
    """Not the one they say they are not at."""
    for at, unit in enumerate(line.units):
        before = line.units[at - 1].word if at else ""
        if unit.tag and unit.tag.kind is Kind.PLACE and before not in {"no", "not", "without"}:
            return unit.tag.value
    return None


def _duration(line: Line, wanted: frozenset[Intent], table: Table) -> Duration | None:
    if wanted and not wanted & _PLANNING:
        return None
    text = line.text
    change = _CHANGE.search(text)
    for tag in line.tags(Kind.DUR):
        minutes, longest = round(tag.amount / 60), None if tag.high is None else round(tag.high / 60)
        if not 3 <= minutes <= 600 or _is_rest(line, tag):
            continue
        direction = None
        words = {token.word for token in line.tokens[tag.first : tag.end]}
        if words & {"more", "extra", "additional"}:
            direction = Direction.MORE
        elif words & {"fewer", "less"}:
            direction = Direction.LESS
        elif change and tag in line.tags_in(change) and not re.search(r"\bto \S+/DUR", text):
            direction = Direction.MORE if change["more"] else Direction.LESS
        return Duration(minutes, longest, direction, line.span_of(tag))
    numbers = line.tags(Kind.NUM)
    if len(numbers) == 2 and wanted & {Intent.SHORTER, Intent.LONGER}:
        # "20, not 30": the other one is how long it is now.
        numbers = [tag for tag in numbers if round(tag.amount) != table.minutes]
    if len(numbers) == 1 and wanted & {Intent.SHORTER, Intent.LONGER} and 5 <= numbers[0].amount <= 180:
        return Duration(round(numbers[0].amount), span=line.span_of(numbers[0]))
    if (not wanted or wanted & {Intent.CREATE, Intent.SCHEDULE}) and _QUICK.search(text):
        return Duration(15)
    return None


def new_minutes(line: Line, table: Table) -> int | None:
    """How long the workout should be, when that is said; not by how much longer or shorter."""
    found = _duration(line, frozenset({Intent.SHORTER}), table)
    return None if found is None or found.change else found.minutes


def _is_rest(line: Line, tag: Tag) -> bool:
    words = [unit.word for unit in line.units if tag.first - 3 <= unit.first < tag.end + 2]
    return "rest" in words or "ago" in words


def _when(line: Line, wanted: frozenset[Intent], table: Table, now: datetime) -> When | None:
    if not wanted & _DATED or (wanted & _DATED == {Intent.SET_PREFERENCE} and not _HABIT.search(line.text)):
        return None
    tags = line.tags(Kind.DATE, Kind.PERIOD)
    if Intent.RESCHEDULE in wanted:
        target = [tag for match in _TO.finditer(line.text) for tag in line.tags_in(match, Kind.DATE)]
        shifted = re.search(r"\b(?:later|earlier)\b", line.text)
        tags = target or ([] if shifted else _not_theirs(tags, line, table, now)[-1:])
        if tags and all(tag.value.startswith("clock:") for tag in tags):
            return _same_day(when_of(tags, now, line.tokens), _scheduled(line, wanted, table, now), table)
    elif Intent.CANCEL_SCHEDULED in wanted or not line.has(Kind.DATE):
        tags = [tag for tag in tags if tag.kind is Kind.DATE or Intent.LIST_SCHEDULE in wanted]
    else:
        tags = line.tags(Kind.DATE)
    return when_of(tags, now, line.tokens)


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


def _period(line: Line, wanted: frozenset[Intent], now: datetime) -> Period | None:
    if not wanted & _LOOKING_BACK:
        return None
    for tag in line.tags(Kind.PERIOD, Kind.DATE):
        kind, _, words = tag.value.partition(":")
        if kind in {"period", "day"} and (found := period_of(words, now.date())):
            # What is logged without a day was done today.
            return None if found.name == "today" and wanted & _LOOKING_BACK == {Intent.LOG} else found
    return None


def _scheduled(line: Line, wanted: frozenset[Intent], table: Table, now: datetime) -> tuple[str, ...]:
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
    by_day = tuple(item.id for item in table.scheduled if item.day in days)
    by_title = tuple(item.id for item in table.scheduled if words & (_title_words(item.title) - _SAID_OF_ALL))
    found = by_day or by_title
    return found or (tuple(item.id for item in table.scheduled) if len(table.scheduled) == 1 else ())


_SAID_OF_ALL: Final = frozenset({"workout", "session", "training", "day", "body", "the", "and", "my", "for"})


def _title_words(title: str) -> set[str]:
    return {fold(word) for word in re.findall(r"[a-z]+", title.lower())}
