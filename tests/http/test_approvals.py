"""Approvals over HTTP: who sees what, who may decide, and what a second decision is told."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import httpx
import pytest

from spotter.api.server import Listener
from spotter.app import House, build_app
from spotter.ids import new_id
from spotter.llm.prompt import ToolResult
from spotter.llm.scripted import Asked, Say, ScriptedModel, call
from spotter.runtime.kit import known_agents
from spotter.runtime.registry import ToolRegistry
from spotter.settings import Settings
from tests.http.actions import create_key
from tests.support import agents
from tests.support.agents import new_session
from tests.support.approvals import (
    TOOLS,
    asking_turns,
    change,
    checked_events,
    paid,
    quiet,
    requests,
    set_policy,
)
from tests.support.people import Gym, Person


def answer(asked: Asked) -> Say:
    """Pays first, speaks once there is a result."""
    told = any(isinstance(one.message, ToolResult) for one in asked.prompt.messages)
    return Say("Done.") if told else Say(calls=(call("pay", {"amount": 5}, f"c{new_id().hex}"),))


@pytest.fixture(scope="module")
async def desk_url(home: House, settings: Settings) -> AsyncIterator[str]:
    """A server whose agent has tools that must be approved."""
    async with asking_turns(home, ScriptedModel([answer] * 1000)) as turns:
        services = replace(
            home.services,
            turns=turns,
            registry=ToolRegistry(TOOLS),
            agents=known_agents({"tester": agents.tester_agent(None, TOOLS)}),
        )
        listener = Listener(settings)
        ready, stop = asyncio.Event(), asyncio.Event()
        serving = asyncio.create_task(listener.serve(build_app(services), ready, stop))
        await ready.wait()
        yield listener.url
        stop.set()
        await serving
        listener.close()


@pytest.fixture
async def desk_http(desk_url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=desk_url, timeout=120) as client:
        yield client


@dataclass(frozen=True, slots=True)
class Asking:
    http: httpx.AsyncClient
    home: House
    gym: Gym

    async def request(self, person: Person | None = None) -> dict[str, Any]:
        """Something a member's agent wants to do."""
        person = person or self.gym.member
        session_id = await new_session(self.home, person.scope)
        said = await self.http.post(
            f"/api/sessions/{session_id}/messages", json={"text": "pay"}, headers=person.headers
        )
        assert said.json()["ending"] == "approval", said.text
        listed = await self.http.get(
            "/api/approvals", params={"session_id": str(session_id)}, headers=person.headers
        )
        (item,) = listed.json()["items"]
        return dict(item)

    async def decide(
        self, person: Person, item: dict[str, Any], decision: str = "approve", **more: Any
    ) -> httpx.Response:
        headers = {**person.headers, **more.pop("headers", {})}
        body = {"decision": decision, "args_hash": item["args_hash"], **more}
        return await self.http.post(f"/api/approvals/{item['id']}/decision", json=body, headers=headers)

    async def happened(self, item: dict[str, Any]) -> int:
        await quiet(self.home, self.gym, item["session_id"])
        await checked_events(self.home, self.gym, item["session_id"])
        return await paid(self.home, self.gym, item["call_id"])


@pytest.fixture
def asking(desk_http: httpx.AsyncClient, home: House, gym: Gym) -> Asking:
    return Asking(desk_http, home, gym)


async def test_a_request_is_shown_in_full_and_approved(asking: Asking, gym: Gym) -> None:
    item = await asking.request()
    shown = await asking.http.get(f"/api/approvals/{item['id']}", headers=gym.staff.headers)
    assert shown.json() == item
    assert (item["tool"], item["arguments"], item["state"]) == ("pay", {"amount": 5, "to": "gym"}, "pending")
    answered = await asking.decide(gym.staff, item, reason="fine")
    assert answered.status_code == 200, answered.text
    assert (answered.json()["state"], answered.json()["decision_reason"]) == ("approved", "fine")
    assert await asking.happened(item) == 1
    used = await asking.http.get("/api/approvals", params={"state": "used"}, headers=gym.staff.headers)
    assert [one["id"] for one in used.json()["items"]] == [item["id"]]
    log = await asking.http.get("/api/audit", headers=gym.owner.headers)
    of_it = [
        one for one in log.json()["items"] if item["id"] in (one["target"], one["detail"].get("approval_id"))
    ]
    assert [one["action"] for one in of_it] == ["approval.used", "approval.decided", "approval.requested"]


async def test_a_decision_is_recorded_with_who_made_it_and_from_where(asking: Asking, gym: Gym) -> None:
    key = await create_key(asking.http, gym.owner, ["read", "write", "admin"])
    for headers, kind, actor in (
        (gym.staff.headers, "user", str(gym.staff.user_id)),
        (key.headers, "api_key", str(key.id)),
    ):
        item = await asking.request()
        body = {"decision": "deny", "args_hash": item["args_hash"]}
        answered = await asking.http.post(f"/api/approvals/{item['id']}/decision", json=body, headers=headers)
        assert answered.status_code == 200, answered.text
        log = (await asking.http.get("/api/audit", headers=gym.owner.headers)).json()["items"]
        (entry,) = [one for one in log if (one["action"], one["target"]) == ("approval.decided", item["id"])]
        assert (entry["actor_kind"], entry["actor_id"]) == (kind, actor)
        assert entry["ip"] == "127.0.0.1"
        assert entry["correlation_id"] == answered.headers["x-correlation-id"]


async def test_denied_with_a_reason(asking: Asking, gym: Gym) -> None:
    item = await asking.request()
    assert (await asking.decide(gym.staff, item, "deny", reason="no")).json()["state"] == "denied"
    assert await asking.happened(item) == 0


async def test_a_second_decision_is_told_the_first(asking: Asking, gym: Gym) -> None:
    item = await asking.request()
    assert (await asking.decide(gym.staff, item, "deny", reason="no")).status_code == 200
    for decision in ("approve", "deny"):
        again = await asking.decide(gym.admin, item, decision)
        assert again.status_code == 409
        told = again.json()
        assert (told["code"], told["state"], told["reason"]) == ("already_decided", "denied", "no")
        assert told["decided_by"] == str(gym.staff.user_id)
    assert await asking.happened(item) == 0


async def test_the_same_decision_with_the_same_key_is_answered_the_same(asking: Asking, gym: Gym) -> None:
    item = await asking.request()
    key = {"Idempotency-Key": "click"}
    first, second = await asyncio.gather(*(asking.decide(gym.staff, item, headers=key) for _ in range(2)))
    assert first.status_code == second.status_code == 200
    assert first.json() == second.json()
    other = await asking.decide(gym.staff, item, "deny", headers=key)
    assert other.status_code == 422
    assert await asking.happened(item) == 1


async def test_not_what_was_shown(asking: Asking, gym: Gym) -> None:
    item, other = await asking.request(), await asking.request()
    swapped = await asking.decide(gym.staff, {**item, "args_hash": other["args_hash"]})
    assert (swapped.status_code, swapped.json()["code"]) == (409, "approval_mismatch")
    assert await asking.happened(item) == 0


async def test_who_may_decide(asking: Asking, gym: Gym, other_gym: Gym) -> None:
    item = await asking.request()
    assert (await asking.decide(gym.member, item)).status_code == 403
    for stranger in (gym.other_member, other_gym.owner, other_gym.member):
        refused = await asking.decide(stranger, item)
        assert refused.status_code == 404
        seen = await asking.http.get(f"/api/approvals/{item['id']}", headers=stranger.headers)
        assert seen.status_code == 404
        listed = await asking.http.get("/api/approvals", headers=stranger.headers)
        assert item["id"] not in listed.text
    assert await asking.happened(item) == 0


async def test_four_eyes_and_another_role(asking: Asking, gym: Gym, home: House) -> None:
    await set_policy(home, gym, tool="pay", four_eyes=True)
    item = await asking.request(gym.staff)
    assert (await asking.decide(gym.staff, item)).status_code == 403
    key = await create_key(asking.http, gym.owner, ["read", "write", "admin"])
    body = {"decision": "approve", "args_hash": item["args_hash"]}
    by_key = await asking.http.post(f"/api/approvals/{item['id']}/decision", json=body, headers=key.headers)
    assert by_key.status_code == 403
    edited = await asking.http.post(
        f"/api/approvals/{item['id']}/edit", json={"arguments": {"amount": 1}}, headers=gym.admin.headers
    )
    assert edited.status_code == 201, edited.text
    assert (await asking.decide(gym.admin, edited.json())).status_code == 403, (
        "who edited it has asked for it"
    )
    assert (await asking.decide(gym.owner, edited.json())).status_code == 200
    assert await asking.happened(edited.json()) == 1


async def test_members_confirm_their_own_where_the_policy_says_so(
    asking: Asking, gym: Gym, desk_http: httpx.AsyncClient
) -> None:
    body = {"tool": "pay", "mode": "always", "approver_role": "member"}
    put = await desk_http.put("/api/approval-policies", json=body, headers=gym.admin.headers)
    assert put.status_code == 200, put.text
    item = await asking.request()
    assert (await asking.decide(gym.other_member, item)).status_code == 404
    assert (await asking.decide(gym.member, item)).status_code == 200
    assert await asking.happened(item) == 1


async def test_too_late(asking: Asking, gym: Gym, home: House) -> None:
    item = await asking.request()
    late = "UPDATE approvals SET expires_at = now() - interval '1 minute' WHERE id = :id"
    await change(home, gym, late, id=item["id"])
    refused = await asking.decide(gym.staff, item)
    assert (refused.status_code, refused.json()["code"]) == (409, "approval_expired")
    assert await asking.happened(item) == 0


async def test_cancelling_withdraws_it(asking: Asking, gym: Gym) -> None:
    item = await asking.request()
    url = f"/api/sessions/{item['session_id']}/cancel"
    for expected in (True, False):
        cancelled = await asking.http.post(url, headers=gym.member.headers)
        assert cancelled.json() == {"cancelled": expected}
    refused = await asking.decide(gym.staff, item)
    assert refused.json()["state"] == "superseded"
    assert await asking.happened(item) == 0


async def test_fifty_and_fifty_over_http(asking: Asking, gym: Gym) -> None:
    item = await asking.request()
    kinds = ["approve", "deny"] * 50
    answers = await asyncio.gather(*(asking.decide(gym.staff, item, kind) for kind in kinds))
    good = [one for one in answers if one.status_code == 200]
    assert len(good) == 1
    assert {one.status_code for one in answers} <= {200, 409, 503}
    assert await asking.happened(item) == (good[0].json()["state"] == "approved")


async def test_another_organisations_owner_in_the_race_finds_nothing(
    asking: Asking, gym: Gym, other_gym: Gym
) -> None:
    """Twenty of each organisation approve and deny at once: the right ones decide once, the others change nothing."""
    item = await asking.request()
    kinds = ["approve", "deny"] * 10
    strangers, ours = await asyncio.gather(
        asyncio.gather(*(asking.decide(other_gym.owner, item, kind) for kind in kinds)),
        asyncio.gather(*(asking.decide(gym.owner, item, kind) for kind in kinds)),
    )
    assert {one.status_code for one in strangers} == {404}
    assert all(item["args_hash"] not in one.text and item["session_id"] not in one.text for one in strangers)
    (good,) = [one for one in ours if one.status_code == 200]
    assert {one.status_code for one in ours} <= {200, 409, 503}
    assert good.json()["decided_by"] == str(gym.owner.user_id)
    assert await asking.happened(item) == (good.json()["state"] == "approved")
    (row,) = await requests(asking.home, gym, item["session_id"])
    assert row.state in ("used", "denied")
    assert await requests(asking.home, other_gym, item["session_id"]) == []


async def test_an_erased_session_takes_its_requests_along(asking: Asking, gym: Gym, home: House) -> None:
    item = await asking.request()
    assert (
        await asking.http.delete(f"/api/sessions/{item['session_id']}", headers=gym.member.headers)
    ).status_code == 204
    (row,) = await requests(home, gym, item["session_id"])
    assert (row.arguments, row.state) == ("{}", "superseded")
    assert (await asking.decide(gym.staff, item)).status_code == 409


async def test_policies_are_set_listed_and_removed(asking: Asking, gym: Gym) -> None:
    http, url = asking.http, "/api/approval-policies"
    body = {"tool": "pay", "mode": "above", "argument": "amount", "above": 100}
    first = await http.put(url, json=body, headers=gym.admin.headers)
    again = await http.put(url, json={**body, "above": 50}, headers=gym.admin.headers)
    assert (first.json()["id"], again.json()["above"]) == (again.json()["id"], 50)
    assert (await http.get(url, headers=gym.admin.headers)).json()["items"] == [again.json()]
    for wrong in ({**body, "argument": ""}, {**body, "mode": "always"}, {**body, "mode": "sometimes"}):
        assert (await http.put(url, json=wrong, headers=gym.admin.headers)).status_code == 422
    assert (await http.put(url, json=body, headers=gym.staff.headers)).status_code == 403
    removed = await http.delete(f"{url}/{again.json()['id']}", headers=gym.admin.headers)
    assert removed.status_code == 204
    assert (await http.get(url, headers=gym.admin.headers)).json()["items"] == []
    log = (await http.get("/api/audit", headers=gym.owner.headers)).json()["items"]
    deeds = [one["action"] for one in log if one["action"].startswith("approval_policy")]
    assert deeds == ["approval_policy.removed", "approval_policy.set", "approval_policy.set"]


async def test_requests_come_in_pages(asking: Asking, gym: Gym) -> None:
    made = [(await asking.request())["id"] for _ in range(3)]
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = await asking.http.get(
            "/api/approvals", params={"limit": "2", **cursor}, headers=gym.staff.headers
        )
        seen += [one["id"] for one in page.json()["items"]]
        if page.json()["next_cursor"] is None:
            break
        cursor = {"cursor": page.json()["next_cursor"]}
    assert seen == made[::-1]
