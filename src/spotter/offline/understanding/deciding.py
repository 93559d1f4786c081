"""Which intents a clause carries: all rules that match, then what yields to what."""

import re
from dataclasses import dataclass
from typing import Final

from spotter.offline.understanding.clauses import BARE_KINDS, bare, without_fillers
from spotter.offline.understanding.data import section, words
from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.grammar import BOOK, RULES, WIDE_BOOK, WIDE_RULES, Rule, RuleBook
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.settling import WEAK, settle
from spotter.offline.understanding.tags import Kind

SURE: Final = 0.5
"""Below it, nothing is done and a question is asked."""

_QUESTIONS: Final = frozenset(
    {
        Intent.WHY,
        Intent.EXPLAIN,
        Intent.HISTORY,
        Intent.PROGRESS,
        Intent.STATS,
        Intent.GOAL_PROGRESS,
        Intent.SUGGEST,
        Intent.LIST_SCHEDULE,
        Intent.LIST_PREFERENCES,
    }
)


_CHANGES: Final = frozenset(
    {Intent.EASIER, Intent.HARDER, Intent.SHORTER, Intent.LONGER, Intent.ADJUST, Intent.SWAP}
)


@dataclass(frozen=True, slots=True)
class Guess:
    intent: Intent
    confidence: float


_FUNCTION_WORDS: Final = frozenset(word for line in section("ordinary", "small") for word in line.split())
_OFF_TOPIC: Final = frozenset(word for line in section("ordinary", "off_topic") for word in line.split())
_MONEY: Final = frozenset(word for line in section("ordinary", "money") for word in line.split())
_KNOWN: Final = frozenset(re.findall(r"[a-z]{2,}", " ".join(rule.written for rule in (*RULES, *WIDE_RULES))))


def guesses(clause: Line, table: Table) -> list[Guess]:
    """All that this clause asks for, the surest first."""
    spoken = without_fillers(clause)
    full = spoken.text
    stripped = bare(full)
    found = _matches(BOOK, full, stripped, table)
    settle(found, spoken, table)
    if not found and strangers(spoken) <= 1 and not any(unit.word in _OFF_TOPIC for unit in spoken.units):
        found = _matches(WIDE_BOOK, full, stripped, table)
        settle(found, spoken, table)
    doubt = _doubt(spoken, found, table)
    return sorted(
        (Guess(intent, round(sure * doubt, 3)) for intent, sure in found.items() if sure * doubt >= SURE),
        key=lambda guess: -guess.confidence,
    )


def hints(spoken: Line, table: Table) -> list[str]:
    """What the rules say of a stretch, as features."""
    found = _matches(BOOK, spoken.text, bare(spoken.text), table)
    raw = [f"m:{intent}" for intent in found]
    settle(found, spoken, table)
    return [*raw, *(f"r:{intent}" for intent in found), f"r={len(found)}"]


def _matches(book: RuleBook[Rule], full: str, stripped: str, table: Table) -> dict[Intent, float]:
    """`stripped`: a part of `full`, so it has no words of its own."""
    found: dict[Intent, float] = {}
    for rule in book.possible(full):
        if rule.confidence <= found.get(rule.intent, 0.0) or not _on_table(rule, table):
            continue
        if rule.pattern.search(full) or (stripped != full and rule.pattern.search(stripped)):
            found[rule.intent] = rule.confidence
    return found


def _on_table(rule: Rule, table: Table) -> bool:
    match rule.needs:
        case "workout":
            return bool(table.workout)
        case "scheduled":
            return bool(table.scheduled)
        case _:
            return True


def strangers(line: Line) -> int:
    """Words that are neither ours nor anybody's small change."""
    return sum(
        unit.tag is None
        and len(unit.word) > 2
        and unit.word.isalpha()
        and unit.word not in _FUNCTION_WORDS
        and unit.word not in _KNOWN
        for unit in line.units
    )


def _doubt(line: Line, found: dict[Intent, float], table: Table) -> float:
    """A factor: the more of a clause we do not know, the less we believe our rules."""
    tags = sum(unit.tag is not None for unit in line.units)
    off_topic = sum(unit.tag is None and unit.word in _OFF_TOPIC for unit in line.units)
    if off_topic and off_topic * 2 > tags - 1:
        return 0.4
    unknown = strangers(line)
    if unknown and not tags and not table.workout and set(found) <= _CHANGES:
        return 0.4  # something is too long or too hard, but nothing of ours is there to change
    free = 1 + tags + (2 if set(found) & (_QUESTIONS | WEAK) else 1)
    return 1.0 if unknown <= free else max(0.4, 1.0 - 0.2 * (unknown - free))


def is_off_topic(line: Line) -> bool:
    """Somebody else's business, and nothing of ours beside it."""
    ours = any(unit.tag and unit.tag.kind not in {Kind.DATE, Kind.PERIOD, Kind.NUM} for unit in line.units)
    return not ours and any(unit.tag is None and unit.word in _MONEY for unit in line.units)


def is_bare_request(line: Line) -> bool:
    """Nothing but what a workout is made of: "30 min upper body, no equipment"."""
    spoken = without_fillers(line)
    tags = [unit.tag for unit in spoken.units if unit.tag]
    if not any(tag.kind in BARE_KINDS for tag in tags):
        return False
    if any(
        tag.kind not in BARE_KINDS and tag.kind not in {Kind.DATE, Kind.EXERCISE, Kind.NUM, Kind.BODY}
        for tag in tags
    ):
        return False
    others = [
        unit.word
        for unit in spoken.units
        if unit.tag is None and unit.word.isalpha() and unit.word not in _GLUE
    ]
    if not others:
        return True
    asks = any(tag.kind in {Kind.DUR, Kind.REGION, Kind.SPLIT, Kind.MUSCLE} for tag in tags)
    return (
        asks
        and len(others) <= len(tags) + 1
        and strangers(spoken) <= len(tags) // 2
        and not (_VERBS & set(others))
    )


_GLUE: Final = words("deciding.glue")
_VERBS: Final = words("deciding.verbs")
