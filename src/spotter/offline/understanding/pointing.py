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
_PRONOUN: Final = re.compile(r"\b(?:it|that|this|them|those|these|one)\b")


def mentioned(line: Line, table: Table) -> str | None:
    """The last thing on the table that a clause names."""
    found = [each for tag in line.tags(Kind.EXERCISE, Kind.REF) for each in _ids(line, tag, table)]
    return found[-1] if found else None


def references_in(
    line: Line, wanted: frozenset[Intent], table: Table
) -> tuple[tuple[Reference, ...], tuple[str, ...], str | None]:
    """What is meant, what is excepted, and what comes in."""
    if not wanted & ON_THE_TABLE:
        return (), (), None
    incoming = _incoming(line) if Intent.SWAP in wanted else None
    excepted: list[Tag] = []
    if wanted & {Intent.LOG, Intent.REMOVE}:
        for match in (_EXCEPT if Intent.LOG in wanted else _ALL_BUT).finditer(line.text):
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
    if not found and wanted & {Intent.SWAP, Intent.REMOVE} and not line.has(Kind.REF, Kind.EXERCISE):
        found += _by_numbers(line, table)
    meant = not line.has(Kind.REF, Kind.EXERCISE) or (incoming is not None and not found)
    if not found and not incoming and (named := by_stem(_loose_words(line), table.workout)):
        found.append(Reference(named, "by its name"))
    if (
        not found
        and meant
        and table.focus
        and not wanted <= {Intent.LOG, Intent.MORE_OF, Intent.LESS_OF}
        and _PRONOUN.search(line.text)
    ):
        found.append(Reference((table.focus,), "it"))
    return tuple(found), left_out, incoming.value if incoming else None


def _by_numbers(line: Line, table: Table) -> list[Reference]:
    """ "Swap 2 and 4"."""
    places = [round(tag.amount) for tag in line.tags(Kind.NUM)]
    if not places or not all(1 <= place <= len(table.workout) for place in places):
        return []
    return [Reference((table.workout[place - 1].id,), f"number {place}") for place in places]


def _loose_words(line: Line) -> list[str]:
    """Words that are no name, and may still be one: "planking"."""
    return [
        unit.word for unit in line.units if unit.tag is None or unit.tag.kind in {Kind.PATTERN, Kind.SPLIT}
    ]


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
