"""Pain while training, on the scale from 0 to 10: when to go on, to ease off, to change, and to stop. Pure."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from spotter.training.limits import Severity

GO_ON_UNTIL: Final = 3
EASE_UNTIL: Final = 5


class Sign(StrEnum):
    """What makes pain more than a number."""

    SHARP = "sharp"
    GIVING_WAY = "giving_way"
    SWELLING = "swelling"
    NUMBNESS = "numbness"
    POP = "pop"
    LOCKED = "locked"


class Advice(StrEnum):
    GO_ON = "go_on"
    EASE = "ease"
    SWAP = "swap"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Judgement:
    advice: Advice
    severity: Severity | None
    """How the place is protected from here on."""
    words: str


def judge(level: int, signs: Collection[Sign] = ()) -> Judgement:
    """Sharp alone changes the exercise; the rest are reasons to stop for today."""
    if set(signs) - {Sign.SHARP}:
        return Judgement(
            Advice.STOP,
            Severity.SEVERE,
            "That is a reason to stop for today. Rest it, and let a doctor or physiotherapist look at it before you "
            "train it again; straight away if you cannot put weight on it, it looks out of shape, or it goes numb.",
        )
    if level > EASE_UNTIL or Sign.SHARP in signs:
        return Judgement(
            Advice.SWAP,
            Severity.SEVERE,
            "Stop that one now. We leave that area alone for the rest of today. If it is not clearly better in a day "
            "or two, let a doctor or physiotherapist look at it.",
        )
    if level > GO_ON_UNTIL:
        return Judgement(
            Advice.EASE,
            Severity.MODERATE,
            "Let us take the edge off: an easier version, slower, and only as far as it stays comfortable. See how it "
            "feels tomorrow; if it is worse, rest it.",
        )
    return Judgement(
        Advice.GO_ON,
        None,
        "Up to 3 out of 10 is fine to work with, as long as it does not climb. Tell me if it does.",
    )
