"""How long, how heavy, how far, how often. Every token becomes one letter, and the amounts are patterns of letters."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from spotter.offline.understanding.tags import Kind, Tag
from spotter.offline.understanding.text import Token

POUND: Final = 0.45359237
MILE: Final = 1609.344

_LETTERS: Final = {
    word: letter
    for letter, words in {
        "x": "x by times",
        "s": "set sets round rounds series",
        "r": "reps",
        "k": "kg",
        "l": "lb",
        "h": "hours h",
        "m": "minutes m",
        "c": "seconds second s",
        "K": "km k kilometer kilometers kilometre kilometres",
        "M": "metre metres meter meters",
        "i": "mile miles mi",
        "p": "rpe",
        "R": "rir",
        "@": "@",
        "-": "-",
        ",": ", then",
        "/": "/",
        ":": ":",
        "o": "of",
        "f": "for",
        "~": "to or",
        "&": "and",
        "a": "a an",
        "H": "half",
        "q": "quarter quarters",
        "'": "'",
        '"': '"',
        "%": "%",
        "b": "between",
        "w": "with using at",
        "t": "the",
        "e": "more extra additional fewer less easy hard quick solid good full whole entire spare little short gentle "
        "light",
    }.items()
    for word in words.split()
}

_Values = Sequence[float]
_Maker = Callable[[re.Match[str], _Values, int, int], Tag | None]


def _plain(kind: Kind, unit: str, factor: float = 1.0) -> _Maker:
    def make(match: re.Match[str], values: _Values, first: int, end: int) -> Tag | None:
        high = values[1] * factor if len(values) > 1 else None
        return Tag(kind, unit, first, end, values[0] * factor, high)

    return make


def _seconds(count: Callable[[_Values], float]) -> _Maker:
    def make(match: re.Match[str], values: _Values, first: int, end: int) -> Tag | None:
        return Tag(Kind.DUR, "s", first, end, count(values))

    return make


def _sets(match: re.Match[str], values: _Values, first: int, end: int) -> Tag | None:
    unit = {"c": "s", "m": "min", "'": "min", '"': "s"}.get(match["unit"] or "", "reps")
    factor = 60.0 if unit == "min" else 1.0
    high = values[2] * factor if len(values) > 2 else None
    count = int(values[0])
    if not 1 <= count <= 50:
        return None
    return Tag(Kind.SETS, "reps" if unit == "reps" else "s", first, end, values[1] * factor, high, sets=count)


def _turned_sets(match: re.Match[str], values: _Values, first: int, end: int) -> Tag | None:
    return Tag(Kind.SETS, "reps", first, end, values[0], sets=int(values[1]))


def _rep_list(match: re.Match[str], values: _Values, first: int, end: int) -> Tag | None:
    if max(values) > 200:
        return None
    return Tag(Kind.SETS, "reps", first, end, values[0], each=tuple(values), sets=len(values))


def _at(match: re.Match[str], values: _Values, first: int, end: int) -> Tag | None:
    """ "@ 8" is an effort, "@ 60" a weight."""
    if values[0] <= 10:
        return Tag(Kind.RPE, "rpe", first, end, values[0])
    return Tag(Kind.WEIGHT, "kg", first, end, values[0])


def _short_m(match: re.Match[str], values: _Values, first: int, end: int) -> Tag | None:
    """A bare "m": nobody trains for 400 minutes, and nobody runs 30 metres and says so in one letter."""
    return Tag(Kind.DUR, "s", first, end, values[0] * 60.0)


_RULES: Final[tuple[tuple[re.Pattern[str], _Maker], ...]] = tuple(
    (re.compile(pattern), maker)
    for pattern, maker in (
        (r"N-?s?xN(?:[-~]N)?(?P<unit>[rcm'\"]?)", _sets),
        (r"N-?so?N(?:[-~]N)?(?P<unit>[rcm'\"]?)", _sets),
        (r"Nr(?:x|f)?N-?s", _turned_sets),
        (
            r"N(?:[,/]&?N)+(?=@|r@)|N(?:[,/-]&?N){2,}r?|N(?:[,/]&?N)+r|N,?N&N(?![hmckl])|NNN+(?![hmcklsx])",
            _rep_list,
        ),
        (r"wtNc", lambda m, v, f, e: Tag(Kind.WEIGHT, "kg", f, e, v[0])),
        (r"bN&Nh", _plain(Kind.DUR, "s", 3600)),
        (r"bNm?&N-?[m']", _plain(Kind.DUR, "s", 60)),
        (r"bN&Nc", _plain(Kind.DUR, "s")),
        (r"Nh&?N-?m", _seconds(lambda v: v[0] * 3600 + v[1] * 60)),
        (r"NhN(?!x|k|l|r|s)", _seconds(lambda v: v[0] * 3600 + v[1] * 60)),
        (r"ae?h&aH|Nh&aH", _seconds(lambda v: (v[0] if v else 1) * 3600 + 1800)),
        (r"N&aHh", _seconds(lambda v: v[0] * 3600 + 1800)),
        (r"ah&aq", _seconds(lambda v: 4500)),
        (r"(?:aq|q)oah|qh", _seconds(lambda v: 900)),
        (r"Nqoah", _seconds(lambda v: v[0] * 900)),
        (r"aHh|Hah|H-?h", _seconds(lambda v: 1800)),
        (r"Nh?[-~]Nh", _plain(Kind.DUR, "s", 3600)),
        (r"NNh", _seconds(lambda v: (v[0] + v[1]) * 3600)),
        (r"N-?h", _seconds(lambda v: v[0] * 3600)),
        (r"ae?h", _seconds(lambda v: 3600)),
        (r"Nm?[-~]N-?[m']", _plain(Kind.DUR, "s", 60)),
        (r"Ne(?=m)m", lambda m, v, f, e: Tag(Kind.DUR, "s", f, e, v[0] * 60)),
        (r"Nm&aH", _seconds(lambda v: v[0] * 60 + 30)),
        (r"Nm&?Nc", _seconds(lambda v: v[0] * 60 + v[1])),
        (r"N:N", _seconds(lambda v: v[0] * 60 + v[1])),
        (r"N-?[m']", _short_m),
        (r"am&aH", _seconds(lambda v: 90)),
        (r"aHam|Ham", _seconds(lambda v: 30)),
        (r"am&?Nc|amN(?![kxrslh])", _seconds(lambda v: 60 + v[0])),
        (r"ae?m", _seconds(lambda v: 60)),
        (r"N[-~]Nc", _plain(Kind.DUR, "s")),
        (r'N-?(?:c|")', _seconds(lambda v: v[0])),
        (r"@?N,Nk", lambda m, v, f, e: Tag(Kind.WEIGHT, "kg", f, e, float(f"{v[0]:g}.{v[1]:g}"))),
        (r"@?N-?k", _plain(Kind.WEIGHT, "kg")),
        (r"@?N-?l", _plain(Kind.WEIGHT, "kg", POUND)),
        (r"N-?K", _plain(Kind.DIST, "m", 1000)),
        (r"N-?M", _plain(Kind.DIST, "m")),
        (r"N-?i", _plain(Kind.DIST, "m", MILE)),
        (r"@?po?:?N|Np", _plain(Kind.RPE, "rpe")),
        (r"@?R:?N|NR", lambda m, v, f, e: Tag(Kind.RPE, "rpe", f, e, 10 - v[0])),
        (r"@N", _at),
        (r"N[-~]Nr|Nr", _plain(Kind.REPS, "reps")),
        (r"N[-~]Ns|Ns", _plain(Kind.NSETS, "sets")),
        (r"N%", _plain(Kind.PERCENT, "%")),
    )
)


def _letter(token: Token, following: Token | None) -> str:
    if token.value is not None:
        return "N"
    if token.word == "m" and following is None:
        return "m"
    return _LETTERS.get(token.word, " ")


def amounts_in(tokens: Sequence[Token], taken: set[int]) -> list[Tag]:
    """Tags for all amounts on tokens not taken yet."""
    shape = "".join(
        " " if at in taken else _letter(token, None if at + 1 == len(tokens) else tokens[at + 1])
        for at, token in enumerate(tokens)
    )
    found: list[Tag] = []
    at = 0
    while at < len(shape):
        tag = _amount_at(shape, at, tokens) if shape[at] in "N@aHqpRbw" else None
        if tag is None:
            at += 1
        else:
            found.append(tag)
            at = tag.end
    return found


def _amount_at(shape: str, at: int, tokens: Sequence[Token]) -> Tag | None:
    for pattern, maker in _RULES:
        match = pattern.match(shape, at)
        if match is None:
            continue
        first, end = match.span()
        values = [value for token in tokens[first:end] if (value := token.value) is not None]
        metres = match[0] == "Nm" and tokens[end - 1].word == "m" and values[0] >= 100
        tag = Tag(Kind.DIST, "m", first, end, values[0]) if metres else maker(match, values, first, end)
        if tag is not None:
            return tag
    return None
