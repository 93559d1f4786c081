"""Typing errors, put right against the words we know, and never against ordinary English.

A wrong correction does harm ("cheat day" is not a chest day), a missed one costs a question. So short words are left
alone, the first letter counts, and a list of ordinary words that look like ours is never touched.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from spotter.offline.understanding.data import section

ORDINARY: Final = frozenset(
    word
    for title in ("words", "small", "off_topic")
    for line in section("ordinary", title)
    for word in line.split()
)

_SHORTEST: Final = 4
_CACHE_LIMIT: Final = 4_096


def distance(left: str, right: str, limit: int) -> int:
    """Edits and swaps of neighbours between two words; `limit + 1` as soon as it is certain to be more."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def allowed(length: int) -> int:
    if length < _SHORTEST:
        return 0
    return 1 if length < 8 else 2


class Speller:
    """Built once. `known` words are left as they are; only the `wanted` ones are worth guessing at."""

    def __init__(self, known: Iterable[str], wanted: Iterable[str]) -> None:
        self._by_first: dict[str, list[str]] = defaultdict(list)
        targets = frozenset(word for word in wanted if word.isalpha())
        self._known = targets | frozenset(known)
        for word in sorted(targets):
            if len(word) >= _SHORTEST:
                self._by_first[word[0]].append(word)
        self._seen: dict[str, str] = {}

    def corrected(self, word: str) -> str:
        if len(word) < _SHORTEST or word in self._known or word in ORDINARY or not word.isalpha():
            return word
        found = self._seen.get(word)
        if found is None:
            if len(self._seen) >= _CACHE_LIMIT:
                self._seen.clear()
            found = self._seen[word] = self._nearest(word)
        return found

    def _nearest(self, word: str) -> str:
        if word.endswith("s") and (word[:-1] in ORDINARY or word[:-1] in self._known):
            return word
        stem = next((word[: -len(end)] for end in ("ing", "ed", "ly", "er", "est") if word.endswith(end)), "")
        if len(stem) > 2 and (stem in ORDINARY or f"{stem}e" in ORDINARY):
            return word
        best, least = word, allowed(len(word)) + 1
        # A swapped or missing first letter is rarer than any other slip: only the second letter's bucket is tried.
        for first in dict.fromkeys((word[0], word[1])):
            for candidate in self._by_first.get(first, ()):
                limit = min(allowed(min(len(word), len(candidate))), 1 if first != word[0] else 2)
                found = distance(word, candidate, min(limit, least - 1))
                if found < least and found <= limit:
                    best, least = candidate, found
        return best
