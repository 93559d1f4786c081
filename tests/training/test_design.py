"""Thousands of athletes and wishes: every workout is judged by the oracle, and the check has nothing to add."""

import dataclasses
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from random import Random
from uuid import UUID

import pytest

from spotter.training import choosing, design, fitting
from spotter.training.athlete import Athlete, Effort, Goal, PastSet, PastWorkout, Request, asking
from spotter.training.catalogue import catalogue
from spotter.training.check import check_workout
from spotter.training.exercise import Exercise
from spotter.training.limits import Condition, Injury, Limits, Severity
from spotter.training.vocabulary import Equipment, Joint, Level, Mechanic, Muscle, Pattern, Region, Split
from spotter.training.workout import IntervalsExercise, Phase, RepsExercise, Workout
from tests.training import oracle
from tests.training.people import FULL_GYM, TODAY, any_request, anyone

BOOK = catalogue()
SOMEBODY = UUID(int=7)


def judged(seed: int) -> list[str]:
    """What is wrong with the workout designed for this seed."""
    chance = Random(seed)
    athlete, request = anyone(chance), any_request(chance)
    try:
        made = design.design(request, athlete, BOOK)
    except design.NothingFits:
        return []
    me, minutes = asking(athlete, request), request.minutes or 0
    checked = check_workout(made.workout, me, BOOK, minutes=minutes)
    findings = oracle.unfit(made.workout, me, request, BOOK, minutes, made.reasons)
    if checked.workout != made.workout or checked.changes or checked.refused:
        findings.append(f"the check changed it: {checked.changes} {checked.refused}")
    return findings


@pytest.mark.parametrize("batch", range(10))
def test_every_workout_is_safe_fits_and_passes_the_check_as_it_is(batch: int) -> None:
    wrong = {seed: found for seed in range(batch * 200, batch * 200 + 200) if (found := judged(seed))}
    assert not wrong


def test_it_is_rarely_short_and_never_without_a_word() -> None:
    short = 0
    for seed in range(3000, 3300):
        chance = Random(seed)
        athlete, request = anyone(chance), any_request(chance)
        try:
            made = design.design(request, athlete, BOOK)
        except design.NothingFits:
            continue
        short += oracle.minutes_of(made.workout, BOOK) < 0.9 * (request.minutes or 0)
    assert short <= 9


def mains(workout: Workout) -> list[Exercise]:
    return [BOOK[each.exercise_id or ""] for each in workout.exercises if each.phase is Phase.MAIN]


def made_for(athlete: Athlete, **wish: object) -> Workout:
    return design.design(Request(**{"minutes": 45, "today": TODAY, **wish}), athlete, BOOK).workout  # type: ignore[arg-type]


def ids(workout: Workout) -> list[str | None]:
    return [each.exercise_id for each in workout.exercises if each.phase is Phase.MAIN]


GYM = Athlete(SOMEBODY, level=Level.INTERMEDIATE, equipment=FULL_GYM, goals={Goal.HYPERTROPHY: 5})
HOME = Athlete(SOMEBODY, equipment=frozenset())


@pytest.mark.parametrize("athlete", [GYM, HOME])
def test_the_same_question_has_the_same_answer(athlete: Athlete) -> None:
    assert made_for(athlete) == made_for(athlete)
    assert made_for(athlete) != made_for(athlete, attempt=1)


@pytest.mark.parametrize("athlete", [GYM, HOME])
def test_two_weeks_are_not_one_day_fourteen_times(athlete: Athlete) -> None:
    """Without a log only the day differs; with one, what was done steers as well."""
    days = [frozenset(ids(made_for(athlete, today=TODAY + timedelta(days=n)))) for n in range(14)]
    assert len(set(days)) >= 7
    assert all(one != other for one, other in pairwise(days)) or athlete is HOME
    past: tuple[PastWorkout, ...] = ()
    seen = []
    for n in range(14):
        day = TODAY + timedelta(days=n)
        workout = made_for(dataclasses.replace(athlete, past=past), today=day)
        seen.append(frozenset(ids(workout)))
        past = (done(workout, day), *past)
    assert len(set(seen)) >= 9
    shared = [len(one & other) / len(one | other) for one, other in pairwise(seen)]
    assert sum(shared) / len(shared) < 0.5


def anybodys(seed: int) -> tuple[Athlete, Request]:
    chance = Random(seed)
    return anyone(chance), any_request(chance)


def test_nobody_gets_one_workout_every_day() -> None:
    """Whoever they are and whatever they ask for: four times in a row, each time with the log of the times before."""
    alike, asked = [], 0
    for seed in range(5000, 5200):
        athlete, request = anybodys(seed)
        seen = set()
        for n in range(4):
            day = TODAY + timedelta(days=2 * n)
            try:
                workout = design.design(dataclasses.replace(request, today=day), athlete, BOOK).workout
            except design.NothingFits:
                break
            seen.add(frozenset(ids(workout)))
            athlete = dataclasses.replace(athlete, past=(done(workout, day), *athlete.past))
        else:
            asked += 1
            alike += [seed] if len(seen) == 1 else []
    assert asked > 150
    # Eight minutes with two exercises, or all the stretches there are for an upper body: where hardly anything fits.
    assert len(alike) <= 4, alike


def test_other_goals_make_other_workouts_for_anybody() -> None:
    unmoved, asked = [], 0
    for seed in range(6000, 6150):
        athlete, request = anybodys(seed)
        try:
            made = [
                design.design(dataclasses.replace(request, goal=goal), athlete, BOOK).workout
                for goal in (Goal.STRENGTH, Goal.ENDURANCE, Goal.MOBILITY)
            ]
        except design.NothingFits:
            continue
        asked += 1
        told = {tuple((each.exercise_id, *doses(each)) for each in one.exercises) for one in made}
        unmoved += [seed] if len(told) < len(made) else []
    assert asked > 100
    assert unmoved == []


def doses(exercise: object) -> tuple[object, ...]:
    return tuple(getattr(exercise, name, None) for name in ("sets", "reps", "hold_time", "rest"))


def done(workout: Workout, day: date) -> PastWorkout:
    sets = [
        PastSet(
            each.exercise_id or "", reps=getattr(each, "reps", None), seconds=getattr(each, "hold_time", None)
        )
        for each in workout.exercises
        if each.phase is Phase.MAIN
        for _ in range(getattr(each, "sets", 1))
    ]
    return PastWorkout(datetime.combine(day, time(18), UTC), tuple(sets))


def test_goals_change_the_workout() -> None:
    by_goal = {goal: made_for(GYM, goal=goal) for goal in Goal}
    assert len({tuple(ids(each)) for each in by_goal.values()}) == len(Goal)

    def numbers(goal: Goal, name: str) -> list[int]:
        found = [
            each
            for each in by_goal[goal].exercises
            if isinstance(each, RepsExercise) and each.phase is Phase.MAIN
        ]
        return [getattr(each, name) for each in found]

    assert min(numbers(Goal.STRENGTH, "rest_between_sets")) >= 45
    assert max(numbers(Goal.STRENGTH, "rest_between_sets")) >= 120
    assert max(numbers(Goal.ENDURANCE, "rest_between_sets")) <= 60
    assert sum(numbers(Goal.STRENGTH, "reps")) / len(numbers(Goal.STRENGTH, "reps")) < 8
    assert sum(numbers(Goal.ENDURANCE, "reps")) / len(numbers(Goal.ENDURANCE, "reps")) > 10
    assert {each.pattern for each in mains(by_goal[Goal.MOBILITY])} == {Pattern.MOBILITY}
    assert any(isinstance(each, IntervalsExercise) for each in by_goal[Goal.CARDIO].exercises)
    assert mains(by_goal[Goal.POWER])[0].pattern is Pattern.JUMP
    assert mains(by_goal[Goal.SKILL])[0].pattern is Pattern.HOLD_SKILL
    assert sum(each.pair is not None for each in by_goal[Goal.FAT_LOSS].exercises) >= 4


def test_muscle_goals_show() -> None:
    def sets_for(muscle: Muscle, athlete: Athlete) -> float:
        return sum(
            getattr(each, "sets", 0)
            for each in made_for(athlete, minutes=60).exercises
            if each.phase is Phase.MAIN and muscle in BOOK[each.exercise_id or ""].primary
        )

    for muscle in (Muscle.CALVES, Muscle.BICEPS, Muscle.SIDE_DELTS):
        keen = dataclasses.replace(GYM, muscle_goals={muscle: 10})
        assert sets_for(muscle, keen) > sets_for(muscle, GYM)


def test_what_was_trained_yesterday_gives_way() -> None:
    legs = [done(made_for(GYM, splits=frozenset({Split.LEGS}), minutes=60), TODAY - timedelta(days=1))]
    fresh = made_for(GYM, minutes=30)
    tired = made_for(dataclasses.replace(GYM, past=tuple(legs)), minutes=30)
    assert sum(each.region is Region.LOWER for each in mains(fresh)) >= 2
    assert sum(each.region is Region.LOWER for each in mains(tired)) <= 1
    assert mains(tired)[0].region is Region.UPPER


def test_main_lifts_before_tricks() -> None:
    """An advanced athlete in a gym gets barbells and bars, not one-arm everything."""
    for day in range(10):
        athlete = Athlete(SOMEBODY, level=Level.ADVANCED, equipment=FULL_GYM, goals={Goal.STRENGTH: 8})
        workout = made_for(athlete, minutes=60, today=TODAY + timedelta(days=day))
        assert all(each.level <= 7 for each in mains(workout)), ids(workout)
        assert mains(workout)[0].mechanic is Mechanic.COMPOUND
        assert sum(Equipment.BARBELL in each.equipment for each in mains(workout)) >= 2


def test_loads_come_from_the_log_and_stay_near_it() -> None:
    lifted = tuple(PastSet("barbell-bench-press", reps=8, weight_kg=60.0, rpe=8) for _ in range(3))
    past = (PastWorkout(datetime.combine(TODAY - timedelta(days=4), time(18), UTC), lifted),)
    athlete = dataclasses.replace(GYM, past=past)
    (bench,) = [
        each
        for each in made_for(athlete, include=("barbell-bench-press",)).exercises
        if each.exercise_id == "barbell-bench-press"
    ]
    assert isinstance(bench, RepsExercise)
    assert bench.weight_kg is not None
    assert 50 <= bench.weight_kg <= 66
    assert "Lead up" in bench.notes
    rested = dataclasses.replace(
        athlete, past=(PastWorkout(datetime.combine(TODAY - timedelta(days=30), time(18), UTC), lifted),)
    )
    (lighter,) = [
        each
        for each in made_for(rested, include=("barbell-bench-press",)).exercises
        if each.exercise_id == "barbell-bench-press"
    ]
    assert isinstance(lighter, RepsExercise)
    assert lighter.weight_kg is not None
    assert lighter.weight_kg < bench.weight_kg


def test_a_ladder_is_climbed_by_what_was_done() -> None:
    def session(days: int) -> PastWorkout:
        sets = tuple(PastSet("push-up", reps=15) for _ in range(3))
        return PastWorkout(datetime.combine(TODAY - timedelta(days=days), time(18), UTC), sets)

    athlete = Athlete(
        SOMEBODY, level=Level.INTERMEDIATE, equipment=frozenset(), past=(session(3), session(6))
    )
    found = [
        made_for(athlete, regions=frozenset({Region.UPPER}), today=TODAY + timedelta(days=n))
        for n in range(5)
    ]
    assert sum("diamond-push-up" in ids(each) for each in found) >= 4


def test_what_was_asked_for_by_name_is_in_it_or_explained() -> None:
    wish = Request(minutes=30, include=("goblet-squat",), today=TODAY)
    assert "goblet-squat" in ids(design.design(wish, GYM, BOOK).workout)
    hurt = dataclasses.replace(GYM, injuries=(Injury(Joint.KNEE),))
    made = design.design(wish, hurt, BOOK)
    assert "goblet-squat" not in ids(made.workout)
    assert any("Goblet squat was asked for" in reason for reason in made.reasons)
    assert all("knee" in text for text in made.left_out)
    assert made.left_out


def test_reasons_are_sentences() -> None:
    for seed in range(40):
        chance = Random(seed)
        athlete, request = anyone(chance), any_request(chance)
        try:
            made = design.design(request, athlete, BOOK)
        except design.NothingFits:
            continue
        assert made.reasons
        assert all(not reason[0].islower() and reason.endswith(".") for reason in made.reasons)


def test_nothing_fits_says_what_to_relax() -> None:
    everything = frozenset(each.id for each in BOOK)
    with pytest.raises(design.NothingFits, match="fewer exclusions"):
        design.design(Request(minutes=30), dataclasses.replace(HOME, excluded=everything), BOOK)


def test_hard_is_more_than_easy() -> None:
    hard, easy = (made_for(GYM, effort=effort, minutes=60) for effort in (Effort.HARD, Effort.EASY))
    count = [sum(getattr(each, "sets", 0) for each in workout.exercises) for workout in (hard, easy)]
    assert count[0] > count[1]


class TestTheOracleCanFail:
    """Rules taken away one by one: the oracle must notice, or its silence means nothing."""

    def findings(self, seeds: range = range(100)) -> list[str]:
        return [finding for seed in seeds for finding in judged(seed)]

    def test_without_the_injury_filter(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Limits, "allow", lambda self, exercise: exercise.level <= self.max_level)
        assert any("load" in each for each in self.findings())

    def test_without_levels(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Limits, "_highest", lambda self, exercise: 10)
        assert any("level" in each for each in self.findings())

    def test_without_equipment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(choosing, "_equipped", lambda book, available: tuple(book))
        assert any("not equipped" in each for each in self.findings())

    def test_without_exclusions(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            design, "asking", lambda athlete, request: dataclasses.replace(athlete, excluded=frozenset())
        )
        assert any("not wanted" in each for each in self.findings())

    def test_without_volume_and_balance(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fitting.Plan, "sound", lambda self: True)
        monkeypatch.setattr(choosing.Chooser, "_place", lambda self, exercise: self.chosen.append(exercise))
        found = self.findings()
        assert any("sets for" in each for each in found)
        assert any("of pushing" in each for each in found)

    def test_without_fitting(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fitting, "fit", lambda plan: None)
        assert any("minutes instead of" in each for each in self.findings())

    def test_without_conditions(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(choosing, "strains", lambda exercise, athlete: None)
        monkeypatch.setattr(
            "spotter.training.design.limits_of",
            lambda athlete: Limits(max_level=4, joints={}, flags=frozenset()),
        )
        assert any(Condition.PREGNANCY in each or "vigorous" in each for each in self.findings())


def test_severities_mean_what_they_say() -> None:
    for severity, most in ((Severity.MILD, 2), (Severity.MODERATE, 1), (Severity.SEVERE, 0)):
        for joint in Joint:
            athlete = dataclasses.replace(GYM, injuries=(Injury(joint, severity),))
            workout = made_for(athlete, minutes=30)
            loads = [BOOK[each.exercise_id or ""].load_on(joint) for each in workout.exercises]
            assert max(loads) <= most
