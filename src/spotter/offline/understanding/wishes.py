"""Goals with their weights; what is liked, and what is not wanted, for how long."""

import re
from collections.abc import Iterator
from typing import Final

from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.injuries import muscles_of
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.slots import Goal, Lasting, Taste
from spotter.offline.understanding.tags import Kind, Tag

_STRONGLY: Final = pattern("wishes.strongly")
_A_LITTLE: Final = pattern("wishes.a_little")
_AGAINST: Final = pattern("wishes.against")
_EXPLICIT: Final = pattern("wishes.explicit")

_BODY_WEIGHT: Final = re.compile(r"\b(?:(?P<up>gain|put on|add)|lose|losing|drop|shed|cut)\b")

_THINGS: Final = (Kind.EXERCISE, Kind.PATTERN, Kind.MUSCLE, Kind.REGION, Kind.EQUIP, Kind.GOAL)


_UNWANTED: Final = pattern("wishes.unwanted")
_LIKED: Final = pattern("wishes.liked")
# Not having a thing is no dislike of it.
_MISSING: Final = re.compile(r"(?:no|without|not|except|minus|but no|do not (?:have|own))\b")
_FOREVER: Final = pattern("wishes.forever")
_TODAY: Final = pattern("wishes.today")
_A_WHILE: Final = pattern("wishes.a_while")


def lasting_in(line: Line) -> Lasting | None:
    text = line.text
    if _TODAY.search(text):
        return Lasting.SESSION
    if _A_WHILE.search(text):
        return Lasting.TEMPORARY
    return Lasting.PERMANENT if _FOREVER.search(text) else None


def tastes_in(line: Line, hurt: set[Tag]) -> list[Taste]:
    """In a clause on its own; what hurts is no taste."""
    text = line.text
    found: dict[tuple[str, str], Taste] = {}
    lasting = lasting_in(line)
    for match in _UNWANTED.finditer(text):
        for tag in line.tags_in(match, *_THINGS):
            if tag not in hurt and not (tag.kind is Kind.EQUIP and _MISSING.match(match[0])):
                for kind, value in _named(tag):
                    found.setdefault(
                        (kind, value),
                        Taste(kind, value, False, lasting or Lasting.SESSION, _words(line, tag)),
                    )
    for match in _LIKED.finditer(text):
        for tag in line.tags_in(match, *_THINGS):
            for kind, value in _named(tag):
                found.setdefault(
                    (kind, value), Taste(kind, value, True, lasting or Lasting.PERMANENT, _words(line, tag))
                )
    return list(found.values())


def _words(line: Line, tag: Tag) -> str:
    return " ".join(token.word for token in line.tokens[tag.first : tag.end])


def unwanted_tags(line: Line) -> set[Tag]:
    return {tag for match in _UNWANTED.finditer(line.text) for tag in line.tags_in(match, *_THINGS)}


def _named(tag: Tag) -> Iterator[tuple[str, str]]:
    if tag.kind is Kind.MUSCLE:
        yield from (("muscle", muscle) for muscle in muscles_of(tag))
    elif tag.kind is Kind.EQUIP:
        yield "equipment", tag.value
    elif tag.kind is not Kind.GOAL:
        yield tag.kind.value.lower(), tag.value


def goals_in(line: Line, *, stated: bool) -> list[Goal]:
    """`stated`: the clause is about a goal. Elsewhere only the named qualities count, not muscles or exercises."""
    weight = _weight(line, stated=stated)
    parts = [muscle for tag in line.tags(Kind.MUSCLE) for muscle in muscles_of(tag)] if stated else []
    names = [("category", tag.value) for tag in line.tags(Kind.GOAL)]
    if parts:
        # "Bigger arms" are arms, not muscle in general.
        names = [each for each in names if each[1] not in {"muscle", "strength"}]
    names += [("muscle", muscle) for muscle in parts]
    if stated:
        names += _told(line)
    return [Goal(name, weight, kind) for kind, name in dict.fromkeys(names)]


def _told(line: Line) -> Iterator[tuple[str, str]]:
    """Goals in other words: a distance to run, kilograms to lose, an exercise to learn."""
    if line.has(Kind.DIST):
        yield "category", "endurance"
    else:
        yield from (("skill", tag.value) for tag in line.tags(Kind.EXERCISE))
    change = _BODY_WEIGHT.search(line.text) if line.has(Kind.WEIGHT) else None
    if change:
        yield "category", "muscle" if change["up"] else "fat_loss"
    for tag in line.tags(Kind.PATTERN):
        if tag.value in {"cardio", "mobility"}:
            yield "category", {"cardio": "endurance"}.get(tag.value, tag.value)


def _weight(line: Line, *, stated: bool) -> int:
    text = line.text
    explicit = _EXPLICIT.search(text) if stated else None
    if explicit and (numbers := line.tags_in(explicit, Kind.NUM)):
        against = "minus" in explicit[0] or "-" in explicit[0]
        return round(max(-10.0, min(10.0, -numbers[-1].amount if against else numbers[-1].amount)))
    if _AGAINST.search(text):
        return -5
    if not stated:
        return 5
    return 8 if _STRONGLY.search(text) else 3 if _A_LITTLE.search(text) else 5
