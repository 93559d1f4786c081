"""Finding an exercise by what people call it: other word order, abbreviations, plurals, typing mistakes.

Letters in threes pick candidates quickly; words, weighed by how rare they are, decide. Good enough for a few
thousand names and small enough to read, so no library is needed.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Final, NamedTuple

from spotter.training.exercise import Exercise
from spotter.training.vocabulary import Equipment

_WORD: Final = re.compile(r"[a-z0-9]+")
_APOSTROPHES: Final = re.compile("['’`´]")

# How people shorten or spell what the catalogue writes out.
_WORDS: Final[dict[str, str]] = {
    "db": "dumbbell",
    "dbs": "dumbbell",
    "dumbell": "dumbbell",
    "kb": "kettlebell",
    "bb": "barbell",
    "bw": "bodyweight",
    "bicep": "biceps",
    "tricep": "triceps",
    "oh": "overhead",
    "sl": "single leg",
    "ext": "extension",
    "alt": "alternating",
    "pushup": "push up",
    "pushups": "push up",
    "pullup": "pull up",
    "pullups": "pull up",
    "chinup": "chin up",
    "chinups": "chin up",
    "situp": "sit up",
    "situps": "sit up",
    "stepup": "step up",
    "stepups": "step up",
    "pulldown": "pull down",
    "pulldowns": "pull down",
    "pushdown": "push down",
    "pushdowns": "push down",
    "facepull": "face pull",
    "kickback": "kick back",
    "kickbacks": "kick back",
    "deadbug": "dead bug",
    "skullcrusher": "skull crusher",
    "skullcrushers": "skull crusher",
    "deadlifts": "deadlift",
    "rdl": "romanian deadlift",
    "rdls": "romanian deadlift",
    "flys": "fly",
    "flyes": "fly",
    "flies": "fly",
    "crunches": "crunch",
    "lunges": "lunge",
    "raises": "raise",
    "one": "single",
    "1": "single",
    "trx": "suspension",
    "swiss": "exercise",
    "stability": "exercise",
    "physio": "exercise",
    "military": "overhead",
    "ups": "up",
}
# Said of almost everything, and of nothing in particular.
_FILLERS: Final = frozenset({"the", "a", "with", "on", "to", "and", "of", "in", "my", "exercise", "some"})
# A word for a tool must not contradict what the exercise is done with.
_TOOLS: Final[dict[str, frozenset[Equipment]]] = {
    "barbell": frozenset({Equipment.BARBELL, Equipment.EZ_BAR}),
    "dumbbell": frozenset({Equipment.DUMBBELL}),
    "kettlebell": frozenset({Equipment.KETTLEBELL}),
    "cable": frozenset({Equipment.CABLE}),
    "machine": frozenset({Equipment.MACHINE, Equipment.CABLE}),
    "smith": frozenset({Equipment.MACHINE}),
    "band": frozenset({Equipment.BANDS}),
    "plate": frozenset({Equipment.PLATE}),
    "suspension": frozenset({Equipment.SUSPENSION}),
    "ring": frozenset({Equipment.RINGS}),
    "bodyweight": frozenset({Equipment.NONE, Equipment.PULLUP_BAR, Equipment.BENCH, Equipment.CHAIR}),
}
# Nor may a word for what is done: an overhead press is no overhead squat, however much they share.
_MOVES: Final = frozenset(
    {
        *("press", "squat", "curl", "row", "raise", "fly", "extension", "deadlift", "lunge", "plank"),
        *("crunch", "stretch", "dip", "swing", "carry", "jump", "thrust", "bridge", "walk", "run"),
        *("shrug", "twist", "snatch", "clean", "rotation", "hang", "kick", "sit", "push", "pull"),
    }
)
_SINGULAR_ENDS: Final = re.compile(r"(?<=[a-z]{3})s$")
_KEPT_PLURALS: Final = frozenset({"biceps", "triceps", "abs", "press", "glutes", "cross", "traps", "wipers"})


@dataclass(frozen=True, slots=True)
class Match:
    exercise: Exercise
    confidence: float
    """1 is certain; under about 0.7 ask before acting on it."""


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return _APOSTROPHES.sub("", "".join(each for each in decomposed if not unicodedata.combining(each)))


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[str, ...]:
    """The words that matter, each in its one spelling."""
    found: list[str] = []
    for raw in _WORD.findall(_plain(text)):
        for word in _WORDS.get(raw, raw).split():
            single = word if word in _KEPT_PLURALS else _SINGULAR_ENDS.sub("", word)
            if single not in _FILLERS:
                found.append(single)
    return tuple(found)


def normal(text: str) -> str:
    """Equal for texts that name the same thing; the order of the words does not count."""
    return " ".join(sorted(words(text)))


def trigrams(text: str) -> frozenset[str]:
    padded = f"  {text} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))


def edit_distance(one: str, other: str, most: int = 3) -> int:
    """Letters to add, drop, change or swap with their neighbour; `most` + 1 stands for more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, left in enumerate(one, start=1):
        now = [row]
        for column, right in enumerate(other, start=1):
            cost = min(last[column] + 1, now[column - 1] + 1, last[column - 1] + (left != right))
            if row > 1 and column > 1 and left == other[column - 2] and one[row - 2] == right:
                cost = min(cost, before[column - 2] + 1)
            now.append(cost)
        if min(now) > most:
            return most + 1
        before, last = last, now
    return last[-1]


@lru_cache(maxsize=32768)
def _alike(one: str, other: str) -> float:
    """Of two words, from 0 to 1."""
    if one == other:
        return 1.0
    longest = max(len(one), len(other))
    allowed = 0 if longest < 4 else 1 if longest < 6 else 2
    # Short words have near neighbours that mean something else: side and wide, pull and bull.
    if longest < 6 and one[0] != other[0]:
        return 0.0
    # One edit changes at most two letters of the set, so this is quick and never wrong.
    if len(set(one) ^ set(other)) > 2 * allowed or not allowed:
        return 0.0
    distance = edit_distance(one, other, allowed)
    return 1 - distance / longest if distance <= allowed else 0.0


class Name(NamedTuple):
    words: tuple[str, ...]
    squeezed: frozenset[str]
    """Of the letters without spaces: people join and split words as they like."""
    exercise: Exercise


class Matcher:
    """Knows all names of some exercises. Building it takes some tens of milliseconds, asking it a few."""

    def __init__(self, exercises: Iterable[Exercise]) -> None:
        self._names: list[Name] = []
        self._by_trigram: dict[str, list[int]] = {}
        self._sizes: list[int] = []
        counts: Counter[str] = Counter()
        for exercise in exercises:
            for name in (exercise.name, *exercise.aliases):
                self._add(name, exercise)
                counts.update(set(words(name)))
        total = len(self._names)
        self._weights = {word: log(1 + total / count) for word, count in counts.items()}
        self._unknown = log(1 + total)

    def _add(self, name: str, exercise: Exercise) -> None:
        parts = words(name)
        grams = trigrams(" ".join(sorted(parts)))
        number = len(self._names)
        self._names.append(Name(tuple(dict.fromkeys(parts)), trigrams("".join(parts)), exercise))
        self._sizes.append(len(grams))
        for gram in grams:
            self._by_trigram.setdefault(gram, []).append(number)

    def search(self, text: str, *, limit: int, least: float, candidates: int = 60) -> list[Match]:
        all_words = words(text[:120])
        if not all_words:
            return []
        wanted, squeezed = tuple(dict.fromkeys(all_words)), trigrams("".join(all_words))
        best: dict[str, Match] = {}
        for number in self._candidates(all_words, candidates):
            name = self._names[number]
            score = max(self._score(wanted, name), _joined(squeezed, name.squeezed))
            known = best.get(name.exercise.id)
            if score >= least and (known is None or score > known.confidence):
                best[name.exercise.id] = Match(name.exercise, round(score, 3))
        ranked = sorted(
            best.values(), key=lambda each: (-each.confidence, each.exercise.level, each.exercise.id)
        )
        return ranked[:limit]

    def _candidates(self, wanted: tuple[str, ...], limit: int) -> list[int]:
        grams = trigrams(" ".join(sorted(wanted)))
        shared: Counter[int] = Counter()
        for gram in grams:
            shared.update(self._by_trigram.get(gram, ()))
        dice = {number: 2 * count / (len(grams) + self._sizes[number]) for number, count in shared.items()}
        return sorted(dice, key=lambda number: (-dice[number], number))[:limit]

    def _score(self, wanted: tuple[str, ...], name: Name) -> float:
        """How much of what each side says is said by the other, and no contradiction."""
        asked = [word for word in wanted if word in _TOOLS]
        implied = frozenset(
            word
            for word in asked
            if any(not _TOOLS[word].isdisjoint(setup) for setup in name.exercise.setups)
        )
        rest = tuple(word for word in wanted if word not in implied or word in name.words)
        forth, back = self._covered(rest, name.words), self._covered(name.words, wanted)
        score = 2 * forth * back / (forth + back) if forth + back else 0.0
        if len(implied) < len(asked):
            score *= 0.6
        elif len(rest) < len(wanted):
            score *= 0.97
        moves, others = _MOVES.intersection(wanted), _MOVES.intersection(name.words)
        return score * 0.6 if moves and others and not moves & others else score

    def _covered(self, these: tuple[str, ...], those: tuple[str, ...]) -> float:
        whole = covered = 0.0
        for word in these:
            weight = self._weights.get(word, self._unknown)
            whole += weight
            covered += weight * max((_alike(word, other) for other in those), default=0.0)
        return covered / whole if whole else 0.0


def _joined(wanted: frozenset[str], name: frozenset[str]) -> float:
    dice = 2 * len(wanted & name) / (len(wanted) + len(name))
    return 0.95 * dice if dice >= 0.85 else 0.0
