"""A workout for somebody, now: from what they asked for, who they are and what they did lately. Pure and repeatable.

Exercises are chosen in order of importance, given their amounts, and turned until they fit the time. What comes out
passes the check as it is.
"""

from dataclasses import dataclass
from typing import Final

from spotter.training import conditioning, drills, explaining, fitting
from spotter.training.amounts import DOSES, Doser, lead_up
from spotter.training.athlete import Athlete, Effort, Goal, Request, asking
from spotter.training.catalogue import Catalogue
from spotter.training.choosing import Chooser, Pool
from spotter.training.fitting import Plan
from spotter.training.limits import Limits
from spotter.training.parts import Part, seconds
from spotter.training.record import Record, record_of
from spotter.training.rules import MAX_MINUTES, MAX_SETS_A_MUSCLE, MAX_SETS_A_SESSION, careful, limits_of
from spotter.training.scoring import Scorer, suited_to
from spotter.training.slots import (
    CARDIO,
    Slot,
    about,
    balanced,
    muscle_slots,
    muscles_meant,
    others_for,
    slots_for,
)
from spotter.training.timing import shares
from spotter.training.vocabulary import Muscle, Pattern
from spotter.training.volume import TARGETS
from spotter.training.workout import Difficulty, Summary, Workout

USUAL_MINUTES: Final = 30
_SHORTEST: Final = 8
_MOST_EXERCISES: Final = 9
_PAIRED_UNTIL: Final = 35
"""Minutes: with more time, everybody rests in peace."""
_CIRCUIT_UNTIL: Final = 16
_LONG_CARDIO: Final = 75
_UNHURRIED: Final = frozenset({Goal.STRENGTH, Goal.POWER, Goal.SKILL})
_STRONG_WISH: Final = 4
_LEAST_A_MUSCLE: Final = 3.0


@dataclass(frozen=True, slots=True)
class Design:
    workout: Workout
    left_out: tuple[str, ...]
    """What would have fitted but for an injury or a wish, with the reason."""
    reasons: tuple[str, ...] = ()
    """Why it is as it is, in words for the athlete."""
    kilocalories: int | None = None
    """About; nothing when the weight is not known."""


class NothingFits(Exception):
    """No exercise passes all that was asked for. The text says what to relax."""


def design(request: Request, athlete: Athlete, book: Catalogue) -> Design:
    minutes = max(_SHORTEST, min(request.minutes or athlete.minutes or USUAL_MINUTES, MAX_MINUTES))
    athlete = asking(athlete, request)
    planner = _Planner(request, athlete, book, minutes)
    plan = planner.plan()
    if not plan.main:
        raise NothingFits(explaining.nothing(request, planner.pool))
    fitting.fit(plan)
    if planner.mobility:
        plan.main = conditioning.moving_first(plan.main)
    lead_up(plan.main)
    parts = plan.parts
    total = seconds(parts)
    summary = Summary(
        total_duration_estimate=round(total / 60, 1),
        focus_areas=explaining.focus(request, planner.goal),
        difficulty=Difficulty(athlete.level.value),
    )
    why = explaining.Why(request, athlete, planner.meant, planner.limits, planner.record, minutes)
    return Design(
        Workout(exercises=[part.exercise() for part in parts], summary=summary),
        why.left_out(planner.pool, planner.patterns),
        why.reasons(parts, book, planner.pool),
        explaining.burned(parts, athlete),
    )


def main_goal(athlete: Athlete) -> Goal:
    wanted = [(weight, goal) for goal, weight in athlete.goals.items() if weight > 0]
    return max(wanted, key=lambda each: (each[0], each[1].value))[1] if wanted else Goal.HYPERTROPHY


class _Planner:
    def __init__(self, request: Request, athlete: Athlete, book: Catalogue, minutes: int) -> None:
        self._request = request
        self._athlete = athlete
        self._minutes = minutes
        self.goal = request.goal or main_goal(athlete)
        self._effort = request.effort or athlete.effort
        self.limits: Limits = limits_of(athlete)
        self.pool = Pool(athlete, book, self.limits)
        self.record: Record = record_of(athlete, book, request.today)
        self._scorer = Scorer(request, athlete, self.goal, self.limits, self.record, minutes)
        self._shares = shares(minutes)
        only = request.patterns
        self.mobility = only == {Pattern.MOBILITY} or (self.goal is Goal.MOBILITY and not only)
        self._cardio = bool(only and only <= CARDIO) or (self.goal is Goal.CARDIO and not about(request))
        self.slots: tuple[Slot, ...] = slots_for(request, self.goal)
        self.patterns = frozenset(pattern for slot in self.slots for pattern in slot.patterns)
        if self.mobility or self._cardio:
            self.patterns = frozenset({Pattern.MOBILITY}) if self.mobility else CARDIO

    @property
    def meant(self) -> Goal:
        """What it came to be for, which may be narrower than the goal."""
        return Goal.MOBILITY if self.mobility else Goal.CARDIO if self._cardio else self.goal

    def plan(self) -> Plan:
        if self.mobility:
            return self._mobility()
        if self._cardio and (plan := self._heart()).main:
            return plan
        return self._strength()

    def _empty(self, most: int) -> Plan:
        caps = {muscle: self._cap(muscle) for muscle in Muscle}
        return Plan(
            before=[],
            main=[],
            after=[],
            target=self._minutes * 60,
            caps=caps,
            most_sets=MAX_SETS_A_SESSION[self._athlete.level],
            most=most,
            balanced=balanced(self._request),
        )

    def _cap(self, muscle: Muscle) -> float:
        """What a session can use, and what is left of the week unless it was asked for."""
        level = self._athlete.level
        most = MAX_SETS_A_MUSCLE[level]
        if muscle in muscles_meant(self._request):
            return most
        left = TARGETS[level].high - self.record.week.get(muscle, 0.0)
        return min(most, max(_LEAST_A_MUSCLE, left))

    def _strength(self) -> Plan:
        plan = self._empty(self._most())
        plan.least = 3 if self._minutes < 20 or self.goal in _UNHURRIED else 4
        doser = Doser(self._athlete, self.goal, self._effort, self.record, self._minutes)
        chooser = Chooser(self.pool, self._scorer, plan.balanced, plan.caps)
        chooser.put(each for name in self._request.include if (each := self.pool.get(name)) is not None)
        wanted = len(chooser.chosen)
        chooser.fill(self._with_wishes(), by_need=not about(self._request))
        asked = len(chooser.chosen)
        if about(self._request):
            chooser.fill(others_for(self._request), by_need=False)
        plan.balanced = plan.balanced and chooser.can_pull
        parts = [doser.dosed(each) for each in chooser.chosen]
        self._ends(plan, parts[: plan.most])
        fitting.choose_from(plan, parts[:asked], wanted)
        plan.others = parts[asked:]
        self._in_turns(plan)
        plan.finishers = conditioning.finishers(self.pool, self._scorer.tie, self._athlete)
        return plan

    def _with_wishes(self) -> tuple[Slot, ...]:
        """Muscles somebody wants more of get a place of their own, after the big ones."""
        wished = sorted(
            (each for each, weight in self._athlete.muscle_goals.items() if weight >= _STRONG_WISH),
            key=lambda each: (-self._athlete.muscle_goals[each], each),
        )
        if not wished or about(self._request):
            return self.slots
        return (*self.slots[:3], *muscle_slots(wished[:3]), *self.slots[3:])

    def _in_turns(self, plan: Plan) -> None:
        if self.goal in (Goal.FAT_LOSS, Goal.CARDIO):
            fitting.circuits(plan, 4 if len(plan.main) in (4, 7, 8) else 5)
            brief = conditioning.interval_choices(self.pool, self._scorer.tie, self._athlete)
            if brief and self._minutes >= 15:
                plan.main.append(
                    conditioning.intervals(brief[0], self._athlete, max(3, min(8, self._minutes // 6)))
                )
        elif self._minutes <= _PAIRED_UNTIL and self.goal not in _UNHURRIED:
            fitting.pair(plan, whole=self._minutes <= _CIRCUIT_UNTIL)

    def _heart(self) -> Plan:
        budget = self._shares.main * 60.0
        plan = self._empty(8)
        plan.main = conditioning.cardio_parts(
            self.pool, self._scorer.tie, self._athlete, self._effort, budget
        )
        steady = {part.known.id for part in plan.main}
        plan.finishers = [
            part
            for part in conditioning.finishers(self.pool, self._scorer.tie, self._athlete)
            if part.known.id not in steady
        ]
        self._ends(plan, plan.main)
        plan.before = plan.before[:3]
        used = {part.known.id for part in plan.parts}
        supple = conditioning.mobility_parts(self.pool, self._scorer.tie, frozenset(), frozenset())
        plan.most = len(plan.main)
        if self._minutes >= _LONG_CARDIO:
            plan.most = 10
            plan.spare = [part for part in supple if part.known.id not in used]
        plan.stretches = []
        return plan

    def _mobility(self) -> Plan:
        wanted = muscles_meant(self._request)
        trained = frozenset(muscle for muscle, days in self.record.rested.items() if days <= 2)
        parts = conditioning.mobility_parts(self.pool, self._scorer.tie, wanted, trained)
        plan = self._empty(max(5, min(16, self._minutes // 2 - 1)))
        plan.least = 2
        self._ends(plan, [])
        plan.before = plan.before[:1]
        plan.after = conditioning.quiet_end(self.pool, parts)
        fitting.choose_from(plan, parts)
        plan.stretches = []
        plan.finishers = conditioning.finishers(self.pool, self._scorer.tie, self._athlete)
        return plan

    def _ends(self, plan: Plan, main: list[Part]) -> None:
        trained = [part.known for part in main]
        gently = careful(self._athlete) or self._effort is Effort.EASY or self.mobility
        tie = self._scorer.tie
        taken = {each.id for each in trained}
        allowed = [each for each in self.pool.allowed if each.id not in taken]
        for suits in suited_to(self._athlete):
            allowed = [each for each in allowed if suits in each.suits] or allowed
        plan.before = drills.warm_up(
            allowed, trained, self._shares.warm_up * 60, tie, gently=gently, sore=self.limits.joints
        )
        warm = [part.known for part in plan.before]
        plan.after = drills.cool_down(allowed, trained, self._shares.cool_down * 60, tie, taken=warm)
        used = {part.known.id for part in (*plan.before, *plan.after)}
        left = [each for each in allowed if each.id not in used]
        plan.stretches = drills.stretches(left, drills.weights(trained), tie)

    def _most(self) -> int:
        each = 9 if DOSES[self.goal].rest >= 90 else 6 if self._minutes > _CIRCUIT_UNTIL else 3.5
        return max(2, min(_MOST_EXERCISES, round(self._minutes / each)))
