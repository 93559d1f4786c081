"""A workout from the page's side: read, ticked off, finished; once, whatever the network does."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest

from spotter.app import House
from spotter.runtime.context import SessionView
from spotter.sessions.events import Knowledge
from spotter.sessions.verify import Wanted, verify
from spotter.training.catalogue import catalogue
from spotter.training.vocabulary import Joint
from tests.support.people import Gym, Person

START = datetime(2026, 1, 5, 10, tzinfo=UTC)


class Athlete:
    def __init__(self, http: httpx.AsyncClient, person: Person) -> None:
        self.http, self.person = http, person
        self.session_id = ""

    async def begin(self) -> dict[str, Any]:
        said = {"message": "give me a 20 minute full body workout without equipment"}
        answer = await self.http.post("/api/agent/chat", json=said, headers=self.person.headers)
        assert answer.status_code == 200, answer.text
        self.session_id = answer.json()["sessionId"]
        return await self.now()

    async def now(self) -> dict[str, Any]:
        answer = await self.http.get("/api/training/workout", headers=self.person.headers)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def mark(self, *sets: dict[str, Any]) -> httpx.Response:
        body = {"session_id": self.session_id, "sets": sets}
        return await self.http.post("/api/training/workout/sets", json=body, headers=self.person.headers)

    async def finish(self, **headers: str) -> httpx.Response:
        return await self.http.post(
            "/api/training/workout/finish",
            json={"session_id": self.session_id},
            headers={**self.person.headers, **headers},
        )


@pytest.fixture
def athlete(http: httpx.AsyncClient, gym: Gym) -> Athlete:
    return Athlete(http, gym.member)


def tick(exercise: dict[str, Any], number: int, seconds: int = 0, **more: Any) -> dict[str, Any]:
    at = (START + timedelta(seconds=seconds)).isoformat()
    return {"exercise_id": exercise["id"], "set_number": number, "at": at, **more}


def counted(exercise: dict[str, Any]) -> bool:
    return bool(exercise["type"] == "reps" and exercise["phase"] == "main")


async def test_from_the_first_word_to_the_points(athlete: Athlete, home: House) -> None:
    assert (await athlete.now())["workout"] is None
    workout = (await athlete.begin())["workout"]
    squats = next(one for one in workout["exercises"] if counted(one))
    ticked = await athlete.mark(tick(squats, 1, reps=7), tick(squats, 2, weight_kg=12.5))
    assert [(one["set_number"], one["reps"]) for one in ticked.json()["sets"]] == [(1, 7), (2, None)]
    finished = await athlete.finish()
    assert finished.status_code == 200, finished.text
    told = finished.json()
    assert (told["exercises"], told["sets"], told["planned"]) == (1, 2, len(workout["exercises"]))
    assert told["xp"] == told["experience"]["total_xp"] == 54
    badges = {badge["id"] for badge in told["badges"]}
    assert badges - {"early", "late"} == {"workouts-1"}, "whatever hour it is"
    assert (await athlete.now())["workout"] is None
    scope, session_id = athlete.person.scope, told["workout_id"]
    assert session_id
    events = await home.services.log.read(scope, UUID(athlete.session_id))
    (known,) = [
        one.content
        for one in events
        if isinstance(one.content, Knowledge) and one.content.source == "workout_finished"
    ]
    assert "2 sets" in known.formatted
    findings = await verify(home.base.urls, SessionView, Wanted(session_id=UUID(athlete.session_id)))
    assert findings.violations == []
    said = await athlete.http.post(
        "/api/agent/chat", json={"message": "how did my week go?"}, headers=athlete.person.headers
    )
    assert "1 workout" in " ".join(said.json()["response"]["messages"])


async def test_of_two_ticks_the_later_holds_in_whatever_order_they_come(athlete: Athlete) -> None:
    first = (await athlete.begin())["workout"]["exercises"][0]
    await athlete.mark(tick(first, 1, 20, done=False))
    late = await athlete.mark(tick(first, 1, 10), tick(first, 2, 10), tick(first, 2, 10))
    assert {one["set_number"]: one["done"] for one in late.json()["sets"]} == {1: False, 2: True}


async def test_ticks_of_what_was_swapped_away_are_dropped(athlete: Athlete) -> None:
    first = (await athlete.begin())["workout"]["exercises"][0]
    await athlete.mark(tick(first, 1))
    said = {"message": f"remove {first['name']}"}
    await athlete.http.post("/api/agent/chat", json=said, headers=athlete.person.headers)
    now = await athlete.now()
    assert first["id"] not in [one["id"] for one in now["workout"]["exercises"]]
    assert now["sets"] == []
    assert (await athlete.mark(tick(first, 2))).json()["sets"] == []
    assert (await athlete.finish()).status_code == 409, "nothing that is in it was done"


def loading_the_knee(workout: dict[str, Any]) -> list[str]:
    known = [catalogue()[one["exercise_id"]] for one in workout["exercises"]]
    return [one.name for one in known if one.load_on(Joint.KNEE) > 0]


async def test_an_injury_noted_on_the_page_is_heeded_by_the_workout_on_the_table(athlete: Athlete) -> None:
    before = (await athlete.begin())["workout"]
    hurting = next(one for one in before["exercises"] if one["name"] in loading_the_knee(before))
    await athlete.mark(tick(hurting, 1))
    noted = {"type": "injury", "value": "left knee, severe"}
    kept = await athlete.http.post("/api/training/preferences", json=noted, headers=athlete.person.headers)
    assert kept.status_code == 201, kept.text
    now = await athlete.now()
    assert loading_the_knee(now["workout"]) == []
    assert now["sets"] == [], "a set of what went is no set of what came"
    said = await athlete.http.post(
        "/api/agent/chat", json={"message": "swap the first one"}, headers=athlete.person.headers
    )
    told = " ".join(said.json()["response"]["messages"])
    first = next(one for one in now["workout"]["exercises"] if one["phase"] == "main")
    assert f"Swapped {first['name']} for" in told, "the trainer knows what lies there now"


async def test_the_trainer_tells_what_an_injury_did_to_the_workout(athlete: Athlete) -> None:
    before = (await athlete.begin())["workout"]
    assert loading_the_knee(before)
    said = await athlete.http.post(
        "/api/agent/chat",
        json={"message": "ouch, my left knee hurts badly"},
        headers=athlete.person.headers,
    )
    response = said.json()["response"]
    now = (await athlete.now())["workout"]
    assert loading_the_knee(now) == []
    assert [one["id"] for one in response["exercises"]] == [one["id"] for one in now["exercises"]]
    told = " ".join(response["messages"])
    assert "The safety check changed something" in told
    assert all(one["name"] in told for one in now["exercises"] if one["phase"] == "main")
    waits = await athlete.http.post(
        "/api/agent/chat", json={"message": "I have a heart condition"}, headers=athlete.person.headers
    )
    told = " ".join(waits.json()["response"]["messages"])
    assert "took it off the table" in told
    assert "safety check changed" not in told, "that was told before"
    assert (await athlete.now())["workout"] is None


async def test_finishing_twice_is_finishing_once(athlete: Athlete) -> None:
    first = (await athlete.begin())["workout"]["exercises"][0]
    await athlete.mark(tick(first, 1))
    once, again = [await athlete.finish(**{"Idempotency-Key": "finish-1"}) for _ in range(2)]
    assert once.status_code == again.status_code == 200
    assert once.json() == again.json()
    assert (await athlete.finish()).status_code == 409


async def test_a_workout_can_be_taken_off_the_table(athlete: Athlete) -> None:
    await athlete.begin()
    gone = await athlete.http.delete(
        f"/api/training/workout/{athlete.session_id}", headers=athlete.person.headers
    )
    assert gone.status_code == 204
    assert (await athlete.now())["workout"] is None


async def test_a_clock_that_runs_ahead_is_told(athlete: Athlete) -> None:
    first = (await athlete.begin())["workout"]["exercises"][0]
    ahead = {**tick(first, 1), "at": "2199-01-01T00:00:00Z"}
    refused = await athlete.mark(ahead)
    assert refused.status_code == 422
    assert "clock" in refused.json()["detail"]
