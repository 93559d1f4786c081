"""What to do next time: more repetitions, then more load; up or down a ladder; longer holds.

Every rule looks at what was done, not at a calendar, and one bad or good day never decides alone what is hard to undo.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import floor
from typing import Final

from spotter.training.exercise import Exercise
from spotter.training.vocabulary import Kind, Region

STEP_UP: Final[dict[Region, float]] = {Region.LOWER: 0.05}
STEP_UP_OTHERWISE: Final = 0.025
MOST_STEP_UP: Final = 0.10
SECONDS_MORE: Final = 5


class Action(StrEnum):
    REPEAT = "repeat"
    ADD_AMOUNT = "add_amount"
    ADD_LOAD = "add_load"
    REDUCE_LOAD = "reduce_load"
    NEXT_RUNG = "next_rung"
    PREVIOUS_RUNG = "previous_rung"


@dataclass(frozen=True, slots=True)
class Performed:
    """One session's working sets of one exercise."""

    amounts: tuple[int, ...]
    """Repetitions or seconds, set by set."""
    weight_kg: float | None = None
    in_reserve: float | None = None
    """Repetitions that were left; nothing if nobody asked."""


@dataclass(frozen=True, slots=True)
class Advice:
    action: Action
    amount: int
    """To aim for in each set."""
    weight_kg: float | None
    reason: str


def advise(exercise: Exercise, sessions: Sequence[Performed], *, plate_step: float = 2.5) -> Advice:
    """From the sessions with this exercise, oldest first. With load: double progression; without: ladders, holds."""
    low, high = exercise.range
    done = [session for session in sessions if session.amounts]
    if not done:
        return Advice(Action.REPEAT, low, None, "nothing done yet: start at the low end")
    last = done[-1]
    failed_twice = len(done) > 1 and all(min(session.amounts) < low for session in done[-2:])
    if last.weight_kg:
        return _loaded(exercise, done, last, last.weight_kg, failed_twice, plate_step)
    if failed_twice:
        return Advice(Action.PREVIOUS_RUNG, low, None, f"under {low} in the last two sessions")
    if exercise.kind is Kind.HOLD:
        return _hold(last, low, high)
    if len(done) > 1 and all(min(session.amounts) >= high for session in done[-2:]):
        return Advice(Action.NEXT_RUNG, low, None, f"all sets reached {high} in two sessions")
    return _more(last, low, high, None)


def _loaded(
    exercise: Exercise,
    done: Sequence[Performed],
    last: Performed,
    weight: float,
    failed_twice: bool,
    plate_step: float,
) -> Advice:
    low, high = exercise.range
    if failed_twice and done[-2].weight_kg and done[-2].weight_kg <= weight:
        share = 0.10 if low - min(last.amounts) >= 3 else 0.05
        lighter = min(floor(weight * (1 - share) / plate_step) * plate_step, weight - plate_step)
        return Advice(
            Action.REDUCE_LOAD,
            low,
            max(lighter, plate_step),
            f"under {low} repetitions in the last two sessions",
        )
    if min(last.amounts) < high:
        return _more(last, low, high, weight)
    if last.in_reserve is not None and last.in_reserve < 1:
        return Advice(Action.REPEAT, high, weight, "the top was reached with nothing left: once more first")
    heavier = heavier_load(weight, exercise.region, plate_step)
    if heavier is None:
        return Advice(
            Action.ADD_AMOUNT,
            max(last.amounts) + 1,
            weight,
            "the next weight is too big a step: add repetitions",
        )
    return Advice(Action.ADD_LOAD, low, heavier, f"all sets reached {high}: more load, back to {low}")


def heavier_load(weight: float, region: Region, plate_step: float) -> float | None:
    """One step up, at least a plate and at most a tenth; nothing if the smallest plate is more than that."""
    share = STEP_UP.get(region, STEP_UP_OTHERWISE)
    plates = max(round(weight * share / plate_step), 1)
    added = plates * plate_step
    while added > weight * MOST_STEP_UP and plates > 1:
        plates -= 1
        added = plates * plate_step
    return weight + added if added <= weight * MOST_STEP_UP else None


def _more(last: Performed, low: int, high: int, weight: float | None) -> Advice:
    worst = min(last.amounts)
    if worst < low:
        return Advice(Action.REPEAT, low, weight, f"not all sets reached {low} yet")
    return Advice(Action.ADD_AMOUNT, min(worst + 1, high), weight, "one more in the weakest set")


def _hold(last: Performed, low: int, high: int) -> Advice:
    worst = min(last.amounts)
    if worst >= high:
        return Advice(Action.NEXT_RUNG, low, None, f"all sets were held for {high} seconds")
    if worst < low:
        return Advice(Action.REPEAT, low, None, f"not all sets were held for {low} seconds yet")
    return Advice(Action.ADD_AMOUNT, min(worst + SECONDS_MORE, high), None, f"{SECONDS_MORE} seconds more")


def autoregulated(weight: float, reported: float, wanted: float) -> float:
    """The next set's load when a set was easier or harder than meant: 2.5 % a repetition, 7.5 % at most."""
    change = max(min(0.025 * (reported - wanted), 0.075), -0.075)
    return weight * (1 + change)


@dataclass(frozen=True, slots=True)
class Strain:
    """What speaks for an easier week."""

    hard_weeks: int = 0
    lifts_down_twice: int = 0
    """How many lifts went down in two or more sessions."""
    bad_days: int = 0
    """Sessions in a row with poor sleep or strong soreness."""


def needs_deload(strain: Strain) -> str | None:
    """Why it is time for an easier week; nothing if it is not."""
    if strain.hard_weeks >= 6:
        return "six hard weeks in a row"
    if strain.lifts_down_twice >= 2:
        return "two lifts or more went down in two sessions"
    return "three poor sessions in a row" if strain.bad_days >= 3 else None


@dataclass(frozen=True, slots=True)
class Ease:
    """By how much to take back."""

    load: float = 1.0
    sets: float = 1.0
    fewer_sets: int = 0
    least_in_reserve: int = 0
    rungs_down: int = 0

    def sets_of(self, planned: int) -> int:
        return max(round(planned * self.sets + 1e-9) - self.fewer_sets, 1)


DELOAD: Final = Ease(load=0.9, sets=0.55, least_in_reserve=4)


LONG_AGO: Final = 56
"""Days after which nobody can lift what they could."""
RUSTY_LOAD: Final = 0.8


def after_layoff(days: int) -> Ease:
    """Coming back after a pause."""
    if days < 14:
        return Ease()
    if days < 28:
        return Ease(load=0.9, fewer_sets=1)
    if days <= LONG_AGO:
        return Ease(load=RUSTY_LOAD, sets=0.5)
    return Ease(load=RUSTY_LOAD, sets=0.5, rungs_down=1)
