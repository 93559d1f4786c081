"""Budgets and credits by HTTP: set by administrators, met by everybody with a clear 402, and nothing is lost."""

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import httpx
from pydantic import SecretStr

from spotter.app import Ground, House
from tests.http.actions import another_server
from tests.support.money import money_is_right
from tests.support.people import Gym, Person


async def _cap(http: httpx.AsyncClient, gym: Gym, **body: Any) -> dict[str, Any]:
    made = await http.post("/api/billing/caps", json=body, headers=gym.admin.headers)
    assert made.status_code == 201, made.text
    answer: dict[str, Any] = made.json()
    return answer


async def _session(http: httpx.AsyncClient, person: Person) -> str:
    made = await http.post("/api/sessions", json={}, headers=person.headers)
    identifier: str = made.json()["id"]
    return identifier


async def _say(http: httpx.AsyncClient, person: Person, session_id: str, **headers: str) -> httpx.Response:
    return await http.post(
        f"/api/sessions/{session_id}/messages", json={"text": "hello"}, headers={**person.headers, **headers}
    )


async def test_without_budget_a_message_gets_402_and_is_kept(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    await _cap(http, gym, scope="organisation", period="day", unit="tokens", hard=20)
    session_id = await _session(http, gym.member)
    refused = await _say(http, gym.member, session_id)
    assert refused.status_code == 402
    assert refused.headers["content-type"] == "application/problem+json"
    problem = refused.json()
    assert problem["code"] == "payment_required"
    assert (problem["left"], problem["unit"], problem["period"]) == (20, "tokens", "day")
    assert datetime.fromisoformat(problem["resets_at"]) > datetime.now(UTC)
    assert "What you said is recorded" in problem["detail"]
    events = (await http.get(f"/api/sessions/{session_id}/events", headers=gym.member.headers)).json()
    assert [event["type"] for event in events["items"]] == ["user_message", "turn_ended"]

    streamed = await _say(http, gym.member, session_id, Accept="text/event-stream")
    assert streamed.status_code == 200
    last = [json.loads(line[5:]) for line in streamed.text.splitlines() if line.startswith("data:")][-1]
    assert last["content"]["limit"] == "budget"
    assert last["content"]["detail"]["left"] == 20
    assert last["content"]["detail"]["resets_at"] == problem["resets_at"]

    left = (await http.get("/api/billing/allowance", headers=gym.member.headers)).json()
    assert [(one["left"], one["scope"]) for one in left["items"]] == [(20, "organisation")]
    await money_is_right(home, gym)


async def test_many_at_once_with_budget_for_one(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    sessions = [await _session(http, gym.member) for _ in range(20)]
    first = await _say(http, gym.member, sessions[0])
    assert first.status_code == 200
    used = (await http.get("/api/billing/current", headers=gym.staff.headers)).json()["total"]["tokens"]
    # As much again as one answer may need (256 said, the prompt counted twice), but not for two.
    enough = 256 + 3 * used["input"]
    await _cap(
        http, gym, scope="organisation", period="month", unit="tokens", hard=sum(used.values()) + enough
    )
    answers = await asyncio.gather(*(_say(http, gym.member, session_id) for session_id in sessions[1:]))
    codes = sorted(answer.status_code for answer in answers)
    assert set(codes) == {200, 402}
    refused = next(answer.json() for answer in answers if answer.status_code == 402)
    assert refused["left"] < refused["needed"]
    standing = (await http.get("/api/billing/caps", headers=gym.staff.headers)).json()["standing"]
    assert standing[0]["spent"] + standing[0]["reserved"] <= standing[0]["hard"]
    await money_is_right(home, gym)


async def test_caps_are_set_changed_and_removed(http: httpx.AsyncClient, gym: Gym) -> None:
    made = await _cap(http, gym, scope="user", period="month", soft=1000, hard=2000)
    twice = await http.post(
        "/api/billing/caps", json={"scope": "user", "period": "month", "hard": 1}, headers=gym.admin.headers
    )
    assert twice.status_code == 409
    for wrong in ({"soft": 5, "hard": 1}, {}):
        body = {"scope": "user", "period": "day", **wrong}
        refused = await http.post("/api/billing/caps", json=body, headers=gym.admin.headers)
        assert refused.status_code == 422, refused.text
    path = f"/api/billing/caps/{made['id']}"
    changed = await http.put(path, json={"hard": 3000}, headers=gym.admin.headers)
    assert (changed.json()["soft"], changed.json()["hard"]) == (None, 3000)
    assert (await http.get(path, headers=gym.staff.headers)).json() == changed.json()
    assert (await http.get(path, headers=gym.member.headers)).status_code == 403
    assert (await http.delete(path, headers=gym.admin.headers)).status_code == 204
    assert (await http.get("/api/billing/caps", headers=gym.staff.headers)).json()["items"] == []
    audit = (await http.get("/api/audit", headers=gym.owner.headers)).json()["items"]
    assert [one["action"] for one in audit[:3]] == ["cap.deleted", "cap.changed", "cap.created"]


async def test_credits_are_given_once_and_spent(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    body = {"kind": "purchase", "credits": "2.5", "reference": "invoice-1"}
    for _ in range(3):
        given = await http.post("/api/billing/credits/movements", json=body, headers=gym.admin.headers)
        assert given.status_code == 201, given.text
    key = {"Idempotency-Key": "once", **gym.admin.headers}
    more = {"kind": "grant", "credits": "1"}
    for _ in range(2):
        await http.post("/api/billing/credits/movements", json=more, headers=key)
    left = (await http.get("/api/billing/credits", headers=gym.staff.headers)).json()
    assert left == {"micro_credits": 3_500_000, "credits": "3.5", "worth": 35_000}
    moved = (await http.get("/api/billing/credits/movements", headers=gym.staff.headers)).json()["items"]
    assert [one["kind"] for one in moved] == ["grant", "purchase"]
    again = {**body, "credits": "3"}
    clash = await http.post("/api/billing/credits/movements", json=again, headers=gym.admin.headers)
    assert clash.status_code == 409
    await money_is_right(home, gym)


OPERATOR = "a-token-of-the-operator"
DECIDED_BY_THE_OPERATOR = (
    ("PATCH", "/api/billing/settings", {"tier": "pro"}),
    ("PATCH", "/api/billing/settings", {"markup": 0}),
    ("POST", "/api/billing/credits/movements", {"kind": "grant", "credits": "1000"}),
    (
        "POST",
        "/api/billing/own-prices",
        {"provider": "openai", "model": "gpt-4o", "input": "0", "output": "0"},
    ),
)


async def _answers(http: httpx.AsyncClient, headers: dict[str, str]) -> set[int]:
    return {
        (await http.request(method, path, json=body, headers=headers)).status_code
        for method, path, body in DECIDED_BY_THE_OPERATOR
    }


async def test_customers_do_not_set_what_they_pay(base: Ground, gym: Gym) -> None:
    """Where anybody may sign up, and nothing else was said."""
    theirs = {"sign_up": "open", "billing_by": None}
    async with another_server(base, theirs) as http:
        assert await _answers(http, gym.owner.headers) == {403}
    async with another_server(base, {**theirs, "operator_token": SecretStr(OPERATOR)}) as http:
        assert await _answers(http, gym.owner.headers) == {403}
        assert await _answers(http, {**gym.owner.headers, "X-Operator-Token": "another"}) == {403}
        assert await _answers(http, {**gym.staff.headers, "X-Operator-Token": OPERATOR}) == {403}
        assert (await http.get("/api/billing/credits", headers=gym.staff.headers)).json()["credits"] == "0"
        await _cap(http, gym, scope="organisation", period="day", unit="tokens", hard=20)
        assert await _answers(http, {**gym.owner.headers, "X-Operator-Token": OPERATOR}) == {200, 201}


async def test_an_organisation_of_ones_own_decides_itself(base: Ground, gym: Gym) -> None:
    async with another_server(base, {"sign_up": "closed", "billing_by": None}) as http:
        assert await _answers(http, gym.admin.headers) == {200, 201}


async def test_settings_are_the_administrators(http: httpx.AsyncClient, gym: Gym) -> None:
    before = (await http.get("/api/billing/settings", headers=gym.staff.headers)).json()
    assert (before["markup"], before["prepaid"], before["tier"]["name"]) == (2000, False, "business")
    changed = await http.patch(
        "/api/billing/settings", json={"markup": 500, "tier": "free"}, headers=gym.admin.headers
    )
    assert changed.status_code == 200, changed.text
    assert (changed.json()["markup"], changed.json()["tier"]["concurrent_turns"]) == (500, 3)
    credit = (await http.get("/api/billing/credits", headers=gym.staff.headers)).json()
    assert credit["credits"] == "100"
    unknown = await http.patch("/api/billing/settings", json={"tier": "platinum"}, headers=gym.admin.headers)
    assert unknown.status_code == 422
    assert len((await http.get("/api/billing/tiers", headers=gym.member.headers)).json()["items"]) == 3
