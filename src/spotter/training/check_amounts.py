"""How much of it: sets, repetitions, seconds and loads, held to what suits the exercise and the athlete."""

from collections.abc import Mapping, MutableSequence, Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import Any, Final, assert_never

from spotter.training import rules
from spotter.training.athlete import Athlete
from spotter.training.exercise import Exercise
from spotter.training.parts import told
from spotter.training.progression import RUSTY_LOAD, Performed
from spotter.training.record import most_load
from spotter.training.vocabulary import Kind, Muscle, Pattern, UnitType
from spotter.training.workout import (
    DurationExercise,
    HoldExercise,
    IntervalsExercise,
    Phase,
    RepsExercise,
    WorkoutExercise,
)

_USUAL_REST: Final = 60
_USUAL_SETS: Final = 3
_MOST_SETS_OF_DRILLS: Final = 2
_LONGEST_DRILL: Final = 15 * 60
_LEAST_LONGEST: Final = 60
_FEWEST_CAREFUL_REPS: Final = 8
_LOADED: Final = frozenset({UnitType.WEIGHT_REPS, UnitType.WEIGHT_DURATION, UnitType.SHORT_DISTANCE_WEIGHT})


@dataclass(frozen=True, slots=True)
class Placed:
    """An exercise of a workout, and what the catalogue knows of it."""

    exercise: WorkoutExercise
    known: Exercise

    def having(self, **changes: Any) -> "Placed":
        return replace(self, exercise=self.exercise.model_copy(update=changes))


def usual(known: Exercise, like: WorkoutExercise) -> WorkoutExercise:
    """The exercise with its own usual amounts, in the place of another."""
    low, high = known.range
    shared: dict[str, Any] = {"phase": like.phase, "pair": like.pair, "id": like.id, **told(known)}
    sets = min(getattr(like, "sets", _USUAL_SETS), 5)
    rest = getattr(like, "rest_between_sets", _USUAL_REST)
    amount = round((low + high) / 2)
    match known.kind:
        case Kind.REPS:
            return RepsExercise(
                sets=sets, reps=amount, rest_between_sets=rest, per_side=known.unilateral, **shared
            )
        case Kind.HOLD:
            return HoldExercise(
                sets=sets, hold_time=amount, rest_between_sets=rest, per_side=known.unilateral, **shared
            )
        case Kind.DURATION:
            return DurationExercise(duration=max(30, round(known.work_seconds(amount))), **shared)
        case _:
            assert_never(known.kind)


def bounded(
    placed: Sequence[Placed],
    athlete: Athlete,
    sessions: Mapping[str, Sequence[Performed]],
    changes: MutableSequence[str],
) -> list[Placed]:
    fitted = [_fitted(one, athlete, sessions.get(one.known.id, ()), changes) for one in placed]
    return _within_intervals(_within_volume(fitted, athlete, changes), changes)


def _fitted(
    one: Placed, athlete: Athlete, performed: Sequence[Performed], changes: MutableSequence[str]
) -> Placed:
    """In the shape and the range of its exercise."""
    if not _right_type(one):
        one = Placed(usual(one.known, one.exercise), one.known)
        changes.append(f"{one.known.name} is counted in {_counted_in(one.known)}: its amounts were set anew.")
    facts = told(one.known)
    if one.exercise.instructions:
        del facts["instructions"]
    if one.exercise.categories:
        del facts["categories"]
    if isinstance(one.exercise, RepsExercise | HoldExercise):
        facts["per_side"] = one.known.unilateral
    if any(getattr(one.exercise, name) != value for name, value in facts.items()):
        one = one.having(**facts)
    limited = _limited(one, athlete)
    changes.extend(_words(one, limited, ""))
    one = one.having(**limited) if limited else one
    # The load comes after the repetitions: how much is too much depends on them.
    if isinstance(one.exercise, RepsExercise | HoldExercise) and one.exercise.weight_kg:
        loaded, why = _load(one.exercise, performed, rusty=one.known.id in athlete.rusty)
        changes.extend(_words(one, loaded, why))
        one = one.having(**loaded) if loaded else one
    return one


def _words(one: Placed, limited: Mapping[str, Any], why: str) -> list[str]:
    return [
        f"{one.known.name}: {_NAMES.get(name, name.replace('_', ' '))} {_shown(getattr(one.exercise, name))} → "
        f"{_shown(value)}{why}."
        for name, value in limited.items()
    ]


_NAMES: Final = {"weight_kg": "load in kg", "rest_between_sets": "rest", "hold_time": "hold"}


def _shown(value: float | None) -> str:
    return "your own choice" if value is None else f"{value:g}"


def _right_type(one: Placed) -> bool:
    match one.exercise:
        case RepsExercise():
            return one.known.kind is Kind.REPS
        case HoldExercise():
            return one.known.kind is Kind.HOLD
        case DurationExercise() | IntervalsExercise():
            # Anything can be done for a while, unless that while is a single hold.
            return one.exercise.phase is not Phase.MAIN or one.known.kind is not Kind.HOLD
        case _:
            assert_never(one.exercise)


def _counted_in(known: Exercise) -> str:
    return {Kind.REPS: "repetitions", Kind.HOLD: "seconds held", Kind.DURATION: "time"}[known.kind]


def _limited(one: Placed, athlete: Athlete) -> dict[str, Any]:
    """Only what has to change."""
    exercise, main = one.exercise, one.exercise.phase is Phase.MAIN
    careful = main and rules.careful(athlete) and one.known.pattern is not Pattern.MOBILITY
    longest = min(
        max(_LEAST_LONGEST, 2 * round(one.known.work_seconds(one.known.range[1]))), rules.LONGEST_TIME
    )
    most: dict[str, int] = {}
    least: dict[str, int] = {}
    match exercise:
        case RepsExercise() | HoldExercise():
            most["sets"] = rules.MAX_SETS[athlete.level] if main else _MOST_SETS_OF_DRILLS
            most["rest_between_sets"] = rules.LONGEST_REST
            if careful:
                least["rest_between_sets"] = rules.CAREFUL_REST
            return _held_to(exercise, most, least) | _reps_and_holds(one, exercise, athlete)
        case DurationExercise():
            most["duration"] = longest if main else min(longest, _LONGEST_DRILL)
        case IntervalsExercise():
            most["work_time"] = longest
            most["rest_time"] = rules.LONGEST_REST
            if careful:
                least["rest_time"] = min(exercise.work_time, longest, rules.LONGEST_REST)
            rest = max(min(exercise.rest_time, rules.LONGEST_REST), least.get("rest_time", 0))
            whole = min(exercise.work_time, longest) + rest
            most["rounds"] = max(1, rules.LONGEST_INTERVALS // whole)
        case _:
            assert_never(exercise)
    return _held_to(exercise, most, least)


def _held_to(exercise: WorkoutExercise, most: dict[str, int], least: dict[str, int]) -> dict[str, Any]:
    high = {name: value for name, value in most.items() if getattr(exercise, name) > value}
    return high | {name: value for name, value in least.items() if getattr(exercise, name) < value}


def _reps_and_holds(one: Placed, exercise: RepsExercise | HoldExercise, athlete: Athlete) -> dict[str, Any]:
    high = one.known.range[1]
    gently = (
        exercise.phase is Phase.MAIN
        and rules.no_strain(athlete)
        and one.known.pattern is not Pattern.MOBILITY
    )
    if isinstance(exercise, HoldExercise):
        longest = min(max(2 * high, _LEAST_LONGEST), rules.LONGEST_HOLD)
        held = high if exercise.hold_time > longest else exercise.hold_time
        held = min(held, rules.CAREFUL_HOLD) if gently else held
        return {"hold_time": held} if held != exercise.hold_time else {}
    if exercise.reps > 2 * high:
        return {"reps": high}
    if gently and one.known.unit in _LOADED and exercise.reps < _FEWEST_CAREFUL_REPS:
        # More repetitions of what was meant to be heavy: nobody knows the load for that.
        return {"reps": min(rules.CAREFUL_REPS, high)} | ({"weight_kg": None} if exercise.weight_kg else {})
    return {}


def _load(
    exercise: RepsExercise | HoldExercise, performed: Sequence[Performed], *, rusty: bool
) -> tuple[dict[str, Any], str]:
    """Nobody is given a load far from what they have lifted. Without a record they find their own."""
    if exercise.weight_kg is None:
        return {}, ""
    reps = exercise.reps if isinstance(exercise, RepsExercise) else 1
    most = most_load(performed, reps)
    if most is None:
        return {"weight_kg": None}, ": there is no record of it yet"
    if rusty and exercise.weight_kg > (eased := floor(most * RUSTY_LOAD * 10) / 10):
        return {"weight_kg": eased}, ": it was not done for eight weeks"
    if exercise.weight_kg > most:
        return {"weight_kg": most}, ": a tenth more than so far, not further"
    return {}, ""


def _within_volume(placed: Sequence[Placed], athlete: Athlete, changes: MutableSequence[str]) -> list[Placed]:
    """The last ones give way: what comes first matters most."""
    kept: list[Placed] = []
    sets_left = rules.MAX_SETS_A_SESSION[athlete.level]
    most = rules.MAX_SETS_A_MUSCLE[athlete.level]
    done: dict[Muscle, float] = {}
    for one in placed:
        planned = _sets(one)
        if planned is None:
            kept.append(one)
            continue
        shares = rules.shares_of(one.known)
        room = int(min((most - done.get(muscle, 0.0)) / share for muscle, share in shares.items()))
        sets = min(planned, room, sets_left)
        if sets < 1:
            changes.append(f"{one.known.name} was taken out: that is enough for one day.")
            continue
        if sets < planned:
            changes.append(f"{one.known.name}: {planned} sets → {sets}, enough for one day.")
        sets_left -= sets
        for muscle, share in shares.items():
            done[muscle] = done.get(muscle, 0.0) + sets * share
        kept.append(one.having(**{_SETS[one.exercise.type]: sets}) if sets < planned else one)
    return kept


_SETS: Final = {"reps": "sets", "hold": "sets", "intervals": "rounds"}


def _sets(one: Placed) -> int | None:
    """Sets that muscles feel; None for what is none."""
    if one.exercise.phase is not Phase.MAIN or not rules.counts(one.known):
        return None
    match one.exercise:
        case RepsExercise() | HoldExercise():
            return one.exercise.sets
        case IntervalsExercise():
            return one.exercise.rounds
        case DurationExercise():
            return 1
        case _:
            assert_never(one.exercise)


def _within_intervals(placed: Sequence[Placed], changes: MutableSequence[str]) -> list[Placed]:
    """Half an hour of going hard and resting is plenty."""
    left = rules.LONGEST_INTERVALS_A_SESSION
    kept: list[Placed] = []
    for one in placed:
        exercise = one.exercise
        if not isinstance(exercise, IntervalsExercise):
            kept.append(one)
            continue
        one_round = exercise.work_time + exercise.rest_time
        rounds = min(exercise.rounds, left // one_round)
        left -= rounds * one_round
        if rounds == exercise.rounds:
            kept.append(one)
        elif rounds:
            changes.append(f"{one.known.name}: {exercise.rounds} rounds → {rounds}, enough for one day.")
            kept.append(one.having(rounds=rounds))
        else:
            changes.append(f"{one.known.name} was taken out: that is enough of intervals for one day.")
    return kept
