"""Who should answer (B3): the shape, the choice, and a handover that everybody hears of."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from spotter.app import Ground, House
from spotter.llm.port import JsonSchema
from spotter.offline.choosing import AGENT_CHOICE
from spotter.scenarios.orchestrating import schema_of
from tests.http.actions import another_server
from tests.http.test_own_agents import put
from tests.http.test_sessions import say
from tests.llm.wire_scripts import Spoken, answer
from tests.llm.wire_server import NO_OBJECTION, Answer, Asked, WireServer
from tests.support.people import Gym, Person

FIELDS = ["root_agent", "score", "reason", "scores", "changed", "applied"]


async def ask(http: httpx.AsyncClient, person: Person, **given: Any) -> dict[str, Any]:
    body = {"scenario_id": "retail", **given}
    found = await http.post("/api/orchestrate", json=body, headers=person.headers)
    assert found.status_code == 200, found.text
    decision: dict[str, Any] = found.json()
    assert list(decision) == FIELDS
    assert decision["score"] == decision["scores"][decision["root_agent"]]
    return decision


async def in_retail(http: httpx.AsyncClient, person: Person) -> str:
    made = await http.post("/api/sessions", json={"scenario": "retail"}, headers=person.headers)
    session_id: str = made.json()["id"]
    return session_id


def user(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where is my order?", "order_care"),
        ("I would like to send my shoes back, they are too small", "order_care"),
        ("My delivery has not arrived yet", "order_care"),
        ("Which dumbbells should I buy for my home gym?", "product_advisor"),
        ("I need a bench, what do you recommend for a beginner?", "product_advisor"),
        ("What size of resistance band is right for me?", "product_advisor"),
        ("Hello", "supervisor"),
        ("zxqw vbnm", "supervisor"),
    ],
)
async def test_the_words_decide(http: httpx.AsyncClient, gym: Gym, text: str, expected: str) -> None:
    decision = await ask(http, gym.member, messages=user(text))
    assert decision["root_agent"] == expected
    assert set(decision["scores"]) == {"supervisor", "product_advisor", "order_care"}
    assert decision["changed"] == (expected != "supervisor")
    assert decision["applied"] is False


async def test_a_page_alone_is_enough(http: httpx.AsyncClient, gym: Gym) -> None:
    decision = await ask(http, gym.member, page_context={"page": "orders", "title": "Return an order"})
    assert decision["root_agent"] == "order_care"
    decision = await ask(http, gym.member, page_context="Home gym: which bench to buy")
    assert decision["root_agent"] == "product_advisor"


@pytest.mark.parametrize("prefix", ["/.netlify/functions", "/functions/v1"])
async def test_the_old_addresses_answer(http: httpx.AsyncClient, gym: Gym, prefix: str) -> None:
    body = {"scenario_id": "retail", "messages": user("Where is my order?")}
    found = await http.post(f"{prefix}/orchestrate", json=body, headers=gym.member.headers)
    assert found.json()["root_agent"] == "order_care"


async def test_what_cannot_be_answered(http: httpx.AsyncClient, gym: Gym) -> None:
    session_id = await in_retail(http, gym.member)
    for given, status in (
        ({"scenario_id": "nowhere", "messages": user("Hi")}, 404),
        ({"scenario_id": "retail"}, 422),
        ({"scenario_id": "retail", "messages": user("  ")}, 422),
        ({"scenario_id": "retail", "messages": user("Hi"), "apply": True}, 422),
        ({"scenario_id": "retail", "session_id": session_id}, 422),
        ({"scenario_id": "trainer", "session_id": session_id, "messages": user("Hi")}, 422),
    ):
        found = await http.post("/api/orchestrate", json=given, headers=gym.member.headers)
        assert found.status_code == status, found.text


async def test_it_is_applied_and_everybody_hears_of_it(http: httpx.AsyncClient, gym: Gym) -> None:
    session_id = await in_retail(http, gym.member)
    headers = {**gym.member.headers, "Accept": "text/event-stream"}
    async with http.stream("GET", f"/api/sessions/{session_id}/events", headers=headers) as following:
        given = {"session_id": session_id, "messages": user("Where is my order?"), "apply": True}
        decision = await ask(http, gym.member, **given)
        assert (decision["changed"], decision["applied"]) == (True, True)
        heard: list[dict[str, Any]] = []
        async with asyncio.timeout(60):
            async for line in following.aiter_lines():
                if line.startswith("data:"):
                    heard.append(json.loads(line.removeprefix("data:")))
                    break
    assert heard[0]["content"]["to_agent"] == "order_care"
    session = (await http.get(f"/api/sessions/{session_id}", headers=gym.member.headers)).json()
    assert session["agent"] == "order_care"
    # Who speaks already is not handed over to again.
    again = await ask(http, gym.member, **given)
    assert (again["changed"], again["applied"]) == (False, False)
    # The session's own messages are enough.
    await say(http, gym.member, session_id, "Which dumbbells should I buy?")
    decision = await ask(http, gym.member, session_id=session_id, apply=True)
    assert (decision["root_agent"], decision["changed"]) == ("product_advisor", False)


async def test_where_there_is_a_course_the_stages_decide(http: httpx.AsyncClient, gym: Gym) -> None:
    stages = {"first": "start", "agents": {"start": "assistant", "end": "trainer"}}
    course = {"root": "assistant", "agents": ["assistant", "trainer"], "routing": "stages", "stages": stages}
    assert (await put(http, gym.admin, "course", **course)).status_code == 200
    made = await http.post("/api/sessions", json={"scenario": "course"}, headers=gym.member.headers)
    decision = await ask(
        http,
        gym.member,
        scenario_id="course",
        session_id=made.json()["id"],
        messages=user("Make me a 30 minute workout with dumbbells"),
        apply=True,
    )
    assert (decision["root_agent"], decision["changed"], decision["applied"]) == ("trainer", True, False)
    assert "stages decide" in decision["reason"]
    session = (await http.get(f"/api/sessions/{made.json()['id']}", headers=gym.member.headers)).json()
    assert session["agent"] == "assistant"


async def test_another_persons_session_is_not_there(http: httpx.AsyncClient, gym: Gym) -> None:
    session_id = await in_retail(http, gym.member)
    body = {"scenario_id": "retail", "session_id": session_id, "messages": user("Hi"), "apply": True}
    for person in (gym.other_member, gym.staff):
        assert (await http.post("/api/orchestrate", json=body, headers=person.headers)).status_code == 404


def scores(best: str) -> dict[str, float]:
    return {name: float(name == best) for name in ("supervisor", "product_advisor", "order_care")}


@pytest.mark.parametrize(
    ("said", "expected", "reason"),
    [
        (
            json.dumps({"scores": scores("order_care"), "root_agent": "order_care", "reason": "It is late."}),
            "order_care",
            "It is late.",
        ),
        # Somebody who does not take part, and scores from nowhere.
        (
            json.dumps({"scores": {"owner": 9, "supervisor": 7}, "root_agent": "owner", "reason": ""}),
            "supervisor",
            "No reason was given.",
        ),
        ("I would say the supervisor", "product_advisor", "Chosen offline"),
    ],
)
async def test_with_a_key_a_model_chooses_and_is_billed(
    base: Ground, gym: Gym, said: str, expected: str, reason: str
) -> None:
    spoken = Spoken(text=said, tokens=(100, 20, 0, 0), model="gpt-4o-mini")

    def plan(asked: Asked) -> Answer:
        return NO_OBJECTION if "moderations" in asked.path else answer("chat", spoken, asked.body)

    async with WireServer(plan) as wire, another_server(base, {"model": "gpt-4o-mini"}) as http:
        account = {"api_key": "sk-x", "base_url": f"{wire.url}/v1", "dialect": "openai"}
        await http.put("/api/model-accounts/openai", json=account, headers=gym.owner.headers)
        decision = await ask(http, gym.member, messages=user("Which dumbbells should I buy?"))
        assert decision["root_agent"] == expected
        assert reason in decision["reason"]
        total = (await http.get("/api/billing/current", headers=gym.staff.headers)).json()["total"]
        assert (total["calls"], total["tokens"]["input"], total["tokens"]["output"]) == (1, 100, 20)
        assert total["charge"]["micros"] > 0
        body = json.loads(wire.asked[-1].body)
        assert body["response_format"]["json_schema"]["name"] == AGENT_CHOICE
        assert "Which dumbbells" in wire.asked[-1].body.decode()
        # A record of its own, in no list.
        listed = (await http.get("/api/sessions", headers=gym.member.headers)).json()["items"]
        assert listed == []


async def test_without_budget_it_is_chosen_offline(base: Ground, gym: Gym) -> None:
    async with WireServer() as wire, another_server(base, {"model": "gpt-4o-mini"}) as http:
        account = {"api_key": "sk-x", "base_url": f"{wire.url}/v1", "dialect": "openai"}
        await http.put("/api/model-accounts/openai", json=account, headers=gym.owner.headers)
        cap = {"scope": "organisation", "period": "day", "unit": "money", "hard": "0"}
        made = await http.post("/api/billing/caps", json=cap, headers=gym.owner.headers)
        assert made.status_code in (200, 201), made.text
        decision = await ask(http, gym.member, messages=user("Where is my order?"))
    assert decision["root_agent"] == "order_care"
    assert "no budget" in decision["reason"]
    assert [asked for asked in wire.asked if "moderations" not in asked.path] == []


def test_both_sides_call_the_shape_the_same(home: House) -> None:
    shape: JsonSchema = schema_of(["desk"])
    assert shape.name == AGENT_CHOICE
