"""How rules are written: words, KINDS of tags in capitals, {macros}; spaces separate units.

`swap {det}EXERCISE` matches "swap the goblet squats". A word also matches where it carries a tag.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

from spotter.offline.understanding.data import section, sections
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.tags import Kind

MACROS: Final = {title: "|".join(lines) for title, lines in sections("macros")}

_TAG: Final = re.compile(rf"\b({'|'.join(Kind)})\b")
_MACRO: Final = re.compile(r"\{(\w+)\}")


def compiled(rule: str) -> re.Pattern[str]:
    """A rule as a pattern over lines. Whole units only."""
    written = rule
    while _MACRO.search(written):
        written = _MACRO.sub(lambda macro: f"(?:{MACROS[macro[1]]})", written)
    written = _TAG.sub(r"[^\\s/]+/\1", written)
    # Between two units, the first may carry a tag that the rule does not ask for.
    written = written.replace(" ", "(?:/[A-Z]+)? ")
    return re.compile(rf"(?<!\S)(?:{written})(?:/[A-Z]+)?(?!\S)")


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


RULES: Final = (*rules("rules_workout"), *rules("rules_talk"))
WIDE_RULES: Final = rules("rules_wide")

_WORD: Final = re.compile(r"(?<![A-Za-z{\\])[a-z]{4,}")


def known_words() -> Iterator[str]:
    """The words the grammar knows, for the speller."""
    for written in (*(rule.written for rule in RULES), *MACROS.values()):
        yield from _WORD.findall(written)
