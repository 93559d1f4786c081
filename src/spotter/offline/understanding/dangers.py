"""Signs that call for a doctor, not for a coach. Better one time too often than once too few; a plain denial is
believed."""

import re
from collections import Counter
from typing import Final

from spotter.offline.understanding.data import sections
from spotter.offline.understanding.grammar import RuleBook, compiled, pattern
from spotter.offline.understanding.reading import Line

_SIGNS: Final = RuleBook(
    ((kind, compiled(line)), line) for kind, lines in sections("dangers") for line in lines
)
_WORDS: Final = tuple((kind, re.compile(rf"\b(?:{lines[0]})")) for kind, lines in sections("danger_words"))

_DENIED: Final = re.compile(
    r"\b(?:no|not|without|never|zero|any)(?:/[A-Z]+)?"
    r"(?: (?:have|had|any|a|an|feel|feeling|get|getting|more|signs|of|such|real)(?:/[A-Z]+)?){0,4} $"
)
# Muscles feel like this after training. Said in so many words, it is soreness.
_TRAINED: Final = pattern("dangers.trained")
_SUICIDES: Final = pattern("dangers.suicides")


# "Chest please, wrists are hurting": what hurts is named, and it is a joint.
_ANOTHER_PART: Final = re.compile(
    r"chest\S* .*?(?:,|please|today\S*|day|but) .*(?:knee|wrist|elbow|ankle|hip)s?/BODY"
)


# "Then collapsed at 11": a set that ended.
_GAVE_UP: Final = re.compile(r"collapsed (?:at|on|after) \S+/(?:NUM|REPS|DATE)")


def danger_in(line: Line) -> str | None:
    """The kind of the first red flag, if there is one."""
    text = line.text
    for kind, sign in _SIGNS.possible(text):
        for match in sign.finditer(text):
            if not _DENIED.search(text[: match.start()]) and not _harmless(kind, match[0], _sentence(match)):
                return kind
    return None


def likely_danger(line: Line) -> str:
    """Of a message that is known to be an alarm: which kind its words are nearest to."""
    found = Counter({kind: len(words.findall(line.text)) for kind, words in _WORDS})
    return found.most_common(1)[0][0]


def _sentence(match: re.Match[str]) -> str:
    """What was said around it, up to the next full stop: a sore leg does not explain a chest."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    return re.split(r"[.;!?]", before)[-1] + match[0] + re.split(r"[.;!?]", after)[0]


def _harmless(kind: str, sign: str, text: str) -> bool:
    """A chest that feels yesterday's presses, and sprints with an ugly name."""
    if kind == "cardiac" and (_ANOTHER_PART.search(sign) or _GAVE_UP.search(text)):
        return True
    if kind == "cardiac" and "chest" in sign:
        trained = _TRAINED.search(text) or _SUICIDES.search(sign)
        return bool(trained) and not re.search(r"pressure|crushing|tightness", sign)
    return kind == "self_harm" and bool(_SUICIDES.search(text)) and "myself" not in sign
