"""One time model: what a plan is designed for, what the check measures and what the timers run is the same time."""

from random import Random
from typing import Any

from spotter.training.catalogue import catalogue
from spotter.training.design import design
from spotter.training.timers import timer_for, timers_for
from spotter.training.timing import block_of, in_turns, minutes_of, seconds_of
from spotter.training.workout import (
    DurationExercise,
    HoldExercise,
    IntervalsExercise,
    Phase,
    RepsExercise,
    Workout,
)
from tests.training.people import any_request, anyone


def reps(exercise_id: str, sets: int, count: int, rest: int = 60, **more: Any) -> RepsExercise:
    known = catalogue()[exercise_id]
    return RepsExercise(
        name=known.name,
        exercise_id=known.id,
        sets=sets,
        reps=count,
        rest_between_sets=rest,
        per_side=known.unilateral,
        **more,
    )


def test_sets_of_work_and_rest_and_the_way_there() -> None:
    book = catalogue()
    assert seconds_of([reps("push-up", 3, 10)], book) == 3 * (10 * 3 + 60) + 40
    assert seconds_of([reps("reverse-lunge", 3, 10)], book) == 3 * (2 * 10 * 3 + 60) + 40, (
        "both sides take time"
    )
    plank = HoldExercise(name="Plank", exercise_id="plank", sets=3, hold_time=30, rest_between_sets=60)
    assert seconds_of([plank], book) == 3 * (30 + 60) + 40
    assert seconds_of([DurationExercise(name="Walk", exercise_id="walk", duration=600)], book) == 640
    rounds = IntervalsExercise(
        name="High knees", exercise_id="high-knees", rounds=6, work_time=30, rest_time=20
    )
    assert seconds_of([rounds], book) == 6 * 50 + 40
    drill = reps("cat-cow", 1, 8, 0, phase=Phase.WARM_UP)
    assert seconds_of([drill], book) == 8 * 5 + 10, "nothing to set up"


def test_a_pair_shares_its_rest() -> None:
    book = catalogue()
    row, press = reps("barbell-row", 3, 10, pair="A"), reps("push-up", 3, 10, pair="A")
    assert seconds_of([row, press], book) == 3 * (30 + 15 + 30 + 60) + 2 * 40
    apart = [row.model_copy(update={"pair": None}), press.model_copy(update={"pair": None})]
    assert seconds_of([row, press], book) < seconds_of(apart, book)
    assert seconds_of([row, *apart, press], book) > seconds_of([row, press, *apart], book), (
        "only neighbours alternate"
    )


def test_timers_run_the_same_time_but_for_the_last_rests() -> None:
    book = catalogue()
    for seed in range(60):
        chance = Random(seed)
        workout = design(any_request(chance), anyone(chance), book).workout
        groups = list(in_turns(workout.exercises, lambda each: (each.phase, each.pair)))
        rests = sum(max(block_of(each, None).rest for each in group) for group in groups)
        last_change = sum(block_of(each, None).change for each in groups[-1])
        ran = sum(timer.seconds for timer in timers_for(workout, book))
        assert abs(minutes_of(workout, book) * 60 - rests - last_change - ran) < len(workout.exercises)


def test_a_timer_for_a_pair_alternates() -> None:
    workout = Workout(exercises=[reps("barbell-row", 2, 10, pair="A"), reps("push-up", 2, 10, pair="A")])
    (timer,) = timers_for(workout)
    assert [period.kind for period in timer.periods] == [
        *("work", "change", "work", "rest"),
        *("work", "change", "work"),
    ]
    assert timer.name == "Barbell row + Push-up"


def test_a_timer_leaves_out_the_rest_after_the_last_set() -> None:
    timer = timer_for(reps("reverse-lunge", 2, 10))
    assert [(period.kind, period.seconds) for period in timer.periods] == [
        *(("work", 30), ("work", 30), ("rest", 60)),
        *(("work", 30), ("work", 30)),
    ]
