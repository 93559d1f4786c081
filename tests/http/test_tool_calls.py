"""`POST /api/tools/execute` (B4): the contract's shape, an agent's rules, one record, exactly once."""

import asyncio
import json
from dataclasses import replace
from datetime import date
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import select

from spotter.api.tool_calls import _shown, credits_used
from spotter.app import House
from spotter.billing import credit_ledger
from spotter.billing.tables import UsageEntry
from spotter.identity.principal import ALL_SCOPES, Principal
from spotter.ids import new_id
from spotter.money import CREDIT
from spotter.runtime.context import SessionView
from spotter.runtime.direct_calls import TOOLBOX, Called, DirectCalls, ToolCall, toolbox_agent
from spotter.runtime.executor import ToolContext
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.tool import tool
from spotter.sessions import directory
from spotter.sessions.events import (
    Action,
    ApprovalDecided,
    AssistantMessage,
    Ending,
    Outcome,
    Result,
    UserMessage,
)
from spotter.sessions.log import Lease, SessionBusy, Turn
from spotter.sessions.tables import AgentSession
from spotter.sessions.verify import Wanted, verify
from spotter.store.scope import Scope
from tests.http.actions import create_key
from tests.support.approvals import checked_events, outcomes, quiet, set_policy
from tests.support.cast import own_cast
from tests.support.people import Gym, Person

FIELDS = {
    "tool", "success", "output", "error", "formatted", "duration_ms", "creditsUsed", "artifacts", "memory",
}  # fmt: skip


def strength(weight: int) -> dict[str, Any]:
    return {"category_goals": [{"category": "strength", "weight": weight}]}


def principal(person: Person) -> Principal:
    return Principal("user", person.user_id, person.org_id, person.role, ALL_SCOPES)


async def execute(
    http: httpx.AsyncClient, person: Person, tool: str, arguments: dict[str, Any], **more: Any
) -> httpx.Response:
    headers = {**person.headers, **more.pop("headers", {})}
    body = {"tool": tool, "arguments": arguments, **more}
    return await http.post("/api/tools/execute", json=body, headers=headers)


async def trainer_session(http: httpx.AsyncClient, person: Person) -> str:
    made = await http.post("/api/agent/sessions", headers=person.headers)
    assert made.status_code == 201, made.text
    return str(made.json()["session"]["id"])


async def records(home: House, gym: Gym) -> list[AgentSession]:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        found = await uow.session.scalars(select(AgentSession).where(AgentSession.kind == "call"))
        return list(found)


async def test_the_shape_of_an_answer(http: httpx.AsyncClient, gym: Gym) -> None:
    answer = await execute(http, gym.member, "echo", {"text": "hello"})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert set(body) == FIELDS
    assert (body["tool"], body["success"], body["output"]) == ("echo", True, {"text": "hello"})
    assert (body["error"], body["creditsUsed"], body["artifacts"], body["memory"]) == (None, 0, [], [])
    assert body["formatted"] == '{"text":"hello"}'
    assert isinstance(body["duration_ms"], int)


@pytest.mark.parametrize("prefix", ["/.netlify/functions", "/functions/v1"])
async def test_the_seeds_paths_answer_too(http: httpx.AsyncClient, gym: Gym, prefix: str) -> None:
    body = {"tool": "echo", "arguments": {"text": "x"}}
    answer = await http.post(f"{prefix}/tools/execute", json=body, headers=gym.member.headers)
    assert answer.json()["success"] is True


async def test_without_a_session_it_has_a_record_that_is_in_no_list(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    stored = await execute(http, gym.member, "store_draft_content", {"key": "plan", "content": "words"})
    assert stored.json()["output"]["draft"] == {"key": "plan", "title": "", "version": 1}
    (record,) = await records(home, gym)
    events = await checked_events(home, gym, record.id)
    assert [type(event.content) for event in events] == [Action, Result]
    assert events[-1].content.ends is Ending.CALLED  # type: ignore[union-attr]
    assert record.user_id == gym.member.user_id
    for person in (gym.member, gym.owner):
        assert (await http.get("/api/sessions", headers=person.headers)).json()["items"] == []
    shown = await http.get("/api/drafts/plan", headers=gym.member.headers)
    assert shown.json()["content"] == "words"
    audit = (await http.get("/api/audit", headers=gym.owner.headers)).json()["items"]
    assert any(
        entry["action"].startswith("tool.") or "store_draft_content" in str(entry["detail"])
        for entry in audit
    )


async def test_what_does_not_fit_is_an_ordinary_tool_error(http: httpx.AsyncClient, gym: Gym) -> None:
    wrong = await execute(http, gym.member, "echo", {"words": 1})
    assert (wrong.status_code, wrong.json()["success"]) == (200, False)
    assert "text" in wrong.json()["error"]
    assert (await execute(http, gym.member, "no_such_tool", {})).status_code == 404
    assert (await execute(http, gym.member, "message_notify_user", {"message": "x"})).status_code == 422


async def test_in_a_session_the_agents_tools_apply(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    session_id = await trainer_session(http, gym.member)
    made = await execute(http, gym.member, "set_goals", strength(5), session_id=session_id)
    assert made.json()["success"] is True, made.text
    refused = await execute(http, gym.member, "echo", {"text": "x"}, session_id=session_id)
    assert (refused.json()["success"], "no tool" in refused.json()["error"]) == (False, True)
    talked = await http.post(
        "/api/agent/chat",
        json={"message": "What are my goals?", "sessionId": session_id},
        headers=gym.member.headers,
    )
    assert talked.status_code == 200, talked.text
    events = await checked_events(home, gym, UUID(session_id))
    kinds = [event.type for event in events]
    assert kinds[:4] == ["action", "result", "action", "result"]
    assert "user_message" in kinds
    after = await execute(http, gym.member, "set_goals", strength(6), session_id=session_id)
    assert after.json()["success"] is True
    await checked_events(home, gym, UUID(session_id))


async def test_a_call_waits_for_a_turn_and_then_says_busy(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    session_id = UUID(await trainer_session(http, gym.member))
    scope = gym.member.scope
    # A turn that is going on: its owner lives, so nobody takes it over.
    lease = Lease(owner=home.services.turns.owner, seconds=600)
    turn = await home.services.log.open_turn(scope, session_id, UserMessage(text="hi"), lease)
    assert isinstance(turn, Turn)
    quick = replace(home.services.direct_calls, patience=0.1)
    call = ToolCall("set_goals", strength(1), session_id)
    with pytest.raises(SessionBusy):
        await quick.execute(principal(gym.member), call)
    waiting = asyncio.create_task(home.services.direct_calls.execute(principal(gym.member), call))
    await asyncio.sleep(0)
    events = await home.services.log.read(scope, session_id)
    assert not [event for event in events if isinstance(event.content, Action)]
    await home.services.log.append(
        scope, session_id, [AssistantMessage(text="done", ends=Ending.FINAL)], fence=turn.fence, close=True
    )
    called = await waiting
    assert called.result is not None
    assert called.result.outcome is Outcome.OK
    await checked_events(home, gym, session_id)


async def test_eight_calls_at_once_all_happen(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    session_id = await trainer_session(http, gym.member)
    answers = await asyncio.gather(
        *(execute(http, gym.member, "set_goals", strength(n), session_id=session_id) for n in range(8))
    )
    assert all(one.json()["success"] for one in answers)
    events = await checked_events(home, gym, UUID(session_id))
    assert [event.type for event in events] == ["action", "result"] * 8


async def test_the_same_key_is_the_same_call(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    headers = {"Idempotency-Key": str(uuid4())}
    arguments = {"key": "plan", "content": "words"}
    answers = await asyncio.gather(
        *(execute(http, gym.member, "store_draft_content", arguments, headers=headers) for _ in range(5))
    )
    assert len({one.text for one in answers}) == 1
    assert len(await records(home, gym)) == 1
    # The answer was lost with its process: the call itself is known all the same.
    key = headers["Idempotency-Key"]
    call = ToolCall("store_draft_content", arguments, key=key)
    again = await home.services.direct_calls.execute(principal(gym.member), call)
    assert again.result is not None
    assert again.result.result == answers[0].json()["output"]
    (record,) = await records(home, gym)
    assert len(await checked_events(home, gym, record.id)) == 2


async def test_a_call_whose_process_died_is_carried_out_once(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    session_id = UUID(await trainer_session(http, gym.member))
    key = new_id()
    call = Action(tool="set_goals", args=json.dumps(strength(3)), call_id=f"direct_{key.hex}")
    turn = await home.services.log.open_call(
        gym.member.scope, session_id, call, Lease(owner=home.services.turns.owner, seconds=600), key=key
    )
    assert await home.services.turns.take_over(gym.member.scope, session_id, turn.fence)
    await quiet(home, gym, session_id)
    events = await checked_events(home, gym, session_id)
    assert outcomes(events) == {call.call_id: Outcome.OK}
    assert [event.type for event in events] == ["action", "result"]


async def test_what_needs_approval_says_so_and_happens_once(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    await set_policy(home, gym, tool="store_draft_content")
    asked = (
        await execute(http, gym.member, "store_draft_content", {"key": "plan", "content": "words"})
    ).json()
    assert (asked["success"], asked["error"]) == (False, "approval_required")
    assert set(asked["output"]) == {"approval_id", "session_id", "call_id"}
    assert (await http.get("/api/drafts/plan", headers=gym.member.headers)).status_code == 404
    url = f"/api/approvals/{asked['output']['approval_id']}"
    shown = (await http.get(url, headers=gym.staff.headers)).json()
    assert (shown["tool"], shown["arguments"]["key"]) == ("store_draft_content", "plan")
    body = {"decision": "approve", "args_hash": shown["args_hash"]}
    decided = await asyncio.gather(
        *(http.post(f"{url}/decision", json=body, headers=gym.staff.headers) for _ in range(3))
    )
    assert sorted(one.status_code for one in decided) == [200, 409, 409]
    session_id = UUID(asked["output"]["session_id"])
    await quiet(home, gym, session_id)
    events = await checked_events(home, gym, session_id)
    assert outcomes(events) == {asked["output"]["call_id"]: Outcome.OK}
    # No model was asked after it: the turn was about the call alone.
    assert [event.type for event in events] == ["action", "approval_requested", "approval_decided", "result"]
    assert (await http.get("/api/drafts/plan", headers=gym.member.headers)).json()["version"] == 1


async def test_what_is_denied_never_happens(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    await set_policy(home, gym, tool="store_draft_content")
    asked = (await execute(http, gym.member, "store_draft_content", {"key": "no", "content": "x"})).json()
    url = f"/api/approvals/{asked['output']['approval_id']}"
    shown = (await http.get(url, headers=gym.staff.headers)).json()
    await http.post(
        f"{url}/decision",
        json={"decision": "deny", "args_hash": shown["args_hash"]},
        headers=gym.staff.headers,
    )
    session_id = UUID(asked["output"]["session_id"])
    await quiet(home, gym, session_id)
    assert outcomes(await checked_events(home, gym, session_id)) == {
        asked["output"]["call_id"]: Outcome.DENIED
    }
    assert (await http.get("/api/drafts/no", headers=gym.member.headers)).status_code == 404


async def test_a_person_talks_on_while_a_call_waits_for_approval(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    await set_policy(home, gym, tool="set_goals")
    session_id = await trainer_session(http, gym.member)
    asked = (await execute(http, gym.member, "set_goals", strength(2), session_id=session_id)).json()
    assert asked["error"] == "approval_required"
    talked = await http.post(
        "/api/agent/chat", json={"message": "Hello", "sessionId": session_id}, headers=gym.member.headers
    )
    assert talked.json()["response"]["messages"], talked.text
    url = f"/api/approvals/{asked['output']['approval_id']}"
    shown = (await http.get(url, headers=gym.staff.headers)).json()
    await http.post(
        f"{url}/decision",
        json={"decision": "approve", "args_hash": shown["args_hash"]},
        headers=gym.staff.headers,
    )
    await quiet(home, gym, UUID(session_id))
    events = await checked_events(home, gym, UUID(session_id))
    decided = next(place for place, one in enumerate(events) if isinstance(one.content, ApprovalDecided))
    assert [event.type for event in events[decided:]] == ["approval_decided", "result"]
    assert outcomes(events)[asked["output"]["call_id"]] is Outcome.OK


async def test_a_key_for_tools_calls_tools_and_nothing_else(http: httpx.AsyncClient, gym: Gym) -> None:
    key = await create_key(http, gym.owner, ["tools"], role="staff")
    body = {"tool": "echo", "arguments": {"text": "x"}}
    called = await http.post("/api/tools/execute", json=body, headers=key.headers)
    assert called.json()["success"] is True
    assert (await http.put("/api/drafts/x", json={"content": 1}, headers=key.headers)).status_code == 403
    reader = await create_key(http, gym.owner, ["read"], role="staff")
    assert (await http.post("/api/tools/execute", json=body, headers=reader.headers)).status_code == 403


async def test_a_project_one_is_not_in_is_not_there(http: httpx.AsyncClient, gym: Gym) -> None:
    made = await http.post("/api/projects", json={"name": "Spring"}, headers=gym.admin.headers)
    project_id = made.json()["id"]
    arguments = {"key": "plan", "content": "words"}
    refused = await execute(http, gym.staff, "store_draft_content", arguments, project_id=project_id)
    assert refused.status_code == 404
    stored = await execute(http, gym.admin, "store_draft_content", arguments, project_id=project_id)
    assert stored.json()["success"] is True
    listed = await http.get("/api/drafts", params={"project_id": project_id}, headers=gym.admin.headers)
    assert [one["key"] for one in listed.json()["items"]] == ["plan"]
    session_id = await trainer_session(http, gym.admin)
    other = await execute(
        http, gym.admin, "set_goals", strength(1),
        session_id=session_id, project_id=project_id,
    )  # fmt: skip
    assert other.status_code == 422


async def test_verify_notices_a_call_in_the_middle_of_a_turn(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    session_id = UUID(await trainer_session(http, gym.member))
    call = Action(tool="echo", args="{}", call_id="direct_1")
    result = Result(tool="echo", call_id="direct_1", ends=Ending.CALLED)
    await home.services.log.append(gym.member.scope, session_id, [UserMessage(text="hi"), call, result])
    findings = await verify(home.base.urls, SessionView, Wanted(session_id=session_id))
    assert ("I7", 2) in [(one.invariant, one.sequence) for one in findings.violations]


async def test_a_log_from_elsewhere_carries_out_no_call(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    """Somebody may write one that ends with an open call: nothing in a log is an order."""
    session_id = await trainer_session(http, gym.member)
    exported = (await http.get(f"/api/sessions/{session_id}/export", headers=gym.member.headers)).json()
    opened = {"tool": "set_goals", "args": json.dumps(strength(9)), "call_id": "direct_x"}
    exported["events"] = [{"sequence": 1, "type": "action", "at": exported["created_at"], "content": opened}]
    made = await http.post("/api/sessions/import", json=exported, headers=gym.member.headers)
    assert made.status_code == 201, made.text
    copy = made.json()["id"]
    said = await http.post(
        f"/api/sessions/{copy}/messages", json={"text": "Hello"}, headers=gym.member.headers
    )
    assert said.status_code == 200, said.text
    events = await home.services.log.read(gym.member.scope, UUID(copy))
    assert "direct_x" not in outcomes(events)


def test_files_and_facts_of_a_tool_are_told_apart_from_what_is_only_called_so() -> None:
    file = {"id": "1", "filename": "plan.pdf", "file_type": "pdf", "url": "/api/artifacts/1"}
    fact = {"type": "fact", "content": "trains early", "importance": 0.5}
    left = _shown("x", _called({"artifacts": [file], "memory": [fact]}))
    assert [one.model_dump() for one in left.artifacts] == [file]
    assert [one.model_dump() for one in left.memory] == [fact]
    odd = _shown("x", _called({"artifacts": "none", "memory": ["words"]}))
    assert (odd.artifacts, odd.memory, odd.output["memory"]) == ([], [], ["words"])


def _called(data: Any) -> Called:
    return Called(new_id(), "direct_1", Result(tool="x", call_id="direct_1", result=data))


@tool(category="test")
async def spend(context: ToolContext, price: int) -> str:
    """Costs something."""
    uow = await context.transaction()
    await uow.act_for(Scope(context.scope.org_id, None, "service"))
    await credit_ledger.spend(uow, price * CREDIT, reference=str(context.effect_id))
    return "spent"


async def test_what_it_cost_is_what_the_ledger_says(home: House, gym: Gym) -> None:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        await credit_ledger.give(uow, "grant", 10 * CREDIT, reference="start", note="")
    services, registry = home.services, ToolRegistry([spend])
    caller = principal(gym.member)
    async with own_cast(home, (toolbox_agent(registry),), (spend,), {TOOLBOX: []}) as turns:
        calls = DirectCalls(services.database, services.log, services.bus, turns, registry)
        for key in ("one", "one", "two"):
            called = await calls.execute(caller, ToolCall("spend", {"price": 2}, key=key))
            assert await credits_used(services.database, caller, called) == 2.0
        dear = await calls.execute(caller, ToolCall("spend", {"price": 100}))
        assert dear.result is not None
        assert dear.result.outcome is Outcome.ERROR
        assert await credits_used(services.database, caller, dear) == 0
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        assert await credit_ledger.balance(uow) == 6 * CREDIT


async def test_model_calls_of_a_calls_turn_are_counted_at_the_organisations_rate(
    home: House, gym: Gym
) -> None:
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        session_id = (await directory.create(uow, "tester")).id
    async with home.services.database.unit_of_work(Scope(gym.org_id, None, "service")) as uow:
        for sequence, charge in ((1, 700_000), (2, 30_000), (3, 5_000), (4, 900_000)):
            uow.session.add(entry(gym, session_id, sequence, charge))
        await uow.session.flush()
        used = await credit_ledger.used_by_call(uow, session_id, (2, 3), new_id())
        uow.give_up()
    assert used == 3.5 * CREDIT, "35,000 micro-dollars at 10,000 for a credit"


def entry(gym: Gym, session_id: UUID, sequence: int, charge: int) -> UsageEntry:
    zero = dict.fromkeys(("input", "output", "cache_read", "cache_write", "counted_tokens", "markup"), 0)
    day = date(2026, 1, 1)
    return UsageEntry(
        org_id=gym.org_id, session_id=session_id, sequence_number=sequence, user_id=gym.member.user_id,
        billing_day=day, billing_month=day, kind="action", agent="tester", provider="x", model="x", reported=True,
        cost=charge, charge=charge, price="x", counted=charge, **zero,
    )  # fmt: skip
