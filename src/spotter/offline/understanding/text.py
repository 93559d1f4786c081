"""Words with their places. The text is read in a form of the same length, so that a place in it is a place in what
was written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from spotter.offline.understanding.data import phrases

LONGEST_TEXT: Final = 4_000
"""Characters that are read. Nobody asks for a workout in more; what follows is not looked at."""

_SAME_LENGTH: Final = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "`": "'",
        "´": "'",
        "“": '"',
        "”": '"',
        "″": '"',
        "′": "'",
        "–": "-",
        "—": ";",
        "−": "-",
        "×": "x",
        "✕": "x",
        "\u00a0": " ",
        "\u202f": " ",
        "\n": ";",
        "•": ";",
        "…": ".",
    }
)

_TOKEN: Final = re.compile(r"w/o?(?!\w)|\d+(?:\.\d+)?|[½¼¾]|[^\W\d_]+(?:'[^\W\d_]+)*|[^\w\s]|_")

_FRACTIONS: Final = {"½": 0.5, "¼": 0.25, "¾": 0.75}

_SHORT_FORMS: Final = {short: full for short, (full,) in phrases("short_forms", "short_forms")}

_ENDINGS: Final = {"'ll": "will", "'ve": "have", "'re": "are"}

_UNITS_OF_WORDS: Final = {word: int(value) for value, (word,) in phrases("short_forms", "numbers")}
_TENS: Final = {word: int(value) for value, listed in phrases("short_forms", "tens") for word in listed}


@dataclass(frozen=True, slots=True)
class Token:
    word: str
    """In lower case, short forms written out, spelling put right."""
    start: int
    end: int
    value: float | None = None
    """When it is a number, in digits or words."""

    @property
    def is_word(self) -> bool:
        return self.value is None and self.word[:1].isalpha()


def flattened(text: str) -> str:
    """Lower case with plain punctuation, of the same length as what is read of the text."""
    return "".join(map(_lower, text[:LONGEST_TEXT].translate(_SAME_LENGTH)))


def _lower(character: str) -> str:
    lowered = character.lower()
    return lowered if len(lowered) == 1 else character


def tokens_of(text: str) -> list[Token]:
    return list(_numbers_read(list(_raw_tokens(flattened(text)))))


def _raw_tokens(flat: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(flat):
        word, start, end = match[0], match.start(), match.end()
        if word[0].isdecimal():
            yield Token(word, start, end, _float(word))
        elif word in _FRACTIONS:
            yield Token(word, start, end, _FRACTIONS[word])
        elif word == "ish" and flat[start - 1 : start].isdecimal():
            continue
        elif word[:2] == "w/":
            yield Token("without" if word == "w/o" else "with", start, end)
        elif word in _SHORT_FORMS:
            yield from (Token(part, start, end) for part in _SHORT_FORMS[word].split())
        elif (ending := word[-3:]) in _ENDINGS and len(word) > len(ending):
            yield Token(word[:-3], start, end)
            yield Token(_ENDINGS[ending], start, end)
        elif word.endswith("'s") and len(word) > 2:
            yield from (Token(part, start, end) for part in _SHORT_FORMS.get(word[:-2], word[:-2]).split())
        else:
            yield Token(word, start, end)


def _float(digits: str) -> float | None:
    """Digits of other scripts count too; what is absurdly long is no number of ours."""
    return float(digits) if len(digits) <= 9 else None


def _numbers_read(tokens: list[Token]) -> Iterator[Token]:
    """Joins "twenty five" and "one hundred and ten"; leaves "one" a word, for it is more often a pronoun."""
    at = 0
    while at < len(tokens):
        value, used = _number_at(tokens, at)
        if value is None:
            yield tokens[at]
        else:
            word = "one" if tokens[at].word == "one" and used == 1 else f"{value:g}"
            yield Token(word, tokens[at].start, tokens[at + used - 1].end, value)
        at += used


def _number_at(tokens: list[Token], at: int) -> tuple[float | None, int]:
    """What number is written from here, and in how many tokens."""
    token = tokens[at]
    following = [part.word for part in tokens[at + 1 : at + 4]]
    if token.word in _TENS:
        joined = following[1:] if following[:1] == ["-"] else following
        unit = _UNITS_OF_WORDS.get(joined[0], 0) if joined else 0
        used = 1 if not 0 < unit < 10 else 3 if joined is not following else 2
        return float(_TENS[token.word] + (unit if used > 1 else 0)), used
    if (
        following[1:3] == ["a", "half"]
        and following[:1] == ["and"]
        and _is_count(token, tokens[at + 4 : at + 5])
    ):
        return (token.value or float(_UNITS_OF_WORDS.get(token.word, 0))) + 0.5, 4
    if following[:1] == ["hundred"] and (token.word in {"a", *_UNITS_OF_WORDS} or token.value is not None):
        count = token.value if token.value is not None else float(_UNITS_OF_WORDS.get(token.word, 1))
        rest = (
            _TENS.get(following[2]) or _UNITS_OF_WORDS.get(following[2])
            if following[1:2] == ["and"] and following[2:]
            else None
        )
        return (100 * count + rest, 4) if rest else (100 * count, 2)
    return _one_word(token.word, following)


def _one_word(word: str, following: list[str]) -> tuple[float | None, int]:
    if word == "couple":
        return (2.0, 2) if following[:1] == ["of"] else (2.0, 1) if following[:1] in _COUNTED else (None, 1)
    if word == "half" and following[:2] == ["a", "dozen"]:
        return 6.0, 3
    named = _UNITS_OF_WORDS.get(word) or {"hundred": 100, "dozen": 12}.get(word)
    return (None if named is None else float(named)), 1


_COUNTED: Final = (
    ["more"],
    ["reps"],
    ["sets"],
    ["kg"],
    ["extra"],
    ["days"],
    ["weeks"],
    ["rounds"],
    ["fewer"],
)


def _is_count(token: Token, following: list[Token]) -> bool:
    """ "Two and a half kilos"; of hours and minutes, the amounts know."""
    unit = following[0].word if following else ""
    return (token.value is not None or token.word in _UNITS_OF_WORDS) and unit in {
        "kg",
        "lb",
        "kilometres",
        "km",
    }


_KEEPS_ITS_S: Final = ("ss", "us", "is")


def fold(word: str) -> str:
    """The singular, roughly: both sides of every comparison are folded, so it need only be the same."""
    if word == "ups":
        return "up"
    if len(word) <= 3 or word[-1] != "s" or word.endswith(_KEEPS_ITS_S):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1]
