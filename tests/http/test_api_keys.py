"""API keys: shown once, stored as hashes, limited, and gone when revoked (TRUST.md S4)."""

import asyncio
import time
from datetime import timedelta

import httpx

from spotter.clock import now
from tests.http.actions import Desk, bearer, create_key, fresh_email
from tests.http.conftest import Superuser
from tests.support.people import Gym


async def test_it_is_shown_once_and_stored_as_a_hash(
    http: httpx.AsyncClient, gym: Gym, superuser: Superuser
) -> None:
    key = await create_key(http, gym.owner, ["read"])
    for address in ("/api/api-keys", f"/api/api-keys/{key.id}", "/api/audit"):
        answer = await http.get(address, headers=gym.owner.headers)
        assert answer.status_code == 200
        assert key.plain not in answer.text
    stored = await superuser.execute("SELECT row_to_json(k)::text FROM api_keys k WHERE id = %s", (key.id,))
    row = await stored.fetchone()
    assert row is not None
    assert key.plain not in row[0]
    assert key.plain[20:] not in row[0]
    shown = (await http.get(f"/api/api-keys/{key.id}", headers=gym.owner.headers)).json()
    assert key.plain.startswith(shown["prefix"])
    assert len(shown["prefix"]) < len(key.plain) / 2


async def test_it_acts_for_the_organisation(http: httpx.AsyncClient, gym: Gym) -> None:
    key = await create_key(http, gym.owner, ["read", "write", "admin"])
    me = (await http.get("/api/me", headers=key.headers)).json()
    assert (me["kind"], me["user_id"], me["role"]) == ("api_key", None, "admin")
    assert me["organisation"]["slug"] == gym.slug
    invited = await http.post("/api/invitations", json={"email": fresh_email()}, headers=key.headers)
    assert invited.status_code == 201
    entries = (await http.get("/api/audit", headers=key.headers)).json()["items"]
    by_key = [entry for entry in entries if entry["action"] == "member.invited"]
    assert [(entry["actor_kind"], entry["actor_id"]) for entry in by_key] == [("api_key", str(key.id))]
    assert by_key[0]["ip"] == "127.0.0.1"


async def test_role_and_scopes_limit_it(http: httpx.AsyncClient, gym: Gym) -> None:
    read = await create_key(http, gym.owner, ["read"], role="staff")
    assert (await http.get("/api/members", headers=read.headers)).status_code == 200
    assert (await http.get("/api/audit", headers=read.headers)).status_code == 403
    write = await create_key(http, gym.owner, ["read", "write"], role="admin")
    refused = await http.post("/api/invitations", json={"email": fresh_email()}, headers=write.headers)
    assert refused.status_code == 403
    assert "scope admin" in refused.json()["detail"]
    blind = await create_key(http, gym.owner, ["write"])
    assert (await http.get("/api/me", headers=blind.headers)).status_code == 403


async def test_it_cannot_make_a_stronger_one(http: httpx.AsyncClient, gym: Gym) -> None:
    maker = await create_key(http, gym.owner, ["write", "admin"])
    body = {"name": "stronger", "scopes": ["read", "write", "admin"]}
    assert (await http.post("/api/api-keys", json=body, headers=maker.headers)).status_code == 403
    for role in ("owner", "member"):
        answer = await http.post("/api/api-keys", json={"name": "x", "role": role}, headers=gym.owner.headers)
        assert answer.status_code == 422
    owner = {"role": "member"}
    touched = await http.patch(f"/api/members/{gym.owner.user_id}", json=owner, headers=maker.headers)
    assert touched.status_code == 403


async def test_it_expires(http: httpx.AsyncClient, gym: Gym, superuser: Superuser) -> None:
    past = (now() - timedelta(seconds=1)).isoformat()
    body = {"name": "late", "expires_at": past}
    assert (await http.post("/api/api-keys", json=body, headers=gym.owner.headers)).status_code == 422
    key = await create_key(http, gym.owner, ["read"], expires_at=(now() + timedelta(days=1)).isoformat())
    assert (await http.get("/api/me", headers=key.headers)).status_code == 200
    await superuser.execute("UPDATE api_keys SET expires_at = now() WHERE id = %s", (key.id,))
    assert (await http.get("/api/me", headers=key.headers)).status_code == 401


async def test_it_says_when_it_was_used(http: httpx.AsyncClient, gym: Gym, superuser: Superuser) -> None:
    key = await create_key(http, gym.owner, ["read"])

    async def last_used() -> str | None:
        shown = (await http.get(f"/api/api-keys/{key.id}", headers=gym.owner.headers)).json()
        used: str | None = shown["last_used_at"]
        return used

    assert await last_used() is None
    await http.get("/api/me", headers=key.headers)
    first = await last_used()
    assert first is not None
    await http.get("/api/me", headers=key.headers)
    assert await last_used() == first, "written at most once a minute"
    await superuser.execute(
        "UPDATE api_keys SET last_used_at = now() - interval '61 seconds' WHERE id = %s", (key.id,)
    )
    await http.get("/api/me", headers=key.headers)
    later = await last_used()
    assert later is not None
    assert later > first


async def test_a_revoked_one_stops_at_once_even_under_load(http: httpx.AsyncClient, gym: Gym) -> None:
    key = await create_key(http, gym.owner, ["read"])
    in_use = asyncio.Event()
    latest_success = 0.0

    async def use(headers: dict[str, str]) -> None:
        nonlocal latest_success
        refused = 0
        while refused < 20:
            asked = time.monotonic()
            if (await http.get("/api/me", headers=headers)).status_code == 200:
                latest_success = max(latest_success, asked)
                in_use.set()
            else:
                refused += 1

    users = [asyncio.create_task(use(headers)) for headers in (key.headers, bearer(key.plain)) * 2]
    await in_use.wait()
    revoked = await http.delete(f"/api/api-keys/{key.id}", headers=gym.owner.headers)
    answered = time.monotonic()
    assert revoked.status_code == 204
    await asyncio.gather(*users)
    # Asked after the revocation was confirmed, none succeeds; five seconds would have been allowed.
    assert latest_success <= answered
    again = await http.delete(f"/api/api-keys/{key.id}", headers=gym.owner.headers)
    assert again.status_code == 404


async def test_two_credentials_at_once_are_refused(http: httpx.AsyncClient, gym: Gym) -> None:
    key = await create_key(http, gym.owner, ["read"])
    both = await http.get("/api/me", headers={**gym.owner.headers, **key.headers})
    assert both.status_code == 401
    assert "Two different credentials" in both.json()["detail"]
    twice = [("Authorization", f"Bearer {gym.owner.token}"), ("Authorization", f"Bearer {gym.admin.token}")]
    assert (await http.get("/api/me", headers=twice)).status_code == 401
    same = {"Authorization": f"Bearer {key.plain}", "X-API-Key": key.plain}
    assert (await http.get("/api/me", headers=same)).status_code == 200


async def test_sql_in_a_key_is_only_a_wrong_key(http: httpx.AsyncClient, desk: Desk) -> None:
    for attempt in ("spk_' OR '1'='1", "spk_'; DROP TABLE api_keys; --", "spk_" + "%" * 48):
        assert (await http.get("/api/me", headers={"X-API-Key": attempt})).status_code == 401
