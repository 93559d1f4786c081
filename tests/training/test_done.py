"""What was done reaches whoever plans the next workout: from ticked and told sets through the history's line."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from spotter.training import athletes, recall, sources, ticks, underway
from spotter.training.catalogue import catalogue
from spotter.training.correcting import with_its_sets
from spotter.training.done import Report, done_workout
from spotter.training.history import Done
from spotter.training.progression import Action, Advice, advise
from spotter.training.record import sessions_of
from spotter.training.tables import LoggedWorkout
from spotter.training.workout import RepsExercise, Summary, Workout

BOOK = catalogue()
FIND = athletes.finder(BOOK)
NOW = datetime(2026, 3, 2, 18, tzinfo=UTC)
NOBODY = UUID(int=0)


def planned(name: str, *, reps: int, weight_kg: float | None = None) -> RepsExercise:
    known = BOOK.named(name)
    assert known is not None
    return RepsExercise(
        id=uuid4(), name=known.name, exercise_id=known.id, sets=3, reps=reps, weight_kg=weight_kg
    )


def entries(exercise: RepsExercise, *sets: dict[str, Any]) -> list[dict[str, Any]]:
    shared = {"exercise_id": str(exercise.id), "name": exercise.name, "catalogue_id": exercise.exercise_id}
    return [{**shared, "set_number": number, **one} for number, one in enumerate(sets, 1)]


def workout_of(exercise: RepsExercise) -> Workout:
    return Workout(exercises=(exercise,), summary=Summary())


def line(done: Done) -> str:
    row = LoggedWorkout(
        completed_at=done.completed_at, title=done.title, exercises={"items": list(done.items)}
    )
    return sources.workout_line(row)


def next_time(exercise: RepsExercise, *done: Done) -> Advice:
    """As the offline model comes to it: from the lines alone."""
    known = BOOK.get(exercise.exercise_id or "")
    assert known is not None
    told = "\n".join(map(line, done))
    return advise(known, sessions_of(recall.past_workouts(recall.history(told), FIND))[known.id])


def ticked(exercise: RepsExercise, *sets: dict[str, Any]) -> Done:
    workout = workout_of(exercise)
    reports = ticks.reports(workout, entries(exercise, *sets))
    return done_workout(workout, reports, uuid4(), NOBODY, NOW)


def test_sets_ticked_below_the_plan_are_told_as_they_were() -> None:
    pushups = planned("Push-up", reps=20)
    done = ticked(pushups, {"reps": 6}, {"reps": 5}, {"reps": 4})
    assert line(done).endswith("Push-up 3x4")
    assert [one.reps for one in done.sets] == [6, 5, 4]
    failed_twice = next_time(pushups, done, done)
    assert failed_twice.action is Action.PREVIOUS_RUNG, "who fell short does not climb"


def test_a_set_ticked_without_numbers_was_as_planned() -> None:
    assert line(ticked(planned("Push-up", reps=12), {}, {"reps": 14})).endswith("Push-up 2x12")


def test_the_weakest_of_the_heavy_sets_counts_and_not_a_light_one() -> None:
    squats = planned("Goblet squat", reps=10, weight_kg=20)
    done = ticked(squats, {"weight_kg": 12, "reps": 5}, {"weight_kg": 24, "reps": 9}, {"weight_kg": 24})
    assert line(done).endswith("Goblet squat 3x9 @24kg")


def test_the_first_load_of_an_exercise_is_remembered() -> None:
    squats = planned("Goblet squat", reps=10)
    assert squats.id is not None
    reports = {squats.id: Report(completed=True, weight_kg=16, rpe=8)}
    done = done_workout(workout_of(squats), reports, uuid4(), NOBODY, NOW)
    assert line(done).endswith("Goblet squat 3x10 @16kg rpe 8")


@pytest.mark.parametrize(("rpe", "action"), [(10, Action.REPEAT), (8, Action.ADD_LOAD)])
def test_how_hard_it_was_decides_about_more_load(rpe: float, action: Action) -> None:
    squats = planned("Goblet squat", reps=15, weight_kg=40)
    known = BOOK.get(squats.exercise_id or "")
    assert known is not None
    top = [{"reps": known.range[1], "weight_kg": 40.0, "rpe": rpe}] * 3
    assert next_time(squats, ticked(squats, *top)).action is action


def test_what_the_coach_heard_set_by_set_is_told_too() -> None:
    squats = planned("Goblet squat", reps=10, weight_kg=20)
    sets: list[dict[str, Any]] = [
        {"reps": 7, "weight_kg": 18, "rpe": 9},
        {"reps": 5, "weight_kg": 18, "rpe": 9.5},
    ]
    heard = entries(squats, *sets)
    done = underway.done_workout(workout_of(squats), heard, uuid4(), NOBODY, NOW)
    assert line(done).endswith("Goblet squat 2x5 @18kg rpe 9.5")
    (item,) = done.items
    assert item["sets"] == 3, "how many were planned decides whether it counts as done"
    better = underway.sets_of(entries(squats, *sets[:1], {"reps": 8, "weight_kg": 18}))
    put_right = with_its_sets(item, [underway.logged(one) for one in better], better[-1])
    assert sources.amount(put_right) == "Goblet squat 2x7 @18kg rpe 9"
