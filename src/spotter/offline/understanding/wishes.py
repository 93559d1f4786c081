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

_IN_OTHER_WORDS: Final = tuple(
    (name, re.compile(rf"\b(?:{verbs})\b(?: \S+){{0,4}} (?:{things})\b"))
    for name, verbs, things in (
        (
            "fat_loss",
            "lose|losing|loose|drop|shed|shift|shifting|burn|get rid of|shrink|trim|melt|rid of",
            r"tummy\S*|flab|podge|waistline|baby|weight\S*|fat|belly\S*|gut|pounds|kilos|waist\S*|bod|stomach\S*|stone|inches|lb|timber|tyre|paunch",
        ),
        ("fat_loss", "fit into|look good in|fit", r"jeans|dress|suit|clothes"),
        ("fat_loss", r"fat|belly\S*|gut\S*|tummy\S*|flab|weight\S*", "gone|off|away"),
        (
            "muscle",
            "gain|build|put on|grow|fill out|pack on|add",
            r"muscle\S*|mass\S*|size\S*|shirts?|frame|bulk",
        ),
        ("endurance", "keep up with|without getting|run without|climb", r"kids|breath|stopping|stairs|dying"),
    )
)

_THINGS: Final = (Kind.EXERCISE, Kind.PATTERN, Kind.MUSCLE, Kind.REGION, Kind.EQUIP, Kind.GOAL)


_UNWANTED: Final = pattern("wishes.unwanted")
_LIKED: Final = pattern("wishes.liked")
_WOULD: Final = re.compile(r"\bwould (?:like|love|prefer)\b")
_EXCLUSIVE: Final = re.compile(r"\bnot (?:just|only) (?:for )?(?:today|now|this)\b")
_WARM: Final = re.compile(
    r"\b(?:love|like|enjoy|favorite|fan|(?<!never )(?<!no )(?<!not )more|always|include|into|adore|keen|fond|every|"
    r"jam|best|obsessed|sucker|partial|happy|adores|loves|fancy)\b"
    r"(?!.*\b(?:not|never|no)\b)"
)
_COLD: Final = re.compile(
    r"\b(?:no|not|never|hate|hates|avoid|without|leave|skip|stop|ban|banned|exclude|worst|out|off|away|drop|clear|cut|"
    r"allergic|done|refuse|sucks?|sick|can|detest|loathe|despise|rubbish|evil|devil|hell|torture|enough|awful|nope|scrap|"
    r"ditch|bin|rather|scare|scares|ick|boring|dull|stand|bear|over)\b"
)
# Of a thing one has or has not, less would be no dislike.
_LOATHED: Final = re.compile(
    r"\b(?:hates?|loathe|detest|despise|satan|devil|evil|hell|worst|awful|torture|never|not ever|do not ever)\b"
)
_FOREVER: Final = pattern("wishes.forever")
_TODAY: Final = pattern("wishes.today")
_A_WHILE: Final = pattern("wishes.a_while")


def lasting_in(line: Line) -> Lasting | None:
    text = line.text
    if _TODAY.search(text) and not _EXCLUSIVE.search(re.sub(r"/[A-Z]+", "", text)):
        return Lasting.SESSION
    if _A_WHILE.search(text):
        return Lasting.TEMPORARY
    return Lasting.PERMANENT if _FOREVER.search(text) else None


def tastes_in(line: Line, hurt: set[Tag], *, stated: bool = True) -> list[Taste]:
    """In a clause on its own; what hurts is no taste. `stated`: the clause is about a taste, in whatever words."""
    text = line.text
    found: dict[tuple[str, str], Taste] = {}
    lasting = lasting_in(line)
    for match in _UNWANTED.finditer(text):
        for tag in line.tags_in(match, *_THINGS):
            # A thing that is not there, or not today, is no dislike: the equipment says so.
            if tag not in hurt and not (tag.kind is Kind.EQUIP and lasting is not Lasting.PERMANENT):
                for kind, value in _named(tag):
                    found.setdefault(
                        (kind, value),
                        Taste(kind, value, False, lasting or Lasting.SESSION, _words(line, tag)),
                    )
    for match in _LIKED.finditer(text) if stated and not _WOULD.search(text) else ():
        for tag in line.tags_in(match, *_THINGS):
            for kind, value in _named(tag):
                found.setdefault(
                    (kind, value), Taste(kind, value, True, lasting or Lasting.PERMANENT, _words(line, tag))
                )
    if stated and not found:
        found = _by_tone(line, hurt, lasting)
    return list(found.values())


def _by_tone(line: Line, hurt: set[Tag], lasting: Lasting | None) -> dict[tuple[str, str], Taste]:
    """Where no pattern fits, the tone of the words decides; without any, nothing does."""
    loathed = bool(_LOATHED.search(line.text))
    wanted = bool(_WARM.search(line.text)) and not loathed
    if wanted == (loathed or bool(_COLD.search(line.text))):
        return {}
    kinds = (
        (Kind.EXERCISE, Kind.PATTERN, Kind.EQUIP)
        if _LOATHED.search(line.text)
        else (Kind.EXERCISE, Kind.PATTERN)
    )
    things = [tag for tag in line.tags(*kinds) if tag not in hurt]
    return {
        (kind, value): Taste(kind, value, wanted, lasting or Lasting.PERMANENT, _words(line, tag))
        for tag in things
        for kind, value in _named(tag)
    }


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
    if stated and (halves := _halves(line)):
        return [goal for half in halves for goal in goals_in(half, stated=True)]
    weight = _weight(line, stated=stated)
    parts = [muscle for tag in line.tags(*_GROWN) for muscle in muscles_of(tag)] if stated else []
    names = [("category", tag.value) for tag in line.tags(Kind.GOAL)]
    if parts:
        # "Bigger arms" are arms, not muscle in general.
        names = [each for each in names if each[1] not in {"muscle", "strength"}]
    names += [("muscle", muscle) for muscle in parts]
    if stated:
        names += _told(line)
    if ("category", "fat_loss") in names:
        # What is to go from the belly is no muscle.
        names = [each for each in names if each not in _WAIST]
    return [Goal(name, weight, kind) for kind, name in dict.fromkeys(names)]


_WAIST: Final = (("muscle", "abs"), ("muscle", "obliques"))
_WAYS: Final = frozenset({"walking", "running", "cycling", "swimming", "rowing"})
_GROWN: Final = (Kind.MUSCLE, Kind.REGION)


def _halves(line: Line) -> list[Line]:
    """ "Less cardio, more strength": two goals, and each has its own direction."""
    for at, unit in enumerate(line.units):
        if at and unit.tag is None and unit.word in {",", "but", "more", "less", "and"}:
            one, two = Line(line.tokens, line.units[:at]), Line(line.tokens, line.units[at:])
            both = all(half.has(Kind.GOAL, Kind.PATTERN) for half in (one, two))
            if both and bool(_AGAINST.search(one.text)) != bool(_AGAINST.search(two.text)):
                return [one, two]
    return []


def _told(line: Line) -> Iterator[tuple[str, str]]:
    """Goals in other words: a distance to run, kilograms to lose, an exercise to learn."""
    if line.has(Kind.DIST):
        yield "category", "endurance"
    else:
        for tag in line.tags(Kind.EXERCISE):
            yield ("category", "endurance") if tag.value in _WAYS else ("skill", tag.value)
    for name, meant in _IN_OTHER_WORDS:
        if meant.search(line.text):
            yield "category", name
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
