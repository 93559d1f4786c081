"""Which exercises there are to talk about. The catalogue gives them; this room only needs their names."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from spotter.offline.understanding.data import phrases
from spotter.offline.understanding.text import fold


class Names(Protocol):
    """Exercise names and aliases, each with the id it stands for. The first of an id is its proper name."""

    def pairs(self) -> Iterable[tuple[str, str]]: ...


class NameList:
    """Names held in memory."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._pairs = tuple(pairs)

    def pairs(self) -> tuple[tuple[str, str], ...]:
        return self._pairs


_WORD: Final = re.compile(r"[^\W\d_]+|\d+")


def spellings(phrase: str) -> Iterator[tuple[str, ...]]:
    """As folded words, and in one word: "pull-ups" is also met as "pullups"."""
    words = tuple(fold(word) for word in _WORD.findall(phrase.lower().replace("'", "")))
    yield words
    if 2 <= len(words) <= 3 and sum(map(len, words)) <= 14:
        yield ("".join(words),)


# The exercises everybody talks about, under plain ids: what the model knows before a catalogue is given.
BASIC_NAMES: Final = NameList(
    (phrase, value) for value, listed in phrases("exercises", "exercises") for phrase in listed
)


def everyday(names: Names) -> NameList:
    """A catalogue's names, and what people say for short: "rows" where the catalogue only knows kinds of rows.

    A short name goes to the catalogue's id when one of its spellings is there; else it keeps its own plain id, and is
    matched by its words with what is on the table.
    """
    own = tuple(names.pairs())
    known = {words: value for phrase, value in reversed(own) for words in spellings(phrase)}
    plain: dict[str, list[str]] = {}
    for phrase, value in BASIC_NAMES.pairs():
        plain.setdefault(value, []).append(phrase)
    short: list[tuple[str, str]] = []
    for value, listed in plain.items():
        met = (known[words] for phrase in listed for words in spellings(phrase) if words in known)
        target = next(met, value)
        short += [(phrase, target) for phrase in listed if next(spellings(phrase)) not in known]
    return NameList((*own, *short))
