"""Words cut into the pieces the model knows (WordPiece): what it has never met is read in parts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

UNKNOWN: Final = "[UNK]"
_WORD: Final = re.compile(r"[^\W_]+|[^\w\s]|_")
_LONGEST_WORD: Final = 60
_REMEMBERED: Final = 20_000


@dataclass(frozen=True, slots=True)
class Piece:
    id: int
    start: int
    end: int


@dataclass(slots=True)
class Pieces:
    """Reads lower case text without accents; other letters are unknown to it."""

    ids: Mapping[str, int]
    _of_word: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    def of(self, text: str, most: int) -> list[Piece]:
        """The first `most` pieces of a text, with their places in it."""
        found: list[Piece] = []
        for match in _WORD.finditer(text):
            start = match.start()
            for number, length in self._cut(match[0]):
                found.append(Piece(number, start, start + length))
                start += length
            if len(found) >= most:
                break
        return found[:most]

    def _cut(self, word: str) -> tuple[tuple[int, int], ...]:
        known = self._of_word.get(word)
        if known is None:
            known = self._longest_first(word)
            if len(self._of_word) < _REMEMBERED:
                self._of_word[word] = known
        return known

    def _longest_first(self, word: str) -> tuple[tuple[int, int], ...]:
        found: list[tuple[int, int]] = []
        at = 0
        while at < len(word) <= _LONGEST_WORD:
            mark = "##" if at else ""
            end = next((end for end in range(len(word), at, -1) if mark + word[at:end] in self.ids), None)
            if end is None:
                break
            found.append((self.ids[mark + word[at:end]], end - at))
            at = end
        return tuple(found) if at == len(word) else ((self.ids[UNKNOWN], len(word)),)
