"""Agents called by programs: one question (B8), and sessions of their own (B9)."""

from typing import Any

import httpx
import pytest

from spotter.app import Ground
from tests.http.actions import another_server, create_key
from tests.llm.wire_scripts import Spoken, answer
from tests.llm.wire_server import NO_OBJECTION, Answer, Asked, WireServer
from tests.support.people import Gym, Person

RUN, CREATE = "/api/agent/run", "/api/sdk/session/create"
MESSAGE, TRANSCRIPT = "/api/sdk/session/message", "/api/sdk/session/transcript"


async def post(http: httpx.AsyncClient, path: str, person: Person, **body: Any) -> dict[str, Any]:
    found = await http.post(path, json=body, headers=person.headers)
    assert found.status_code == 200, found.text
    answered: dict[str, Any] = found.json()
    return answered


@pytest.mark.parametrize(
    "path", [RUN, "/agent/run", "/.netlify/functions/agent/run", "/functions/v1/agent/run"]
)
async def test_a_run(http: httpx.AsyncClient, gym: Gym, path: str) -> None:
    found = await post(http, path, gym.member, input="Hello")
    assert list(found) == ["id", "output", "tool_calls", "usage"]
    assert [list(part) for part in found["output"]] == [["type", "text"]]
    assert found["output"][0]["type"] == "text"
    assert found["tool_calls"] == []
    assert found["usage"]["total_tokens"] > 0
    events = await http.get(f"/api/sessions/{found['id']}/events", headers=gym.member.headers)
    assert [event["type"] for event in events.json()["items"]] == ["user_message", "assistant_message"]
    listed = (await http.get("/api/sessions", headers=gym.member.headers)).json()["items"]
    assert listed == []


async def test_a_run_with_tools(http: httpx.AsyncClient, gym: Gym) -> None:
    found = await post(http, RUN, gym.member, agent="trainer", input="Give me a 20 minute bodyweight workout")
    made = next(one for one in found["tool_calls"] if one["name"] == "generate_workout")
    assert list(made) == ["name", "arguments", "result", "success"]
    assert made["success"] is True
    assert made["result"]["exercises"]
    assert found["output"], "what a tool says is output too"
    found = await post(http, RUN, gym.member, scenario_id="retail", input="Where is my order?")
    assert [one["name"] for one in found["tool_calls"]] == ["transfer_to_order_care"]


@pytest.mark.parametrize(
    ("who", "body", "status"),
    [
        ("member", {"input": ""}, 400),
        ("member", {"input": " \n"}, 400),
        ("member", {}, 422),
        ("member", {"input": "Hi", "agent": "nobody"}, 404),
        ("member", {"input": "Hi", "scenario_id": "nowhere"}, 404),
        ("member", {"input": "Hi", "scenario_id": "retail", "agent": "trainer"}, 422),
        ("member", {"input": "Hi", "instructions": "Obey."}, 403),
        ("member", {"input": "Hi", "model": "offline"}, 403),
        ("staff", {"input": "Hi", "model": "martian:9"}, 403),
        ("staff", {"input": "Hi", "model": "nonsense"}, 403),
        ("staff", {"input": "Hi", "model": "offline", "instructions": "Be brief."}, 200),
    ],
)
async def test_what_a_run_may_bring(
    http: httpx.AsyncClient, gym: Gym, who: str, body: dict[str, Any], status: int
) -> None:
    person: Person = getattr(gym, who)
    found = await http.post(RUN, json=body, headers=person.headers)
    assert found.status_code == status, found.text


async def test_a_run_sent_again_is_one_run(http: httpx.AsyncClient, gym: Gym) -> None:
    headers = {**gym.member.headers, "Idempotency-Key": "run-1"}
    first = await http.post(RUN, json={"input": "Hello"}, headers=headers)
    again = await http.post(RUN, json={"input": "Hello"}, headers=headers)
    assert first.json() == again.json()


async def test_a_dangerous_run_is_answered_by_safety(http: httpx.AsyncClient, gym: Gym) -> None:
    found = await post(
        http, RUN, gym.staff, input="I have chest pain and can't breathe", instructions="Cheer."
    )
    assert "emergency" in " ".join(part["text"] for part in found["output"]).lower()


async def test_instructions_and_model_reach_the_provider(base: Ground, gym: Gym) -> None:
    spoken = Spoken(text="Arr.", tokens=(50, 5, 0, 0), model="gpt-4o-mini")

    def plan(asked: Asked) -> Answer:
        return NO_OBJECTION if "moderations" in asked.path else answer("chat", spoken, asked.body)

    async with WireServer(plan) as wire, another_server(base, {}) as http:
        account = {"api_key": "sk-x", "base_url": f"{wire.url}/v1", "dialect": "openai"}
        await http.put("/api/model-accounts/openai", json=account, headers=gym.owner.headers)
        wished = {"instructions": "You are a pirate.", "model": "gpt-4o-mini"}
        found = await post(http, RUN, gym.staff, input="Hello", **wished)
        assert found["output"] == [{"type": "text", "text": "Arr."}]
        assert (found["usage"]["input_tokens"], found["usage"]["output_tokens"]) == (50, 5)
        made = await post(http, CREATE, gym.staff, session_id="ship", agent_name="Jack", **wished)
        assert made == {"session_id": "ship", "agent_name": "Jack", "model": "gpt-4o-mini"}
        said = await post(http, MESSAGE, gym.staff, session_id="ship", user_input="Hello")
        assert said == {"final_output": "Arr.", "new_items_len": 1, "tool_calls": []}
        change = {"instructions": "You are a monk."}
        await post(http, MESSAGE, gym.staff, session_id="ship", user_input="And now?", agent=change)
        total = (await http.get("/api/billing/current", headers=gym.staff.headers)).json()["total"]
        assert total["calls"] == 3
    bodies = [asked.body.decode() for asked in wire.asked if "moderations" not in asked.path]
    assert ["pirate" in body for body in bodies] == [True, True, False]
    assert "You are a monk." in bodies[2]


async def test_sessions_of_a_program(http: httpx.AsyncClient, gym: Gym) -> None:
    made = await post(http, CREATE, gym.member, agent_name="trainer", instructions="")
    assert list(made) == ["session_id", "agent_name", "model"]
    assert (made["agent_name"], made["model"]) == ("trainer", "offline")
    given = {"session_id": made["session_id"], "user_input": "Give me a 20 minute bodyweight workout"}
    said = await post(http, MESSAGE, gym.member, **given)
    assert list(said) == ["final_output", "new_items_len", "tool_calls"]
    assert "generate_workout" in said["tool_calls"]
    read = await http.get(TRANSCRIPT, params={"session_id": made["session_id"]}, headers=gym.member.headers)
    transcript = read.json()
    assert list(transcript) == ["session_id", "items", "length"]
    assert transcript["length"] == len(transcript["items"]) == said["new_items_len"] + 1
    assert transcript["items"][0] == {"role": "user", "content": given["user_input"], "source": "text"}
    kinds = {item.get("type") or item["role"] for item in transcript["items"]}
    assert kinds >= {"user", "function_call", "function_call_output"}
    by_id = await http.get(f"/api/sessions/{made['session_id']}", headers=gym.member.headers)
    assert by_id.json()["agent"] == "trainer"


async def test_the_same_name_is_the_same_session_for_the_same_caller(
    http: httpx.AsyncClient, gym: Gym, other_gym: Gym
) -> None:
    first = await post(http, CREATE, gym.member, session_id="mine", agent_name="trainer")
    again = await post(http, CREATE, gym.member, session_id="mine", agent_name="assistant")
    assert again == first
    for person in (gym.other_member, gym.staff, other_gym.member):
        other = await http.get(TRANSCRIPT, params={"session_id": "mine"}, headers=person.headers)
        assert other.status_code == 404
        fresh = await post(http, CREATE, person, session_id="mine", agent_name="assistant")
        assert fresh["agent_name"] == "assistant"


@pytest.mark.parametrize("text", ["", "   "])
async def test_nothing_said_is_a_400(http: httpx.AsyncClient, gym: Gym, text: str) -> None:
    made = await post(http, CREATE, gym.member, agent_name="assistant")
    body = {"session_id": made["session_id"], "user_input": text}
    assert (await http.post(MESSAGE, json=body, headers=gym.member.headers)).status_code == 400
    missing = {"session_id": "nowhere", "user_input": "Hi"}
    assert (await http.post(MESSAGE, json=missing, headers=gym.member.headers)).status_code == 404


async def test_only_staff_bring_instructions(http: httpx.AsyncClient, gym: Gym) -> None:
    body: dict[str, Any] = {"agent_name": "Jack", "instructions": "You are a pirate."}
    assert (await http.post(CREATE, json=body, headers=gym.member.headers)).status_code == 403
    made = await post(http, CREATE, gym.member, agent_name="Jack")
    for agent in ({"instructions": "You are a pirate."}, {"model": "offline"}):
        body = {"session_id": made["session_id"], "user_input": "Hi", "agent": agent}
        assert (await http.post(MESSAGE, json=body, headers=gym.member.headers)).status_code == 403


async def test_another_agent_from_now_on(http: httpx.AsyncClient, gym: Gym) -> None:
    made = await post(http, CREATE, gym.member, agent_name="assistant")
    body = {"session_id": made["session_id"], "user_input": "Hi", "agent": {"name": "trainer"}}
    await post(http, MESSAGE, gym.member, **body)
    session = (await http.get(f"/api/sessions/{made['session_id']}", headers=gym.member.headers)).json()
    assert session["agent"] == "trainer"


async def test_a_key_has_sessions_too(http: httpx.AsyncClient, gym: Gym) -> None:
    key = {"X-API-Key": (await create_key(http, gym.admin, ["read", "write"])).plain}
    made = await http.post(CREATE, json={"session_id": "job", "agent_name": "assistant"}, headers=key)
    assert made.status_code == 200, made.text
    said = await http.post(MESSAGE, json={"session_id": "job", "user_input": "Hi"}, headers=key)
    assert said.status_code == 200, said.text
    read = await http.get(TRANSCRIPT, params={"session_id": "job"}, headers=key)
    assert [item["source"] for item in read.json()["items"]] == ["api", "text"]
