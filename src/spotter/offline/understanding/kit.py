"""What there is to train with, and what there is not."""

from typing import Final

from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.slots import Equipment
from spotter.offline.understanding.tags import Kind, Tag

_NOTHING: Final = pattern("kit.nothing")
_WITHOUT: Final = pattern("kit.without")
_ONLY: Final = pattern("kit.only")


def equipment_in(line: Line) -> Equipment:
    text = line.text
    missing: list[Tag] = []
    for match in _WITHOUT.finditer(text):
        missing += line.tags_in(match, Kind.EQUIP)
    only = False
    for match in _ONLY.finditer(text):
        only = only or not set(line.tags_in(match, Kind.EQUIP)) <= set(missing)
    present = [tag for tag in line.tags(Kind.EQUIP) if tag not in missing]
    nothing = bool(_NOTHING.search(text)) or any(tag.value == "none" for tag in present)
    available = tuple(dict.fromkeys(tag.value for tag in present if tag.value != "none"))
    without = tuple(dict.fromkeys(tag.value for tag in missing if tag.value != "none"))
    return Equipment(available, without, only or nothing)
