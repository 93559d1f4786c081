"""A linear classifier beside the rules: it knows texts that are like the ones it was shown, in whatever words.

The weights are made by `scripts/train_safety.py`. The weights of one feature for all labels are packed into one
integer, a lane each, so that adding integers adds all labels at once; sums over the words so far then weigh any stretch
with one subtraction.
"""

import json
import re
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
    word_features,
)
from spotter.safety.classifier.stretches import stretches
from spotter.safety.decision import CategoryName
from spotter.safety.findings import SURE, Finding
from spotter.safety.words import Words

WEIGHTS: Final = Path(__file__).parent / "weights.bin"
ZERO: Final = 128
"""How the weight nothing is written: one byte each, from -128 to 127."""
_LANE: Final = 32
_LANE_BYTES: Final = _LANE // 8
_HALF: Final = 1 << (_LANE - 1)
_KNOWN_WORDS: Final = 50_000
_WARNS: Final = 0.4
_SUREST: Final = 0.95
_UNDERSTOOD: Final = 0.8
# «Never had chest pain, not dizzy»: all the words of an alarm, and none of it. Sums cannot tell; this only warns.
_DENIES: Final = re.compile(
    r"^(?:[a-z]+ ){0,4}?(?:never|no|dont (?:have|get)|do not have|without|not)(?: any| had| get| real| more)*"
    r"(?: [a-z]+){0,2} (?:pains?|dizzy|dizziness|faint|fainted|symptoms?|chest (?:pain|trouble|problems?|tightness)"
    r"|numbness|swelling)(?= |$)"
)
_BUT: Final = re.compile(
    r"\b(?:but|except|until|since|now|today|tonight|this|that|before|suddenly|then|only|just|cant|cannot|wont|stop"
    r"|feel|feels|feeling|felt|went|goes|his|her|he|she)\b"
)
# «30 min upper body, my left knee hurts»: a joint that hurts is planned around, not an emergency, unless anything else
# is said that belongs to one. This only warns.
_HURTS: Final = re.compile(
    r"\b(?:knees?|shoulders?|elbows?|wrists?|ankles?|hips?|heels?|foot|feet|thumbs?|lower back|back|neck)"
    r" (?:(?:really|kinda|still|is|are|feels?|a|bit) ){0,3}(?:hurts?|hurting|aches?|aching|sore|achy|stiff)\b"
)
_MORE_THAN_SORE: Final = re.compile(
    r"\b(?:chest|heart|breath\w*|faint\w*|dizz\w*|numb\w*|tingl\w*|swell\w*|swollen|pop\w*|snap\w*|lock\w*|gave|giv\w+"
    r"|blood|vision|blurr\w*|see|jaw|arms?|head\w*|fever\w*|urine|pee|bladder|bowel|toilet|groin|saddle|both legs"
    r"|weak\w*|worst|collaps\w*|pass\w*|black\w*|vomit\w*|sick|deform\w*|bent|calf|calves|pregnan\w*|cant|cannot|wont|couldnt"
    r"|severe|sudden\w*|unbear\w*|night|cancer|weight|huge|hot|red|fell|crash\w*|hit|crack\w*|tore|torn|twist\w*|move"
    r"|walk|stand)\b"
)
_WHY: Final = "reads like texts of this kind"


@dataclass(frozen=True, slots=True)
class Label:
    name: CategoryName
    bias: float
    warn: float
    sure: float


@dataclass(frozen=True, slots=True)
class Reading:
    found: list[Finding]
    doubted: frozenset[CategoryName]
    """Of these no part of the text has anything: its words, all known, rather speak against them."""


class Model:
    """Weights in memory: 30 ms to read, then microseconds per word."""

    def __init__(self, raw: bytes) -> None:
        head, _, body = raw.partition(b"\n")
        self.about: dict[str, Any] = json.loads(head)
        self.labels = tuple(
            Label(CategoryName(one["name"]), one["bias"], one["warn"], one["sure"])
            for one in self.about["labels"]
        )
        self._scale: float = self.about["scale"]
        self._weights = _packed(zlib.decompress(body), len(self.labels))
        self._of_word: dict[str, int] = {}

    def scores(self, words: Sequence[str]) -> list[tuple[float, tuple[int, int]]]:
        """By label: the score of the stretch that has most of it, and which words that is."""
        weights = self._weights
        of_word = [self._of_word.get(word) for word in words]
        sums = [self._weigh(words[at]) if one is None else one for at, one in enumerate(of_word)]
        for index, feature in context_features(words):
            if (weight := weights.get(feature)) is not None:
                sums[index] += weight
        for at in repeated(words):
            sums[at] = 0
        before = list(accumulate(sums, initial=0))
        best = [(-1e9, (0, 0))] * len(self.labels)
        for start, end in stretches(words):
            packed = before[end] - before[start]
            for at in range(len(best)):
                # What lies below a lane may have borrowed one from it; adding half a lane gives it back.
                score = ((packed + _HALF) & _MASK) - _HALF
                packed = (packed - score) >> _LANE
                if score > best[at][0]:
                    best[at] = (score, (start, end))
        return [
            (score / self._scale + label.bias, part)
            for label, (score, part) in zip(self.labels, best, strict=True)
        ]

    def reading(self, words: Words) -> "Reading":
        """Spans as in `words`: of the normalised text."""
        read = words.clean.split(" ") if words.clean else []
        if not read:
            return Reading([], frozenset())
        found = []
        doubted = set()
        for label, (score, (start, end)) in zip(self.labels, self.scores(read), strict=True):
            if score < label.bias:
                doubted.add(label.name)
            if score < label.warn or end <= start:
                continue
            certainty = _WARNS
            if score >= label.sure and not _only_sounds_so(
                label.name, " ".join(read[start:end]), words.clean
            ):
                certainty = min(SURE + (score - label.sure) / 4, _SUREST)
            span = (words.spans[start][0], words.spans[end - 1][1])
            found.append(Finding(label.name, round(certainty, 2), (span,), _WHY))
        return Reading(found, frozenset(doubted) if doubted and self._understands(read) else frozenset())

    def _understands(self, words: Sequence[str]) -> bool:
        """Whether it has met most of the words: of another language it knows nothing, for or against."""
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


def _only_sounds_so(name: CategoryName, said: str, whole: str) -> bool:
    if name is not CategoryName.MEDICAL_EMERGENCY:
        return False
    denied = _DENIES.match(said) is not None and _BUT.search(said) is None
    return denied or (_HURTS.search(whole) is not None and _MORE_THAN_SORE.search(whole) is None)


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
