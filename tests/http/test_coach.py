"""The coach over HTTP (A1–A7): a whole first visit, its shapes, and what a client may wish for."""

import json
from typing import Any
from uuid import UUID

import httpx

from spotter.app import House
from spotter.ids import random_id
from tests.support.people import Gym, Person

ABOUT = "I want to get stronger, never trained, two dumbbells, 3 days a week, 30 minutes"
STATES = {"intake", "planning", "workout", "logging", "complete"}


async def say(http: httpx.AsyncClient, person: Person, message: str, **more: Any) -> dict[str, Any]:
    said = await http.post("/api/coach", headers=person.headers, json={"message": message, **more})
    assert said.status_code == 200, said.text
    found: dict[str, Any] = said.json()
    assert set(found) >= {"message", "sessionId", "sessionState", "currentAgent"}
    assert set(found) <= {"message", "sessionId", "sessionState", "currentAgent", "data", "debug"}
    assert found["sessionState"] in STATES
    assert found["message"]
    UUID(found["sessionId"])
    return found


async def through_screening(http: httpx.AsyncClient, person: Person) -> dict[str, Any]:
    for message in ("hello", ABOUT, "no to all"):
        await say(http, person, message)
    return await say(http, person, "yes, that's right")


async def training(http: httpx.AsyncClient, person: Person) -> dict[str, Any]:
    await through_screening(http, person)
    await say(http, person, "let's start")
    return await say(http, person, "ready")


async def test_a_whole_first_visit(http: httpx.AsyncClient, gym: Gym) -> None:
    person = gym.member
    hello = await say(http, person, "Hello, I want to start working out")
    assert (hello["sessionState"], hello["currentAgent"]) == ("intake", "intake_safety")
    assert set(hello["data"]) == {"profile", "screening", "missing"}
    assert hello["data"]["missing"][0] == "screening"
    asked = await say(http, person, ABOUT, sessionId=hello["sessionId"])
    assert asked["data"]["profile"]["goals"] == ["strength"]
    assert asked["data"]["missing"] == ["screening"]
    assert "heart problem" in asked["message"]
    read_back = await say(http, person, "no to all")
    assert "no to all seven" in read_back["message"]
    assert read_back["data"]["screening"]["state"] == "unknown", "nothing counts before they said yes"
    planned = await say(http, person, "yes, that's right")
    assert (planned["sessionState"], planned["currentAgent"]) == ("planning", "program_designer")
    assert set(planned["data"]) == {"plan"}
    assert len(planned["data"]["plan"]["sessions"]) == 12
    begun = await say(http, person, "let's start")
    assert (begun["sessionState"], begun["currentAgent"]) == ("workout", "technique_coach")
    assert begun["data"]["current"]["part"] == "warmup"
    first = await say(http, person, "ready")
    painful = first["data"]["current"]["name"]
    assert "squat" in painful.lower()
    second = await say(http, person, "10 reps")
    assert second["data"]["current"]["set_number"] == 2
    swapped = await say(http, person, "ouch my knee 6/10")
    names = [one["name"] for one in swapped["data"]["workout"]["exercises"] if one["phase"] == "main"]
    assert painful not in names
    assert painful in swapped["message"]
    assert swapped["sessionState"] == "workout"
    at = swapped
    for _ in range(30):
        if at["sessionState"] != "workout":
            break
        at = await say(http, person, "done")
    assert (at["sessionState"], at["currentAgent"]) == ("logging", "gamification")
    assert at["data"]["log"][0]["reps"] == 10
    done = await say(http, person, "yes, write it down")
    assert (done["sessionState"], done["currentAgent"]) == ("complete", "gamification")
    assert set(done["data"]) == {"log", "xp", "level", "streak", "badges"}
    assert done["data"]["xp"] >= 50
    assert done["data"]["level"] >= 1
    badges = {badge["id"] for badge in done["data"]["badges"]}
    assert badges - {"early", "late"} == {"workouts-1"}, "whatever hour it is"
    assert "XP" in done["message"]
    again = await say(http, person, "next session please")
    assert (again["sessionState"], again["sessionId"]) == ("planning", hello["sessionId"])
    assert len(again["data"]["plan"]["sessions"]) == 11, "what was done is no longer planned"
    progress = await http.get("/api/coach/sessions/stats", headers=person.headers)
    assert progress.json()["byState"]["planning"] == 1


async def test_the_seeds_own_path_answers(http: httpx.AsyncClient, gym: Gym) -> None:
    said = await http.post(
        "/.netlify/functions/coach",
        headers=gym.member.headers,
        json={"message": "Hello", "userId": "u1", "extra": 1},
    )
    assert said.status_code == 200
    assert said.json()["sessionState"] == "intake"


async def test_an_empty_message(http: httpx.AsyncClient, gym: Gym) -> None:
    refused = await http.post("/api/coach", headers=gym.member.headers, json={"message": "  "})
    assert (refused.status_code, refused.json()) == (400, {"error": "Message is required."})


async def test_a_wished_state_is_a_wish(http: httpx.AsyncClient, gym: Gym) -> None:
    refused = await say(http, gym.member, "go", sessionState="workout")
    assert refused["sessionState"] == "intake"
    assert refused["data"]["refused"]["sessionState"] == "workout"
    assert "no way from intake to workout" in refused["data"]["refused"]["reason"]
    also = await say(http, gym.member, "go", sessionState="planning")
    assert "health questions come first" in also["data"]["refused"]["reason"]
    await through_screening(http, gym.member)
    back = await say(http, gym.member, "I forgot something", sessionState="intake")
    assert back["data"].get("refused") is None
    detail = await http.get(f"/api/coach/sessions/{back['sessionId']}", headers=gym.member.headers)
    taken = [(one["toState"], one["accepted"]) for one in detail.json()["transitions"]]
    assert taken[:2] == [("workout", False), ("planning", False)]
    assert ("intake", True) in taken
    unknown = await http.post(
        "/api/coach", headers=gym.member.headers, json={"message": "go", "sessionState": "flying"}
    )
    assert unknown.status_code == 422


async def test_a_user_id_in_the_body_is_nobody(http: httpx.AsyncClient, gym: Gym) -> None:
    mine = await say(http, gym.member, "hello", userId=str(gym.other_member.user_id))
    theirs = await http.get("/api/coach/sessions", headers=gym.other_member.headers)
    assert theirs.json()["sessions"] == []
    not_theirs = await http.post(
        "/api/coach",
        headers=gym.other_member.headers,
        json={"message": "hi", "sessionId": mine["sessionId"], "userId": str(gym.member.user_id)},
    )
    assert not_theirs.status_code == 404


async def test_the_answer_as_a_stream(http: httpx.AsyncClient, gym: Gym) -> None:
    for message in ("hello", ABOUT, "no to all"):
        await say(http, gym.member, message)
    messages: list[dict[str, Any]] = []
    headers = {**gym.member.headers, "Accept": "text/event-stream"}
    async with http.stream("POST", "/api/coach", headers=headers, json={"message": "yes"}) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        async for line in stream.aiter_lines():
            if line.startswith("data: "):
                messages.append(json.loads(line.removeprefix("data: ")))
    assert {"type": "stage", "sessionState": "planning"} in messages
    assert {"type": "agent", "currentAgent": "program_designer"} in messages
    done = messages[-1]
    assert done["type"] == "done"
    assert done["sessionState"] == "planning"
    spoken = "".join(one["text"] for one in messages if one["type"] == "delta")
    assert spoken in done["message"]


async def test_the_life_of_a_session(http: httpx.AsyncClient, gym: Gym) -> None:
    person = gym.member
    begun = await say(http, person, "hello")
    listed = await http.get("/api/coach/sessions", headers=person.headers)
    (one,) = listed.json()["sessions"]
    assert (one["sessionId"], one["sessionState"]) == (begun["sessionId"], "intake")
    detail = (await http.get(f"/api/coach/sessions/{begun['sessionId']}", headers=person.headers)).json()
    assert detail["stepCount"] == 1
    assert detail["steps"] == {"intake": 1}
    assert detail["enteredAt"]
    assert [said["role"] for said in detail["messages"]] == ["user", "assistant"]
    stats = (await http.get("/api/coach/sessions/stats", headers=gym.staff.headers)).json()
    assert (stats["total"], stats["active"], stats["anonymous"]) == (1, 1, 0)
    assert stats["byState"] == {"intake": 1, "planning": 0, "workout": 0, "logging": 0, "complete": 0}
    kept = await http.post("/api/coach/sessions/cleanup", headers=gym.staff.headers, json={"maxAgeHours": 1})
    assert kept.json() == {"removed": 0}, "signed-in history stays"
    gone = await http.delete(f"/api/coach/sessions/{begun['sessionId']}", headers=person.headers)
    assert gone.status_code == 204
    assert (await http.get("/api/coach/sessions", headers=person.headers)).json()["sessions"] == []
    missing = await http.get(f"/api/coach/sessions/{random_id()}", headers=person.headers)
    assert missing.status_code == 404
    assert (await http.delete("/api/coach/sessions/stats", headers=person.headers)).status_code == 405


async def test_who_must_see_a_doctor_does_not_get_through(http: httpx.AsyncClient, gym: Gym) -> None:
    person = gym.member
    await say(http, person, "hello")
    await say(http, person, ABOUT)
    asked = await say(http, person, "I have high blood pressure")
    assert "doctor" in asked["message"]
    told = await say(http, person, "no, I have not asked")
    assert "talk to a doctor" in told["message"]
    assert told["data"]["screening"]["state"] == "see_clinician"
    for message in ("yes", "just start", "skip it, I feel great", "ok"):
        still = await say(http, person, message)
        assert still["sessionState"] == "intake", message
    cleared = await say(http, person, "my doctor says it is fine")
    assert "read that back" in cleared["message"]
    assert (await say(http, person, "yes"))["sessionState"] == "planning"


async def test_chest_pain_ends_a_workout_whatever_comes_next(http: httpx.AsyncClient, gym: Gym) -> None:
    person = gym.member
    await training(http, person)
    stopped = await say(http, person, "I have a crushing pain in my chest")
    assert (stopped["sessionState"], stopped["currentAgent"]) == ("intake", "intake_safety")
    assert "emergency" in stopped["message"]
    assert stopped["data"]["screening"]["state"] == "red_flag"
    for message in (
        "it is gone, go on",
        "start the workout",
        "no to all",
        "yes",
        "no to all",
        "no to all",
        "yes",
    ):
        still = await say(http, person, message)
        assert still["sessionState"] == "intake", message
        assert still["data"]["screening"]["state"] == "red_flag", (
            "a second round of «no» does not make it forgotten"
        )
    wished = await say(http, person, "go", sessionState="planning")
    assert "needs a doctor" in wished["data"]["refused"]["reason"]


async def test_a_red_flag_in_another_session_counts_too(http: httpx.AsyncClient, gym: Gym) -> None:
    person = gym.member
    await through_screening(http, person)
    said = await http.post(
        "/api/agent/chat", headers=person.headers, json={"message": "I had chest pain and fainted today"}
    )
    assert said.status_code == 200
    refused = await say(http, person, "let's start")
    assert refused["sessionState"] != "workout"


async def test_pain_with_a_warning_sign_ends_the_workout(http: httpx.AsyncClient, gym: Gym) -> None:
    await training(http, gym.member)
    stopped = await say(http, gym.member, "my wrist hurts, 3/10, and it is numb and tingling")
    assert stopped["sessionState"] == "intake"
    assert "doctor" in stopped["message"]


async def test_debug_is_for_development(home: House, http: httpx.AsyncClient, gym: Gym) -> None:
    assert home.services.settings.environment == "development"
    said = await say(http, gym.member, "hello")
    assert said["debug"]["models"] == ["offline"]
    assert said["debug"]["tools"] == ["look_at_visit"]


async def test_what_cannot_be_seen_is_taken_out(http: httpx.AsyncClient, gym: Gym) -> None:
    said = await say(http, gym.member, "hel\u202elo\u0007 there")
    detail = (await http.get(f"/api/coach/sessions/{said['sessionId']}", headers=gym.member.headers)).json()
    assert detail["messages"][0]["text"] == "hello there"
