"""What the classifier looks at in a row of words: each word by itself, and what stands near what.

Every feature belongs to one word, so the weight of a stretch of text is the sum over its words: stretches are weighed
without reading them again.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from spotter.safety.classifier.concepts import CONCEPTS_OF, SMALL

_WINDOW: Final = 4
"""How many words that carry meaning a pair reaches back over."""
_NEGATED: Final = 4
_PIECE: Final = 4
MARKS: Final = frozenset(".,%/_")
_SUFFIXES: Final = ("ingly", "edly", "ness", "ings", "ing", "ied", "ies", "ed", "ly", "es", "er", "s", "e")
_USUAL: Final = 10
_SHORTEST: Final = 4
_NUMBERS: Final = (1, 5, 12, 19, 34, 37, 42, 99, 139, 179, 250, 600, 1200)


@lru_cache(maxsize=16_384)
def root_and_concept(word: str) -> tuple[str, str]:
    """The word without its ending, and the concept it stands for: the root again when there is none."""
    root = _number(word) if word[0].isdigit() else _stem(word)
    concepts = CONCEPTS_OF.get(word) or CONCEPTS_OF.get(root)
    return root, concepts[0] if concepts else root


def word_features(word: str) -> Iterator[str]:
    """Of a word by itself: root, concepts, pieces of four letters (for typing errors and other languages)."""
    root, _ = root_and_concept(word)
    yield f"u{root}"
    for concept in CONCEPTS_OF.get(word) or CONCEPTS_OF.get(root) or ():
        yield f"c{concept}"
    if len(word) >= _PIECE and word.isalpha():
        marked = f"<{word}>"
        for at in range(len(marked) - _PIECE + 1):
            yield f"g{marked[at : at + _PIECE]}"


def context_features(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Which word, and a feature it has because of the words before it. None reaches across a full stop."""
    before = ""
    near: list[str] = []
    since_no = _NEGATED
    for index, word in enumerate(words):
        if word == ".":
            before, near, since_no = "", [], _NEGATED
            continue
        if word in MARKS:
            since_no = _NEGATED
            continue
        root, concept = root_and_concept(word)
        if before:
            yield index, f"b{before} {root}"
        before = root
        if word in SMALL:
            since_no += 1
            continue
        for other in near:
            yield index, f"p{other} {concept}" if other < concept else f"p{concept} {other}"
        near = [*near[1 - _WINDOW :], concept]
        if concept == "NO":
            since_no = 0
        elif since_no < _NEGATED:
            since_no += 1
            yield index, f"n{concept}"


@cache
def share_of(words: int) -> float:
    """How much each of so many words counts. Long texts have more of everything, of chance too."""
    return math.sqrt(_USUAL / max(words, _SHORTEST))


def repeated(words: Sequence[str]) -> Iterator[int]:
    """Words that count no more: said fifty times, something means no more than said once."""
    times: dict[tuple[str, str, str], int] = {}
    for at in range(2, len(words)):
        three = (words[at - 2], words[at - 1], words[at])
        times[three] = seen = times.get(three, 0) + 1
        if seen > 1 or three[0] == three[1] == three[2]:
            yield at


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            cut = word[: -len(suffix)]
            if len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "lsz":
                cut = cut[:-1]
            return f"{cut[:-1]}i" if cut.endswith("y") and len(cut) > 3 else cut
    return word


def _number(word: str) -> str:
    """Only its size matters: an age, a pulse, a temperature, calories."""
    digits = word.replace(":", "").replace(",", "").split(".")[0]
    if not digits.isdigit():
        return "#mixed"
    value = int(digits[:9])
    return next((f"#{most}" for most in _NUMBERS if value <= most), "#more")
