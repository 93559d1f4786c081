"""Rules over clean words: a pattern, what must also be there, what takes it away, what makes it less certain.

Patterns are regular expressions over `Words.clean`, where words have one space between them. `<NAME>` stands for a
class of words, `~3` for up to three words of the same sentence, and `near` puts two things in either order.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Generic, TypeVar

from spotter.safety.decision import CategoryName
from spotter.safety.findings import Finding
from spotter.safety.needed_words import Wanted
from spotter.safety.words import Words

T = TypeVar("T")

_GAP: Final = re.compile(r"~(\d+)")
_CLASS: Final = re.compile(r"<([A-Z_]+)>")
_NEGATED: Final = re.compile(
    r"\b(?:no|without|never|never had|not|isnt|wasnt|arent|nor|zero)(?: (?:any|real|more|signs? of|kind of"
    r"|of|the|actual|had|have"
    r"|having|got|feel|felt|feeling|in|my|like|a))*$"
    r"|\b(?:no|without|never|dont have|do not have|havent had|dont feel|not)(?: [^ .,]+){1,4} (?:or|nor"
    r"|and no)(?: any| no| had| have| felt| get)*$|\bno(?: [^ .,]+){1,4} , (?:no|or|nor)$"
    r"|\b(?:dont|do not|doesnt|does not|didnt|did not|havent|have not|hasnt|never)(?: (?:really|actually"
    r"|ever|even))?"
    r" (?:have|had|has|get|got|feel|felt|experience|experienced|notice|noticed)(?: (?:any|a|an|the|my|much"
    r"|been|like|that))*$"
)
# «I have never had chest pain like this» says the opposite of «I have never had chest pain».
_BUT_NOW: Final = re.compile(
    r"(?: [^ .]+){0,4} (?:like (?:this|that)|this (?:bad|strong)|before|until|till (?:now|today))\b"
)
SOFT: Final = 0.4


class Pattern:
    """A regular expression that is compiled when it is first needed: most never are."""

    __slots__ = ("_compiled", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        return self.compile()

    def compile(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self.text)
        return self._compiled


Place = tuple[Pattern, int, int]
"""A pattern, and the part of the text to look at."""


@dataclass(frozen=True, slots=True)
class Rule:
    category: CategoryName
    why: str
    score: float
    patterns: tuple[Pattern, ...]
    """Any of these. Apart, because each then is tried only when its own words are there."""
    also: tuple[Pattern, ...] = ()
    """Each must be somewhere in the text."""
    unless: Pattern | None = None
    """In the same sentence: then it is something else."""
    calm: Pattern | None = None
    """Anywhere in the text: then it may be harmless, and only warns."""
    negatable: bool = True

    def finding(self, words: Words, places: Iterable[Place]) -> Finding | None:
        """What some of its patterns find in some places."""
        clean = words.clean
        spans = [
            words.span(found.start(), found.end())
            for pattern, begin, stop in places
            for found in pattern.compiled.finditer(clean, begin, stop)
            if self._counts(clean, found.start(), found.end())
        ]
        if not spans or not all(pattern.compiled.search(clean) for pattern in self.also):
            return None
        score = SOFT if self.calm is not None and self.calm.compiled.search(clean) else self.score
        return Finding(self.category, score, tuple(spans), self.why)

    def _counts(self, clean: str, start: int, end: int) -> bool:
        if self.negatable and _denied(clean, start, end):
            return False
        return self.unless is None or self.unless.compiled.search(*_sentence(clean, start, end)) is None


def _denied(clean: str, start: int, end: int) -> bool:
    return (
        _NEGATED.search(clean, max(0, start - 40), max(0, start - 1)) is not None
        and _BUT_NOW.match(clean, end) is None
    )


def _sentence(clean: str, start: int, end: int) -> tuple[str, int, int]:
    first = clean.rfind(" . ", 0, start)
    last = clean.find(" . ", end)
    return clean, 0 if first < 0 else first + 3, len(clean) if last < 0 else last


class PatternIndex(Generic[T]):
    """Many patterns, each with what it is for; which of them might match is read off the words."""

    def __init__(self, entries: Iterable[tuple[T, Pattern, tuple[Pattern, ...]]]) -> None:
        """Each entry: what it is for, its pattern, and further patterns that must be somewhere in the text too."""
        self._needs = Wanted()
        bits = self._needs.bits_of
        self._wanted: list[tuple[int, int, T, Pattern]] = []
        for owner, pattern, others in entries:
            own = anywhere = bits(pattern.text)
            for one in others:
                anywhere |= bits(one.text)
            self._wanted.append((anywhere, own, owner, pattern))
        # Each pattern under one of its needs: most of them need not even be looked at.
        self._always: list[int] = []
        self._under: dict[int, list[int]] = {}
        for place, (anywhere, *_) in enumerate(self._wanted):
            rarest = anywhere.bit_length() - 1  # needs that many share tend to be met early
            (self._under.setdefault(1 << rarest, []) if anywhere else self._always).append(place)

    def possible(self, clean: str) -> Iterator[tuple[T, Pattern, int, int]]:
        """What might match, and in which sentence. No pattern reaches across the end of one."""
        sentences: list[tuple[int, int, int]] = []
        begin = everything = 0
        for sentence in clean.split(" . "):
            here = self._needs.met_by(sentence.split(" "))
            end = begin + len(sentence)
            sentences.append((here, begin, min(end + 2, len(clean))))
            begin = end + 3
            everything |= here
        for place in self._worth_trying(everything):
            anywhere, own, owner, pattern = self._wanted[place]
            if everything & anywhere == anywhere:
                for here, start, end in sentences:
                    if here & own == own:
                        yield owner, pattern, start, end

    def _worth_trying(self, met: int) -> list[int]:
        """In the order they were given."""
        found = self._always.copy()
        while met:
            lowest = met & -met
            met ^= lowest
            found += self._under.get(lowest, ())
        found.sort()
        return found


class RuleBook:
    """Many rules, of which only those are tried whose words are there."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)

    @cached_property
    def _index(self) -> PatternIndex[Rule]:
        return PatternIndex((rule, pattern, rule.also) for rule in self._rules for pattern in rule.patterns)

    def compile(self) -> None:
        """Ahead of the first text, for rules that any text may call for."""
        for rule in self._rules:
            for pattern in (*rule.patterns, *rule.also, rule.unless, rule.calm):
                if pattern is not None:
                    pattern.compile()

    def findings(self, words: Words) -> list[Finding]:
        possible: dict[int, tuple[Rule, list[Place]]] = {}
        for rule, pattern, start, end in self._index.possible(words.clean):
            possible.setdefault(id(rule), (rule, []))[1].append((pattern, start, end))
        found = (rule.finding(words, places) for rule, places in possible.values())
        return [finding for finding in found if finding is not None]


def bounded(pattern: str) -> str:
    return rf"\b(?:{pattern})(?![^ .,])"


def alternatives(pattern: str) -> list[str]:
    """What stands between the outermost bars; groups that hold everything are opened."""
    parts, depth, begin, index, in_class = [], 0, 0, 0, False
    while index < len(pattern):
        character = pattern[index]
        if character == "\\":
            index += 1
        elif in_class:
            in_class = character != "]"
        elif character == "[":
            in_class = True
        elif character in "()":
            depth += 1 if character == "(" else -1
        elif character == "|" and depth == 0:
            parts.append(pattern[begin:index])
            begin = index + 1
        index += 1
    return [*parts, pattern[begin:]]


class Grammar:
    """Makes rules from patterns in which classes of words are named."""

    def __init__(self, classes: Mapping[str, str]) -> None:
        self._classes = dict(classes)

    def pattern(self, text: str) -> Pattern:
        return Pattern(bounded(self.expanded(text)))

    def expanded(self, text: str) -> str:
        while _CLASS.search(text):
            text = _CLASS.sub(lambda found: f"(?:{self._classes[found[1]]})", text)
        return _GAP.sub(lambda found: rf"(?: [^ .]+){{0,{found[1]}}}", " ".join(text.split()))

    def rule(
        self,
        category: CategoryName,
        why: str,
        pattern: str | Iterable[str],
        *,
        score: float = 0.9,
        also: Iterable[str] = (),
        unless: str | None = None,
        calm: str | None = None,
        negatable: bool = True,
    ) -> Rule:
        joined = pattern if isinstance(pattern, str) else "|".join(pattern)
        return Rule(
            category,
            why,
            score,
            tuple(Pattern(bounded(one)) for one in alternatives(self.expanded(joined))),
            tuple(self.pattern(one) for one in also),
            self.pattern(unless) if unless else None,
            self.pattern(calm) if calm else None,
            negatable,
        )


def near(left: str, right: str, apart: int = 6) -> str:
    """Both in one sentence, at most so many words apart, in either order."""
    return f"(?:{left})~{apart} (?:{right})|(?:{right})~{apart} (?:{left})"
