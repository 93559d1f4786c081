"""What yields to what when one clause matches several intents.

Most pairs have a fixed order (`data/silences.txt`); of some, only the rest of the clause can tell.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from spotter.offline.understanding.data import section
from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.intents import COURTESIES, Intent
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.tags import Kind

WEAK: Final = COURTESIES | {Intent.YES, Intent.NO, Intent.STOP, Intent.HELP}
"""Courtesies and the like: anything else in the clause outweighs them."""

Found = dict[Intent, float]


def settle(found: Found, line: Line, table: Table) -> None:
    _new_length(found, line, table)
    if re.search(r"\bno more\b", line.text):
        found.pop(Intent.MORE_OF, None)
    if Intent.SCHEDULE in found and _only_today(line):
        found.pop(Intent.SCHEDULE)
    for one, other, loser in _CONTESTS:
        if one in found and other in found and (loses := loser(line, table)):
            found.pop(loses)
    for winner, losers in _SILENCES:
        if winner in found:
            for each in losers:
                found.pop(each, None)
    if set(found) - WEAK:
        for each in WEAK & set(found):
            found.pop(each)


def _silences() -> Iterator[tuple[Intent, frozenset[Intent]]]:
    for line in section("silences", "silences"):
        winner, _, losers = line.partition(":")
        named = losers.split()
        everybody = frozenset(Intent) if "all" in named else frozenset[Intent]()
        silenced = everybody | {Intent(name) for name in named if name[0] != "-" and name != "all"}
        yield (
            Intent(winner),
            silenced - {Intent(name[1:]) for name in named if name[0] == "-"} - {Intent(winner)},
        )


_SILENCES: Final = tuple(_silences())

_SOFT_TIME: Final = pattern("deciding.soft_time")
_LENGTH: Final = pattern("deciding.length")
_WORK: Final = pattern("deciding.work")
_PAST: Final = pattern("deciding.past")
_LASTING_DISLIKE: Final = pattern("deciding.lasting_dislike")
_TIMED: Final = (Intent.LOG, Intent.TIMER, Intent.ADJUST, Intent.LONGER, Intent.SHORTER)


def _new_length(found: Found, line: Line, table: Table) -> None:
    """A new length for what is on the table is no new workout."""
    named = line.has(Kind.REGION, Kind.MUSCLE, Kind.SPLIT, Kind.EXERCISE, Kind.REF)
    if not table.workout or named or not _SOFT_TIME.search(line.text):
        return
    if any(intent in found for intent in _TIMED) and not _LENGTH.search(line.text):
        return
    minutes = next((tag.amount / 60 for tag in line.tags(Kind.DUR)), None)
    if minutes is None:
        minutes = next((tag.amount for tag in line.tags(Kind.NUM)), 0.0)
    if minutes < 3:
        return
    for intent in (Intent.CREATE, Intent.SHORTER, Intent.LONGER, Intent.ADJUST, Intent.SET_PREFERENCE):
        found.pop(intent, None)
    found[Intent.LONGER if minutes > (table.minutes or 600) else Intent.SHORTER] = 0.9


_TODAY: Final = re.compile(
    r"(?:day|clock):(?:today|tonight|this \w+|later today|in the \w+|(?:at )?(?:morning|lunch|night|noon)s?|"
    r"after work|before work)"
)


def _only_today(line: Line) -> bool:
    """What is for now needs no calendar, unless one is asked for."""
    if re.search(r"\b(?:schedule|book|remind|calendar)\b", line.text):
        return False
    return all(_TODAY.fullmatch(tag.value) for tag in line.tags(Kind.DATE))


def _workout_or_goal(line: Line, table: Table) -> Intent:
    text = line.text
    asked = (_WORK.search(text) and not re.search(r"\btraining for\b", text)) or line.has(Kind.DUR)
    return Intent.SET_GOAL if asked and not re.search(r"\bgoal|\bpriority", text) else Intent.CREATE


def _workout_or_preference(line: Line, table: Table) -> Intent:
    habit = re.search(r"\b(?:usually|always|normally|from now on|prefer|remember|keep)\b", line.text)
    told = re.search(r"^(?:i|we) (?:\S+ )?(?:work out|train|exercise|lift)\b", line.text) and not line.has(
        Kind.DUR
    )
    dislike = _LASTING_DISLIKE.search(line.text) and re.search(r"\b(?:hate|never|do not)\b", line.text)
    return Intent.CREATE if habit or dislike or told else Intent.SET_PREFERENCE


def _said(
    words: str, loser: Intent, otherwise: Intent | None = None
) -> Callable[[Line, Table], Intent | None]:
    searched = re.compile(words)
    return lambda line, table: loser if searched.search(line.text) else otherwise


def _at_a_workout(loser: Intent, words: str = "") -> Callable[[Line, Table], Intent | None]:
    return lambda line, table: loser if table.workout and re.search(words, line.text) else None


_LESS: Final = re.compile(r"\b(?:less|fewer)\b")
_NAMED: Final = r"/(?:EXERCISE|REF)\b"
_INSTEAD: Final = re.compile(r"\b(?:move|instead|what about|can we|could we|reschedule|how about)\b")

_CONTESTS: Final[tuple[tuple[Intent, Intent, Callable[[Line, Table], Intent | None]], ...]] = (
    (Intent.CREATE, Intent.SET_GOAL, _workout_or_goal),
    (Intent.CREATE, Intent.SET_PREFERENCE, _workout_or_preference),
    (Intent.LOG, Intent.ADJUST, lambda line, table: Intent.ADJUST if _PAST.search(line.text) else Intent.LOG),
    (Intent.SET_GOAL, Intent.SET_PREFERENCE, _said("/GOAL", Intent.SET_PREFERENCE, Intent.SET_GOAL)),
    (Intent.SWAP, Intent.SET_PREFERENCE, lambda line, table: None if table.workout else Intent.SWAP),
    (Intent.SWAP, Intent.SUGGEST, _said(r"^(?:what|which|anything)\b", Intent.SWAP)),
    (Intent.SWAP, Intent.SUGGEST, _said(r"\b(?:swap|replace|switch|change|substitute)\b", Intent.SUGGEST)),
    (
        Intent.STATS,
        Intent.HISTORY,
        _said(r"\blast (?:time|\S*workout)|\bwhen\b|what (?:weight )?did i", Intent.STATS),
    ),
    (Intent.SUGGEST, Intent.EASIER, _at_a_workout(Intent.SUGGEST, _NAMED)),
    (Intent.SUGGEST, Intent.HARDER, _at_a_workout(Intent.SUGGEST, _NAMED)),
    (
        Intent.SUGGEST,
        Intent.MORE_OF,
        _at_a_workout(Intent.SUGGEST, r"\b(?:more|another|add|include|throw)\b"),
    ),
    (
        Intent.MORE_OF,
        Intent.SET_GOAL,
        lambda line, table: (
            Intent.MORE_OF
            if not table.workout or re.search(r"from now on|in general|always", line.text)
            else None
        ),
    ),
    (
        Intent.CANCEL_SCHEDULED,
        Intent.RESCHEDULE,
        lambda line, table: (
            Intent.RESCHEDULE if "can not make" in line.text and not _INSTEAD.search(line.text) else None
        ),
    ),
    (
        Intent.LESS_OF,
        Intent.MORE_OF,
        lambda line, table: (
            None if re.search(r"\bmore\b", line.text) and _LESS.search(line.text) else Intent.MORE_OF
        ),
    ),
    (
        Intent.LOG,
        Intent.REMOVE,
        _said(r"^(?:drop|remove|delete|cut|ditch|skip|scrap|lose|get rid)\b", Intent.LOG),
    ),
    (Intent.HISTORY, Intent.PROGRESS, _said(r"\b(?:well|better|good)\b", Intent.HISTORY)),
    (
        Intent.ADJUST,
        Intent.SET_GOAL,
        _said(r"\b(?:trying|goal|lose|losing|want to|dream|aim)\b", Intent.ADJUST),
    ),
    (Intent.TIMER, Intent.ADJUST, _said(r"\b(?:rest|break)\b.* to\b", Intent.TIMER)),
    (Intent.EASIER, Intent.SET_PREFERENCE, _said(r"^i am\b", Intent.EASIER)),
    (
        Intent.SCHEDULE,
        Intent.SET_PREFERENCE,
        _said(r"\b(?:exclude|no|hate|avoid|never|ban|without)\b", Intent.SCHEDULE),
    ),
    (Intent.EXPLAIN, Intent.HISTORY, _said(r"\bhow\b", Intent.HISTORY)),
)
