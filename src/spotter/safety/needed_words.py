"""Which words a pattern cannot match without. So that of hundreds of patterns only the few that might match are tried.

Derived from the pattern itself, never written by hand: a list kept beside a pattern is wrong after the next change. It
reads the tree of Python's own parser; where that has something unexpected in it, the pattern is simply always tried.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import product
from typing import Any, Final

_parser: Any = import_module("re._parser")


def _split(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MOST: Final = 600
_REMEMBERED: Final = 50_000
# Words so common that asking for them saves nothing.
COMMON: Final = _split("""
    a an the i im ive id ill my me we you your youre u it its is are was were be been being am do
    does did dont to of in on at for and or not no so as if with that this these those they he she
    him her his them their have has had having get got gets getting can cant cannot could will would
    should just really very more all any some when what how after from up out about now like go
    going went feel feels felt feeling want make makes made keep keeps day days today week time good
    than then there here one two who which by into over every each other only even still again , . /
    set sets work workout run training train gym body back legs leg arm arms take took see saw know
    think need tell give show start help plan weight much many
""")


@dataclass(frozen=True, slots=True)
class Needs:
    """At least one of these must be among the words. Nothing in either: anything might match."""

    words: frozenset[str]
    prefixes: tuple[str, ...]

    @property
    def anything(self) -> bool:
        return not self.words and not self.prefixes

    @property
    def cost(self) -> float:
        return sum(40 if word in COMMON else 1 for word in self.words) + 3 * len(self.prefixes)


ANYTHING: Final = Needs(frozenset(), ())


@lru_cache(maxsize=4096)
def needs_of(pattern: str) -> tuple[Needs, ...]:
    """All of these must be met. Empty: the pattern might match anything."""
    nodes = list(_parser.parse(pattern))
    while len(nodes) == 1 and str(nodes[0][0]) == "SUBPATTERN":
        nodes = list(nodes[0][1][3])
    return tuple(_of_sequence(nodes))


class Wanted:
    """The needs of many patterns, a bit each, so that what a text meets is told by adding up its words."""

    def __init__(self) -> None:
        self._needs: dict[Needs, int] = {}
        self._by_word: dict[str, int] = {}
        self._by_prefix: dict[str, int] = {}
        self._known: dict[str, int] = {}

    def bits_of(self, pattern: str) -> int:
        """All of these must be met for the pattern to match. To be called for all patterns before the first word."""
        return sum({1 << self._number(one) for one in needs_of(pattern)})

    def met_by(self, words: Iterable[str]) -> int:
        met = 0
        for word in words:
            bits = self._known.get(word)
            met |= self._read(word) if bits is None else bits
        return met

    def _number(self, need: Needs) -> int:
        if (number := self._needs.get(need)) is None:
            number = self._needs[need] = len(self._needs)
            for word in need.words:
                self._by_word[word] = self._by_word.get(word, 0) | 1 << number
            for prefix in need.prefixes:
                self._by_prefix[prefix] = self._by_prefix.get(prefix, 0) | 1 << number
        return number

    @cached_property
    def _prefix_lengths(self) -> list[int]:
        return sorted({len(prefix) for prefix in self._by_prefix})

    def _read(self, word: str) -> int:
        bits = self._by_word.get(word, 0)
        for length in self._prefix_lengths:
            bits |= self._by_prefix.get(word[:length], 0)
        if len(self._known) < _REMEMBERED:
            self._known[word] = bits
        return bits


def _of_sequence(nodes: list[Any]) -> list[Needs]:
    """What each part of a sequence needs."""
    found: list[Needs] = []
    run: set[str] = {""}
    open_left = False
    for node in [*nodes, None]:
        expanded = _expanded(node) if node is not None else None
        if expanded is not None and len(run) * len(expanded) <= _MOST:
            run = {head + tail for head, tail in product(run, expanded)}
            continue
        found.append(_of_run(run, open_left, open_right=node is not None))
        if node is None:
            break
        at_boundary = not open_left if run == {""} else all(text.endswith(" ") for text in run)
        open_left, run = not (at_boundary and _repeats_whole_words(node)), {""}
        found += _of_node(node)
        if expanded is not None:
            run = set(expanded)
    return [needs for needs in found if not needs.anything]


def _repeats_whole_words(node: Any) -> bool:
    """`(?:so |very )*`: whatever follows begins a word."""
    if str(node[0]) != "MAX_REPEAT":
        return False
    inner = _product(list(node[1][2]))
    return inner is not None and all(text.endswith(" ") for text in inner)


def _of_run(run: set[str], open_left: bool, *, open_right: bool) -> Needs:
    words: set[str] = set()
    prefixes: set[str] = set()
    for text in run:
        whole, begun = _words_in(text, open_left, open_right)
        choices = sorted(whole, key=lambda word: (word in COMMON, -len(word)))
        if choices and (choices[0] not in COMMON or len(begun) < 3):
            words.add(choices[0])
        elif len(begun) >= 3:
            prefixes.add(begun)
        else:
            return ANYTHING
    return Needs(frozenset(words), tuple(sorted(prefixes)))


def _words_in(text: str, open_left: bool, open_right: bool) -> tuple[list[str], str]:
    """Whole words, and the beginning of one that goes on behind. What may be the end of a word does not count."""
    parts = text.split(" ")
    begun = ""
    if open_right and parts:
        last = parts.pop()
        if parts or not open_left:
            begun = last
    if open_left and parts:
        parts = parts[1:]
    return [part for part in parts if part], begun


def _of_node(node: Any) -> list[Needs]:
    kind, value = str(node[0]), node[1]
    if kind == "SUBPATTERN":
        return _of_sequence(list(value[3]))
    if kind == "BRANCH":
        words: set[str] = set()
        prefixes: set[str] = set()
        for alternative in value[1]:
            needs = min(_of_sequence(list(alternative)), key=lambda one: one.cost, default=ANYTHING)
            if needs.anything:
                return []
            words |= needs.words
            prefixes |= set(needs.prefixes)
        return [Needs(frozenset(words), tuple(sorted(prefixes)))]
    return []


def _expanded(node: Any) -> set[str] | None:
    """Every text a part stands for, when they are few."""
    kind, value = str(node[0]), node[1]
    match kind:
        case "LITERAL":
            found: set[str] | None = {chr(value)}
        case "AT" | "ASSERT" | "ASSERT_NOT":
            found = {""}
        case "SUBPATTERN":
            found = _product(list(value[3]))
        case "BRANCH":
            found = _union(value[1])
        case "IN":
            letters = {chr(item[1]) for item in value if str(item[0]) == "LITERAL"}
            found = letters if len(letters) == len(value) else None
        case "MAX_REPEAT" if value[1] == 1:
            inner = _product(list(value[2]))
            found = None if inner is None else inner | ({""} if value[0] == 0 else set())
        case _:
            found = None
    return found


def _union(alternatives: list[Any]) -> set[str] | None:
    found: set[str] = set()
    for alternative in alternatives:
        texts = _product(list(alternative))
        if texts is None or len(found) + len(texts) > _MOST:
            return None
        found |= texts
    return found


def _product(nodes: list[Any]) -> set[str] | None:
    texts = {""}
    for node in nodes:
        expanded = _expanded(node)
        if expanded is None or len(texts) * len(expanded) > _MOST:
            return None
        texts = {head + tail for head, tail in product(texts, expanded)}
    return texts
