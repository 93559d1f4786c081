"""A coach's workout that is ticked off and finished on the page: the visit stands where that leaves it."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx

from spotter.app import House
from spotter.clock import now
from spotter.runtime.context import SessionView
from spotter.sessions.verify import Wanted, verify
from tests.http.test_coach import say, through_screening, training
from tests.support.people import Gym, Person


async def tick_first_set(http: httpx.AsyncClient, person: Person) -> dict[str, Any]:
    found: dict[str, Any] = (await http.get("/api/training/workout", headers=person.headers)).json()
    main = next(one for one in found["workout"]["exercises"] if one["phase"] == "main")
    at = (now() - timedelta(seconds=1)).isoformat()
    sets = [{"exercise_id": main["id"], "set_number": 1, "at": at, "reps": 8}]
    marked = await http.post(
        "/api/training/workout/sets",
        json={"session_id": found["session_id"], "sets": sets},
        headers=person.headers,
    )
    assert marked.status_code == 200, marked.text
    return found


async def finish(http: httpx.AsyncClient, person: Person, session_id: str) -> httpx.Response:
    return await http.post(
        "/api/training/workout/finish", json={"session_id": session_id}, headers=person.headers
    )


async def test_the_visit_is_complete_and_the_plan_one_shorter(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    person = gym.member
    visit = await training(http, person)
    assert visit["sessionState"] == "workout"
    session_id = visit["sessionId"]
    await tick_first_set(http, person)
    finished = await finish(http, person, session_id)
    assert finished.status_code == 200, finished.text
    shown = (await http.get(f"/api/coach/sessions/{session_id}", headers=person.headers)).json()
    assert (shown["sessionState"], shown["currentAgent"]) == ("complete", "gamification")
    assert shown["data"]["log"][0]["reps"] == 8
    assert shown["data"]["xp"] == finished.json()["experience"]["total_xp"]
    again = await say(http, person, "next session please")
    assert again["sessionState"] == "planning"
    assert len(again["data"]["plan"]["sessions"]) == 11, "what was done is no longer planned"
    findings = await verify(home.base.urls, SessionView, Wanted(session_id=UUID(session_id)))
    assert findings.violations == []


async def test_without_a_set_nothing_moves(http: httpx.AsyncClient, gym: Gym) -> None:
    visit = await training(http, gym.member)
    assert (await finish(http, gym.member, visit["sessionId"])).status_code == 409
    shown = await http.get(f"/api/coach/sessions/{visit['sessionId']}", headers=gym.member.headers)
    assert shown.json()["sessionState"] == "workout"


async def test_who_must_see_a_doctor_keeps_the_log_but_gets_no_further(
    http: httpx.AsyncClient, gym: Gym
) -> None:
    """What was done before the alarm is logged; the gate is no other for those who tick."""
    person = gym.member
    visit = await training(http, person)
    await tick_first_set(http, person)
    alarmed = await say(http, person, "I have a crushing pain in my chest and my left arm is numb")
    assert alarmed["sessionState"] == "intake"
    finished = await finish(http, person, visit["sessionId"])
    assert finished.status_code == 200, finished.text
    shown = await http.get(f"/api/coach/sessions/{visit['sessionId']}", headers=person.headers)
    assert shown.json()["sessionState"] == "intake"


async def test_a_plan_alone_has_nothing_to_finish(http: httpx.AsyncClient, gym: Gym) -> None:
    planned = await through_screening(http, gym.member)
    assert (await finish(http, gym.member, planned["sessionId"])).status_code == 409
