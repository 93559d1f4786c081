"""Answers to a question that is open: by number, by place, by the option's own words."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from spotter.offline.understanding.clauses import bare, without_fillers
from spotter.offline.understanding.data import words
from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.grammar import RULES, pattern
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.references import Item, by_place
from spotter.offline.understanding.tags import Kind
from spotter.offline.understanding.text import fold

_PLAIN: Final = [rule for rule in RULES if rule.intent in {Intent.YES, Intent.NO}]
_LONGEST_ANSWER: Final = 11
_SMALL: Final = words("answers.small")


def answer_in(
    line: Line, table: Table, reader: Callable[[str], Line] | None = None
) -> tuple[Intent, str | None] | None:
    """`reader` reads an option as it read the answer, so that they are compared by what they mean."""
    question = table.question
    if question is None or not 0 < len(line.units) <= _LONGEST_ANSWER:
        return None
    spoken = without_fillers(line)
    text = bare(spoken.text)
    chosen = (
        _by_place(spoken, question.options)
        or _by_words(spoken, question.options)
        or (_by_meaning(spoken, question.options, reader) if reader else None)
        or _by_size(spoken, question.options)
    )
    if chosen and chosen.lower() in {"yes", "no"}:
        return Intent(chosen.lower()), None
    if chosen:
        return Intent.CHOOSE, chosen
    for rule in _PLAIN:
        if rule.pattern.search(text):
            return rule.intent, None
    return None


def _by_place(line: Line, options: Sequence[str]) -> str | None:
    items = tuple(Item(option, option) for option in options)
    for tag in line.tags(Kind.REF):
        found = by_place(tag.value, items, None)
        if len(found) == 1:
            return found[0]
    if re.fullmatch(r"(?:option |number |# |choice )?(\d+)/NUM", line.text):
        place = int(re.sub(r"\D", "", line.text) or 0)
        return options[place - 1] if 1 <= place <= len(options) else None
    if ordinal := re.fullmatch(
        r"(?:the )?(\d+)/NUM (?:st|nd|rd|th)|(?:the )?(first|second|third|last)", line.text
    ):
        place = int(ordinal[1] or 0) or {"first": 1, "second": 2, "third": 3}.get(ordinal[2], len(options))
        return options[place - 1] if 1 <= place <= len(options) else None
    letter = re.fullmatch(r"(?:option )?([a-e])", line.text)
    if letter and ord(letter[1]) - ord("a") < len(options):
        return options[ord(letter[1]) - ord("a")]
    return None


def _by_words(line: Line, options: Sequence[str]) -> str | None:
    said = _words(" ".join(token.word for unit in line.units for token in line.tokens[unit.first : unit.end]))
    if not said:
        return None
    scores = [
        (len(said & (words := _words(option))) / max(1, min(len(said), len(words))), option)
        for option in options
    ]
    best = max(scores, default=(0.0, ""))
    clear = sum(score == best[0] for score, _ in scores) == 1
    return best[1] if best[0] >= 0.6 and clear else None


def _by_meaning(line: Line, options: Sequence[str], reader: Callable[[str], Line]) -> str | None:
    """ "Three quarters of an hour" is the option "45 minutes"."""
    said = _meanings(line)
    meant = {option: _meanings(reader(option)) for option in options}
    found = [option for option in options if said & meant[option]] or [
        option for option in options if _in_kind(line, said, meant[option])
    ]
    return found[0] if len(found) == 1 else None


_NO_KIT: Final = (Kind.EQUIP, "none")
_ALL_KIT: Final = (Kind.PLACE, "gym")
_BIG: Final = frozenset({"rack", "cable", "machine", "barbell", "treadmill", "rower"})
_NONE: Final = pattern("answers.none")
_EVERYTHING: Final = pattern("answers.everything")


def _in_kind(line: Line, said: set[tuple[Kind, object]], meant: set[tuple[Kind, object]]) -> bool:
    """ "Just me and the floor" is the body alone; racks and cables are a gym; 30 is half an hour."""
    minutes = {tag.amount * 60 for tag in line.tags(Kind.NUM)}
    if any(kind is Kind.DUR and amount in minutes for kind, amount in meant):
        return True
    if _NO_KIT in meant:
        return bool(_NONE.search(line.text))
    big = {value for kind, value in said if kind is Kind.EQUIP} & _BIG
    return _ALL_KIT in meant and (len(big) > 1 or bool(_EVERYTHING.search(line.text)))


_LEAST: Final = re.compile(
    r"\b(?:shortest|quickest|smallest|least|fastest|minimum|lowest|briefest|easiest)\b"
)
_MOST: Final = re.compile(r"\b(?:longest|biggest|most|maximum|highest|max|fullest)\b")
_MIDDLE: Final = re.compile(r"\b(?:middle|in between|medium|halfway)\b")


def _by_size(line: Line, options: Sequence[str]) -> str | None:
    """ "Whatever's longest", where the options are amounts."""
    sizes = {option: int(number[0]) for option in options if (number := re.search(r"\d+", option))}
    if len(sizes) < 2 or len(sizes) != len(options):
        return None
    ranked = sorted(sizes, key=lambda option: sizes[option])
    if _LEAST.search(line.text):
        return ranked[0]
    if _MOST.search(line.text):
        return ranked[-1]
    return ranked[len(ranked) // 2] if _MIDDLE.search(line.text) else None


def _meanings(line: Line) -> set[tuple[Kind, object]]:
    return {
        (tag.kind, tag.amount or tag.value)
        for tag in line.tags(Kind.DUR, Kind.EQUIP, Kind.PLACE, Kind.REGION, Kind.MUSCLE, Kind.EXERCISE)
    }


def _words(text: str) -> set[str]:
    return {fold(word) for word in re.findall(r"[^\W_]+", text.lower())} - _SMALL
