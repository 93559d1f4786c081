"""Tools by voice, from the secret to the result: the person's rights, the agent's tools, the same log (B4, B13)."""

from typing import Any
from uuid import UUID

import httpx

from spotter.app import House
from spotter.sessions.events import Action, Outcome, Result
from tests.http.test_push import connected, next_of
from tests.support.approvals import checked_events, outcomes, quiet, set_policy
from tests.support.people import Gym, Person
from tests.voice.conftest import SECRET, Studio, said

GOALS = {"category_goals": [{"category": "strength", "weight": 5}]}


async def call(
    http: httpx.AsyncClient, person: Person, session_id: str, tool: str, arguments: dict[str, Any]
) -> httpx.Response:
    body = {"tool": tool, "arguments": arguments, "session_id": session_id}
    return await http.post("/api/tools/execute", json=body, headers=person.headers)


async def sources(home: House, gym: Gym, session_id: str) -> list[tuple[str, str]]:
    events = await checked_events(home, gym, UUID(session_id))
    return [(one.content.tool, one.content.source) for one in events if isinstance(one.content, Action)]


async def test_from_the_secret_to_the_result(studio: Studio, home: House, gym: Gym) -> None:
    payload = await studio.start()
    session_id = payload["session_id"]
    assert payload["client_secret"]["value"] == SECRET
    offered = {tool["name"] for tool in payload["initial_agents"][0]["tools"]}
    assert "set_goals" in offered
    await studio.report(session_id, items=[said("item_1", "I want to get stronger")])
    path = f"/api/sessions/{session_id}/ws"
    async with connected(studio.http, path, additional_headers=gym.member.headers) as socket:
        done = (await call(studio.http, gym.member, session_id, "set_goals", GOALS)).json()
        assert (done["success"], done["tool"], done["error"]) == (True, "set_goals", None)
        pushed: list[dict[str, Any]] = []
        while not any(push["type"] == "tool_result" for push in pushed):
            pushed += (await next_of(socket)).get("push", ())
    assert [(push["tool"], push["outcome"]) for push in pushed if push["type"] == "tool_result"] == [
        ("set_goals", "ok")
    ]
    events = await studio.events(session_id)
    assert [(one["type"], one["content"].get("source")) for one in events] == [
        ("voice", None),
        ("user_message", "voice"),
        ("action", "voice"),
        ("result", None),
    ]
    read = await studio.http.post(
        "/api/tools/execute",
        json={"tool": "fetch_data", "arguments": {"sources": ["category_goals"]}},
        headers=gym.member.headers,
    )
    assert "strength" in read.json()["formatted"]
    # When they have hung up, whoever calls a tool is no longer a voice.
    await studio.report(session_id, items=[], usage=[], ended=True)
    await call(studio.http, gym.member, session_id, "set_goals", GOALS)
    assert await sources(home, gym, session_id) == [("set_goals", "voice"), ("set_goals", "api")]


async def test_what_is_refused(studio: Studio, home: House, gym: Gym, other_gym: Gym) -> None:
    """Whatever the voice was talked into: another agent's tool, another person's session, what stands for speech."""
    session_id = (await studio.start(scenario_id="retail", root_agent="supervisor"))["session_id"]
    for tool in ("set_goals", "generate_workout", "transfer_to_trainer"):
        refused = (await call(studio.http, gym.member, session_id, tool, {})).json()
        assert refused["success"] is False, tool
        assert "no tool" in refused["error"]
    events = await checked_events(home, gym, UUID(session_id))
    assert all(one is Outcome.ERROR for one in outcomes(events).values())
    assert {source for _, source in await sources(home, gym, session_id)} == {"voice"}
    for stranger in (gym.other_member, gym.staff, other_gym.member):
        unseen = await call(studio.http, stranger, session_id, "transfer_to_order_care", {})
        assert unseen.status_code == 404
    spoken = await call(studio.http, gym.member, session_id, "message_notify_user", {"message": "x"})
    assert spoken.status_code == 422
    handed = (await call(studio.http, gym.member, session_id, "transfer_to_order_care", {})).json()
    assert handed["success"] is True
    session = await studio.http.get(f"/api/sessions/{session_id}", headers=gym.member.headers)
    assert session.json()["agent"] == "order_care"


async def test_what_needs_approval_waits_for_a_person(studio: Studio, home: House, gym: Gym) -> None:
    await set_policy(home, gym, tool="set_goals")
    session_id = (await studio.start())["session_id"]
    asked = (await call(studio.http, gym.member, session_id, "set_goals", GOALS)).json()
    assert (asked["success"], asked["error"]) == (False, "approval_required")
    assert asked["output"]["session_id"] == session_id
    # The conversation goes on meanwhile.
    await studio.report(session_id, items=[said("item_1", "I am waiting")])
    url = f"/api/approvals/{asked['output']['approval_id']}"
    shown = (await studio.http.get(url, headers=gym.staff.headers)).json()
    decision = {"decision": "approve", "args_hash": shown["args_hash"]}
    decided = await studio.http.post(f"{url}/decision", json=decision, headers=gym.staff.headers)
    assert decided.status_code == 200, decided.text
    await quiet(home, gym, UUID(session_id))
    events = await checked_events(home, gym, UUID(session_id))
    assert [one.type for one in events] == [
        "voice",
        "action",
        "approval_requested",
        "user_message",
        "approval_decided",
        "result",
    ]
    assert isinstance(events[-1].content, Result)
    assert outcomes(events) == {asked["output"]["call_id"]: Outcome.OK}
