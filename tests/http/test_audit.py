"""The audit log over HTTP: what is in it, checking it, taking it along, and what agents did."""

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from spotter.app import House
from spotter.identity import audit_chain
from spotter.llm.scripted import Say, ScriptedModel, call
from spotter.sessions.events import UserMessage
from tests.http.actions import PASSWORD, Desk, accept, create_key, invite
from tests.http.conftest import Superuser
from tests.support.agents import new_session, running_turns
from tests.support.people import Gym, Person

DOCUMENT = Path(__file__).parents[2] / "docs" / "audit.md"


async def entries(http: httpx.AsyncClient, gym: Gym, action: str) -> list[dict[str, Any]]:
    answer = await http.get("/api/audit?limit=200", headers=gym.owner.headers)
    assert answer.status_code == 200, answer.text
    return [entry for entry in answer.json()["items"] if entry["action"] == action]


async def check(http: httpx.AsyncClient, gym: Gym, **query: Any) -> dict[str, Any]:
    answer = await http.get("/api/audit/verify", params=query, headers=gym.owner.headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_entries_show_their_seal(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    await invite(http, gym.owner)
    (fresh,) = await entries(http, gym, "member.invited")
    assert (fresh["number"], fresh["hash"], fresh["sealed_at"]) == (None, None, None)
    await audit_chain.seal(home.services.database, gym.org_id)
    (sealed,) = await entries(http, gym, "member.invited")
    assert sealed["number"] >= 2
    assert re.fullmatch(r"[0-9a-f]{64}", sealed["hash"])


async def test_the_chain_is_checked_in_pieces(
    http: httpx.AsyncClient, home: House, gym: Gym, superuser: Superuser
) -> None:
    assert (await check(http, gym))["unsealed"] > 0
    for _ in range(6):
        await invite(http, gym.owner)
    await audit_chain.seal(home.services.database, gym.org_id)
    whole = await check(http, gym)
    assert (whole["good"], whole["next_number"], whole["unsealed"], whole["broken"]) == (True, None, 0, [])
    seen = 0
    first: int | None = 1
    while first is not None:
        piece = await check(http, gym, first=first, most=3)
        assert piece["good"]
        seen, first = seen + piece["entries"], piece["next_number"]
    assert seen == whole["entries"] == whole["head"]["number"]
    head = {"known_number": whole["head"]["number"], "known_hash": whole["head"]["hash"]}
    assert (await check(http, gym, **head))["known_is_there"] is True
    forged = await check(http, gym, **{**head, "known_hash": "0" * 64})
    assert (forged["known_is_there"], forged["good"]) == (False, False)
    alone = await http.get("/api/audit/verify?known_number=1", headers=gym.owner.headers)
    assert alone.status_code == 422
    await superuser.execute("SET session_replication_role = replica")
    await superuser.execute(
        "UPDATE audit_log SET target = 'x' WHERE org_id = %s AND chain_number = 5", (gym.org_id,)
    )
    broken = await check(http, gym, first=4, most=2)
    assert (broken["good"], [one["number"] for one in broken["broken"]]) == (False, [5])


async def export(http: httpx.AsyncClient, gym: Gym) -> str:
    answer = await http.get("/api/audit/export", headers=gym.owner.headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return answer.text


def outside(exported: str) -> subprocess.CompletedProcess[str]:
    """The script of the documentation, run as anybody would."""
    (script,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    return subprocess.run(
        [sys.executable, "-I", "-c", script], input=exported, capture_output=True, text=True, check=False
    )


async def test_an_export_is_checked_by_the_documented_script(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    for _ in range(5):
        await invite(http, gym.owner)
    await audit_chain.seal(home.services.database, gym.org_id)
    exported = await export(http, gym)
    lines = exported.splitlines()
    good = outside(exported)
    assert good.returncode == 0, good.stderr
    assert f"good up to {len(lines)}: {json.loads(lines[-1])['hash']}" in good.stdout
    for damaged in (
        [*lines[:2], *lines[3:]],
        [lines[1], lines[0], *lines[2:]],
        [*lines[:2], lines[2].replace("member.invited", "member.removed"), *lines[3:]],
        [*lines[:2], lines[2].replace('"ip":"127.0.0.1"', '"ip":"127.0.0.2"'), *lines[3:]],
    ):
        assert damaged != lines
        assert outside("\n".join(damaged)).returncode == 1
    assert len(await entries(http, gym, "audit.exported")) == 1


async def soon(http: httpx.AsyncClient, gym: Gym, action: str) -> dict[str, Any]:
    """What is noted after the answer is there a moment later."""
    deadline = time.monotonic() + 30
    while not (found := await entries(http, gym, action)):
        assert time.monotonic() < deadline, f"{action} is not audited"
        await asyncio.sleep(0.05)
    return found[0]


async def test_a_wrong_password_is_audited(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    person = await desk.set_password(gym.member)
    body = {"email": person.email, "password": "not this one at all"}
    assert (await http.post("/api/auth/sign-in", json=body)).status_code == 401
    entry = await soon(http, gym, "sign_in.failed")
    assert (entry["actor_kind"], entry["actor_id"]) == ("anonymous", None)
    assert (entry["target"], entry["ip"]) == (str(person.user_id), "127.0.0.1")
    assert entry["detail"] == {"way": "password"}
    assert person.email not in json.dumps(entry)


async def test_what_is_refused_is_audited(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    link = await desk.link(gym.member)
    assert (await http.post("/api/auth/link", json={"token": link})).status_code == 200
    assert (await http.post("/api/auth/link", json={"token": link})).status_code == 401
    assert (await soon(http, gym, "sign_in.failed"))["detail"] == {"way": "link"}
    assert (await entries(http, gym, "sign_in_link.created"))[0]["target"] == str(gym.member.user_id)

    person = await desk.set_password(gym.staff)
    change = {"current_password": "not this one at all", "new_password": PASSWORD + "!"}
    answer = await http.post("/api/me/password", json=change, headers=person.headers)
    assert answer.status_code == 403
    refused = await soon(http, gym, "password.change_refused")
    assert refused["actor_id"] == str(person.user_id)

    invited = await invite(http, gym.owner, email=person.email)
    assert (await accept(http, invited["token"], password="wrong password here")).status_code == 401
    ways = [entry["detail"]["way"] for entry in await entries(http, gym, "sign_in.failed")]
    assert ways == ["invitation", "link"]


async def test_signing_out_is_audited(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    person = await desk.sign_in_again(gym.member)
    assert (await http.post("/api/auth/sign-out", headers=person.headers)).status_code == 204
    (entry,) = await entries(http, gym, "sign_out")
    assert (entry["actor_id"], entry["target"]) == (str(person.user_id), str(person.session_id))


async def test_a_revoked_key_is_audited_but_not_each_time(http: httpx.AsyncClient, gym: Gym) -> None:
    key = await create_key(http, gym.owner, ["read"])
    await http.delete(f"/api/api-keys/{key.id}", headers=gym.owner.headers)
    for _ in range(3):
        assert (await http.get("/api/me", headers=key.headers)).status_code == 401
    (entry,) = await entries(http, gym, "api_key.refused")
    assert entry["target"] == str(key.id)


async def work(home: House, gym: Gym, person: Person) -> UUID:
    session_id = await new_session(home, person.scope)
    calls = (call("add", {"a": 1}), call("break_down", {"how": "fail"}))
    async with running_turns(home, ScriptedModel([Say(calls=calls), "Done."])) as turns:
        ticket = await turns.say(person.scope, session_id, UserMessage(text="go"))
        assert ticket.done is not None
        await ticket.done
    return session_id


async def activity(http: httpx.AsyncClient, by: Person, query: Mapping[str, Any]) -> dict[str, Any]:
    answer = await http.get("/api/ai-agents/activity", params=query, headers=by.headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_what_agents_did_is_listed(
    http: httpx.AsyncClient, home: House, gym: Gym, other_gym: Gym
) -> None:
    one, two = await work(home, gym, gym.member), await work(home, gym, gym.other_member)
    everything = (await activity(http, gym.staff, {}))["items"]
    assert [(item["tool"], item["outcome"]) for item in everything] == [
        ("break_down", "error"),
        ("add", "ok"),
    ] * 2
    assert {item["session_id"] for item in everything} == {str(one), str(two)}
    first = everything[-1]
    assert (first["agent"], first["action"], first["user_id"]) == (
        "tester",
        "tool.called",
        str(gym.member.user_id),
    )
    assert first["ms"] >= 0
    assert first["sequence"] > 1
    counts: list[tuple[dict[str, Any], int]] = [
        ({"session_id": str(one)}, 2),
        ({"tool": "add"}, 2),
        ({"outcome": "error"}, 2),
        ({"outcome": "error", "session_id": str(two)}, 1),
        ({"agent": "tester"}, 4),
        ({"agent": "other"}, 0),
        ({"from": everything[1]["at"]}, 2),
        ({"to": everything[1]["at"]}, 2),
        ({"session_id": str(gym.org_id)}, 0),
    ]
    for query, expected in counts:
        assert len((await activity(http, gym.staff, query))["items"]) == expected, query
    page = await activity(http, gym.staff, {"limit": 3})
    rest = await activity(http, gym.staff, {"limit": 3, "cursor": page["next_cursor"]})
    assert [item["id"] for item in (*page["items"], *rest["items"])] == [item["id"] for item in everything]
    assert (await activity(http, other_gym.owner, {"session_id": str(one)}))["items"] == []


@pytest.mark.parametrize("query", [{"outcome": "fine"}, {"from": "2026-01-01T00:00:00"}, {"tool": "a b"}])
async def test_a_filter_that_cannot_be_is_refused(
    http: httpx.AsyncClient, gym: Gym, query: dict[str, str]
) -> None:
    answer = await http.get("/api/ai-agents/activity", params=query, headers=gym.staff.headers)
    assert answer.status_code == 422
