"""From text to a line of units: plain words, and stretches that mean something, written `word/KIND`.

Grammars are then patterns over such lines, so they speak of any exercise or any muscle instead of listing them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from spotter.offline.understanding.amounts import amounts_in
from spotter.offline.understanding.data import phrases, section
from spotter.offline.understanding.dates import dates_in
from spotter.offline.understanding.names import Names, spellings
from spotter.offline.understanding.references import mentions_in
from spotter.offline.understanding.slots import Span
from spotter.offline.understanding.spelling import Speller
from spotter.offline.understanding.tags import Kind, Tag
from spotter.offline.understanding.text import Token, fold, tokens_of

MOST_TOKENS: Final = 600
_WORTH_GUESSING: Final = 5
"""Letters. Shorter words of ours look too much like others; those that matter are listed."""


def _otherwise(title: str, form: str) -> dict[str, re.Pattern[str]]:
    """Words of ours that often mean something else, with what is then beside them."""
    found = {}
    for line in section("otherwise", title):
        word, _, rule = line.partition(":")
        found[word] = re.compile(form.format(rule.strip()))
    return found


_NOT_AFTER: Final = _otherwise("after", "(?:^|.* ){}$")
_NOT_BEFORE: Final = _otherwise("before", "{}")

_PRIORITY: Final = (
    (Kind.CONDITION, "conditions"),
    (Kind.BODY, "body"),
    (Kind.MUSCLE, "muscles"),
    (Kind.REGION, "regions"),
    (Kind.SPLIT, "splits"),
    (Kind.EQUIP, "equipment"),
    (Kind.PLACE, "places"),
    (Kind.PATTERN, "patterns"),
    (Kind.LEVEL, "levels"),
    (Kind.INTENSITY, "intensities"),
    (Kind.GOAL, "goals"),
    (Kind.KIT, "kit"),
)

PAIN: Final = frozenset(word for _, listed in phrases("lexicon", "pain") for word in listed)
SORENESS: Final = frozenset(word for _, listed in phrases("lexicon", "soreness") for word in listed)

_BEFORE_NAMES: Final = 6

_Phrase = tuple[tuple[str, ...], Kind, str]

# Short for a lift, where a bench or a verb would do as well.
_LIFTS: Final = {
    "benched": "bench press",
    "benching": "bench press",
    "squatted": "squat",
    "deadlifted": "deadlift",
    "planked": "plank",
    "lunged": "lunge",
    "curled": "biceps curl",
    "hung": "dead hang",
}
_AFTER_BENCHING: Final = frozenset(
    {"rather", "than", "my", "on", "in", "did", "hit", "to", "for", "the", "i", "last"}
)


class Vocabulary:
    """All phrases with a meaning, by their first word. Built once for a set of names."""

    def __init__(self, names: Names, other_words: Iterable[str] = (), frequent: Iterable[str] = ()) -> None:
        self._phrases: dict[str, list[_Phrase]] = {}
        seen: set[tuple[str, ...]] = set()
        known: set[str] = set(other_words)
        wanted = {word for line in section("ordinary", "wanted") for word in line.split()}
        for words, kind, value in self._entries(names):
            known.update(words)
            wanted.update(word for word in words if len(word) >= _WORTH_GUESSING)
            if words and words not in seen:
                seen.add(words)
                self._phrases.setdefault(words[0], []).append((words, kind, value))
        for entries in self._phrases.values():
            entries.sort(key=lambda phrase: -len(phrase[0]))
        for word, lift in _LIFTS.items():
            if found := self.exercise(lift):
                self._phrases[word] = [((word,), Kind.EXERCISE, found)]
        known.update(_LIFTS, PAIN, SORENESS)
        wanted.update(word for word in PAIN if len(word) >= _WORTH_GUESSING)
        wanted.update([f"{word}s" for word in wanted])
        wanted.update(frequent)
        self.speller: Final = Speller(known | {f"{word}s" for word in known}, wanted)

    @staticmethod
    def _entries(names: Names) -> Iterator[_Phrase]:
        # A rower is a machine and a shoulder a shoulder, whatever a catalogue calls by that name.
        yield from _listed(_PRIORITY[:_BEFORE_NAMES])
        for phrase, value in names.pairs():
            for words in spellings(phrase):
                yield words, Kind.EXERCISE, value
        yield from _listed(_PRIORITY[_BEFORE_NAMES:])

    def exercise(self, name: str) -> str | None:
        words = next(spellings(name))
        for phrase, kind, value in self._phrases.get(words[0], ()):
            if phrase == words and kind is Kind.EXERCISE:
                return value
        return None

    def longest(self, folded: Sequence[str], at: int, taken: set[int]) -> _Phrase | None:
        for phrase in self._phrases.get(folded[at], ()):
            end = at + len(phrase[0])
            if tuple(folded[at:end]) == phrase[0] and taken.isdisjoint(range(at, end)):
                return phrase
        return None


def _listed(kinds: Iterable[tuple[Kind, str]]) -> Iterator[_Phrase]:
    for kind, title in kinds:
        for value, listed in phrases("lexicon", title):
            for phrase in listed:
                for words in spellings(phrase):
                    yield words, kind, value


@dataclass(frozen=True, slots=True)
class Unit:
    word: str
    tag: Tag | None
    first: int
    end: int

    @property
    def shown(self) -> str:
        return f"{self.word}/{self.tag.kind}" if self.tag else self.word


@dataclass(frozen=True)
class Line:
    """Some units in a row. A clause is a line, and so is a whole message."""

    tokens: Sequence[Token]
    units: tuple[Unit, ...]

    @cached_property
    def text(self) -> str:
        return " ".join(unit.shown for unit in self.units)

    @cached_property
    def _starts(self) -> list[int]:
        starts, length = [], 0
        for unit in self.units:
            starts.append(length)
            length += len(unit.shown) + 1
        return starts

    def tags(self, *kinds: Kind) -> list[Tag]:
        return [unit.tag for unit in self.units if unit.tag and unit.tag.kind in kinds]

    def has(self, *kinds: Kind) -> bool:
        return bool(self.tags(*kinds))

    def units_in(self, match: re.Match[str], group: int | str = 0) -> list[Unit]:
        first, end = match.span(group)
        return [unit for unit, start in zip(self.units, self._starts, strict=True) if first <= start < end]

    def tags_in(self, match: re.Match[str], *kinds: Kind, group: int | str = 0) -> list[Tag]:
        return [
            unit.tag
            for unit in self.units_in(match, group)
            if unit.tag and (not kinds or unit.tag.kind in kinds)
        ]

    def span(self) -> Span:
        if not self.units:
            return Span(0, 0)
        return Span(self.tokens[self.units[0].first].start, self.tokens[self.units[-1].end - 1].end)

    def span_of(self, tag: Tag) -> Span:
        return Span(self.tokens[tag.first].start, self.tokens[tag.end - 1].end)


def read(text: str, vocabulary: Vocabulary) -> Line:
    tokens = [
        Token(vocabulary.speller.corrected(token.word), token.start, token.end) if token.is_word else token
        for token in tokens_of(text)[:MOST_TOKENS]
    ]
    tokens = [token for at, token in enumerate(tokens) if not _joins(tokens, at)]
    tags = dates_in(tokens)
    taken = _covered(tags)
    tags += amounts_in(tokens, taken)
    taken = _covered(tags)
    tags += mentions_in(tokens, taken)
    taken = _covered(tags)
    tags += _phrases_in(tokens, vocabulary, taken)
    return Line(tokens, tuple(_units(tokens, tags)))


def _joins(tokens: Sequence[Token], at: int) -> bool:
    """ "push-ups" and "push ups" are the same; a hyphen between words is not a word."""
    if tokens[at].word != "-" or not 0 < at < len(tokens) - 1:
        return False
    before, after = tokens[at - 1], tokens[at + 1]
    return (
        before.is_word and after.is_word and before.end == tokens[at].start and after.start == tokens[at].end
    )


def _covered(tags: Iterable[Tag]) -> set[int]:
    return {at for tag in tags for at in range(tag.first, tag.end)}


def _phrases_in(tokens: Sequence[Token], vocabulary: Vocabulary, taken: set[int]) -> Iterator[Tag]:
    folded, places = [], []
    for at, token in enumerate(tokens):
        folded.append("\0" if at in taken else fold(token.word))
        places.append(at)
    at = 0
    while at < len(folded):
        phrase = vocabulary.longest(folded, at, set())
        if phrase is None or _means_something_else(folded, at, len(phrase[0])):
            at += 1
            continue
        end = at + len(phrase[0])
        kind, value = phrase[1], phrase[2]
        if phrase[0] == ("bench",) and _is_lift(folded, at) and (lift := vocabulary.exercise("bench press")):
            kind, value = Kind.EXERCISE, lift
        yield Tag(kind, value, places[at], places[end - 1] + 1)
        at = end


def _is_lift(folded: list[str], at: int) -> bool:
    """A number beside it, or a place where one would speak of the lift."""
    amount = "\0" in folded[max(0, at - 1) : at + 2]
    return amount or (at == 0 and len(folded) < 4) or folded[at - 1] in _AFTER_BENCHING


def _means_something_else(folded: list[str], at: int, length: int) -> bool:
    word = " ".join(folded[at : at + length])
    if at and (folded[at - 1] in _AMOUNTS_OF or _mine(folded, at, word)):
        return False
    after, before = _NOT_AFTER.get(word), _NOT_BEFORE.get(word)
    if after and after.match(" ".join(folded[max(0, at - 3) : at]) or "^"):
        return True
    return bool(before and before.match(" ".join(folded[at + length : at + length + 3])))


def _mine(folded: list[str], at: int, word: str) -> bool:
    """ "My back", unless one lies on it."""
    return word == "back" and folded[at - 1] == "my" and (at < 2 or folded[at - 2] not in {"on", "onto"})


_AMOUNTS_OF: Final = frozenset({"more", "less", "some", "extra", "enough"})


def _units(tokens: Sequence[Token], tags: Iterable[Tag]) -> Iterator[Unit]:
    starts = {tag.first: tag for tag in tags}
    at = 0
    while at < len(tokens):
        tag = starts.get(at)
        if tag is None and tokens[at].value is not None and tokens[at].word != "one":
            tag = Tag(Kind.NUM, tokens[at].word, at, at + 1, tokens[at].value or 0.0)
        end = tag.end if tag else at + 1
        yield Unit("_".join(token.word for token in tokens[at:end]).replace("/", "_"), tag, at, end)
        at = end
