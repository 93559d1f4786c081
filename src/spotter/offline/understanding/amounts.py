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
        "s": "set sets round rounds series lots",
        "r": "reps",
        "k": "kg",
        "l": "lb",
        "h": "hours hour h",
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
        "w": "with using",
        "A": "at",
        "t": "the",
        "u": "about around roughly like maybe say approximately",
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


def _timed_sets(match: re.Match[str], values: _Values, first: int, end: int) -> Tag | None:
    """ "One minute x3"."""
    seconds = (values[0] if len(values) > 1 else 1.0) * (1.0 if match["unit"] == "c" else 60.0)
    return Tag(Kind.SETS, "s", first, end, seconds, sets=int(values[-1])) if 1 <= values[-1] <= 50 else None


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


def _and_seconds(match: re.Match[str], values: _Values, first: int, end: int) -> Tag | None:
    """ "1 min 15", but not "30 min 2 dumbbells"."""
    if values[0] > 5 or not 10 <= values[1] < 60:
        return None
    return Tag(Kind.DUR, "s", first, end, values[0] * 60 + values[1])


def _past_the_hour(match: re.Match[str], values: _Values, first: int, end: int) -> Tag | None:
    """ "An hour and ten", but not "an hour, 3 sets"."""
    return Tag(Kind.DUR, "s", first, end, 3600 + values[0] * 60) if 5 <= values[0] < 60 else None


def _with_comma(match: re.Match[str], values: _Values, first: int, end: int) -> Tag | None:
    """ "12,5 kg". What comes before such a comma is no number of sets."""
    fraction = f"{values[1]:g}"
    if values[0] < 5 and fraction not in {"5", "25", "75"}:
        return None
    return Tag(Kind.WEIGHT, "kg", first, end, float(f"{values[0]:g}.{fraction}"))


def _short_m(match: re.Match[str], values: _Values, first: int, end: int) -> Tag | None:
    """A bare "m": nobody trains for 400 minutes, and nobody runs 30 metres and says so in one letter."""
    return Tag(Kind.DUR, "s", first, end, values[0] * 60.0)


_RULES: Final[tuple[tuple[re.Pattern[str], _Maker], ...]] = tuple(
    (re.compile(pattern), maker)
    for pattern, maker in (
        (r"N/N(?:oa?|-)?h", _seconds(lambda v: v[0] / max(v[1], 1) * 3600)),
        (r"(?:N-?|a)(?P<unit>[mc'])x-?N", _timed_sets),
        (r"N-?s?xN(?:[-~]N)?(?P<unit>[rcm'\"]?)", _sets),
        (r"N-?so?N(?:[-~]N)?(?P<unit>[rcm'\"]?)", _sets),
        (r"Nr(?:x|f)?N-?s", _turned_sets),
        (
            r"N(?:[,/]&?N)+(?=@|r@)|N(?:(?:,{1,2}|/|-)&?N){2,}r?(?![hmckl])|N(?:[,/]&?N)+r|N,?N&N(?![hmckl])"
            r"|NNN+(?![hmcklsx])",
            _rep_list,
        ),
        (r"[wA]tNc|wa?Nc(?=$|,)", lambda m, v, f, e: Tag(Kind.WEIGHT, "kg", f, e, v[0])),
        (r"bN&Nh", _plain(Kind.DUR, "s", 3600)),
        (r"bNm?&N-?[m']", _plain(Kind.DUR, "s", 60)),
        (r"bN&Nc", _plain(Kind.DUR, "s")),
        (r"Nh&?N-?m", _seconds(lambda v: v[0] * 3600 + v[1] * 60)),
        (r"NhN(?!x|k|l|r|s)", _seconds(lambda v: v[0] * 3600 + v[1] * 60)),
        (r"a?e?h&a?H|Nh&a?H", _seconds(lambda v: (v[0] if v else 1) * 3600 + 1800)),
        (r"N&aHh", _seconds(lambda v: v[0] * 3600 + 1800)),
        (r"a?h&Nq", _seconds(lambda v: 3600 + v[0] * 900)),
        (r"a?h&aq|Nh&aq", _seconds(lambda v: (v[0] if v else 1) * 3600 + 900)),
        (r"a?e?h&?N(?![hxklrsc:/])m?", _past_the_hour),
        (r"a?qoa?h|a?q-?h", _seconds(lambda v: 900)),
        (r"Nqs?oa?h|Nq-?h", _seconds(lambda v: v[0] * 900)),
        (r"aHh|Hah|H-?h", _seconds(lambda v: 1800)),
        (r"Nm?[-~]ah", lambda m, v, f, e: Tag(Kind.DUR, "s", f, e, v[0] * 60, 3600.0)),
        (r"Nh?[-~]Nh", _plain(Kind.DUR, "s", 3600)),
        (r"NNh", _seconds(lambda v: (v[0] + v[1]) * 3600)),
        (r"N-?h", _seconds(lambda v: v[0] * 3600)),
        (r"ae?h", _seconds(lambda v: 3600)),
        (r"h", _seconds(lambda v: 3600)),
        (r"Nm?[-~]N-?[m']", _plain(Kind.DUR, "s", 60)),
        (r"Ne(?=m)m", lambda m, v, f, e: Tag(Kind.DUR, "s", f, e, v[0] * 60)),
        (r"Nm&a?H", _seconds(lambda v: v[0] * 60 + 30)),
        (r"Nm&?Nc", _seconds(lambda v: v[0] * 60 + v[1])),
        (r"NmN(?![hmcklsx:r])", _and_seconds),
        (r"N:N", _seconds(lambda v: v[0] * 60 + v[1])),
        (r"N-?[m']", _short_m),
        (r"am&aH", _seconds(lambda v: 90)),
        (r"aHam|Ham", _seconds(lambda v: 30)),
        (r"am&?Nc|amN(?![kxrslh])", _seconds(lambda v: 60 + v[0])),
        (r"ae?m", _seconds(lambda v: 60)),
        (r"N[-~]Nc", _plain(Kind.DUR, "s")),
        (r'N-?(?:c|")', _seconds(lambda v: v[0])),
        (r"@?N,Nk", _with_comma),
        (r"@?Ne?-?k", _plain(Kind.WEIGHT, "kg")),
        (r"@?Ne?-?l", _plain(Kind.WEIGHT, "kg", POUND)),
        (r"N-?K", _plain(Kind.DIST, "m", 1000)),
        (r"N-?M", _plain(Kind.DIST, "m")),
        (r"[aN]i&a?H|i&a?H", lambda m, v, f, e: Tag(Kind.DIST, "m", f, e, ((v or [1])[0] + 0.5) * MILE)),
        (r"N-?i", _plain(Kind.DIST, "m", MILE)),
        (r"@?po?u?:?a?N|Np", _plain(Kind.RPE, "rpe")),
        (r"@?R:?N|NR", lambda m, v, f, e: Tag(Kind.RPE, "rpe", f, e, 10 - v[0])),
        (r"@N", _at),
        (r"N[-~]Nr|Ne?r", _plain(Kind.REPS, "reps")),
        (r"N[-~]Ns|Ne?s", _plain(Kind.NSETS, "sets")),
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
        tag = _amount_at(shape, at, tokens) if shape[at] in "N@aHqpRbwAhi" else None
        if tag is None:
            at += 1
        else:
            found.append(tag)
            at = tag.end
    return found


# "Back and biceps, hour" is a length; "an hour later" and "every hour" are not.
_HOURS_OF_SOMETHING: Final = frozenset(
    {
        "an",
        "every",
        "per",
        "each",
        "happy",
        "rush",
        "this",
        "next",
        "last",
        "the",
        "half",
        "any",
        "zero",
        "of",
    }
)
_SOME_TIME: Final = frozenset({"ago", "later", "earlier", "before", "after", "from", "glass"})


def _is_length(tokens: Sequence[Token], at: int) -> bool:
    before = tokens[at - 1].word if at else ""
    after = tokens[at + 1].word if at + 1 < len(tokens) else ""
    return tokens[at].word == "hour" and before not in _HOURS_OF_SOMETHING and after not in _SOME_TIME


def _amount_at(shape: str, at: int, tokens: Sequence[Token]) -> Tag | None:
    for pattern, maker in _RULES:
        match = pattern.match(shape, at)
        if match is None:
            continue
        first, end = match.span()
        if match[0] == "h" and not _is_length(tokens, first):
            continue
        values = [value for token in tokens[first:end] if (value := token.value) is not None]
        metres = match[0] == "Nm" and tokens[end - 1].word == "m" and values[0] >= 100
        tag = Tag(Kind.DIST, "m", first, end, values[0]) if metres else maker(match, values, first, end)
        if tag is not None:
            return tag
    return None
