"""How long somebody has, from a short value such as «1.5 hours», «30-45 min» or «half an hour»."""

import re
from typing import Final

_COUNTS: Final = {"one": 1, "two": 2, "three": 3, "five": 5, "ten": 10, "fifteen": 15}
_TENS: Final = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
_TEN: Final = re.compile(rf"\b({'|'.join(_TENS)})(?:[ -](five))?\b")
_COUNT: Final = re.compile(rf"\b({'|'.join(_COUNTS)})\b")
_PHRASES: Final = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"½", ".5"),
        (r"(\d),(\d)", r"\1.\2"),
        (r"\b3[ -]quarters? of an hour\b", "45 min"),
        (r"\bquarter(?: of an)?[ -]hour\b", "15 min"),
        (r"\bhalf(?:[ -]an?)?[ -]hour\b", "30 min"),
        (r"\ban? hour\b", "1 hour"),
        (r"\b(\d+) (?:and a half hours?|hours? and a half)\b", r"\1.5 hours"),
        # Of a range the lower end: what is planned for it fits in any case.
        (r"(\d) ?(?:-|–|to|or|and) ?\d+(?:\.\d+)?", r"\1"),
    )
)
_LENGTH: Final = re.compile(
    r"(?<![\d.:])(?:"
    r"(?P<hours>\d*\.?\d+)[ -]?(?:hours?|hrs?|h)(?:(?P<past>[0-5]\d)(?!\d)|(?![a-z]))"
    r"(?:,? (?:and )?(?P<more>\d+) ?m(?:in(?:ute)?s?)?\b)?"
    r"|(?P<minutes>\d+)(?:\.\d+)?[ -]?m(?:in(?:ute)?s?)?\b)"
)
_BARE: Final = re.compile(r"(?:(?:about|around|roughly|up to|at most|max|only|just|~) ?)?(\d+)(?: max)?")
_LEAST_WITHOUT_UNIT: Final = 5
"""«1» may be an hour or a minute: nobody should guess."""
_A_DAY: Final = 24 * 60


def minutes_of(text: str) -> int | None:
    """None when it is not clear."""
    said = _with_digits(text)
    if (bare := _BARE.fullmatch(said)) is not None:
        return _sensible(float(bare[1]), _LEAST_WITHOUT_UNIT)
    found = _LENGTH.search(said)
    if found is None:
        return None
    if found["minutes"]:
        return _sensible(float(found["minutes"]), 1)
    return _sensible(float(found["hours"]) * 60 + int(found["past"] or 0) + int(found["more"] or 0), 1)


def _with_digits(text: str) -> str:
    said = " ".join(text.casefold().split())
    said = _TEN.sub(lambda ten: str(_TENS[ten[1]] + (5 if ten[2] else 0)), said)
    said = _COUNT.sub(lambda count: str(_COUNTS[count[1]]), said)
    for phrase, plain in _PHRASES:
        said = phrase.sub(plain, said)
    return said


def _sensible(minutes: float, least: int) -> int | None:
    return round(minutes) if least <= minutes <= _A_DAY else None
