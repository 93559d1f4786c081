"""How much somebody could lift once, from what they lifted several times. Always an estimate, and it says how good."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp
from typing import Final

# Beyond these the formulas drift apart and predict badly.
GOOD_UP_TO: Final = 10
USABLE_UP_TO: Final = 15

Formula = Callable[[float, float], float]


def epley(weight: float, reps: float) -> float:
    return weight * (1 + reps / 30)


def brzycki(weight: float, reps: float) -> float:
    return 36 * weight / (37 - reps)


def lander(weight: float, reps: float) -> float:
    return 100 * weight / (101.3 - 2.67123 * reps)


def lombardi(weight: float, reps: float) -> float:
    return float(weight * reps**0.10)


def oconner(weight: float, reps: float) -> float:
    return weight * (1 + 0.025 * reps)


def mayhew(weight: float, reps: float) -> float:
    return 100 * weight / (52.2 + 41.9 * exp(-0.055 * reps))


def wathan(weight: float, reps: float) -> float:
    return 100 * weight / (48.8 + 53.8 * exp(-0.075 * reps))


FORMULAS: Final[dict[str, Formula]] = {
    "epley": epley,
    "brzycki": brzycki,
    "lander": lander,
    "lombardi": lombardi,
    "oconner": oconner,
    "mayhew": mayhew,
    "wathan": wathan,
}


@dataclass(frozen=True, slots=True)
class Estimate:
    kilograms: float
    reliable: bool
    """Not over ten repetitions: more say little about one."""


def one_rep_max(weight: float, reps: int, in_reserve: float = 0) -> Estimate | None:
    """The mean of Epley and Brzycki at the repetitions that would have been possible; nothing beyond fifteen."""
    possible = reps + max(in_reserve, 0)
    if weight <= 0 or reps < 1 or possible > USABLE_UP_TO:
        return None
    return Estimate(round(weight * _factor(possible), 1), reliable=possible <= GOOD_UP_TO)


def load_for(maximum: float, reps: int, in_reserve: float = 0) -> float:
    """The load at which so many repetitions leave so many in reserve."""
    return maximum / _factor(min(reps + max(in_reserve, 0), USABLE_UP_TO))


def _factor(possible: float) -> float:
    # One repetition is the maximum itself, whatever Epley says.
    return 1.0 if possible <= 1 else (epley(1, possible) + brzycki(1, possible)) / 2
