"""How long a workout should be, however that is said."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from spotter.offline.understanding.data import words
from spotter.offline.understanding.dates import when_of
from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.reading import Line, Unit
from spotter.offline.understanding.slots import Direction, Duration
from spotter.offline.understanding.tags import Kind, Tag

_PLANNING: Final = frozenset(
    {Intent.CREATE, Intent.SHORTER, Intent.LONGER, Intent.SET_PREFERENCE, Intent.SCHEDULE}
)
_RESIZING: Final = frozenset({Intent.SHORTER, Intent.LONGER})
_LEAST_CHANGE: Final = 5
_LONGEST: Final = 180
_LEAST: Final = 8
_MOST: Final = 150
_CHANGE: Final = pattern("filling.change")
_QUICK: Final = pattern("filling.quick")
_CORRECTION: Final = pattern("filling.correction")
_UNTIL: Final = re.compile(
    r"\b(?:until|before|leave (?:at|by)|gone by|out by|done by|finished by) (?:\S+/DATE)"
)


def duration_in(line: Line, wanted: frozenset[Intent], table: Table, now: datetime) -> Duration | None:
    if wanted and not wanted & _PLANNING:
        return None
    found = _corrected(line) or _stated(line) or _new_length(line, wanted, table)
    if found and found.change and wanted and not wanted & _RESIZING:
        found = replace(found, change=None)  # "put 30 minutes of it on Sunday" adds to nothing
    if found is None and (not wanted or wanted & {Intent.CREATE, Intent.SCHEDULE}):
        found = _bare(line, wanted) or _until(line, wanted, now)
        if found is None and _QUICK.search(line.text):
            return Duration(15)
    return found


def new_minutes(line: Line, table: Table) -> int | None:
    """How long the workout should be, when that is said; not by how much longer or shorter."""
    found = _corrected(line) or _stated(line) or _new_length(line, frozenset({Intent.SHORTER}), table)
    return None if found is None or found.change else found.minutes


def _stated(line: Line) -> Duration | None:
    change = _CHANGE.search(line.text)
    for tag in line.tags(Kind.DUR):
        minutes, longest = round(tag.amount / 60), None if tag.high is None else round(tag.high / 60)
        if not 3 <= minutes <= 600 or _is_rest(line, tag):
            continue
        direction = None
        said = {token.word for token in line.tokens[tag.first : tag.end]}
        if said & {"more", "extra", "additional"}:
            direction = Direction.MORE
        elif said & {"fewer", "less"}:
            direction = Direction.LESS
        elif change and tag in line.tags_in(change) and not re.search(r"\bto \S+/DUR", line.text):
            direction = Direction.MORE if change["more"] else Direction.LESS
        return Duration(minutes, longest, direction, line.span_of(tag))
    return None


_CHANGE_BY: Final = pattern("lengths.change_by")


def _is_rest(line: Line, tag: Tag) -> bool:
    near = [unit.word for unit in line.units if tag.first - 3 <= unit.first < tag.end + 2]
    earlier = {unit.word for unit in line.units if tag.first - 3 <= unit.first < tag.first}
    return "rest" in near or "ago" in near or bool(earlier & _PASSED)


# "Slept 4 hours", "stood for ten": time that is gone.
_PASSED: Final = words("lengths.passed")


def _new_length(line: Line, wanted: frozenset[Intent], table: Table) -> Duration | None:
    """Said over a workout, a number alone will do."""
    numbers = line.tags(Kind.NUM) if wanted & _RESIZING else []
    if len(numbers) == 2:
        # "20, not 30": the other one is how long it is now.
        numbers = [tag for tag in numbers if round(tag.amount) != table.minutes]
    numbers = [tag for tag in numbers if _before(line, tag) not in {"am", "not", "aged"}]
    if len(numbers) == 1 and _LEAST_CHANGE <= numbers[0].amount <= _LONGEST:
        change = _CHANGE_BY.search(line.text)
        direction = (Direction.MORE if change["more"] else Direction.LESS) if change else None
        return Duration(round(numbers[0].amount), change=direction, span=line.span_of(numbers[0]))
    return None


def _until(line: Line, wanted: frozenset[Intent], now: datetime) -> Duration | None:
    """ "Legs, I only have until 9:30"."""
    match = _UNTIL.search(line.text) if Intent.CREATE in wanted else None
    tags = [tag for tag in line.tags_in(match, Kind.DATE) if tag.value.startswith("clock:")] if match else []
    when = when_of(tags, now, line.tokens) if tags else None
    if when is None or when.clock is None:
        return None
    minutes = (when.clock.hour - now.hour) * 60 + when.clock.minute - now.minute
    return Duration(minutes, span=line.span_of(tags[0])) if _LEAST <= minutes <= _MOST else None


def _corrected(line: Line) -> Duration | None:
    """ "40 minutes with a shower, so call it 30": the last word counts."""
    for match in _CORRECTION.finditer(line.text):
        for tag in line.tags_in(match, Kind.DUR, Kind.NUM):
            minutes = tag.amount / 60 if tag.kind is Kind.DUR else tag.amount
            if _LEAST <= minutes <= _MOST and line.tags(Kind.DUR, Kind.NUM)[0] is not tag:
                return Duration(round(minutes), span=line.span_of(tag))
    return None


_TRAINED: Final = frozenset(
    {Kind.PATTERN, Kind.REGION, Kind.MUSCLE, Kind.GOAL, Kind.SPLIT, Kind.INTENSITY, Kind.PLACE}
)
_NO_LENGTH: Final = frozenset(
    (
        *("am", "not", "age", "aged", "number", "exercise", "turned", "#", "rpe", "/", "until", "at", "by"),
        *("past", "after", "since", "before", "on", "page", "room", "gate", "to", "level", "week", "type"),
    )
)
_LED: Final = frozenset(
    {"for", "about", "around", "maybe", "roughly", "say", "got", "have", "only", "like", "max", "under"}
)
_GOES_ON: Final = frozenset(
    (
        *("without", "with", "and", "but", "no", "using", "at", "before", "then", "so", "today", "because"),
        *(
            "or",
            "until",
            "of",
            "in",
            "for",
            "on",
            "to",
            "if",
            "nothing",
            "just",
            "would",
            "will",
            "is",
            "if",
            "from",
        ),
        *(
            "should",
            "as",
            "while",
            "not",
            "only",
            "all",
            "do",
            "does",
            "be",
            "not",
            "make",
            "please",
            "thanks",
        ),
    )
)
_ENDS: Final = frozenset(
    (
        *(
            ".",
            ",",
            "!",
            "?",
            ";",
            ")",
            "max",
            "tops",
            "please",
            "go",
            "or",
            "and",
            "with",
            "ish",
            "maximum",
            "at",
        ),
        *(
            "without",
            "odd",
            "thanks",
            "today",
            "no",
            "using",
            "only",
            "then",
            "but",
            "-",
            ":",
            "so",
            "in",
            "now",
        ),
    )
)


def _bare(line: Line, wanted: frozenset[Intent]) -> Duration | None:
    """ "Legs, 25": beside a wish to train, a number that counts nothing else is how long."""
    places = [at for at, unit in enumerate(line.units) if unit.tag and unit.tag.kind is Kind.NUM]
    if line.has(Kind.DUR, Kind.SETS, Kind.REPS):
        return None
    if len(places) == 2 and (found := _bare_range(line, *places)):
        return found
    places = [at for at in places if _counts_nothing(line.units, at)]
    if len(places) != 1:
        return None
    tag = line.units[places[0]].tag
    if tag is None or not _LEAST <= tag.amount <= _MOST or tag.amount != round(tag.amount):
        return None
    if not (wanted or _says_little(line)) or not _counts_nothing(line.units, places[0]):
        return None
    return Duration(round(tag.amount), span=line.span_of(tag))


def _bare_range(line: Line, one: int, other: int) -> Duration | None:
    """ "Abs, 20-25"."""
    low, high = line.units[one].tag, line.units[other].tag
    if low is None or high is None or other != one + 2 or line.units[one + 1].word not in {"-", "to", "or"}:
        return None
    if not _LEAST <= low.amount < high.amount <= _MOST or not _counts_nothing(line.units, other, "-"):
        return None
    return Duration(round(low.amount), round(high.amount), span=line.span_of(low))


def _counts_nothing(units: tuple[Unit, ...], at: int, before: str | None = None) -> bool:
    before = before or (units[at - 1].word if at else "")
    after = units[at + 1] if at + 1 < len(units) else None
    if before in _NO_LENGTH:
        return False
    if after is None or (after.tag is None and after.word in _ENDS):
        return True
    if after.tag is not None:
        return after.tag.kind in _TRAINED and before != "the"
    following = units[at + 2].tag if at + 2 < len(units) else None
    if after.word == "of" and following is not None:
        return following.kind in _TRAINED
    amount = units[at].tag
    round_number = amount is not None and amount.amount % 5 == 0
    return (before in _LED or round_number) and after.word in _GOES_ON


def _before(line: Line, tag: Tag) -> str:
    return line.tokens[tag.first - 1].word if tag.first else ""


def _says_little(line: Line) -> bool:
    """A number in a clause that asks for nothing is a length only when there is nothing else in it."""
    return sum(unit.tag is None and unit.word.isalpha() for unit in line.units) <= 2
