"""How many, how long, how heavy, with how much rest: by goal, exercise, athlete and log (DOMAIN §2.2, 2.3)."""

from dataclasses import dataclass
from math import floor
from typing import Final

from spotter.training import rules
from spotter.training.athlete import Athlete, Effort, Goal
from spotter.training.exercise import Exercise
from spotter.training.one_rep_max import load_for, one_rep_max
from spotter.training.parts import Form, Part
from spotter.training.progression import LONG_AGO, RUSTY_LOAD, Performed, advise
from spotter.training.record import Record, most_load
from spotter.training.scoring import loaded, thrust, too_easy
from spotter.training.slots import CORES
from spotter.training.timing import ramp
from spotter.training.vocabulary import Intensity, Kind, Level, Mechanic, Pattern, UnitType


@dataclass(frozen=True, slots=True)
class Dose:
    reps: int
    novice_reps: int
    sets: int
    most_sets: int
    least_rest: int
    rest: int
    most_rest: int


DOSES: Final = {
    Goal.STRENGTH: Dose(5, 8, 3, 5, 120, 150, 210),
    Goal.HYPERTROPHY: Dose(10, 10, 3, 4, 60, 75, 120),
    Goal.ENDURANCE: Dose(18, 15, 3, 4, 30, 40, 60),
    Goal.POWER: Dose(4, 5, 3, 5, 90, 120, 180),
    Goal.SKILL: Dose(6, 6, 3, 5, 75, 90, 150),
    Goal.MOBILITY: Dose(8, 8, 2, 3, 5, 10, 20),
    Goal.FAT_LOSS: Dose(12, 12, 3, 4, 30, 45, 75),
    Goal.CARDIO: Dose(12, 12, 3, 4, 30, 45, 75),
}
_SMALL: Final = Dose(10, 12, 3, 4, 45, 75, 90)
"""Of what is done beside heavy lifting."""
_TRUNK: Final = Dose(12, 10, 3, 4, 30, 45, 75)
_BIG_LIFT: Final = Dose(8, 10, 3, 4, 90, 105, 120)
"""A heavy bar needs more breath than a curl, also for muscle."""
_BAR: Final = Dose(8, 10, 3, 4, 75, 90, 120)
_ONE_JOINT: Final = Dose(12, 12, 3, 4, 60, 60, 90)
_ONE_SIDE_OF_THE_TRUNK: Final = 8
_HURRIED_UNTIL: Final = 20
_HURRIED_REST: Final = 60
"""Seconds; half of it when there is no other way."""
_ADD_UP: Final = frozenset({Goal.STRENGTH, Goal.HYPERTROPHY, Goal.ENDURANCE, Goal.FAT_LOSS, Goal.CARDIO})
"""Where what is easy is done more often, since it cannot be made heavier."""
_NOT_ONLY_HEAVY: Final = 10
_LIGHTER_REPS: Final = 15
"""For endurance a load is chosen for the repetitions, not the other way round."""
_YOUNG: Final = 16
_YOUNG_REPS: Final = 8
_PLATE: Final = 2.5
_LONG: Final = 600
"""Seconds: what is kept up that long is no set."""
_FIND_A_LOAD: Final = "Choose a load that leaves two or three repetitions in reserve."
_RAMPS: Final = 3
_ONE_LIGHTER: Final = "Take one or two lighter sets first."
_LEAD_UP: Final = "Lead up to it with two or three lighter sets."


@dataclass(frozen=True, slots=True)
class Doser:
    athlete: Athlete
    goal: Goal
    effort: Effort
    record: Record
    minutes: int

    def dosed(self, exercise: Exercise) -> Part:
        if exercise.pattern is Pattern.MOBILITY:
            return stretched(exercise)
        if exercise.kind is Kind.DURATION and exercise.range[1] >= _LONG:
            return Part(exercise, Form.TIME, 1, _LONG, most_amount=exercise.range[1])
        dose = self._dose(exercise)
        rest, least = dose.rest, dose.least_rest
        if self.minutes <= _HURRIED_UNTIL:
            rest, least = min(rest, _HURRIED_REST), min(least, _HURRIED_REST // 2)
        if rules.careful(self.athlete):
            rest, least = max(rest, rules.CAREFUL_REST), max(least, rules.CAREFUL_REST)
        part = Part(
            exercise,
            _form(exercise),
            self._sets(exercise, dose),
            self._amount(exercise, dose),
            rest,
            most_sets=min(dose.most_sets, rules.MAX_SETS[self.athlete.level]),
            least_rest=least,
            most_rest=max(rest, 75 if self.minutes <= _HURRIED_UNTIL else dose.most_rest),
        )
        if part.form is Form.REPS:
            self._load(part)
        return part

    def _dose(self, exercise: Exercise) -> Dose:
        if self.goal is Goal.HYPERTROPHY and exercise.pattern in CORES:
            return _TRUNK
        if self.goal is Goal.HYPERTROPHY and self.minutes > _HURRIED_UNTIL and _barbell(exercise):
            return _BIG_LIFT
        if self.goal is Goal.HYPERTROPHY and exercise.mechanic is Mechanic.ISOLATION and not thrust(exercise):
            return _ONE_JOINT
        if (
            self.goal is Goal.HYPERTROPHY
            and self.minutes > _HURRIED_UNTIL
            and _heavy(exercise)
            and loaded(exercise)
        ):
            return _BAR
        heavy = self.goal in (Goal.STRENGTH, Goal.POWER)
        small = exercise.mechanic is Mechanic.ISOLATION or exercise.pattern in CORES
        return _SMALL if heavy and small else DOSES[self.goal]

    def _sets(self, exercise: Exercise, dose: Dose) -> int:
        sets = dose.sets + (self.effort is Effort.HARD) - (self.effort is Effort.EASY)
        if not self.athlete.sore.isdisjoint(exercise.primary):
            sets -= 1
        if self.athlete.level is Level.BEGINNER:
            sets = min(sets, 3)
        return max(2, min(self.record.ease.sets_of(sets), dose.most_sets, rules.MAX_SETS[self.athlete.level]))

    def _amount(self, exercise: Exercise, dose: Dose) -> int:
        low, high = exercise.range
        performed = self.record.sessions.get(exercise.id, ())
        novice = self.athlete.level is Level.BEGINNER
        match exercise.kind:
            case Kind.REPS:
                reps = min(max(dose.novice_reps if novice else dose.reps, low), high)
                if self.goal is Goal.ENDURANCE and loaded(exercise) and high >= _NOT_ONLY_HEAVY:
                    reps = max(reps, _LIGHTER_REPS)
                if self.goal in _ADD_UP and too_easy(exercise, self.athlete.level):
                    reps = high
                if exercise.unilateral and exercise.pattern in CORES:
                    reps = min(reps, max(low, _ONE_SIDE_OF_THE_TRUNK))
                if performed and not performed[-1].weight_kg:
                    reps = min(advise(exercise, performed).amount, 2 * high)
                if self.athlete.age is not None and self.athlete.age < _YOUNG:
                    reps = max(reps, min(_YOUNG_REPS, high))
                if rules.no_strain(self.athlete):
                    reps = max(reps, min(rules.CAREFUL_REPS, high))
                return reps
            case Kind.HOLD:
                share = {Level.BEGINNER: 0.2, Level.INTERMEDIATE: 0.5, Level.ADVANCED: 0.7}
                held = round((low + (high - low) * share[self.athlete.level]) / 5) * 5 or low
                if performed:
                    held = advise(exercise, performed).amount
                longest = rules.CAREFUL_HOLD if rules.no_strain(self.athlete) else rules.LONGEST_HOLD
                return min(max(low, held), longest)
            case Kind.DURATION:
                return min(max(20, round(exercise.work_seconds((low + high) / 2) / 5) * 5), 60)

    def _load(self, part: Part) -> None:
        known = part.known
        performed = self.record.sessions.get(known.id, ())
        if not performed or known.unit is UnitType.BODYWEIGHT_ASSISTED_REPS or not performed[-1].weight_kg:
            return
        advice = advise(known, performed)
        wanted = advice.weight_kg
        if rules.no_strain(self.athlete) or abs(advice.amount - part.amount) > 3:
            wanted = _for_reps(performed[-1], part.amount)
        else:
            part.amount = min(advice.amount, 2 * known.range[1])
        most = most_load(performed, part.amount)
        if wanted is None or most is None:
            return
        rusty = self.record.last_used[known.id] > LONG_AGO
        share = min(self.record.ease.load, RUSTY_LOAD if rusty else 1.0)
        eased = min(wanted, most) * share
        weight = eased if eased == wanted else _plates(eased)
        if weight > 0:
            part.weight_kg = weight


def stretched(exercise: Exercise) -> Part:
    """Half a minute to a minute in all: once, and once more when there is time."""
    low, high = exercise.range
    form, amount = {
        Kind.HOLD: (Form.HOLD, min(max(low, 30), high)),
        Kind.REPS: (Form.REPS, round((low + high) / 2)),
        Kind.DURATION: (Form.TIME, low),
    }[exercise.kind]
    rest = 0 if form is Form.TIME else 10
    return Part(exercise, form, 1, amount, rest, most_sets=3, least_rest=5, most_rest=20)


def lead_up(parts: list[Part]) -> None:
    """The first heavy lift gets its ramp, one of another kind a shorter one; the first without a load a word on how to
    find it."""
    loaded = [part for part in parts if part.form is Form.REPS and part.known.unit is UnitType.WEIGHT_REPS]
    seen: set[Pattern] = set()
    for part in [part for part in loaded if _heavy(part.known)]:
        if part.known.pattern not in seen and len(seen) < _RAMPS:
            sets = ramp(part.weight_kg)[-2 if seen else 0 :] if part.weight_kg else []
            told = ", ".join(f"{each.reps} × {each.weight_kg:g} kg" for each in sets)
            part.notes = f"Lead up to it: {told}." if told else _ONE_LIGHTER if seen else _LEAD_UP
            seen.add(part.known.pattern)
    for part in [part for part in loaded if part.weight_kg is None][:1]:
        part.notes = f"{part.notes} {_FIND_A_LOAD}".strip()


def _heavy(exercise: Exercise) -> bool:
    return exercise.intensity is Intensity.HEAVY or (
        exercise.mechanic is Mechanic.COMPOUND and exercise.range[0] <= 6
    )


def _barbell(exercise: Exercise) -> bool:
    return _heavy(exercise) and loaded(exercise) and exercise.pattern in (Pattern.SQUAT, Pattern.HINGE)


def _form(exercise: Exercise) -> Form:
    return {Kind.REPS: Form.REPS, Kind.HOLD: Form.HOLD, Kind.DURATION: Form.ROUNDS}[exercise.kind]


def _for_reps(last: Performed, reps: int) -> float | None:
    estimate = one_rep_max(last.weight_kg or 0.0, min(min(last.amounts, default=1), 15))
    return load_for(estimate.kilograms, reps, in_reserve=1) if estimate is not None else last.weight_kg


def _plates(weight: float) -> float:
    step = _PLATE if weight >= 10 else 0.5
    return floor(weight / step + 1e-9) * step
