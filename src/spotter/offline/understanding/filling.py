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
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.references import by_name, by_place
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
_ON_THE_TABLE: Final = frozenset(
    {
        Intent.SWAP,
        Intent.REMOVE,
        Intent.EASIER,
        Intent.HARDER,
        Intent.ADJUST,
        Intent.LOG,
        Intent.WHY,
        Intent.EXPLAIN,
        Intent.SUGGEST,
        Intent.LESS_OF,
        Intent.MORE_OF,
        Intent.TIMER,
    }
)
_TASTY: Final = frozenset(
    {Intent.CREATE, Intent.SET_PREFERENCE, Intent.SHORTER, Intent.LONGER, Intent.SCHEDULE}
)

_CARRY: Final = frozenset(
    {Intent.EASIER, Intent.HARDER, Intent.SWAP, Intent.REMOVE, Intent.ADJUST, Intent.EXPLAIN}
)
_ABOUT_PAIN: Final = frozenset({Intent.REPORT_INJURY, Intent.INJURY_BETTER})

_CHANGE: Final = pattern("filling.change")
_QUICK: Final = pattern("filling.quick")
_INTO: Final = pattern("filling.into")
_INSTEAD: Final = pattern("filling.instead")
_PLACE_OF: Final = pattern("filling.place_of")
_EXCEPT: Final = pattern("filling.except")
_PRONOUN: Final = re.compile(r"\b(?:it|that|this|them|those|these|one)\b")
_REPEAT: Final = pattern("filling.repeat")
_HABIT: Final = pattern("filling.habit")
_TO: Final = pattern("filling.to")


def fill(
    line: Line, intents: Sequence[Intent], table: Table, now: datetime, carried: str | None = None
) -> Slots:
    """`carried`: what an earlier clause of the same message was about."""
    wanted = frozenset(intents)
    injuries, sore = pain_in(line)
    hurt = _hurt_tags(line, injuries, sore)
    tasty = bool(wanted & _TASTY) or not wanted
    unwanted = unwanted_tags(line) if tasty else set()
    aside = hurt | unwanted
    logs = tuple(logs_in(line)) if Intent.LOG in wanted else ()
    stated = Intent.SET_GOAL in wanted
    references, left_out, instead = _references(line, wanted, table)
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
        equipment=Equipment() if Intent.LOG in wanted else equipment_in(line),
        injuries=tuple(injuries),
        sore=tuple(sore),
        conditions=_values(line, Kind.CONDITION, set()),
        goals=tuple(goals_in(line, stated=stated)) if stated or Intent.CREATE in wanted or not wanted else (),
        level=_first(line, Kind.LEVEL),
        intensity=_first(line, Kind.INTENSITY),
        location=_place(line),
        tastes=tuple(tastes_in(line, hurt)) if tasty else (),
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
        repeat=Intent.CREATE in wanted and bool(_REPEAT.search(line.text)),
    )


def _at_the_table(log: SetLog, table: Table) -> SetLog:
    """ "Rows 3x12" said over dumbbell rows are dumbbell rows."""
    if log.exercise is None:
        return log
    ids = by_name(log.exercise, log.exercise.replace("_", " "), table.workout)
    meant = {item.exercise for item in table.workout if item.id in ids and item.exercise}
    return replace(log, exercise=meant.pop()) if len(meant) == 1 else log


def mentioned(line: Line, table: Table) -> str | None:
    """The last thing on the table that a clause names."""
    found = [each for tag in line.tags(Kind.EXERCISE, Kind.REF) for each in _ids(line, tag, table)]
    return found[-1] if found else None


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
    if len(numbers) == 1 and wanted & {Intent.SHORTER, Intent.LONGER} and 5 <= numbers[0].amount <= 180:
        return Duration(round(numbers[0].amount), span=line.span_of(numbers[0]))
    if (not wanted or wanted & {Intent.CREATE, Intent.SCHEDULE}) and _QUICK.search(text):
        return Duration(15)
    return None


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
    elif Intent.CANCEL_SCHEDULED in wanted or not line.has(Kind.DATE):
        tags = [tag for tag in tags if tag.kind is Kind.DATE or Intent.LIST_SCHEDULE in wanted]
    else:
        tags = line.tags(Kind.DATE)
    return when_of(tags, now, line.tokens)


def _not_theirs(tags: list[Tag], line: Line, table: Table, now: datetime) -> list[Tag]:
    """Without the days that only say which workout is meant."""
    days = {item.day for item in table.scheduled}
    return [tag for tag in tags if not ((when := when_of([tag], now, line.tokens)) and when.day in days)]


def _period(line: Line, wanted: frozenset[Intent], now: datetime) -> Period | None:
    if not wanted & _LOOKING_BACK:
        return None
    for tag in line.tags(Kind.PERIOD, Kind.DATE):
        kind, _, words = tag.value.partition(":")
        if kind in {"period", "day"} and (found := period_of(words, now.date())):
            return found
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
        if tag not in targets and (when := when_of([tag], now, line.tokens)) and when.day
    ]
    words = {fold(part) for unit in line.units for part in unit.word.split("_")}
    by_day = tuple(item.id for item in table.scheduled if item.day in days)
    by_title = tuple(item.id for item in table.scheduled if words & (_title_words(item.title) - _SAID_OF_ALL))
    found = by_day or by_title
    return found or (tuple(item.id for item in table.scheduled) if len(table.scheduled) == 1 else ())


_SAID_OF_ALL: Final = frozenset({"workout", "session", "training", "day", "body", "the", "and", "my", "for"})


def _title_words(title: str) -> set[str]:
    return {fold(word) for word in re.findall(r"[a-z]+", title.lower())}


def _references(
    line: Line, wanted: frozenset[Intent], table: Table
) -> tuple[tuple[Reference, ...], tuple[str, ...], str | None]:
    """What is meant, what is excepted, and what comes in."""
    if not wanted & _ON_THE_TABLE:
        return (), (), None
    incoming = _incoming(line) if Intent.SWAP in wanted else None
    excepted: list[Tag] = []
    if wanted & {Intent.LOG, Intent.REMOVE}:
        for match in _EXCEPT.finditer(line.text):
            excepted += line.tags_in(match, Kind.REF, Kind.EXERCISE)
    left_out = tuple(dict.fromkeys(each for tag in excepted for each in _ids(line, tag, table)))
    found: list[Reference] = []
    for tag in line.tags(Kind.REF, Kind.EXERCISE):
        if tag in excepted or tag is incoming:
            continue
        ids = tuple(each for each in _ids(line, tag, table) if each not in left_out)
        if ids:
            found.append(
                Reference(
                    ids, " ".join(token.word for token in line.tokens[tag.first : tag.end]), line.span_of(tag)
                )
            )
    meant = not line.has(Kind.REF, Kind.EXERCISE) or (incoming is not None and not found)
    if (
        not found
        and meant
        and table.focus
        and not wanted <= {Intent.LOG, Intent.MORE_OF, Intent.LESS_OF}
        and _PRONOUN.search(line.text)
    ):
        found.append(Reference((table.focus,), "it"))
    return tuple(found), left_out, incoming.value if incoming else None


def _ids(line: Line, tag: Tag, table: Table) -> tuple[str, ...]:
    if tag.kind is Kind.REF:
        return by_place(tag.value, table.workout, table.focus)
    spoken = " ".join(token.word for token in line.tokens[tag.first : tag.end])
    return by_name(tag.value, spoken, table.workout)


def _incoming(line: Line) -> Tag | None:
    outgoing = {tag for match in _PLACE_OF.finditer(line.text) for tag in line.tags_in(match)}
    exercises = [tag for tag in line.tags(Kind.EXERCISE) if tag not in outgoing]
    if match := _INSTEAD.search(line.text):
        return next(iter(line.tags_in(match, Kind.EXERCISE)), None)
    if outgoing and exercises:
        return exercises[-1]
    others = line.tags(Kind.EXERCISE, Kind.REF)
    for match in _INTO.finditer(line.text):
        tag = next(iter(line.tags_in(match, Kind.EXERCISE)), None)
        pronoun = _PRONOUN.search(line.text[: match.start()])
        if tag and tag in exercises and (others.index(tag) > 0 or pronoun):
            return tag
    return None
