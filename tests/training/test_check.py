"""No workout reaches an athlete unchecked: what a hostile model writes comes out safe, or not at all."""

import dataclasses
from datetime import UTC, datetime
from random import Random
from typing import Any
from uuid import UUID

import pytest

from spotter.training import check, check_amounts
from spotter.training.athlete import Athlete, Clearance, PastSet, PastWorkout
from spotter.training.catalogue import catalogue
from spotter.training.check import check_workout, why_not
from spotter.training.limits import Condition, Injury, Limits, Severity
from spotter.training.rules import limits_of
from spotter.training.vocabulary import Equipment, Joint, Level
from spotter.training.workout import (
    DurationExercise,
    HoldExercise,
    IntervalsExercise,
    Phase,
    RepsExercise,
    Workout,
    WorkoutExercise,
)
from tests.training import hostile, oracle
from tests.training.people import FULL_GYM, anyone

BOOK = catalogue()
SOMEBODY = Athlete(UUID(int=3), level=Level.INTERMEDIATE, equipment=FULL_GYM)


def tried(seed: int) -> tuple[list[str], bool]:
    """What is still wrong after the check, and whether it was delivered at all."""
    chance = Random(seed)
    kind = hostile.KINDS[seed % len(hostile.KINDS)]
    athlete = hostile.planted(anyone(chance), chance)
    minutes = chance.choice([None, 10, 30, 60])
    checked = check_workout(hostile.workout(kind, athlete, chance), athlete, BOOK, minutes=minutes)
    if checked.refused:
        return [], False
    findings = oracle.unsafe(checked.workout, athlete, BOOK)
    taken = oracle.minutes_of(checked.workout, BOOK)
    if taken > 1.1 * (minutes or athlete.minutes or 120):
        findings.append(f"{taken:.0f} minutes")
    again = check_workout(checked.workout, athlete, BOOK, minutes=minutes)
    if again.workout != checked.workout or again.changes or again.refused:
        findings.append(f"a second check changed it: {again.changes} {again.refused}")
    return findings, True


@pytest.mark.parametrize("batch", range(10))
def test_no_unsafe_workout_is_delivered_whoever_wrote_it(batch: int) -> None:
    """2,080 tries in all."""
    results = {seed: tried(seed) for seed in range(batch * 208, batch * 208 + 208)}
    assert not {seed: found for seed, (found, _) in results.items() if found}
    assert sum(delivered for _, delivered in results.values()) > 176, "refusing everything would be easy"


class TestTheOracleCanFail:
    def findings(self) -> list[str]:
        return [finding for seed in range(200) for finding in tried(seed)[0]]

    def test_without_the_check(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(globals(), "check_workout", lambda workout, *_, **__: check.Checked(workout))
        assert len(self.findings()) > 300

    def test_without_limits(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(check, "limits_of", lambda athlete: Limits())
        found = self.findings()
        assert any("load" in each for each in found)
        assert any("level" in each for each in found)

    def test_without_amounts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(check_amounts, "bounded", lambda placed, *_: list(placed))
        assert any("sets for" in each for each in self.findings())


def doing(*exercises: WorkoutExercise) -> Workout:
    return Workout(exercises=list(exercises))


def reps(name: str, sets: int = 3, count: int = 10, **more: Any) -> RepsExercise:
    return RepsExercise(name=name, sets=sets, reps=count, **more)


@pytest.mark.parametrize("what", list(hostile.CONTRAINDICATED))
@pytest.mark.parametrize("whole", [True, False])
def test_each_row_of_what_to_avoid_is_avoided(what: Joint | Condition, whole: bool) -> None:
    hurt = (
        dataclasses.replace(SOMEBODY, injuries=(Injury(what),))
        if isinstance(what, Joint)
        else dataclasses.replace(SOMEBODY, conditions=frozenset({what}), clearance=Clearance.CLEARED)
    )
    for name in hostile.CONTRAINDICATED[what]:
        known = BOOK[name]
        assert why_not(known, hurt, limits_of(hurt)), f"{name} with {what}"
        checked = check_workout(doing(reps(known.name), reps("Dumbbell curl")), hurt, BOOK, whole=whole)
        assert name not in [each.exercise_id for each in checked.workout.exercises] or checked.refused
        assert any(known.name in change for change in checked.changes)


def test_it_says_what_it_changed_and_why() -> None:
    hurt = dataclasses.replace(SOMEBODY, injuries=(Injury(Joint.KNEE),))
    checked = check_workout(doing(reps("Barbell back squat"), reps("Wobbly goose press")), hurt, BOOK)
    assert checked.changes[0].startswith("Barbell back squat does not suit (high load on the knee): ")
    assert "Wobbly goose press is not in the catalogue" in checked.changes[1]
    assert any("warm-up was added" in change for change in checked.changes)
    assert checked.workout.exercises[0].phase is Phase.WARM_UP


def test_without_a_record_nobody_is_told_a_load() -> None:
    checked = check_workout(doing(reps("Barbell bench press", weight_kg=140.0)), SOMEBODY, BOOK)
    (bench,) = [each for each in checked.workout.exercises if each.exercise_id == "barbell-bench-press"]
    assert isinstance(bench, RepsExercise)
    assert bench.weight_kg is None


@pytest.mark.parametrize(
    ("wanted", "count", "allowed"), [(60.0, 5, 60.0), (66.0, 5, 66.0), (100.0, 5, 66.0), (60.0, 15, 52.0)]
)
def test_a_load_is_a_step_from_the_record(wanted: float, count: int, allowed: float) -> None:
    done = tuple(PastSet("barbell-bench-press", reps=5, weight_kg=60.0) for _ in range(3))
    athlete = dataclasses.replace(SOMEBODY, past=(PastWorkout(datetime(2026, 11, 12, tzinfo=UTC), done),))
    checked = check_workout(doing(reps("Barbell bench press", count=count, weight_kg=wanted)), athlete, BOOK)
    (bench,) = [each for each in checked.workout.exercises if each.exercise_id == "barbell-bench-press"]
    assert isinstance(bench, RepsExercise)
    assert bench.weight_kg is not None
    assert bench.weight_kg <= allowed
    assert bench.weight_kg >= allowed - 6


def test_absurd_amounts_come_down() -> None:
    checked = check_workout(
        doing(
            reps("Push-up", sets=20, count=200),
            HoldExercise(name="Plank", sets=10, hold_time=3600),
            IntervalsExercise(name="High knees", rounds=60, work_time=600, rest_time=0),
            DurationExercise(name="Sprint", duration=3 * 3600),
        ),
        SOMEBODY,
        BOOK,
    )
    assert not oracle.unsafe(checked.workout, SOMEBODY, BOOK)
    assert len(checked.changes) >= 4


def test_who_should_see_a_clinician_gets_no_workout() -> None:
    workout = doing(reps("Push-up"))
    for athlete in (
        dataclasses.replace(SOMEBODY, clearance=Clearance.SEE_CLINICIAN),
        dataclasses.replace(SOMEBODY, conditions=frozenset({Condition.CARDIAC})),
    ):
        checked = check_workout(workout, athlete, BOOK)
        assert checked.refused is not None
        assert "doctor" in checked.refused
        assert checked.workout == workout


def test_work_does_not_hide_in_the_warm_up() -> None:
    hidden = [
        reps(name, sets=5, phase=Phase.WARM_UP) for name in ("Deadlift", "Barbell back squat", "Barbell row")
    ]
    checked = check_workout(doing(*hidden, reps("Dumbbell curl")), SOMEBODY, BOOK)
    parts = {each.exercise_id: each.phase for each in checked.workout.exercises}
    assert parts["deadlift"] is parts["barbell-back-squat"] is Phase.MAIN
    assert any("no warm-up" in change for change in checked.changes)


def test_once_is_enough() -> None:
    checked = check_workout(
        doing(reps("Push-up"), reps("Dumbbell curl"), reps("push up")), SOMEBODY, BOOK, whole=False
    )
    assert [each.exercise_id for each in checked.workout.exercises] == ["push-up", "dumbbell-curl"]


def test_no_equipment_means_none() -> None:
    athlete = dataclasses.replace(SOMEBODY, equipment=frozenset())
    checked = check_workout(
        doing(reps("Barbell row"), reps("Lat pulldown"), reps("Cable curl")), athlete, BOOK
    )
    for each in checked.workout.exercises:
        known = BOOK[each.exercise_id or ""]
        assert known.setup_with({Equipment.NONE, Equipment.WALL}) is not None
    assert any("needs barbell" in change for change in checked.changes)


def test_too_long_is_shortened_from_the_small_end() -> None:
    plan = doing(
        *(
            reps(name, sets=4)
            for name in ("Goblet squat", "Seated cable row", "Dumbbell curl", "Lateral raise")
        )
    )
    checked = check_workout(plan, SOMEBODY, BOOK, minutes=20)
    names = [each.exercise_id for each in checked.workout.exercises if each.phase is Phase.MAIN]
    assert names == ["goblet-squat", "seated-cable-row"]
    assert oracle.minutes_of(checked.workout, BOOK) <= 22
    assert any("20 minutes" in change for change in checked.changes)


def test_a_severe_pain_leaves_only_what_does_not_load_it() -> None:
    hurt = dataclasses.replace(SOMEBODY, injuries=(Injury(Joint.SHOULDER, Severity.SEVERE),))
    plan = doing(reps("Overhead press"), reps("Push-up"), reps("Goblet squat"), reps("Pull-up"))
    checked = check_workout(plan, hurt, BOOK)
    assert all(
        BOOK[each.exercise_id or ""].load_on(Joint.SHOULDER) == 0 for each in checked.workout.exercises
    )
