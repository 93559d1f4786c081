"""How rules are written: words, KINDS of tags in capitals, {macros}; spaces separate units.

`swap {det}EXERCISE` matches "swap the goblet squats". A word also matches where it carries a tag.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, Generic, TypeVar

from spotter.offline.understanding.data import section, sections
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.tags import Kind
from spotter.safety.needed_words import Wanted

R = TypeVar("R")

MACROS: Final = {title: "|".join(lines) for title, lines in sections("macros")}

_TAG: Final = re.compile(rf"\b({'|'.join(Kind)})\b")
_MACRO: Final = re.compile(r"\{(\w+)\}")


def compiled(rule: str) -> re.Pattern[str]:
    """A rule as a pattern over lines. Whole units only."""
    written = _TAG.sub(r"[^\\s/]+/\1", _spelled_out(rule))
    # Between two units, the first may carry a tag that the rule does not ask for.
    written = written.replace(" ", "(?:/[A-Z]+)? ")
    return re.compile(rf"(?<!\S)(?:{written})(?:/[A-Z]+)?(?!\S)")


def _spelled_out(rule: str) -> str:
    while _MACRO.search(rule):
        rule = _MACRO.sub(lambda macro: f"(?:{MACROS[macro[1]]})", rule)
    return rule


@cache
def pattern(title: str) -> re.Pattern[str]:
    """One of the patterns in `data/patterns.txt`."""
    return compiled("|".join(section("patterns", title)))


@dataclass(frozen=True)
class Rule:
    intent: Intent
    confidence: float
    written: str
    needs: str = ""
    """What must be on the table: `workout`, `scheduled`, `question`; `-workout` where there must be none."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first tried: all of them take a third of a second, too much for a start."""
        return compiled(self.written)


def rules(name: str) -> tuple[Rule, ...]:
    """A file of rules: `[intent confidence]` or `[intent confidence needs thing]`, then one pattern a line."""
    found: list[Rule] = []
    for title, lines in sections(name):
        intent, confidence, *needs = title.split()
        found += [Rule(Intent(intent), float(confidence), line, needs[1] if needs else "") for line in lines]
    return tuple(found)


class RuleBook(Generic[R]):
    """Many rules, of which only those are tried whose words and tags a line has."""

    def __init__(self, entries: Iterable[tuple[R, str]]) -> None:
        """Each entry: a rule, and how it is written."""
        self._entries = tuple(entries)

    @cached_property
    def _index(self) -> tuple[Wanted, list[tuple[int, R]]]:
        wanted = Wanted()
        return wanted, [(wanted.bits_of(_spelled_out(written)), rule) for rule, written in self._entries]

    def possible(self, line: str) -> Iterator[R]:
        """In the order they were given."""
        wanted, rules = self._index
        met = wanted.met_by(line.split(" ")) | wanted.met_by(line.replace("/", " ").split(" "))
        for needed, rule in rules:
            if met & needed == needed:
                yield rule


RULES: Final = (*rules("rules_workout"), *rules("rules_talk"))
WIDE_RULES: Final = rules("rules_wide")
BOOK: Final = RuleBook((rule, rule.written) for rule in RULES)
WIDE_BOOK: Final = RuleBook((rule, rule.written) for rule in WIDE_RULES)

_WORD: Final = re.compile(r"(?<![A-Za-z{\\])[a-z]{4,}")


def known_words() -> Iterator[str]:
    """The words the grammar knows, for the speller."""
    for written in (*(rule.written for rule in RULES), *MACROS.values()):
        yield from _WORD.findall(written)
