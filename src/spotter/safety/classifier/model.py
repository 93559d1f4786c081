"""Sums over words: where in a text there may be something, at next to no cost.

The weights are made by `scripts/train_safety.py`. The weights of one feature for all labels are packed into one
integer, a lane each, so that adding integers adds all labels at once; sums over the words so far then weigh any stretch
with one subtraction.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from spotter.safety.classifier.features import (
    MARKS,
    context_features,
    repeated,
    root_and_concept,
    share_of,
    word_features,
)
from spotter.safety.classifier.stretches import stretches
from spotter.safety.decision import CategoryName

WEIGHTS: Final = Path(__file__).parent / "weights.bin"
ZERO: Final = 128
"""How the weight nothing is written: one byte each, from -128 to 127."""
_LANE: Final = 32
_LANE_BYTES: Final = _LANE // 8
_HALF: Final = 1 << (_LANE - 1)
_KNOWN_WORDS: Final = 50_000
_UNDERSTOOD: Final = 0.8


@dataclass(frozen=True, slots=True)
class Label:
    name: CategoryName
    bias: float
    ask: float
    """From this score on it is worth a closer look."""


@dataclass(frozen=True, slots=True)
class Score:
    """Of one label: what the stretch that has most of it weighs, which words that is, and whether to look closer."""

    name: CategoryName
    score: float
    start: int
    end: int
    asks: bool


class Model:
    """Weights in memory: 30 ms to read, then microseconds per word."""

    def __init__(self, raw: bytes) -> None:
        head, _, body = raw.partition(b"\n")
        self.about: dict[str, Any] = json.loads(head)
        self.labels = tuple(
            Label(CategoryName(one["name"]), one["bias"], one["ask"]) for one in self.about["labels"]
        )
        self._scale: float = self.about["scale"]
        self._weights = _packed(zlib.decompress(body), len(self.labels))
        self._of_word: dict[str, int] = {}

    def scores(self, words: Sequence[str]) -> list[Score]:
        weights = self._weights
        of_word = [self._of_word.get(word) for word in words]
        sums = [self._weigh(words[at]) if one is None else one for at, one in enumerate(of_word)]
        for index, feature in context_features(words):
            if (weight := weights.get(feature)) is not None:
                sums[index] += weight
        for at in repeated(words):
            sums[at] = 0
        before = list(accumulate(sums, initial=0))
        best: list[tuple[float, tuple[int, int]]] = [(-1e9, (0, 0))] * len(self.labels)
        for start, end in stretches(words):
            packed = before[end] - before[start]
            share = share_of(end - start)
            for at in range(len(best)):
                # What lies below a lane may have borrowed one from it; adding half a lane gives it back.
                score = ((packed + _HALF) & _MASK) - _HALF
                packed = (packed - score) >> _LANE
                if score * share > best[at][0]:
                    best[at] = (score * share, (start, end))
        found = []
        for label, (weighed, (start, end)) in zip(self.labels, best, strict=True):
            total = weighed / self._scale + label.bias
            found.append(Score(label.name, total, start, end, asks=end > start and total >= label.ask))
        return found

    def understands(self, words: Sequence[str]) -> bool:
        """Whether it has met most of the words: of another language nothing here knows anything, for or against."""
        known = sum(word in MARKS or f"u{root_and_concept(word)[0]}" in self._weights for word in words)
        return known >= _UNDERSTOOD * len(words)

    def _weigh(self, word: str) -> int:
        weight = 0
        if word and word not in MARKS:
            weight = sum(self._weights.get(feature, 0) for feature in word_features(word))
        if len(self._of_word) < _KNOWN_WORDS:
            self._of_word[word] = weight
        return weight


_MASK: Final = (1 << _LANE) - 1


@cache
def model() -> Model:
    return Model(WEIGHTS.read_bytes())


def _packed(body: bytes, labels: int) -> dict[str, int]:
    names, _, rows = body.partition(b"\n\n")
    lanes = bytearray(len(rows) * _LANE_BYTES)
    lanes[::_LANE_BYTES] = rows
    width = labels * _LANE_BYTES
    zero = sum(ZERO << (_LANE * at) for at in range(labels))
    read = int.from_bytes
    return {
        name: read(lanes[at * width : (at + 1) * width], "little") - zero
        for at, name in enumerate(names.decode().split("\n"))
    }
