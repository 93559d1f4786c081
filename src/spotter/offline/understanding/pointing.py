"""Which things on the table a clause is about, which are excepted, and what comes in."""

import re
from typing import Final

from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.references import by_name, by_place, by_stem
from spotter.offline.understanding.slots import Reference
from spotter.offline.understanding.tags import Kind, Tag

ON_THE_TABLE: Final = frozenset(
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

_INTO: Final = pattern("filling.into")
_INSTEAD: Final = pattern("filling.instead")
_PLACE_OF: Final = pattern("filling.place_of")
_EXCEPT: Final = pattern("filling.except")
_ALL_BUT: Final = pattern("filling.all_but")
_BESIDE: Final = re.compile(r"\b(?:one|exercise|thing|move) (before|after) (?:the |my )?$")
_OTHERS: Final = re.compile(r"^the (?:rest|others?|remaining)\b")
_STAYS: Final = re.compile(
    r"\b(?:with|keep) the_(?:rest|other)|the_(?:rest|other)\S* (?:can|is|are|stays?|not)\b"
)
_PRONOUN: Final = re.compile(r"\b(?:it|that|this|them|those|these|one)\b")


def mentioned(line: Line, table: Table) -> str | None:
    """The last thing on the table that a clause names."""
    found = [each for tag in line.tags(Kind.EXERCISE, Kind.REF) for each in _ids(line, tag, table)]
    return found[-1] if found else None


def references_in(
    line: Line, wanted: frozenset[Intent], table: Table
) -> tuple[tuple[Reference, ...], tuple[str, ...], str | None]:
    """What is meant, what is excepted, and what comes in."""
    if not wanted & (ON_THE_TABLE | {Intent.REPORT_INJURY}):
        return (), (), None
    incoming = (_incoming(line) or _stranger(line, table)) if Intent.SWAP in wanted else None
    excepted: list[Tag] = []
    if wanted & {Intent.LOG, Intent.REMOVE}:
        for match in (_EXCEPT if Intent.LOG in wanted else _ALL_BUT).finditer(line.text):
            excepted += line.tags_in(match, Kind.REF, Kind.EXERCISE, Kind.PATTERN)
    left_out = tuple(dict.fromkeys(each for tag in excepted for each in _ids(line, tag, table)))
    aside = {*excepted, *([incoming] if incoming else ())}
    found = _pointed_at(line, aside, set(left_out), wanted, table)
    if not found and wanted & {Intent.SWAP, Intent.REMOVE} and not line.has(Kind.REF, Kind.EXERCISE):
        found += _by_numbers(line, table)
    meant = not line.has(Kind.REF, Kind.EXERCISE) or (incoming is not None and not found)
    if not found and not incoming and (named := by_stem(_loose_words(line), table.workout)):
        found.append(Reference(named, "by its name"))
    if not found and meant and table.focus and _means_focus(line, wanted, table):
        found.append(Reference((table.focus,), "it"))
    return tuple(found), left_out, incoming.value if incoming else None


def _pointed_at(
    line: Line, aside: set[Tag], left_out: set[str], wanted: frozenset[Intent], table: Table
) -> list[Reference]:
    """By name and by place."""
    found: list[Reference] = []
    for tag in line.tags(Kind.REF, Kind.EXERCISE):
        if tag in aside or (found and _points_back(tag)):
            continue
        ids = [each for each in _ids(line, tag, table) if each not in left_out]
        if found and _OTHERS.search(tag.value):
            if _STAYS.search(line.text) or not wanted & {Intent.SWAP, Intent.EASIER, Intent.HARDER}:
                continue  # "skip the push-ups and crack on with the rest"
            named = {each for reference in found for each in reference.ids}
            ids, found = [item.id for item in table.workout if item.id not in named], []
        if ids:
            words = " ".join(token.word for token in line.tokens[tag.first : tag.end])
            found.append(Reference(tuple(ids), words, line.span_of(tag)))
    return found


def _points_back(tag: Tag) -> bool:
    """ "Number five, I don't like that one": the one just named."""
    return tag.kind is Kind.REF and bool(_PRONOUN.match(tag.value))


def _means_focus(line: Line, wanted: frozenset[Intent], table: Table) -> bool:
    """What was spoken of last, when a pronoun points at it, or nothing else can be meant."""
    if wanted <= {Intent.LOG, Intent.MORE_OF, Intent.LESS_OF, Intent.REPORT_INJURY}:
        return False
    if _PRONOUN.search(line.text) or wanted == {Intent.EXPLAIN}:
        return True
    return Intent.SWAP in wanted and table.last is Intent.SWAP


def _stranger(line: Line, table: Table) -> Tag | None:
    """Of two exercises in a swap, the one that is not on the table is the one to come in."""
    exercises = line.tags(Kind.EXERCISE)
    there = [tag for tag in exercises if _ids(line, tag, table)]
    others = [tag for tag in exercises if tag not in there]
    pointed = there or any(_ids(line, tag, table) for tag in line.tags(Kind.REF))
    return others[0] if table.workout and pointed and len(others) == 1 else None


def _by_numbers(line: Line, table: Table) -> list[Reference]:
    """ "Swap 2 and 4"."""
    places = [round(tag.amount) for tag in line.tags(Kind.NUM)]
    if not places or not all(1 <= place <= len(table.workout) for place in places):
        return []
    return [Reference((table.workout[place - 1].id,), f"number {place}") for place in places]


def _loose_words(line: Line) -> list[str]:
    """Words that are no name, and may still be one: "planking"."""
    return [
        unit.word
        for unit in line.units
        if unit.tag is None or unit.tag.kind in {Kind.PATTERN, Kind.SPLIT, Kind.EXERCISE}
    ]


def _ids(line: Line, tag: Tag, table: Table) -> tuple[str, ...]:
    if tag.kind is Kind.REF:
        return by_place(tag.value, table.workout, table.focus)
    spoken = " ".join(token.word for token in line.tokens[tag.first : tag.end])
    if tag.kind is Kind.PATTERN:
        return by_stem([spoken], table.workout)
    found = by_name(tag.value, spoken, table.workout) or by_stem([spoken], table.workout)
    beside = _BESIDE.search(line.text[: line.text.find(f"{line.tokens[tag.first].word}")])
    return by_place(f"one {beside[1]} it", table.workout, found[0]) if found and beside else found


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
