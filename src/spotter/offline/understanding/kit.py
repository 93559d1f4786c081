"""What there is to train with, and what there is not."""

from collections.abc import Iterator
from typing import Final

from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.reading import Line, Unit
from spotter.offline.understanding.slots import Equipment
from spotter.offline.understanding.tags import Kind, Tag

_NOTHING: Final = pattern("kit.nothing")
_WITHOUT: Final = pattern("kit.without")
_ONLY: Final = pattern("kit.only")
_ALL_BUT: Final = pattern("kit.all_but")
_ENDS: Final = frozenset(".!?;")


def equipment_in(clause: Line, message: Line | None = None) -> Equipment:
    """Of the things a clause names. What is said of them may stand in the clause before: "all I own is a band"."""
    own = {unit.first for unit in clause.units}
    found = Equipment()
    for sentence in _sentences(message or clause):
        if any(unit.first in own for unit in sentence.units):
            found = found.joined(_of_a_sentence(sentence, own))
    return found if found.available or not found.only else Equipment(only=True)


def _sentences(line: Line) -> Iterator[Line]:
    units: list[Unit] = []
    for unit in line.units:
        units.append(unit)
        if unit.tag is None and unit.word in _ENDS:
            yield Line(line.tokens, tuple(units))
            units = []
    yield Line(line.tokens, tuple(units))


def _of_a_sentence(sentence: Line, own: set[int]) -> Equipment:
    text = sentence.text
    missing: list[Tag] = []
    for match in _WITHOUT.finditer(text):
        missing += sentence.tags_in(match, Kind.EQUIP)
    kept = [tag for match in _ALL_BUT.finditer(text) for tag in sentence.tags_in(match, Kind.EQUIP)]
    missing = [tag for tag in missing if tag not in kept]
    only = any(tag.first in own for tag in kept)
    for match in _ONLY.finditer(text):
        only = only or any(
            tag.first in own for tag in sentence.tags_in(match, Kind.EQUIP) if tag not in missing
        )
    present = [tag for tag in sentence.tags(Kind.EQUIP) if tag not in missing and tag.first in own]
    nothing = any(tag.value == "none" for tag in present) or any(
        unit.first in own for match in _NOTHING.finditer(text) for unit in sentence.units_in(match)
    )
    available = tuple(dict.fromkeys(tag.value for tag in present if tag.value != "none"))
    without = tuple(dict.fromkeys(tag.value for tag in missing if tag.value != "none" and tag.first in own))
    return Equipment(available, without, only or nothing)
