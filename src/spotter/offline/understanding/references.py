"""Things on the table, meant by place, by name or by a pronoun."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from spotter.offline.understanding.data import section, words
from spotter.offline.understanding.tags import Kind, Tag
from spotter.offline.understanding.text import Token, fold

_ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"],
        start=1,
    )
}
_ORD: Final = rf"(?:{'|'.join(_ORDINALS)}|\d+ (?:st|nd|rd|th))"
_THING: Final = r"(?:ones?|exercises?|moves?|movements?|items?|things?|stations?|lifts?|options?)"
_COUNT: Final = r"(?:\d+|couple(?: of)?)"

_PATTERNS: Final = tuple(
    re.compile(rf"(?<= )(?:{written.format(ord=_ORD, thing=_THING, count=_COUNT)})(?= )")
    for written in section("patterns", "references.places")
)


@dataclass(frozen=True, slots=True)
class Item:
    """An exercise of the workout on the table."""

    id: str
    name: str
    exercise: str = ""
    """Its id in the catalogue, if it has one."""


# "Shorten the rest" is about the break, not about the others.
_RESTING: Final = words("references.resting")


def mentions_in(tokens: Sequence[Token], taken: set[int]) -> list[Tag]:
    text = f" {' '.join(token.word for token in tokens)} "
    starts: dict[int, int] = {}
    length = 1
    for at, token in enumerate(tokens):
        starts[length] = at
        length += len(token.word) + 1
    used = set(taken)
    found: list[Tag] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            first = starts.get(match.start())
            if first is None:
                continue
            end = first + match[0].count(" ") + 1
            before = tokens[first - 1].word if first else ""
            if used.isdisjoint(range(first, end)) and not (match[0] == "the rest" and before in _RESTING):
                used.update(range(first, end))
                found.append(Tag(Kind.REF, match[0], first, end))
    return found


def by_place(words: str, items: Sequence[Item], focus: str | None) -> tuple[str, ...]:
    """The ids that a phrase such as "the last two" means."""
    ids = tuple(item.id for item in items)
    if not ids or re.search(r"\b(?:all|everything|whole|entire|full|every|lot)\b", words):
        return ids
    if words.startswith("both"):
        return ids if len(ids) == 2 else ()
    if place := _beside(words, ids, focus):
        return (place,)
    if re.search(r"\bother|\brest\b|remaining", words):
        return tuple(each for each in ids if each != focus) if focus else ()
    if re.match(r"(?:that|this|those|these)\b", words):
        return (focus,) if focus else ids if len(ids) == 1 else ()
    return _counted(words, ids) or tuple(
        each for place in _places(words, ids, focus) if (each := _at(ids, place))
    )


_LAST_BUT_ONE: Final = re.compile(
    r"second (?:to )?last|next to last|last but one|penultimate|before (?:the )?last"
)
_STARTS: Final = re.compile(r"\b(?:opener|opening|starter|start|beginning)\b")
_FINISHES: Final = re.compile(r"\b(?:closer|closing|finisher|finishing|end)\b")
_NEIGHBOUR: Final = re.compile(r"\b(?:(before|above|previous)|after|below|under|following)\b")


def _beside(words: str, ids: tuple[str, ...], focus: str | None) -> str | None:
    """The opener, the last but one, the one before it."""
    if _LAST_BUT_ONE.search(words):
        return _at(ids, len(ids) - 1)
    if _STARTS.search(words) or _FINISHES.search(words):
        return ids[0] if _STARTS.search(words) else ids[-1]
    neighbour = _NEIGHBOUR.search(words)
    if neighbour and focus in ids:
        return _at(ids, ids.index(focus) + (0 if neighbour[1] else 2))
    return None


def _counted(words: str, ids: tuple[str, ...]) -> tuple[str, ...]:
    """The first or last so many."""
    count = re.search(r"\b(first|last|final) (\d{1,3})\b(?! (?:st|nd|rd|th))", words)
    many = int(count[2]) if count else 0
    if count is None or not many:
        return ()
    return ids[:many] if count[1] == "first" else ids[-many:]


def _places(words: str, ids: tuple[str, ...], focus: str | None) -> list[int]:
    found: list[tuple[int, int]] = []
    for word, number in _ORDINALS.items():
        found += [(match.start(), number) for match in re.finditer(rf"\b{word}\b", words)]
    found += [(match.start(), int(match[0])) for match in re.finditer(r"\d{1,3}", words)]
    found += [(match.start(), len(ids)) for match in re.finditer(r"\b(?:last|final|bottom)\b", words)]
    found += [(match.start(), 1) for match in re.finditer(r"\btop\b", words)]
    found += [(match.start(), (len(ids) + 1) // 2) for match in re.finditer(r"\bmiddle\b", words)]
    if re.search(r"^(?:exercise|number|option|nr) one$", words):
        found.append((0, 1))
    if re.search(r"\bnext\b", words):
        found.append((0, ids.index(focus) + 2 if focus in ids else 1))
    return [number for _, number in sorted(found)]


def _at(ids: tuple[str, ...], place: int) -> str | None:
    return ids[place - 1] if 1 <= place <= len(ids) else None


_ENDINGS: Final = ("ing", "ed", "s", "ers", "er")


def by_stem(words: Iterable[str], items: Sequence[Item]) -> tuple[str, ...]:
    """Things whose name is in a word: the plank is meant by "planking", the rows by "rowing"."""
    stems = {_stem(word) for word in words if len(word) > _SHORTEST_STEM}
    return tuple(
        item.id
        for item in items
        if stems
        & {
            fold(word)
            for word in re.findall(r"[a-z]+", item.name.lower())
            if len(word) >= _SHORTEST_STEM - 1 and word not in _TOO_COMMON
        }
    )


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM - 1:
            stem = word[: -len(ending)]
            # squatting, stepping
            return stem[:-1] if len(stem) > 4 and stem[-1] == stem[-2] and stem[-1] not in "sl" else stem
    return word


_SHORTEST_STEM: Final = 4
_TOO_COMMON: Final = frozenset(
    {"push", "pull", "leg", "arm", "hip", "side", "back", "front", "wall", "hold", "step"}
)


def by_name(exercise: str, spoken: str, items: Sequence[Item]) -> tuple[str, ...]:
    """The exercise itself, else those whose name has the word spoken: "the squats" may be goblet squats."""
    same = tuple(item.id for item in items if item.exercise == exercise)
    if same:
        return same
    words = {fold(word) for word in re.findall(r"[a-z]+", spoken.lower())}
    return tuple(
        item.id
        for item in items
        if words
        and words <= {fold(word) for word in re.findall(r"[a-z]+", item.name.lower().replace("-", " "))}
    )
