"""Answers to a question that is open: by number, by place, by the option's own words."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from spotter.offline.understanding.clauses import bare, without_fillers
from spotter.offline.understanding.data import words
from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.grammar import RULES
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.references import Item, by_place
from spotter.offline.understanding.tags import Kind
from spotter.offline.understanding.text import fold

_PLAIN: Final = [rule for rule in RULES if rule.intent in {Intent.YES, Intent.NO}]
_LONGEST_ANSWER: Final = 9
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
    found = [option for option in options if said & _meanings(reader(option))]
    return found[0] if len(found) == 1 else None


def _meanings(line: Line) -> set[tuple[Kind, object]]:
    return {
        (tag.kind, tag.amount or tag.value)
        for tag in line.tags(Kind.DUR, Kind.EQUIP, Kind.PLACE, Kind.REGION, Kind.MUSCLE, Kind.EXERCISE)
    }


def _words(text: str) -> set[str]:
    return {fold(word) for word in re.findall(r"[^\W_]+", text.lower())} - _SMALL
