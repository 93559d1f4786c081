"""Where one wish ends and the next begins: of all ways to cut a message, the one whose parts are understood best."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from spotter.language import Heard
from spotter.offline.understanding.clauses import without_fillers
from spotter.offline.understanding.data import words
from spotter.offline.understanding.deciding import hints
from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.reading import Line, Unit
from spotter.offline.understanding.weighing.features import features_of
from spotter.offline.understanding.weighing.hearing import likely_in
from spotter.offline.understanding.weighing.model import MIXED, Model, Scores

_ENDS: Final = frozenset(".!?;")
_JOINTS: Final = words("cutting.joints")
_STARTERS: Final = words("cutting.starters")
_COST: Final = 0.1
"""Of each cut: two parts must be understood clearly better than the whole."""
_CLEAR: Final = 0.8
_BONUS: Final = 0.1
_MANY: Final = 7
_TOO_MANY: Final = 12
_WIDEST: Final = 4
_MOST: Final = 40
_SHARE: Final = 0.5
"""How much the weights of words count beside the language model, which has read whole messages."""


@dataclass(frozen=True, slots=True)
class Part:
    line: Line
    scores: Scores

    @property
    def best(self) -> tuple[str, float]:
        return next(pair for pair in self.scores.ranked() if pair[0] != MIXED)


def parts_of(line: Line, table: Table, model: Model, heard: Heard) -> list[Part]:
    pieces = pieces_of(line)
    if not pieces:
        return []
    widest = len(pieces) if len(pieces) <= _MANY else _WIDEST if len(pieces) <= _TOO_MANY else 1

    @cache
    def hinted(first: int, end: int) -> list[str]:
        return hints(without_fillers(joined(line, pieces[first:end])), table)

    @cache
    def part(first: int, end: int) -> Part:
        clause = joined(line, pieces[first:end])
        spoken = without_fillers(clause)
        seen = features_of(spoken, table, model.words)
        if end - first > 1:
            seen += contrasts([hinted(at, at + 1) for at in range(first, end)])
        span = clause.span()
        scores = model.scores([*seen, *hinted(first, end)])
        return Part(clause, scores.together_with(likely_in(heard, span.start, span.end), _SHARE))

    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(pieces) + 1):
        best.append(
            max(
                (best[first][0] + _worth(part(first, end)), first)
                for first in range(max(0, end - widest), end)
            )
        )
    found: list[Part] = []
    end = len(pieces)
    while end:
        first = best[end][1]
        found.append(part(first, end))
        end = first
    return found[::-1]


def _worth(part: Part) -> float:
    name, sure = part.best
    clear = sure >= _CLEAR and Intent(name) not in _LIGHT
    return math.log(sure) - _COST + (_BONUS if clear else 0.0)


def joined(line: Line, pieces: Sequence[Sequence[Unit]]) -> Line:
    return Line(line.tokens, tuple(unit for piece in pieces for unit in piece))


def contrasts(hinted: Sequence[Sequence[str]]) -> list[str]:
    """What the rules say of the pieces, where it is not the same: a sign of several wishes, or of a reason given."""
    said = [next((each[2:] for each in found if each.startswith("r:")), "-") for found in hinted]
    found = [f"q:{one}+{two}" for one, two in itertools.pairwise(said) if one != two]
    wishes = {each for each in said if each != "-"}
    return [*found, f"q={min(len(wishes), 3)}"]


def pieces_of(line: Line) -> list[list[Unit]]:
    """Cut wherever a wish could begin. Of very long messages, the beginning."""
    found: list[list[Unit]] = [[]]
    for at in range(len(line.units)):
        if found[-1] and _could_begin(line.units, at):
            found.append([])
        found[-1].append(line.units[at])
    spoken = [piece for piece in found if any(unit.tag or unit.word[:1].isalnum() for unit in piece)]
    return spoken[:_MOST]


def _ends_before(units: Sequence[Unit], at: int) -> bool:
    return at > 0 and units[at - 1].tag is None and units[at - 1].word in _ENDS


def _could_begin(units: Sequence[Unit], at: int) -> bool:
    if _ends_before(units, at):
        return True
    unit = units[at]
    before = units[at - 1] if at else None
    if unit.tag is not None or before is None:
        return False
    if before.tag is None and (before.word in _JOINTS or before.word in _STARTERS):
        return False
    return unit.word in _JOINTS or unit.word in _STARTERS


_LIGHT: Final = frozenset(
    {Intent.GREETING, Intent.THANKS, Intent.SMALL_TALK, Intent.YES, Intent.NO, Intent.STOP, Intent.UNKNOWN}
)
ACTION: Final = 0.4
TALK: Final = 0.25
_TALK: Final = frozenset(
    {
        *(Intent.GREETING, Intent.THANKS, Intent.HELP, Intent.SMALL_TALK, Intent.YES, Intent.NO, Intent.STOP),
        *(Intent.WHY, Intent.EXPLAIN, Intent.SUGGEST, Intent.LIST_PREFERENCES, Intent.LIST_SCHEDULE),
        *(Intent.HISTORY, Intent.PROGRESS, Intent.STATS, Intent.GOAL_PROGRESS),
    }
)


def meant(part: Part, model: Model) -> tuple[Intent, float] | None:
    """The intent, when it is sure enough: more so where something would be done."""
    if not any(unit.tag or unit.word in model.words for unit in part.line.units):
        return None  # not a word of it is known
    name, sure = part.best
    intent = Intent(name)
    if intent is Intent.UNKNOWN or sure < (TALK if intent in _TALK else ACTION):
        return None
    return intent, sure
