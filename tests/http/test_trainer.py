"""The trainer over HTTP (C9): the shapes its clients know, real tools, and models that speak the providers' formats."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from spotter.api.server import Listener
from spotter.app import Ground, build_app, conversing, house
from spotter.clock import now
from tests.llm.wire_scripts import Called, Spoken, answer
from tests.llm.wire_server import NO_OBJECTION, Answer, Asked, WireServer
from tests.support.people import Gym, Person

Step = Spoken | Callable[[str], Spoken]
DIALECTS = {"chat": "openai:gpt-4o", "anthropic": "anthropic:claude-sonnet-4-5"}


def call(name: str, /, **arguments: Any) -> Spoken:
    return Spoken(calls=[Called(name, json.dumps(arguments), f"call_{name}_{len(json.dumps(arguments))}")])


def reps(name: str, muscles: Sequence[str], **more: Any) -> dict[str, Any]:
    return {
        "type": "reps",
        "name": name,
        "sets": 3,
        "reps": 10,
        "categories": ["strength"],
        "muscles": list(muscles),
        **more,
    }


WORKOUT = {
    "exercises": [
        reps("Push-up", ["chest"]),
        reps("Bodyweight squat", ["quads"]),
        reps("Glute bridge", ["glutes"]),
    ],
    "summary": {"focus_areas": ["full body"], "difficulty": "beginner"},
}
CHOOSES = Spoken('{"data_sources": ["active_preferences"], "reasoning": "a workout needs them"}')
IDLE = call("idle", reason="done")


class Script:
    """Answers in order; what a step needs from the request it is asked with, it finds there."""

    def __init__(self, dialect: str, steps: Sequence[Step]) -> None:
        self.dialect = dialect
        self.steps = list(steps)

    def plan(self, asked: Asked) -> Answer:
        if asked.path.endswith("/moderations"):
            return NO_OBJECTION
        step = self.steps.pop(0)
        return answer(self.dialect, step(asked.body.decode()) if callable(step) else step, asked.body)


@asynccontextmanager
async def trainer(
    base: Ground, monkeypatch: pytest.MonkeyPatch, dialect: str, steps: Sequence[Step]
) -> AsyncIterator[httpx.AsyncClient]:
    """A server whose model is the script."""
    script = Script(dialect, steps)
    async with served_by(base, monkeypatch, dialect, script.plan) as client:
        yield client
    assert script.steps == []


@asynccontextmanager
async def served_by(
    base: Ground, monkeypatch: pytest.MonkeyPatch, dialect: str, plan: Callable[[Asked], Answer]
) -> AsyncIterator[httpx.AsyncClient]:
    """A server whose provider answers as planned."""
    async with WireServer(plan) as wire:
        for name in ("OPENAI", "ANTHROPIC"):
            monkeypatch.setenv(f"{name}_API_KEY", "sk-nobody")
            monkeypatch.setenv(f"{name}_BASE_URL", f"{wire.url}/v1" if name == "OPENAI" else wire.url)
        settings = base.settings.model_copy(update={"model": DIALECTS[dialect]})
        async with house(replace(base, settings=settings)) as home, conversing(home):
            listener = Listener(settings)
            ready, stop = asyncio.Event(), asyncio.Event()
            serving = asyncio.create_task(listener.serve(build_app(home.services), ready, stop))
            await ready.wait()
            async with httpx.AsyncClient(base_url=listener.url, timeout=60) as client:
                yield client
            stop.set()
            await serving
            listener.close()


async def chat(http: httpx.AsyncClient, person: Person, message: str, **more: Any) -> dict[str, Any]:
    said = await http.post("/agent/chat", headers=person.headers, json={"message": message, **more})
    assert said.status_code == 200, said.text
    found: dict[str, Any] = said.json()
    return found


def first_id(body: str) -> str:
    """Of the first exercise of the main part, as the model was told it."""
    return body.split("] main: ", maxsplit=1)[0].rsplit("[", 1)[1]


async def test_a_workout_is_made_changed_and_logged(
    base: Ground, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    shapes = []
    for dialect in DIALECTS:
        person = gym.member if dialect == "chat" else gym.other_member
        steps: list[Step] = [
            CHOOSES,
            call("generate_workout", workout=WORKOUT),
            call("message_notify_user", message="Here you are."),
            IDLE,
            CHOOSES,
            lambda body: call("adjust_exercise", exercise_id=first_id(body), adjustments={"sets": 2}),
            IDLE,
            CHOOSES,
            lambda body: call(
                "log_workout", completed_exercises=[{"exercise_id": first_id(body), "completed": True}]
            ),
            call("message_ask_user", question="How was it?", options=["Easy", "Hard"]),
        ]
        async with trainer(base, monkeypatch, dialect, steps) as http:
            made = await chat(http, person, "Something for the whole body")
            assert made["response"]["messages"] == ["Here you are."]
            names = [one["name"] for one in made["response"]["exercises"] if one["phase"] == "main"]
            assert names == ["Push-up", "Bodyweight squat", "Glute bridge"]
            assert made["response"]["question"] is None
            assert made["iterations"] == 3
            adjusted = await chat(http, person, "Only two sets of the first one")
            assert adjusted["sessionId"] == made["sessionId"]
            mains = [one for one in adjusted["response"]["exercises"] if one["phase"] == "main"]
            assert [one["sets"] for one in mains] == [2, 3, 3]
            asked = await chat(http, person, "Done, but only the first", sessionId=made["sessionId"])
            assert asked["response"]["question"] == {"text": "How was it?", "options": ["Easy", "Hard"]}
            assert asked["response"]["exercises"] is None
            events = await http.get(
                f"/api/sessions/{made['sessionId']}/events?limit=1000", headers=person.headers
            )
            shapes.append(happened(events.json()["items"]))
            detail = await http.get(f"/api/agent/sessions/{made['sessionId']}", headers=person.headers)
            recent = detail.json()["recentActions"]
            assert [one["event_type"] for one in recent] == ["action", "result"] * 5
            assert {one["session_id"] for one in recent} == {made["sessionId"]}
            assert len({one["id"] for one in recent}) == len(recent)
    assert shapes[0] == shapes[1], "the same calls with the same arguments, and the same results"
    assert sum(one["type"] == "result" and "formatted" in one for one in shapes[0]) == 7


def happened(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was said and done, without who served it and when. Ids are new each time: they are numbered as they come."""
    told = [
        {"type": one["type"]} | {name: one["content"][name] for name in _TOLD if name in one["content"]}
        for one in events
    ]
    numbers: dict[str, str] = {}
    text = _ID.sub(lambda found: numbers.setdefault(found[0], f"<id {len(numbers)}>"), json.dumps(told))
    found: list[dict[str, Any]] = json.loads(text)
    return found


_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TOLD = ("tool", "args", "text", "source", "data", "reason", "result", "error", "outcome", "formatted")


async def test_each_action_comes_as_it_happens(
    base: Ground, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[Step] = [CHOOSES, call("generate_workout", workout=WORKOUT), IDLE]
    async with trainer(base, monkeypatch, "chat", steps) as http:
        body = {"message": "Go"}
        async with http.stream("POST", "/api/agent/stream", headers=gym.member.headers, json=body) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            lines = [line async for line in stream.aiter_lines() if line]
        messages = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
        assert [message["type"] for message in messages] == ["generate_workout", "idle", "done"]
        assert messages[0]["data"]["exercise_count"] >= 3
        session_id = messages[-1]["sessionId"]
        seen = next(line for line in lines if line.startswith("id: ")).removeprefix("id: ")
        again = await http.get(
            "/api/agent/stream",
            params={"sessionId": session_id},
            headers={**gym.member.headers, "Last-Event-ID": seen},
        )
        rest = [json.loads(line[6:]) for line in again.text.splitlines() if line.startswith("data: ")]
        assert [message["type"] for message in rest] == ["idle", "done"]


@pytest.mark.parametrize("path", ["/api/agent/chat", "/api/agent/stream"])
@pytest.mark.parametrize("body", [{"message": ""}, {"message": "  \n"}, {}])
async def test_an_empty_message(http: httpx.AsyncClient, gym: Gym, path: str, body: dict[str, str]) -> None:
    refused = await http.post(path, headers=gym.member.headers, json=body)
    assert (refused.status_code, refused.json()) == (400, {"error": "Message is required."})


async def test_wrong_arguments_change_nothing_and_can_be_put_right(
    base: Ground, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = {"exercises": [{**reps("Push-up", ["chest"]), "sets": "many"}]}
    steps: list[Step] = [
        CHOOSES,
        call("generate_workout", workout=broken),
        call("remove_exercise", exercise_id="7f1f6a0e-0000-7000-8000-000000000000"),
        call("swap_exercise", exercise_id="no id"),
        call("generate_workout", workout=WORKOUT),
        IDLE,
    ]
    async with trainer(base, monkeypatch, "chat", steps) as http:
        made = await chat(http, gym.member, "A workout")
        assert made["iterations"] == 5
        events = await http.get(f"/api/sessions/{made['sessionId']}/events", headers=gym.member.headers)
        results = [one["content"] for one in events.json()["items"] if one["type"] == "result"]
        assert [one.get("outcome", "ok") for one in results] == ["error", "error", "error", "ok", "ok"]
        assert "There is no workout on the table" in results[1]["formatted"]


async def test_the_limit_of_ten_steps(base: Ground, gym: Gym, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[Step] = [
        CHOOSES,
        *(call("message_notify_user", message=f"Still thinking {n}") for n in range(10)),
    ]
    async with trainer(base, monkeypatch, "chat", steps) as http:
        made = await chat(http, gym.member, "Think")
        assert made["iterations"] == 10
        assert len(made["response"]["messages"]) == 11
        assert "10 times" in made["response"]["messages"][-1]


async def test_a_stream_ends_with_done_or_with_an_error_never_with_both(
    base: Ground, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[Step] = [
        *[CHOOSES, *(call("message_notify_user", message=f"Still thinking {n}") for n in range(10))],
        *[CHOOSES, IDLE],
    ]
    async with trainer(base, monkeypatch, "chat", steps) as http:
        failed, went_well = [
            await http.post("/api/agent/stream", headers=gym.member.headers, json={"message": text})
            for text in ("Think", "Go on")
        ]
        types = told_types(failed)
        assert types == ["message_notify_user"] * 10 + ["error"]
        assert told_types(went_well) == ["idle", "done"]
        session_id = json.loads(went_well.text.splitlines()[-2].removeprefix("data: "))["sessionId"]
        whole = await http.get(
            "/api/agent/stream", params={"sessionId": session_id}, headers=gym.member.headers
        )
        assert told_types(whole) == [*types, "idle", "done"], "an error of an earlier turn is not the end"


def told_types(stream: httpx.Response) -> list[str]:
    lines = [line for line in stream.text.splitlines() if line.startswith("data: ")]
    return [json.loads(line.removeprefix("data: "))["type"] for line in lines]


async def test_sessions_are_their_persons(http: httpx.AsyncClient, gym: Gym) -> None:
    made = await http.post("/api/agent/sessions", headers=gym.member.headers)
    session_id = made.json()["session"]["id"]
    listed = await http.get("/api/agent/sessions?limit=10", headers=gym.member.headers)
    assert [one["id"] for one in listed.json()["sessions"]] == [session_id]
    assert (await http.get("/api/agent/sessions", headers=gym.owner.headers)).json() == {"sessions": []}
    for person in (gym.other_member, gym.owner):
        body = {"message": "hi", "sessionId": session_id}
        refused = await http.post("/api/agent/chat", headers=person.headers, json=body)
        assert refused.status_code == 404


async def test_what_the_readme_says_works(http: httpx.AsyncClient, gym: Gym) -> None:
    """Its lines as they stand there, with the safety rules and the offline model of every install."""
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r'^say "(.+)"$', readme, re.MULTILINE)
    assert len(lines) >= 5
    shown: list[dict[str, Any]] = []
    for line in lines:
        answer = await http.post("/api/agent/chat", json={"message": line}, headers=gym.member.headers)
        assert answer.status_code == 200, answer.text
        shown.append(answer.json()["response"])
    said = [" ".join(one["messages"]) for one in shown]
    assert all(said), list(zip(lines, said, strict=True))
    made, swapped, _, shortened, logged, *_ = shown
    _, _, banned, _, _, week, planned = said
    assert all(one["exercises"] for one in (made, swapped, shortened))
    assert [one["name"] for one in swapped["exercises"]] != [one["name"] for one in made["exercises"]]
    assert logged["messages"][0].startswith("Logged")
    assert "burpee" in banned.lower()
    assert "1 workout" in week
    assert "Thu" in planned
    await _find_what_they_did(http, gym.member, shortened["exercises"])


async def _find_what_they_did(http: httpx.AsyncClient, who: Person, exercises: list[dict[str, Any]]) -> None:
    async def items(noun: str) -> list[dict[str, Any]]:
        answer = await http.get(f"/api/training/{noun}", headers=who.headers)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["items"]
        return found

    kept = [(one["type"], one["value"].lower(), one["duration"]) for one in await items("preferences")]
    assert ("exclusion", "burpee", "permanent") in [
        (kind, value.rstrip("s"), how) for kind, value, how in kept
    ]
    (done,) = await items("history")
    last = [one["name"] for one in exercises if one["phase"] == "main"][-1]
    assert [one["name"] for one in done["exercises"] if not one["completed"]] == [last]
    assert [one["name"] for one in done["exercises"]] == [one["name"] for one in exercises]
    (plan,) = await items("schedule")
    at = datetime.fromisoformat(plan["scheduled_for"])
    assert (at.weekday(), at.hour, at.minute) == (3, 7, 0)
    assert timedelta() < at - now() <= timedelta(days=8)
    assert "leg" in plan["title"].lower()
    again = await chat(http, who, "a 60 minute full body workout, as hard as it gets")
    assert not [one["name"] for one in again["response"]["exercises"] if "burpee" in one["name"].lower()]
