"""Signs that call for a doctor, not for a coach. Better one time too often than once too few; a plain denial is
believed."""

import re
from typing import Final

from spotter.offline.understanding.data import sections
from spotter.offline.understanding.grammar import compiled, pattern
from spotter.offline.understanding.reading import Line

_SIGNS: Final = tuple((kind, compiled(line)) for kind, lines in sections("dangers") for line in lines)

_DENIED: Final = re.compile(
    r"\b(?:no|not|without|never|zero|any)(?:/[A-Z]+)?"
    r"(?: (?:have|had|any|a|an|feel|feeling|get|getting|more|signs|of|such|real)(?:/[A-Z]+)?){0,4} $"
)
# Muscles feel like this after training. Said in so many words, it is soreness.
_TRAINED: Final = pattern("dangers.trained")
_SUICIDES: Final = pattern("dangers.suicides")


def danger_in(line: Line) -> str | None:
    """The kind of the first red flag, if there is one."""
    text = line.text
    for kind, sign in _SIGNS:
        for match in sign.finditer(text):
            if not _DENIED.search(text[: match.start()]) and not _harmless(kind, match[0], _sentence(match)):
                return kind
    return None


def _sentence(match: re.Match[str]) -> str:
    """What was said around it, up to the next full stop: a sore leg does not explain a chest."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    return re.split(r"[.;!?]", before)[-1] + match[0] + re.split(r"[.;!?]", after)[0]


def _harmless(kind: str, sign: str, text: str) -> bool:
    """A chest that feels yesterday's presses, and sprints with an ugly name."""
    if kind == "cardiac" and "chest" in sign:
        trained = _TRAINED.search(text) or _SUICIDES.search(sign)
        return bool(trained) and not re.search(r"pressure|crushing|tightness", sign)
    return kind == "self_harm" and bool(_SUICIDES.search(text)) and "myself" not in sign
