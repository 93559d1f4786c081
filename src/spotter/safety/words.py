"""Words of a text, put right: apostrophes, leet, stretched and spelled-out words, typing errors in words that matter.

Rules read `clean`: the words with one space between them, commas and ends of sentences as `,` and `.`. Every word
knows where it came from, so a match leads back to the original text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

from spotter.safety.normalise import Normalised
from spotter.safety.vocabulary import CRITICAL, NOT_TYPOS

_TOKEN: Final = re.compile(
    r"\d(?=[a-z]+\d[a-z]+)[a-z0-9]+|\d+(?:[.,:]\d+)*|[a-z@$*][a-z0-9@$*]*(?:['!|][a-z0-9@$*]+)*|[.!?;\n]+|,|%|/"
)
# k.i.l.l, s u i c i d e: at least four single letters with the same thing between them
_SPELLED: Final = re.compile(r"(?<![a-z0-9])[a-z]([ .\-_*])[a-z](?:\1[a-z]){2,}(?![a-z0-9])")
_STRETCHED: Final = re.compile(r"([a-z])\1{2,}")
_LEET: Final = str.maketrans("0134578@$!|", "oieastbasil")
_LEET_L: Final = str.maketrans("0134578@$!|", "oleastbasll")
_ENDS: Final = frozenset(".!?;\n")


@dataclass(frozen=True, slots=True)
class Words:
    clean: str
    starts: tuple[int, ...]
    """Where each word begins in `clean`."""
    spans: tuple[tuple[int, int], ...]
    """Where it is in `Normalised.plain`."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span of `clean`, in `plain`."""
        first = max(bisect_right(self.starts, start) - 1, 0)
        last = max(bisect_right(self.starts, max(end - 1, start)) - 1, 0)
        return (self.spans[first][0], self.spans[last][1]) if self.spans else (0, 0)


def words_of(text: Normalised) -> Words:
    parts: list[str] = []
    starts: list[int] = []
    spans: list[tuple[int, int]] = []
    position = 0
    for raw, start, end in _tokens(text.folded):
        word = _canonical(raw)
        parts.append(word)
        starts.append(position)
        spans.append((start, end))
        position += len(word) + 1
    return Words(" ".join(parts), tuple(starts), tuple(spans))


def _tokens(folded: str) -> Iterator[tuple[str, int, int]]:
    begin = 0
    for spelled in _SPELLED.finditer(folded):
        yield from _plain_tokens(folded, begin, spelled.start())
        yield spelled[0].replace(spelled[1], ""), spelled.start(), spelled.end()
        begin = spelled.end()
    yield from _plain_tokens(folded, begin, len(folded))


def _plain_tokens(folded: str, begin: int, end: int) -> Iterator[tuple[str, int, int]]:
    for found in _TOKEN.finditer(folded, begin, end):
        yield found[0], found.start(), found.end()


@lru_cache(maxsize=65_536)
def _canonical(raw: str) -> str:
    if raw[0] in _ENDS:
        return "."
    if raw.replace(".", "").replace(",", "").replace(":", "").isdigit() or len(raw) == 1:
        return raw
    word = raw.replace("'", "")
    if word in CRITICAL or (word.isalpha() and len(word) < 4):
        return word
    if not word.isalpha():
        return _unleeted(word)
    if _STRETCHED.search(word):
        return _shortened(word)
    return _repaired(word)


def _unleeted(word: str) -> str:
    for table in (_LEET, _LEET_L):
        candidate = word.translate(table).replace("*", "")
        if candidate in CRITICAL:
            return candidate
        if candidate.isalpha() and (repaired := _repaired(candidate)) in CRITICAL:
            return repaired
    starred = _STARRED.get(re.sub(r"\*+", "*", word))
    return starred or word.strip("@$*!|'") or "_"


def _shortened(word: str) -> str:
    """Of the readings with one or two of each stretched letter, the one we know; otherwise the shortest."""
    pieces = re.split(r"(([a-z])\2{2,})", word)
    plain, letters = pieces[0::3], pieces[2::3]
    for counts in product((1, 2), repeat=min(len(letters), 4)):
        candidate = plain[0]
        for letter, count, rest in zip(letters, counts, plain[1:], strict=False):
            candidate += letter * count + rest
        if candidate in CRITICAL:
            return candidate
    return _repaired(_STRETCHED.sub(r"\1", word))


def _repaired(word: str) -> str:
    """A critical word with one letter missing, doubled, extra or swapped; in long words also one replaced."""
    if len(word) < 4 or len(word) > 24 or word in NOT_TYPOS or word in CRITICAL:
        return word
    if (known := _BY_DELETION.get(word)) is not None:  # one letter is missing
        return known
    for index in range(len(word)):
        shorter = word[:index] + word[index + 1 :]
        if (
            len(shorter) >= 4
            and shorter in CRITICAL
            and (index == 0 or word[index] != "s" or index + 1 < len(word))
        ):
            return shorter
        if (known := _BY_DELETION.get(shorter)) is not None and _close(word, known):
            return known
    return word


def _close(word: str, known: str) -> bool:
    """Same length, both one deletion away from the same thing: two letters swapped, or one replaced."""
    differing = [index for index, (a, b) in enumerate(zip(word, known, strict=False)) if a != b]
    if len(word) != len(known):
        return False
    if len(differing) == 2 and differing[1] == differing[0] + 1:
        a, b = differing
        return word[a] == known[b] and word[b] == known[a]
    return len(differing) == 1 and len(known) >= 7


def _deletions() -> dict[str, str]:
    found: dict[str, str] = {}
    for word in sorted(CRITICAL):
        if len(word) >= 5:
            for index in range(len(word)):
                shorter = word[:index] + word[index + 1 :]
                if shorter not in CRITICAL and shorter not in NOT_TYPOS:
                    found.setdefault(shorter, word)
    return found


_BY_DELETION: Final = _deletions()
_STARRED: Final = {
    "f*ck": "fuck", "f*k": "fuck", "f*cking": "fucking", "sh*t": "shit", "b*tch": "bitch", "c*nt": "cunt",
    "wh*re": "whore", "sl*t": "slut", "f*": "fuck", "k*ll": "kill", "su*cide": "suicide", "d*e": "die",
}  # fmt: skip
