"""Which parts of a text are weighed by themselves, so that small talk around one sentence cannot outweigh it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

_WHOLE: Final = 40
"""Up to so many words a stretch is weighed as it is."""
_WINDOW: Final = 30
_STEP: Final = 10


def stretches(words: Sequence[str]) -> list[tuple[int, int]]:
    """Each sentence, each two in a row, all of a short text; what is long, in windows that overlap."""
    sentences = _sentences(words)
    found = dict.fromkeys(sentences)
    found.update(dict.fromkeys((first[0], second[1]) for first, second in pairwise(sentences)))
    if sentences and len(words) <= _WHOLE:
        found[0, len(words)] = None
    return [part for start, end in found for part in _windows(start, end)]


def _sentences(words: Sequence[str]) -> list[tuple[int, int]]:
    found = []
    start = 0
    for index, word in enumerate(words):
        if word == ".":
            if index > start:
                found.append((start, index))
            start = index + 1
    if start < len(words):
        found.append((start, len(words)))
    return found


def _windows(start: int, end: int) -> list[tuple[int, int]]:
    if end - start <= _WHOLE:
        return [(start, end)]
    return [(at, min(at + _WINDOW, end)) for at in range(start, end - _WINDOW + _STEP, _STEP)]
