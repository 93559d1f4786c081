"""What is looked at in a stretch of words: words, what they are tagged as, concepts, neighbours, and the table."""

import itertools
import re
from collections.abc import Container, Iterator, Sequence
from typing import Final

from spotter.offline.understanding.data import phrases
from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.reading import Line, Unit
from spotter.offline.understanding.tags import Kind

_CONCEPTS: Final[dict[str, list[str]]] = {}
for _name, (_listed,) in phrases("concepts", "concepts"):
    for _word in _listed.split():
        _CONCEPTS.setdefault(_word, []).append(_name)

# A name is a name, whichever: only that there is one counts.
_NAMELESS: Final = frozenset(
    {Kind.EXERCISE, Kind.NUM, Kind.SETS, Kind.NSETS, Kind.REPS, Kind.WEIGHT, Kind.DUR, Kind.DIST, Kind.RPE}
    | {Kind.PERCENT, Kind.EQUIP, Kind.BODY, Kind.MUSCLE, Kind.CONDITION}
)
_NOW: Final = re.compile(r"day:(?:today|tonight|this (?:morning|evening|afternoon)|later today|now)")
_BEFORE: Final = re.compile(r"day:(?:yesterday|last \w+|the other day)")
_LONG_WORD: Final = 5
_STEM: Final = 4


def features_of(line: Line, table: Table, known: Container[str]) -> list[str]:
    """`known`: the words there are weights for; how many others there are says whether this is ours at all."""
    units = [unit for unit in line.units if unit.tag or unit.word[:1].isalnum() or unit.word == "?"]
    items = [_item(unit) for unit in units]
    found = [f"t:{mark}" for mark in _marks(table)]
    found.append(f"n:{_size(len(items))}")
    found += _words(units, items, table, known)
    found += _neighbours(items)
    return list(dict.fromkeys(found))


def _item(unit: Unit) -> str:
    if unit.tag is None:
        return unit.word
    if unit.tag.kind is Kind.DATE:
        return "DATE:" + _time(unit.tag.value)
    return str(unit.tag.kind)


def _time(value: str) -> str:
    if _NOW.match(value):
        return "now"
    if _BEFORE.match(value):
        return "before"
    return value.partition(":")[0]


def _marks(table: Table) -> Iterator[str]:
    if table.workout:
        yield "workout"
    if table.scheduled:
        yield "scheduled"
    if table.question:
        yield "question"
    if not (table.workout or table.scheduled or table.question):
        yield "nothing"
    if table.last:
        yield f"last={table.last}"


def _size(count: int) -> str:
    return str(count) if count < 4 else "4-6" if count < 7 else "7-11" if count < 12 else "12"


def _words(units: Sequence[Unit], items: Sequence[str], table: Table, known: Container[str]) -> Iterator[str]:
    strangers = 0
    at_workout = bool(table.workout)
    for unit, item in zip(units, items, strict=True):
        yield f"w:{item}"
        if at_workout:
            yield f"W:{item}"
        if unit.tag is None:
            if unit.word.isalpha() and len(unit.word) > 1 and unit.word not in known:
                strangers += 1
            if len(unit.word) >= _LONG_WORD:
                yield f"p:{unit.word[:_STEM]}"
            yield from (f"c:{name}" for name in _CONCEPTS.get(unit.word, ()))
        elif unit.tag.kind not in _NAMELESS:
            for word in unit.word.split("_"):
                yield f"v:{word}"
    yield f"s:{min(strangers, 3)}"
    if items:
        yield f"a:{'tagged' if any(unit.tag for unit in units) else 'plain'}"


def _neighbours(items: Sequence[str]) -> Iterator[str]:
    edged = ["^", *items, "$"]
    for one, two in itertools.pairwise(edged):
        yield f"{one} {two}"
        for left in _CONCEPTS.get(one, ()):
            yield f"c:{left} {two}"
        for right in _CONCEPTS.get(two, ()):
            yield f"{one} c:{right}"
    for one, two, three in zip(edged, edged[1:], edged[2:], strict=False):
        yield f"{one} {two} {three}"
        yield f"{one} _ {three}"
        for left in _CONCEPTS.get(one, ()):
            for right in _CONCEPTS.get(three, ()):
                yield f"c:{left} _ c:{right}"
