"""What an athlete's log says about today: what is due, what needs rest, how much was lifted, which rung is next."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import floor
from typing import Final

from spotter.training.athlete import Athlete, PastSet, PastWorkout
from spotter.training.catalogue import Catalogue
from spotter.training.one_rep_max import USABLE_UP_TO, load_for, one_rep_max
from spotter.training.progression import (
    DELOAD,
    Action,
    Ease,
    Performed,
    Strain,
    advise,
    after_layoff,
    needs_deload,
)
from spotter.training.rules import LOAD_STEP, counts, shares_of
from spotter.training.vocabulary import Muscle, Pattern, UnitType

_A_WEEK: Final = 7
_HARD_SETS: Final = 2.0
"""Fractional sets after which a muscle was trained, not just used."""
_HARD_WEEK: Final = (2, 20)
"""Workouts and sets that make a week a hard one."""


@dataclass(frozen=True, slots=True)
class Record:
    week: Mapping[Muscle, float]
    """Fractional sets of each muscle in the last seven days."""
    rested: Mapping[Muscle, int]
    """Days since a muscle was trained."""
    last_used: Mapping[str, int]
    """Days since an exercise was done."""
    last_session: frozenset[str]
    sessions: Mapping[str, Sequence[Performed]]
    """Of each exercise, oldest first."""
    rungs: Mapping[str, int]
    """Of each ladder that was trained, where to be today."""
    proven: Mapping[Pattern, int]
    """Of each movement, the highest level that was managed with the body alone."""
    ease: Ease
    eased: str | None
    """Why today is lighter."""


def record_of(athlete: Athlete, book: Catalogue, today: date) -> Record:
    past = sorted(athlete.past, key=lambda workout: workout.done_at)
    if today == date.min and past:
        today = past[-1].done_at.date()
    sessions = sessions_of(past)
    week: dict[Muscle, float] = defaultdict(float)
    rested: dict[Muscle, int] = {}
    last_used: dict[str, int] = {}
    for workout in past:
        days = _days(workout, today)
        worked: dict[Muscle, float] = defaultdict(float)
        for done in workout.sets:
            last_used[done.exercise_id] = days
            known = book.get(done.exercise_id)
            if known is not None and counts(known):
                for muscle, share in shares_of(known).items():
                    worked[muscle] += share
        for muscle, amount in worked.items():
            if amount >= _HARD_SETS:
                rested[muscle] = days
            if days < _A_WEEK:
                week[muscle] += amount
    ease, eased = _ease(past, sessions, today)
    return Record(
        week=week,
        rested=rested,
        last_used=last_used,
        last_session=frozenset(done.exercise_id for done in past[-1].sets) if past else frozenset(),
        sessions=sessions,
        proven=_proven(sessions, book),
        rungs=_rungs(sessions, last_used, book, ease),
        ease=ease,
        eased=eased,
    )


def sessions_of(past: Iterable[PastWorkout]) -> dict[str, list[Performed]]:
    """Of each exercise, in the order given; the sets at or near the top weight are the working sets."""
    found: dict[str, list[Performed]] = defaultdict(list)
    for workout in past:
        by_exercise: dict[str, list[PastSet]] = defaultdict(list)
        for done in workout.sets:
            by_exercise[done.exercise_id].append(done)
        for exercise_id, sets in by_exercise.items():
            found[exercise_id].append(performed_of(sets))
    return found


def performed_of(sets: Sequence[PastSet]) -> Performed:
    top = max((done.weight_kg or 0.0 for done in sets), default=0.0)
    working = [done for done in sets if (done.weight_kg or 0.0) >= 0.9 * top]
    amounts = tuple(amount for done in working if (amount := done.reps or done.seconds))
    efforts = [done.rpe for done in working if done.rpe is not None]
    return Performed(amounts, top or None, 10 - max(efforts) if efforts else None)


def most_load(performed: Sequence[Performed], reps: int) -> float | None:
    """The heaviest load that is a step, not a jump, from what was lifted; None without a record."""
    lifted = [each for each in performed if each.weight_kg]
    if not lifted:
        return None
    most = max(each.weight_kg or 0.0 for each in lifted)
    known = [
        estimate.kilograms
        for each in lifted
        for amount in each.amounts
        if (estimate := one_rep_max(each.weight_kg or 0.0, min(amount, USABLE_UP_TO))) is not None
    ]
    if known:
        most = min(most, load_for(max(known), reps))
    return floor(most * LOAD_STEP * 10) / 10


def _days(workout: PastWorkout, today: date) -> int:
    return max(0, (today - workout.done_at.date()).days)


def _rungs(
    sessions: Mapping[str, Sequence[Performed]], last_used: Mapping[str, int], book: Catalogue, ease: Ease
) -> dict[str, int]:
    newest: dict[str, tuple[int, int]] = {}
    for exercise_id, performed in sessions.items():
        known = book.get(exercise_id)
        if known is None or known.ladder is None or known.rung is None:
            continue
        action = advise(known, performed).action
        step = {Action.NEXT_RUNG: 1, Action.PREVIOUS_RUNG: -1}.get(action, 0)
        rung = min(max(known.rung + step - ease.rungs_down, 1), len(book.ladders[known.ladder].rungs))
        found = (last_used[exercise_id], -rung)
        if known.ladder not in newest or found < newest[known.ladder]:
            newest[known.ladder] = found
    return {ladder: -rung for ladder, (_, rung) in newest.items()}


def _proven(sessions: Mapping[str, Sequence[Performed]], book: Catalogue) -> dict[Pattern, int]:
    found: dict[Pattern, int] = {}
    for exercise_id, performed in sessions.items():
        known = book.get(exercise_id)
        if known is None or known.unit is UnitType.WEIGHT_REPS:
            continue
        if any(each.amounts and min(each.amounts) >= known.range[0] for each in performed[-3:]):
            found[known.pattern] = max(known.level, found.get(known.pattern, 0))
    return found


def _ease(
    past: Sequence[PastWorkout], sessions: Mapping[str, Sequence[Performed]], today: date
) -> tuple[Ease, str | None]:
    if not past:
        return Ease(), None
    days = _days(past[-1], today)
    if days >= 14:
        return after_layoff(days), f"{days} days since the last workout, so it starts lighter"
    why = needs_deload(Strain(hard_weeks=_hard_weeks(past, today), lifts_down_twice=_lifts_down(sessions)))
    return (DELOAD, f"{why}, so this one is lighter") if why else (Ease(), None)


def _hard_weeks(past: Sequence[PastWorkout], today: date) -> int:
    """In a row, up to now."""
    workouts: dict[int, int] = defaultdict(int)
    sets: dict[int, int] = defaultdict(int)
    for workout in past:
        week = _days(workout, today) // _A_WEEK
        workouts[week] += 1
        sets[week] += len(workout.sets)
    most = max(sets.values())
    weeks = 0
    while workouts[weeks] >= _HARD_WEEK[0] and sets[weeks] >= _HARD_WEEK[1] and sets[weeks] >= 0.65 * most:
        weeks += 1
    return weeks


def _lifts_down(sessions: Mapping[str, Sequence[Performed]]) -> int:
    """How many lifts went down twice running."""
    down = 0
    for performed in sessions.values():
        maxima = [_maximum(each) for each in performed[-3:]]
        if len(maxima) == 3 and all(maxima) and maxima[0] > maxima[1] > maxima[2]:
            down += 1
    return down


def _maximum(performed: Performed) -> float:
    found = [one_rep_max(performed.weight_kg or 0.0, amount) for amount in performed.amounts]
    return max((estimate.kilograms for estimate in found if estimate is not None), default=0.0)
