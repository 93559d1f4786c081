"""Searching for what personal data looks like only where it can be: most texts have none of it, and dense ones are
full of words and numbers that begin nothing."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

from spotter.safety.personal_patterns import HINTS, PATTERNS, Hints

_STARTS: Final = re.compile(r"[A-Za-z]+|[2\"':]|[^\x00-\x7f]")
"""Where anything that is announced can begin: with a word (one with a 2: «2fa code»), a quotation mark, or «://»."""
_BEFORE: Final = 64
_AFTER: Final = 300
"""How far what is announced reaches around the word that announces it."""


class _Shape(dict[int, str]):
    """For `str.translate`: 0 for a digit, A for a capital, a for a small letter."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character.isdecimal():
            return "0"
        return "A" if character.isupper() else "a" if character.islower() else character


_SHAPE: Final = _Shape()
_SHAPE.update({code: _SHAPE[code] for code in range(128)})


def views_of(plain: str) -> dict[str, str]:
    shape = plain.translate(_SHAPE)
    joined = shape.replace(" ", "").replace("-", "")
    return {"plain": plain, "lowered": plain.lower(), "shape": shape, "joined": joined}


class Look:
    """One pattern, searched for only where it can be."""

    def __init__(self, kind: str, pattern: str, hints: Hints) -> None:
        self.kind = kind
        self.hints = hints
        self.announced = "(?P<value>" in pattern
        self.group = "value" if self.announced else 0
        self._pattern = re.compile(pattern)

    def matches(self, plain: str, view: str, starts: list[int]) -> Iterable[re.Match[str]]:
        """`starts` is filled by the first that needs it."""
        pieces = self.hints.pieces
        if not any(piece in view for piece in pieces):
            return ()
        if len(view) != len(plain) or not (self.announced or self.hints.begins):
            return self._pattern.finditer(plain)
        places = _places(view, pieces)
        if self.hints.begins:
            return self._tried(plain, places, places, len(plain))
        starts = starts or _word_starts(plain, starts)
        return self._tried(plain, starts, places, _AFTER)

    def _tried(self, plain: str, starts: list[int], places: list[int], reach: int) -> Iterator[re.Match[str]]:
        """Where a word announces what is looked for, only what begins shortly before that word is tried."""
        done = 0
        for at in places:
            for start in starts[bisect_left(starts, max(at - _BEFORE, done)) : bisect_right(starts, at)]:
                done = start + 1
                if found := self._pattern.match(plain, start, at + reach):
                    yield found
                    done = found.end()
                    break


def _word_starts(plain: str, starts: list[int]) -> list[int]:
    starts.extend(found.start() for found in _STARTS.finditer(plain))
    return starts


def _places(lowered: str, words: tuple[str, ...]) -> list[int]:
    places = []
    for word in words:
        at = lowered.find(word)
        while at >= 0:
            places.append(at)
            at = lowered.find(word, at + 1)
    places.sort()
    return places


LOOKS: Final = tuple(
    Look(kind, pattern, hints) for (kind, pattern), hints in zip(PATTERNS, HINTS, strict=True)
)
