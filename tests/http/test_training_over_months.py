"""What somebody is given follows from months of training, for the planner and for the check alike."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from spotter.app import House
from spotter.clock import now
from spotter.training import athletes, badge_log, history
from spotter.training.catalogue import catalogue
from spotter.training.check import check_workout
from spotter.training.history import Done, DoneSet
from spotter.training.workout import RepsExercise, Workout
from tests.support.people import Gym, Person

BOOK = catalogue()
SQUAT = BOOK["goblet-squat"]


def lifted(days_ago: int, weight_kg: float | None = None, names: Sequence[str] = ("Goblet squat",)) -> Done:
    """Three sets of ten of each, and the line that tells of them."""
    known = [found for name in names if (found := BOOK.named(name)) is not None]
    shared: dict[str, Any] = {"type": "reps", "sets": 3, "reps": 10, "completed": True}
    load = {"weight_kg": weight_kg} if weight_kg else {}
    return Done(
        completed_at=now() - timedelta(days=days_ago),
        items=[{**shared, **load, "name": one.name} for one in known],
        sets=[
            DoneSet(one.id, one.name, number, reps=10, weight_kg=weight_kg)
            for one in known
            for number in (1, 2, 3)
        ],
        source_key=f"test:{days_ago}",
    )


async def log(home: House, who: Person, *workouts: Done) -> None:
    async with home.services.database.unit_of_work(who.scope) as uow:
        await history.log_all(uow, workouts)


async def say(http: httpx.AsyncClient, who: Person, text: str) -> dict[str, Any]:
    answer = await http.post("/api/agent/chat", json={"message": text}, headers=who.headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["response"]
    return found


async def allowed(home: House, who: Person, weight_kg: float) -> float | None:
    """What the check leaves of a load."""
    async with home.services.database.unit_of_work(who.scope) as uow:
        athlete = await athletes.load(uow, who.user_id, None, athletes.finder(BOOK))
    wanted = RepsExercise(
        name=SQUAT.name, exercise_id=SQUAT.id, muscles=["quads"], sets=3, reps=10, weight_kg=weight_kg
    )
    checked = check_workout(Workout(exercises=(wanted,)), athlete, BOOK, whole=False).workout.exercises
    (kept,) = [one for one in checked if one.exercise_id == SQUAT.id]
    assert isinstance(kept, RepsExercise)
    return kept.weight_kg


@pytest.mark.parametrize(("days_ago", "most"), [(3, 22.0), (55, 22.0), (60, 17.6), (400, 17.6)])
async def test_old_loads_are_known_and_count_for_less(
    home: House, http: httpx.AsyncClient, gym: Gym, days_ago: int, most: float
) -> None:
    kit = {"type": "equipment", "value": "dumbbells, kettlebell"}
    kept = await http.post("/api/training/preferences", json=kit, headers=gym.member.headers)
    assert kept.status_code < 300, kept.text
    await log(home, gym.member, lifted(days_ago, 20.0))
    assert await allowed(home, gym.member, 16.0) == 16.0
    assert await allowed(home, gym.member, 80.0) == most


async def test_who_comes_back_after_months_is_given_a_load_and_keeps_it(
    home: House, http: httpx.AsyncClient, gym: Gym
) -> None:
    await log(home, gym.member, lifted(100, 20.0), lifted(103, 20.0))
    told = await say(http, gym.member, "30 minutes with goblet squats, I have dumbbells and a kettlebell")
    (squat,) = [one for one in told["exercises"] if one["name"] == SQUAT.name]
    assert squat.get("weight_kg") is not None, told["messages"]
    assert 10 <= squat["weight_kg"] <= 17.6
    assert "no record" not in " ".join(told["messages"])


WEEK = (("Push-up", "Bodyweight squat", "Inverted row"), ("Glute bridge", "Plank", "Pike push-up"))


@pytest.mark.parametrize("a_week", [3, 4, 6])
async def test_six_hard_weeks_bring_an_easier_one_however_often_somebody_trains(
    home: House, http: httpx.AsyncClient, gym: Gym, a_week: int
) -> None:
    days = [7 * week + 1 + day for week in range(6) for day in range(a_week)]
    await log(home, gym.member, *(lifted(ago, names=WEEK[ago % 2]) for ago in days))
    for message in ("give me a 30 minute workout", "and another 30 minute workout"):
        await say(http, gym.member, message)
        why = await say(http, gym.member, "why this one?")
        assert "Six hard weeks in a row" in " ".join(why["messages"]), message


async def test_the_whole_history_is_asked_for_once(home: House, http: httpx.AsyncClient, gym: Gym) -> None:
    """Ten workouts may be all there are."""
    await log(home, gym.member, *(lifted(ago) for ago in range(1, history.USUALLY_TOLD + 1)))
    for message in ("how did my week go?", "give me a 30 minute workout", "another 20 minute workout"):
        await say(http, gym.member, message)
    (session,) = (await http.get("/api/agent/sessions", headers=gym.member.headers)).json()["sessions"]
    events = await http.get(f"/api/sessions/{session['id']}/events?limit=1000", headers=gym.member.headers)
    asked = [
        one["content"]["args"]
        for one in events.json()["items"]
        if one["type"] == "action" and one["content"]["tool"] == "fetch_data"
    ]
    assert sum("workout_history" in str(one) for one in asked) == 1


async def test_climbing_a_ladder_brings_its_badge(home: House, gym: Gym) -> None:
    start = datetime(2026, 11, 2, 10, tzinfo=UTC)
    brought = []
    for day, (name, reps) in enumerate(
        [("knee-push-up", 12), ("wall-push-up", 15), ("push-up", 2), ("push-up", 9), ("push-up", 12)]
    ):
        done = Done(
            start + timedelta(days=day),
            items=[],
            sets=[DoneSet(name, name, 1, reps=reps)],
            source_key=f"day {day}",
        )
        async with home.services.database.unit_of_work(gym.member.scope) as uow:
            await history.log(uow, done)
            brought.append("rungs-1" in {badge.id for badge in await badge_log.award(uow)})
    assert brought == [False, False, False, True, False], "a start, a step down, an attempt, a rung, the same"
