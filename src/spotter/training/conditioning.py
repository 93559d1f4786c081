"""Sessions that are not made of sets: for the heart, and for moving freely."""

from collections.abc import Sequence
from typing import Final

from spotter.training import rules
from spotter.training.amounts import stretched
from spotter.training.athlete import Athlete, Effort
from spotter.training.choosing import Pool
from spotter.training.drills import Tie
from spotter.training.exercise import Exercise
from spotter.training.parts import Form, Part
from spotter.training.vocabulary import Kind, Level, Muscle, Pattern, Suits
from spotter.training.workout import Phase

_STEADY: Final = 600
"""What can be kept up for ten minutes and more."""
_BRIEF: Final = 300
_WORK_AND_REST: Final = {Level.BEGINNER: (30, 30), Level.INTERMEDIATE: (40, 30), Level.ADVANCED: (40, 20)}
_IDEAL_LEVEL: Final = {Level.BEGINNER: 2, Level.INTERMEDIATE: 4, Level.ADVANCED: 5}
_LONGEST_STEADY: Final = 40 * 60
_LONGEST_FINISHER: Final = 30 * 60
_EASY_MET: Final = 7.5
_LEAST_MET: Final = 3.5
_GENTLE_MET: Final = 2.5
_ROUNDS: Final = 4
_BREATHE: Final = "belly-breathing"
_STIFF: Final = {
    **dict.fromkeys((Muscle.HAMSTRINGS, Muscle.GLUTES, Muscle.QUADS, Muscle.CHEST, Muscle.UPPER_BACK), 1.4),
    **dict.fromkeys((Muscle.LATS, Muscle.CALVES, Muscle.ADDUCTORS, Muscle.LOWER_BACK), 1.0),
    **dict.fromkeys((Muscle.NECK, Muscle.FOREARMS), 0.4),
}
"""What sitting all day shortens comes first."""
_NO_STRETCH: Final = frozenset({_BREATHE, "neck-isometric"})


def cardio_parts(pool: Pool, tie: Tie, athlete: Athlete, effort: Effort, budget: float) -> list[Part]:
    """Something steady when there is time for it, intervals of a few different things with the rest of it."""
    steady = _steady(pool, tie, athlete)
    brief = _brief(pool, tie, athlete)
    parts: list[Part] = []
    long = budget > 15 * 60 or effort is Effort.EASY or not brief
    if long and steady:
        share = 1.0 if effort is Effort.EASY or not brief else 0.55
        parts.append(_for_a_while(steady[0], min(budget * share - 40, _LONGEST_STEADY), _LONGEST_STEADY))
        budget -= parts[0].amount + 40
        if budget > _BRIEF and effort is Effort.EASY and len(steady) > 1:
            parts.append(_for_a_while(steady[1], min(budget - 40, _LONGEST_STEADY), _LONGEST_STEADY))
            return parts
    budget = min(budget, rules.LONGEST_INTERVALS_A_SESSION)
    one = _ROUNDS * sum(work_and_rest(athlete)) + 40
    count = max(1, min(5, round(budget / one))) if budget > 120 else 0
    return [*(intervals(each, athlete, _ROUNDS) for each in brief[:count]), *parts]


def intervals(exercise: Exercise, athlete: Athlete, rounds: int) -> Part:
    work, rest = work_and_rest(athlete)
    return Part(
        exercise, Form.ROUNDS, rounds, work, rest, most_sets=12, least_rest=rest, most_rest=max(rest, 60)
    )


def work_and_rest(athlete: Athlete) -> tuple[int, int]:
    work, rest = _WORK_AND_REST[athlete.level]
    return (work, max(work, rest)) if rules.careful(athlete) else (work, rest)


def interval_choices(pool: Pool, tie: Tie, athlete: Athlete) -> list[Exercise]:
    return _brief(pool, tie, athlete)


def finishers(pool: Pool, tie: Tie, athlete: Athlete) -> list[Part]:
    """Easy ones to end a long session with."""
    found = [each for each in _steady(pool, tie, athlete) if each.met <= _EASY_MET]
    found = [*found[:1], *(each for each in found[1:] if not (_walks(each) and _walks(found[0])))]
    steady = [_for_a_while(each, _BRIEF, min(_LONGEST_FINISHER, each.range[1])) for each in found[:2]]
    if steady:
        return steady
    brief = [each for each in _brief(pool, tie, athlete) if each.met <= _EASY_MET]
    return [intervals(each, athlete, 2 * _ROUNDS) for each in brief[:3]]


def mobility_parts(pool: Pool, tie: Tie, wanted: frozenset[Muscle], trained: frozenset[Muscle]) -> list[Part]:
    """The whole body, or what was asked for and then the rest; those for what was trained lately come early."""
    fit = [each for each in pool.by_pattern[Pattern.MOBILITY] if each.id not in _NO_STRETCH]
    left = {muscle: _STIFF.get(muscle, 0.8) * (1.5 if muscle in trained else 1.0) for muscle in Muscle}
    chosen: list[Exercise] = []
    while fit and len(chosen) < 22:
        best = max(
            fit,
            key=lambda each: (
                not wanted.isdisjoint(each.primary),
                _covers(each, left) + 0.5 * tie(each),
                each.id,
            ),
        )
        fit.remove(best)
        for muscle in best.primary:
            left[muscle] *= 0.4
        chosen.append(best)
    return [stretched(each) for each in chosen]


def quiet_end(pool: Pool, parts: list[Part]) -> list[Part]:
    """Breathing, or the last of what would be held still."""
    if (found := pool.get(_BREATHE)) is not None:
        return [Part(found, Form.TIME, 1, 60, phase=Phase.COOL_DOWN, most_amount=found.range[1])]
    for part in reversed(parts[1:]):
        if Suits.COOL_DOWN in part.known.suits:
            parts.remove(part)
            return [Part(part.known, part.form, 1, part.amount, phase=Phase.COOL_DOWN)]
    return []


def moving_first(parts: Sequence[Part]) -> list[Part]:
    order = {Kind.DURATION: 0, Kind.REPS: 1, Kind.HOLD: 2}
    return sorted(parts, key=lambda part: order[part.known.kind])


def _covers(exercise: Exercise, left: dict[Muscle, float]) -> float:
    return max(left[muscle] for muscle in exercise.primary) + 0.2 * len(exercise.primary)


def _steady(pool: Pool, tie: Tie, athlete: Athlete) -> list[Exercise]:
    found = [
        each
        for each in pool.by_pattern[Pattern.CARDIO]
        if each.kind is Kind.DURATION and each.range[1] >= _STEADY and each.met >= _LEAST_MET
    ]
    ideal = _IDEAL_LEVEL[athlete.level]

    def value(each: Exercise) -> tuple[float, str]:
        arms = Muscle.FRONT_DELTS in each.primary
        return 1.2 * tie(each) - 0.35 * abs(each.level - ideal) - 1.5 * arms + 0.4 * (
            each.id != "walk"
        ), each.id

    return sorted(found, key=value, reverse=True)


def _brief(pool: Pool, tie: Tie, athlete: Athlete) -> list[Exercise]:
    found = [
        each
        for pattern in (Pattern.CARDIO, Pattern.LOCOMOTION)
        for each in pool.by_pattern[pattern]
        if each.kind is Kind.DURATION
        and each.range[1] <= _BRIEF
        and each.range[1] >= 30
        and each.met >= _GENTLE_MET
    ]
    ideal = _IDEAL_LEVEL[athlete.level]

    def value(each: Exercise) -> tuple[float, str]:
        away = each.level - ideal
        hot = min(each.met, 8.0) / 8
        odd = 1.5 * ("seated" in each.id or each.id in ("tandem-walk", "marching-in-place"))
        return 1.2 * tie(each) + 1.5 * hot - (0.5 * away if away > 0 else -0.2 * away) - odd, each.id

    return sorted(found, key=value, reverse=True)


def _walks(exercise: Exercise) -> bool:
    return "walk" in exercise.id


def _for_a_while(exercise: Exercise, amount: float, most: int) -> Part:
    most = min(most, exercise.range[1])
    rounded = max(120, int(min(amount, most) // 30) * 30)
    return Part(exercise, Form.TIME, 1, rounded, most_amount=most)
