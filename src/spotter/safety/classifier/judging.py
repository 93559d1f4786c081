"""What is meant: sums over words say where to look closely, the language model says what is meant there.

Sums cost microseconds and miss little, but take many a harmless text for an alarm; the model costs milliseconds. So
the model is asked only where the sums or a rule see something, about that stretch with what stands around it.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from spotter.language import encoder
from spotter.safety.classifier.model import Score, model
from spotter.safety.decision import CategoryName
from spotter.safety.findings import SURE, Finding
from spotter.safety.normalise import Normalised
from spotter.safety.words import Words

_C = CategoryName
_LEAST, _NEAR, _WIDE = 6, 24, 90
"""A short text is read whole, of a longer one the stretch, with `_NEAR` words around it if it is less than `_LEAST`.
What sounds alarming then is read again with more around it: «I'm not trying to be mean» is one thing alone and another
among complaints about a perfume."""
_SUMS: Final = 3.5
"""What the sums count beside the model: where both lean the same way, less of either will do."""
_PLAINLY: Final = {1: -4.5, 2: -4.0, 3: -3.5}
"""By how many of its layers the model has read with: what is no likelier by then (in logits) is nothing."""
_WARNS: Final = 0.4
_SUREST: Final = 0.97
_SPREAD: Final = 4.0
_NEVER: Final = 1e-4
_WHY: Final = "reads like texts of this kind"


@dataclass(frozen=True, slots=True)
class Bars:
    """How much it takes: to warn, to act, and to act where a rule sees it too. In logits: nothing is even chances."""

    warn: float
    sure: float
    seconded: float = -3.5


# Chosen on texts of a writer that nothing here had learnt from; docs/safety.md says how well that does on others.
BARS: Final[Mapping[CategoryName, Bars]] = {
    _C.MEDICAL_EMERGENCY: Bars(-2.5, 2.5, seconded=0.0),
    _C.SELF_HARM: Bars(-2.0, 0.5, seconded=0.0),
    _C.EATING_DISORDER: Bars(-1.0, 0.9, seconded=0.0),
    _C.THREAT: Bars(-1.0, 1.5, seconded=-2.5),
    _C.HARASSMENT: Bars(-1.0, 1.0),
    _C.SEXUAL: Bars(-1.0, 1.0),
    _C.MINORS: Bars(-1.5, 0.5),
    _C.DRUGS: Bars(-1.0, 1.0),
    _C.INJECTION: Bars(4.5, 5.5),
}


@dataclass(frozen=True, slots=True)
class Reading:
    found: list[Finding]
    doubted: frozenset[CategoryName]
    """What a rule sees in a few words, and the whole text is not about."""


NOTHING: Final = Reading([], frozenset())


def reading(text: Normalised, words: Words, ruled: Collection[Finding]) -> Reading:
    """`ruled`: what rules have found. Spans as in `words`: of the normalised text."""
    read = words.clean.split(" ") if words.clean else []
    if not read:
        return NOTHING
    scores = model().scores(read)
    asked = [*(one for one in scores if one.asks), *_where_rules_look(words, scores, ruled)]
    if not asked:
        return NOTHING
    weighed = _weighed(text, words, asked)
    found = [
        Finding(one.name, certainty, (_span(words, one),), _WHY)
        for one, weight in weighed.items()
        if (certainty := _certainty(weight, BARS[one.name]))
    ]
    seconded = {one.name for one, weight in weighed.items() if weight >= BARS[one.name].seconded}
    doubted = frozenset(one.name for one in asked) - seconded
    return Reading(found, doubted if doubted and model().understands(read) else frozenset())


def _where_rules_look(words: Words, scores: Collection[Score], ruled: Collection[Finding]) -> Iterator[Score]:
    """The sums may find most of it elsewhere; what a rule says is weighed where the rule says it."""
    for sums in scores:
        of_rules = [one for one in ruled if one.category is sums.name and one.spans]
        if of_rules:
            start, end = max(of_rules, key=lambda one: one.score).spans[0]
            first = bisect_right(words.spans, start, key=lambda span: span[0]) - 1
            last = bisect_left(words.spans, end, key=lambda span: span[0])
            yield replace(sums, start=max(0, first), end=max(last, first + 1), asks=True)


def _certainty(weight: float, bars: Bars) -> float:
    if weight < bars.warn:
        return 0.0
    if weight < bars.sure:
        return _WARNS
    return round(min(_SUREST, SURE + (_SUREST - SURE) * (weight - bars.sure) / _SPREAD), 2)


def _logit(likely: float) -> float:
    return math.log(max(likely, _NEVER) / max(1.0 - likely, _NEVER))


def _weighed(text: Normalised, words: Words, asked: Collection[Score]) -> dict[Score, float]:
    near = _likely(text, words, asked, _NEAR)
    found = {one: _logit(near[one.name]) + _SUMS * one.score for one in asked}
    alarming = [one for one in asked if found[one] >= BARS[one.name].warn]
    if set(_stretches(words, alarming, _WIDE)) - set(_stretches(words, alarming, _NEAR)):
        wide = _likely(text, words, alarming, _WIDE)
        for one in alarming:
            found[one] += (_logit(wide[one.name]) - _logit(near[one.name])) / 2
    return found


def _likely(text: Normalised, words: Words, asked: Collection[Score], most: int) -> dict[CategoryName, float]:
    """By category, the most that any of the stretches looked at has of it."""
    found = dict.fromkeys(BARS, 0.0)
    wondered = {one.name.value for one in asked}

    def plainly_nothing(layers: int, likely: Mapping[str, float]) -> bool:
        return all(_logit(likely[name]) < _PLAINLY[layers] for name in wondered)

    for start, end in dict.fromkeys(_stretches(words, asked, most)):
        for name, likely in encoder().about_text(text.folded[start:end], plainly_nothing).items():
            category = CategoryName(name)
            found[category] = max(found[category], likely)
    return found


def _stretches(words: Words, asked: Collection[Score], most: int) -> Iterator[tuple[int, int]]:
    count = len(words.spans)
    for start, end in _together(asked, most) if most == _WIDE else [(one.start, one.end) for one in asked]:
        around = 0
        if count <= most:
            around = count
        elif most == _WIDE or end - start < _LEAST:
            around = max(0, most - (end - start)) // 2
        first, last = max(0, start - around), min(count, end + around) - 1
        yield words.spans[first][0], words.spans[last][1]


def _together(asked: Collection[Score], most: int) -> list[tuple[int, int]]:
    """What stands near each other is read once."""
    found: list[tuple[int, int]] = []
    for start, end in sorted((one.start, one.end) for one in asked):
        if found and max(end, found[-1][1]) - found[-1][0] <= most:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _span(words: Words, one: Score) -> tuple[int, int]:
    return words.spans[one.start][0], words.spans[max(one.end, one.start + 1) - 1][1]
