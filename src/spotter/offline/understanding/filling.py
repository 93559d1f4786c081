"""The slots of a clause, once it is known what the clause is for."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from spotter.offline.understanding.adjusting import adjustments_in, timer_in
from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.injuries import muscles_of, pain_in
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.kit import equipment_in
from spotter.offline.understanding.lengths import duration_in
from spotter.offline.understanding.pointing import ON_THE_TABLE, references_in
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.references import by_name
from spotter.offline.understanding.setlogs import EACH_SIDE, logs_in
from spotter.offline.understanding.slots import (
    Equipment,
    Injury,
    Reference,
    SetLog,
    Slots,
    Taste,
)
from spotter.offline.understanding.tags import Kind, Tag
from spotter.offline.understanding.timing import period_in, scheduled_in, when_in
from spotter.offline.understanding.wishes import goals_in, lasting_in, tastes_in, unwanted_tags

_TASTY: Final = frozenset(
    {Intent.CREATE, Intent.SET_PREFERENCE, Intent.SHORTER, Intent.LONGER, Intent.SCHEDULE}
)

_CARRY: Final = frozenset(
    {Intent.EASIER, Intent.HARDER, Intent.SWAP, Intent.REMOVE, Intent.ADJUST, Intent.EXPLAIN}
)
_ABOUT_PAIN: Final = frozenset({Intent.REPORT_INJURY, Intent.INJURY_BETTER})

# What is named beside these is a reason, not what is to be trained.
_NO_FOCUS: Final = frozenset(
    {
        Intent.REMOVE,
        Intent.SHORTER,
        Intent.LONGER,
        Intent.ADJUST,
        Intent.THANKS,
        Intent.INJURY_BETTER,
        Intent.DELETE_PREFERENCE,
    }
)
_NO_KIT: Final = frozenset(
    {
        Intent.LOG,
        Intent.HISTORY,
        Intent.PROGRESS,
        Intent.STATS,
        Intent.DELETE_PREFERENCE,
        Intent.TIMER,
        Intent.WHY,
        *(
            Intent.SET_GOAL,
            Intent.GOAL_PROGRESS,
            Intent.LIST_SCHEDULE,
            Intent.RESCHEDULE,
            Intent.CANCEL_SCHEDULED,
        ),
        *(
            Intent.SMALL_TALK,
            Intent.HELP,
            Intent.THANKS,
            Intent.GREETING,
            Intent.EXPLAIN,
            Intent.INJURY_BETTER,
        ),
    }
)
_HAVING: Final = re.compile(
    r"\b(?:with|using|use|have|got|own|only|no|without|bodyweight|on (?:a|the|my)|on \S+/EQUIP|via)\b"
    r"|\S+/EQUIP (?:version|variation|variant|one|based|exercise|move|alternative|thing|instead)\b"
)
_AGAIN: Final = re.compile(
    r"\b(?:repeat|redo|rerun|once more|one more time|last time|previous|the usual|my usual|same)\b|yesterday"
    r"|\blast_\w+/PERIOD|\bover again\b|\bagain(?:$| ?[,.!?]| please| but| for| with| today)"
    r"|(?:^|\b(?:it|that|this|one|session|workout|day|routine|them|those|please|do|time)\S* )again\b"
)
_SURELY: Final = re.compile(
    r"\b(?:repeat|redo|rerun|one more time|once more|over again|what(?:ever)? (?:i|we) did)\b|\bsame \S+ (?:as|down)\b"
)
_UNLIKE: Final = re.compile(
    r"\b(?:all the same|different|not|new|else|other|fresh|change|sore|dead|fried|after|from|hurt|since|ages|years|"
    r"months|ease|into|start|skipped|missed|delayed|late|back at it|here|raining|off|stuck)\b"
)

_REPEAT: Final = pattern("filling.repeat")


def fill(
    line: Line,
    intents: Sequence[Intent],
    table: Table,
    now: datetime,
    carried: str | None = None,
    message: Line | None = None,
) -> Slots:
    """`carried`: what an earlier clause of the same message was about."""
    wanted = frozenset(intents)
    injuries, sore = pain_in(
        line,
        told=bool(wanted & _ABOUT_PAIN),
        healed=wanted & _ABOUT_PAIN == {Intent.INJURY_BETTER},
        message=message,
    )
    hurt = _hurt_tags(line, injuries, sore)
    tasty = bool(wanted & _TASTY) or not wanted
    unwanted = unwanted_tags(line) if tasty else set()
    logs = tuple(logs_in(line, message)) if Intent.LOG in wanted else ()
    stated = bool(wanted & {Intent.SET_GOAL, Intent.GOAL_PROGRESS})
    references, left_out, instead = references_in(line, wanted, table)
    if carried and not references and wanted & _CARRY and not line.has(Kind.EXERCISE, Kind.REF):
        references = (Reference((carried,)),)
    logs = tuple(_at_the_table(log, table, _named_before(log, references) or carried) for log in logs)
    scheduled = scheduled_in(line, wanted, table, now)
    aside = hurt | unwanted | _beside_the_point(line, wanted, scheduled=bool(scheduled))
    tastes = tuple(tastes_in(line, hurt, stated=Intent.SET_PREFERENCE in wanted)) if tasty else ()
    return Slots(
        duration=duration_in(line, wanted, table, now),
        regions=_values(line, Kind.REGION, aside),
        splits=_values(line, Kind.SPLIT, aside),
        muscles=()
        if stated
        else tuple(
            dict.fromkeys(m for tag in line.tags(Kind.MUSCLE) if tag not in aside for m in muscles_of(tag))
        ),
        patterns=tuple(dict.fromkeys((*_values(line, Kind.PATTERN, aside), *_trained(line, wanted)))),
        exercises=tuple(v for v in _values(line, Kind.EXERCISE, unwanted) if v != instead),
        equipment=_equipment(line, wanted, message, tastes),
        injuries=tuple(injuries),
        sore=tuple(sore),
        conditions=_values(line, Kind.CONDITION, set()),
        goals=tuple(goals_in(line, stated=stated))
        if stated or wanted & {Intent.CREATE, Intent.SCHEDULE} or not wanted
        else (),
        level=None if wanted and wanted <= ON_THE_TABLE else _level(line),
        intensity=_first(line, Kind.INTENSITY) or _effort(line),
        location=_place(line),
        tastes=tastes,
        lasting=lasting_in(line) if wanted & {Intent.SET_PREFERENCE, Intent.REPORT_INJURY} else None,
        when=when_in(line, wanted, table, now),
        period=period_in(line, wanted, now),
        references=references,
        left_out=left_out,
        logs=logs,
        adjustments=tuple(adjustments_in(line)) if Intent.ADJUST in wanted else (),
        timer=timer_in(line) if Intent.TIMER in wanted else None,
        scheduled=scheduled,
        instead=instead,
        repeat=bool(wanted & {Intent.CREATE, Intent.SCHEDULE}) and _repeats(line),
    )


def _beside_the_point(line: Line, wanted: frozenset[Intent], *, scheduled: bool) -> set[Tag]:
    """Parts of the body that are named, but are not what is to be trained."""
    found: set[Tag] = set()
    if Intent.LOG in wanted:
        # "Each leg" says how it was counted.
        found |= {tag for match in EACH_SIDE.finditer(line.text) for tag in line.tags_in(match)}
    explained = wanted <= {Intent.EXPLAIN, Intent.WHY} and line.has(Kind.EXERCISE, Kind.REF)
    if scheduled or (wanted and (explained or wanted <= _ABOUT_PAIN)):
        found |= set(line.tags(Kind.MUSCLE, Kind.REGION, Kind.SPLIT, Kind.PATTERN))
    if wanted and wanted <= _NO_FOCUS:
        found |= set(line.tags(Kind.MUSCLE, Kind.REGION, Kind.SPLIT))
    if wanted & {Intent.SET_GOAL, Intent.GOAL_PROGRESS}:
        found |= set(line.tags(Kind.REGION))
    return found


def _named_before(log: SetLog, references: Sequence[Reference]) -> str | None:
    """ "The third one 10, 10, 8"."""
    named = [
        each.ids[0]
        for each in references
        if len(each.ids) == 1 and each.span and log.span and each.span.start < log.span.start
    ]
    return named[-1] if named else None


def _at_the_table(log: SetLog, table: Table, carried: str | None) -> SetLog:
    """ "Rows 3x12" said over dumbbell rows are dumbbell rows; without a name, what was spoken of before is meant."""
    if log.exercise is None:
        before = next((item.exercise for item in table.workout if item.id == carried), "")
        return replace(log, exercise=before or None)
    ids = by_name(log.exercise, log.exercise.replace("_", " "), table.workout)
    meant = {item.exercise for item in table.workout if item.id in ids and item.exercise}
    return replace(log, exercise=meant.pop()) if len(meant) == 1 else log


def _repeats(line: Line) -> bool:
    """Asked for a workout, whoever speaks of an earlier one wants that again, unless something new is meant."""
    text = line.text
    if _REPEAT.search(text) or (_SURELY.search(text) and not re.search(r"\b(?:not|different|never)\b", text)):
        return True
    return bool(_AGAIN.search(text)) and not _UNLIKE.search(text)


def _equipment(
    line: Line, wanted: frozenset[Intent], message: Line | None, tastes: Iterable[Taste]
) -> Equipment:
    """Beside a change of what is on the table, a thing is only named; to have it must be said."""
    if wanted and wanted <= _NO_KIT:
        return Equipment()
    found = equipment_in(line, message)
    disliked = {taste.value for taste in tastes if taste.kind == "equipment" and not taste.wanted}
    if disliked & set(found.available):
        kept = tuple(item for item in found.available if item not in disliked)
        found = replace(
            found, available=kept, without=(*found.without, *sorted(disliked & set(found.available)))
        )
    if wanted == {Intent.SUGGEST}:
        return found
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


def _unless_denied(line: Line, kind: Kind) -> list[str]:
    """Not the place they say they are not at, nor the level they have left behind."""
    found = []
    for at, unit in enumerate(line.units):
        before = set[str]()
        for other in line.units[max(0, at - 3) : at]:
            before = set() if other.word in _STOPS else before | {other.word}
        if unit.tag and unit.tag.kind is kind and not before & _DENIALS:
            found.append(unit.tag.value)
    return found


_STOPS: Final = frozenset({",", ".", ";", "!", "?", "-"})
_DENIALS: Final = frozenset(
    {"lied", "no", "not", "without", "never", "from", "longer", "past", "closed", "skip", "instead", "beyond"}
)


def _level(line: Line) -> str | None:
    return next(iter(_unless_denied(line, Kind.LEVEL)), None)


def _place(line: Line) -> str | None:
    """A hotel says more than being away."""
    found = _unless_denied(line, Kind.PLACE)
    return next((place for place in found if place != "travel"), found[0] if found else None)


def _trained(line: Line, wanted: frozenset[Intent]) -> list[str]:
    """ "Ten minutes of mobility": here the quality is what is done."""
    if not wanted & {Intent.CREATE, Intent.SCHEDULE, Intent.SUGGEST, Intent.MORE_OF}:
        return []
    return [tag.value for tag in line.tags(Kind.GOAL) if tag.value == "mobility"]
