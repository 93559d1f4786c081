"""One message often asks for several things. It is cut where a new request or statement begins, not inside lists."""

import re
from collections.abc import Iterator
from typing import Final

from spotter.offline.understanding.data import section, words
from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.reading import Line, Unit
from spotter.offline.understanding.tags import Kind

_ENDS: Final = frozenset(".!?;")
_JOINTS: Final = frozenset(
    {
        ",",
        "and",
        "but",
        "then",
        "plus",
        "because",
        "since",
        "also",
        "oh",
        "so",
        "-",
        "&",
        "btw",
        "though",
        "(",
        ")",
        "as",
        "while",
    }
)
_FILLERS: Final = words("clauses.fillers")

# With one of these a new clause begins, if something came before.
_NEW: Final = pattern("clauses.new")
# What needs its list whole: these go on across "and" and commas.
_GOES_ON: Final = pattern("clauses.goes_on")
_OPEN_END: Final = pattern("clauses.open_end")


_CRIES: Final = frozenset({"ouch", "ow", "argh", "oh no"})
_SCORE: Final = re.compile(
    r"(?:it is |that is |about |maybe |like |say |around )*(?:a |an )?\d\S* (?:_|out of) "
)


def clauses_of(line: Line) -> list[Line]:
    found = [Line(line.tokens, tuple(units)) for units in _cut(line) if units]
    return [clause for clause in found if any(unit.tag or unit.word[:1].isalnum() for unit in clause.units)]


def _cut(line: Line) -> Iterator[list[Unit]]:
    current: list[Unit] = []
    units = line.units
    for at, unit in enumerate(units):
        if unit.tag is None and unit.word in _ENDS:
            yield current
            current = []
            if unit.word == "?":
                yield []
        elif (unit.tag is None and unit.word == ":" and _starts_over(units, at + 1, current)) or (
            unit.tag is None and unit.word in _JOINTS and current and _begins(line, at + 1, current)
        ):
            yield current
            current = []
        else:
            current.append(unit)
    yield current


def _starts_over(units: tuple[Unit, ...], at: int, before: list[Unit]) -> bool:
    """After a colon: the thing itself, unless what came before needs it."""
    if any(
        unit.word in {"timer", "countdown"} or (unit.tag and unit.tag.kind is Kind.EXERCISE)
        for unit in before
    ):
        return False
    tag = units[at].tag if at < len(units) else None
    return tag is not None and tag.kind in {
        Kind.DUR,
        Kind.REGION,
        Kind.MUSCLE,
        Kind.SPLIT,
        Kind.EXERCISE,
        Kind.SETS,
    }


def _begins(line: Line, at: int, before: list[Unit]) -> bool:
    rest = list(line.units[at:])
    while rest and rest[0].tag is None and (rest[0].word in _FILLERS or rest[0].word in _JOINTS):
        rest.pop(0)
    if not rest:
        return True
    joint = line.units[at - 1].word
    if joint == "," and line.units[at].word == "so":
        return True
    ahead = Line(line.tokens, tuple(rest[:6])).text
    said = " ".join(unit.shown for unit in before)
    return bool(_NEW.match(ahead)) and not _belongs(joint, said, ahead)


_ALL_BUT: Final = re.compile(r"(?:everything|all|anything|nothing|again|same|thing|\S+/REF)$")


def _belongs(joint: str, said: str, ahead: str) -> bool:
    """It looks like a new clause, and completes the one before."""
    if said in _CRIES or _SCORE.match(ahead) or (said.startswith("why") and re.match(r"no|not", ahead)):
        return True
    match joint:
        case "but":
            return bool(_ALL_BUT.search(said))
        case "since":
            return bool(re.match(r"how long|when|\S+ been", said))
        case "as":
            return not re.match(r"(?:i|my|it|we|the)\b", ahead)
        case _:
            return False


def without_fillers(clause: Line) -> Line:
    """What the intent rules read: polite words and openings say nothing about what is wanted."""
    units = [unit for unit in clause.units if unit.tag or unit.word not in _FILLERS or _carries(unit, clause)]
    while (
        units
        and units[0].tag is None
        and (units[0].word in _JOINTS or not units[0].word[:1].isalnum())
        and units[0].word != "#"
    ):
        units.pop(0)
    while (
        units
        and units[-1].tag is None
        and not units[-1].word[:1].isalnum()
        and units[-1].word not in {'"', "'"}
    ):
        units.pop()
    return Line(clause.tokens, tuple(units))


def _carries(unit: Unit, clause: Line) -> bool:
    """A filler that is all there is, or that means something after all."""
    if unit.word in {"again", "too", "like", "ok", "so"}:
        return True
    if unit.word == "well" and unit is not clause.units[0]:
        return True
    return len(clause.units) <= 1 or (unit.word == "hey" and len(clause.units) <= 3)


_REQUEST: Final = re.compile(f"^(?:{'|'.join(section('patterns', 'clauses.openings'))}) ")


def bare(text: str) -> str:
    """A request without its wrapping: "could you swap it" is "swap it"."""
    previous = None
    while previous != text:
        previous, text = text, _REQUEST.sub("", text, count=1)
    return text


BARE_KINDS: Final = (
    Kind.DUR,
    Kind.REGION,
    Kind.SPLIT,
    Kind.MUSCLE,
    Kind.PATTERN,
    Kind.EQUIP,
    Kind.KIT,
    Kind.PLACE,
    Kind.GOAL,
    Kind.LEVEL,
    Kind.INTENSITY,
)
