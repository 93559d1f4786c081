"""`Idempotency-Key`: one effect and one answer, however often it is sent (TRUST.md I14)."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest

from spotter.api import idempotency
from spotter.api.tables import IdempotentAnswer
from spotter.app import House
from spotter.clock import now
from spotter.errors import TooManyRequests, Unauthenticated, Unavailable
from spotter.identity import organisations
from spotter.ids import random_id
from tests.http.actions import PASSWORD, Desk, bearer, create_key, fresh_email
from tests.http.conftest import Superuser
from tests.support.people import Gym, Person

REPLAYED = "idempotent-replayed"


def key() -> dict[str, str]:
    return {"Idempotency-Key": str(random_id())}


async def count(superuser: Superuser, query: str, *values: object) -> int:
    row = await (await superuser.execute(f"SELECT count(*) FROM {query}".encode(), values)).fetchone()
    assert row is not None
    return int(row[0])


async def invitations(superuser: Superuser, email: str) -> int:
    return await count(superuser, "invitations WHERE email = %s", email)


def assert_one_answer(answers: list[httpx.Response], status: int) -> None:
    assert {answer.status_code for answer in answers} == {status}
    assert len({answer.content for answer in answers}) == 1
    assert len({answer.headers["content-type"] for answer in answers}) == 1
    assert sum(REPLAYED not in answer.headers for answer in answers) == 1


async def test_a_hundred_equal_invitations(http: httpx.AsyncClient, gym: Gym, superuser: Superuser) -> None:
    email, headers = fresh_email(), {**gym.owner.headers, **key()}
    answers = await asyncio.gather(
        *(http.post("/api/invitations", json={"email": email}, headers=headers) for _ in range(100))
    )
    assert_one_answer(list(answers), 201)
    assert await invitations(superuser, email) == 1


async def test_a_hundred_equal_organisations(http: httpx.AsyncClient, gym: Gym, superuser: Superuser) -> None:
    body = {"name": "New", "slug": f"new-{random_id().hex[:12]}"}
    headers = {**gym.member.headers, **key()}
    answers = await asyncio.gather(
        *(http.post("/api/organisations", json=body, headers=headers) for _ in range(100))
    )
    assert_one_answer(list(answers), 201)
    assert await count(superuser, "organisations WHERE slug = %s", body["slug"]) == 1


async def test_twenty_equal_keys_by_a_key(http: httpx.AsyncClient, gym: Gym) -> None:
    maker = await create_key(http, gym.owner, ["read", "write", "admin"])
    headers = {**maker.headers, **key()}
    answers = await asyncio.gather(
        *(http.post("/api/api-keys", json={"name": "one"}, headers=headers) for _ in range(20))
    )
    assert_one_answer(list(answers), 201)
    listed = (await http.get("/api/api-keys", headers=gym.owner.headers)).json()["items"]
    assert sum(one["name"] == "one" for one in listed) == 1


async def test_another_body_or_path_is_refused(
    http: httpx.AsyncClient, gym: Gym, superuser: Superuser
) -> None:
    headers, first, second = {**gym.owner.headers, **key()}, fresh_email(), fresh_email()
    assert (await http.post("/api/invitations", json={"email": first}, headers=headers)).status_code == 201
    for path, body in (
        ("/api/invitations", {"email": second}),
        ("/api/invitations?x=1", {"email": first}),
        ("/api/api-keys", {"name": "other"}),
    ):
        refused = await http.post(path, json=body, headers=headers)
        assert refused.status_code == 422
        assert refused.json()["code"] == "idempotency_key_reused"
    assert await invitations(superuser, second) == 0


async def test_keys_of_different_callers_do_not_meet(
    http: httpx.AsyncClient, gym: Gym, other_gym: Gym
) -> None:
    shared, body = key(), {"email": fresh_email()}
    answers = [
        await http.post("/api/invitations", json=body, headers={**person.headers, **shared})
        for person in (gym.owner, gym.admin, other_gym.owner)
    ]
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 3
    assert all(REPLAYED not in answer.headers for answer in answers)


async def twice(http: httpx.AsyncClient, method: str, path: str, **more: Any) -> list[httpx.Response]:
    return [await http.request(method, path, **more) for _ in range(2)]


async def test_refusals_are_kept(http: httpx.AsyncClient, gym: Gym) -> None:
    headers = gym.owner.headers
    for method, path, body, status in (
        ("POST", "/api/organisations", {"name": "Taken", "slug": gym.slug}, 409),
        ("POST", "/api/organisations", {"name": "", "slug": "UPPER"}, 422),
        ("POST", "/api/organisations", {"name": "x", "slug": "x-y-z", "timezone": "No/Where"}, 422),
        ("DELETE", f"/api/api-keys/{random_id()}", None, 404),
        ("PATCH", f"/api/members/{random_id()}", {"role": "staff"}, 404),
        ("DELETE", f"/api/members/{gym.owner.user_id}", None, 409),
    ):
        first, again = await twice(http, method, path, json=body, headers={**headers, **key()})
        assert first.status_code == again.status_code == status
        assert first.content == again.content, "the correlation id too is the first one's"
        assert again.headers[REPLAYED] == "true"
        assert again.headers["content-type"] == "application/problem+json"


async def test_patch_and_delete(http: httpx.AsyncClient, gym: Gym) -> None:
    made = await create_key(http, gym.owner, ["read"])
    gone = await twice(http, "DELETE", f"/api/api-keys/{made.id}", headers={**gym.owner.headers, **key()})
    assert [answer.status_code for answer in gone] == [204, 204]
    assert gone[1].content == b""
    renamed = await twice(
        http, "PATCH", "/api/me", json={"name": "Once"}, headers={**gym.member.headers, **key()}
    )
    assert renamed[0].json() == renamed[1].json()
    assert renamed[1].headers[REPLAYED] == "true"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Unauthenticated("not now"), 401),
        (TooManyRequests("not now", retry_after=1), 429),
        (Unavailable("not now"), 503),
        (RuntimeError("our bug"), 500),
    ],
)
async def test_what_says_nothing_about_the_request_is_not_kept(
    http: httpx.AsyncClient, gym: Gym, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    headers, body = {**gym.owner.headers, **key()}, {"email": fresh_email()}

    async def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(organisations, "invite", fail)
        refused = await http.post("/api/invitations", json=body, headers=headers)
    assert refused.status_code == status
    answer = await http.post("/api/invitations", json=body, headers=headers)
    assert answer.status_code == 201
    assert REPLAYED not in answer.headers


async def test_routes_without_a_transaction(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    person = await desk.set_password(gym.member)
    for path, body, headers in (
        ("/api/auth/sign-in", {"email": person.email, "password": PASSWORD}, {}),
        ("/api/auth/refresh", {"refresh_token": person.refresh_token}, {}),
        ("/api/auth/link", {"token": await desk.link(person)}, {}),
        ("/api/auth/switch", {"organisation": gym.slug}, person.headers),
    ):
        first, again = await twice(http, "POST", path, json=body, headers={**headers, **key()})
        assert first.status_code == again.status_code == 200, path
        assert first.json() == again.json()
        assert first.headers["set-cookie"] == again.headers["set-cookie"]
        assert again.headers[REPLAYED] == "true"
        assert (await http.get("/api/me", headers=bearer(first.json()["access_token"]))).status_code == 200


async def test_a_changed_password_is_answered_again_to_the_new_sign_in(
    http: httpx.AsyncClient, gym: Gym, desk: Desk
) -> None:
    person, same = await desk.set_password(gym.member), key()
    body = {"current_password": PASSWORD, "new_password": "a wholly new sentence"}
    first = await http.post("/api/me/password", json=body, headers={**person.headers, **same})
    tokens = first.json()
    again = await http.post("/api/me/password", json=body, headers={**bearer(tokens["access_token"]), **same})
    assert again.json() == tokens


async def test_callers_without_a_sign_in(http: httpx.AsyncClient, superuser: Superuser) -> None:
    slug = f"new-{random_id().hex[:12]}"
    body = {
        "email": fresh_email(),
        "password": PASSWORD,
        "organisation_name": "New",
        "organisation_slug": slug,
    }
    headers = key()
    answers = await asyncio.gather(
        *(http.post("/api/auth/sign-up", json=body, headers=headers) for _ in range(10))
    )
    assert_one_answer(list(answers), 201)
    assert await count(superuser, "organisations WHERE slug = %s", slug) == 1


@pytest.mark.parametrize("bad", ["", "x" * 256, "with space", "k\u00e9y".encode("latin-1"), "tab\tbed"])
async def test_keys_that_are_none(http: httpx.AsyncClient, gym: Gym, bad: str | bytes) -> None:
    headers: dict[str, str | bytes] = {**gym.owner.headers, "Idempotency-Key": bad}
    answer = await http.post("/api/invitations", json={"email": fresh_email()}, headers=headers)  # type: ignore[arg-type]
    assert answer.status_code == 422
    assert "Idempotency-Key" in answer.json()["detail"]


async def test_reading_ignores_it(http: httpx.AsyncClient, gym: Gym) -> None:
    for answer in await twice(http, "GET", "/api/me", headers={**gym.owner.headers, **key()}):
        assert answer.status_code == 200
        assert REPLAYED not in answer.headers


async def leave_claim(home: House, person: Person, key_: str, request_hash: str, age: timedelta) -> None:
    """As a process would that died in the middle."""
    async with home.services.database.unit_of_work(person.scope) as uow:
        uow.session.add(
            IdempotentAnswer(
                org_id=person.org_id,
                user_id=person.user_id,
                caller=f"user:{person.user_id}",
                key=key_,
                request_hash=request_hash,
                claimed_until=now() - age,
            )
        )


async def test_an_abandoned_claim_is_taken_over(
    http: httpx.AsyncClient, home: House, gym: Gym, superuser: Superuser
) -> None:
    email, headers = fresh_email(), key()
    body = f'{{"email": "{email}"}}'.encode()
    digest = home.services.vault.digest(b"POST", b"/api/invitations", b"", body)
    await leave_claim(home, gym.owner, headers["Idempotency-Key"], digest, timedelta(seconds=1))
    headers |= {**gym.owner.headers, "Content-Type": "application/json"}
    answers = await asyncio.gather(
        *(http.post("/api/invitations", content=body, headers=headers) for _ in range(10))
    )
    assert_one_answer(list(answers), 201)
    assert await invitations(superuser, email) == 1


async def test_a_claim_at_work_is_waited_for_and_then_told(
    http: httpx.AsyncClient, home: House, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "_WAIT_AT_MOST", 0.2)
    headers, body = key(), b'{"email": "a@new.example"}'
    digest = home.services.vault.digest(b"POST", b"/api/invitations", b"", body)
    await leave_claim(home, gym.owner, headers["Idempotency-Key"], digest, timedelta(seconds=-60))
    headers |= {**gym.owner.headers, "Content-Type": "application/json"}
    answer = await http.post("/api/invitations", content=body, headers=headers)
    assert answer.status_code == 409
    assert int(answer.headers["retry-after"]) >= 1


@pytest.mark.parametrize("path", ["/api/invitations", "/api/organisations", "/api/api-keys"])
async def test_no_effect_without_its_answer(
    http: httpx.AsyncClient, gym: Gym, superuser: Superuser, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    mark = f"x{random_id().hex[:12]}"
    bodies = {"email": f"{mark}@new.example"}, {"name": mark, "slug": mark}, {"name": mark}
    body = dict(zip(("/api/invitations", "/api/organisations", "/api/api-keys"), bodies, strict=True))[path]
    table, column = {
        "/api/invitations": ("invitations", "email"),
        "/api/organisations": ("organisations", "slug"),
        "/api/api-keys": ("api_keys", "name"),
    }[path]
    headers = {**gym.owner.headers, **key()}

    def break_down(*_: object) -> str:
        raise RuntimeError("the process dies here")

    with monkeypatch.context() as patch:
        patch.setattr(idempotency, "_seal", break_down)
        assert (await http.post(path, json=body, headers=headers)).status_code == 500
    assert await count(superuser, f"{table} WHERE {column} LIKE %s", f"{mark}%") == 0
    assert (await http.post(path, json=body, headers=headers)).status_code == 201
    assert await count(superuser, f"{table} WHERE {column} LIKE %s", f"{mark}%") == 1


async def test_who_lost_the_claim_cannot_commit(
    http: httpx.AsyncClient, gym: Gym, superuser: Superuser, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers, email = {**gym.owner.headers, **key()}, fresh_email()
    original = organisations.invite

    async def slow_invite(*arguments: Any) -> Any:
        done = await original(*arguments)
        # Meanwhile another process took the claim over.
        await superuser.execute(
            "UPDATE idempotent_answers SET claimed_until = now() + interval '1 hour' WHERE key = %s",
            (headers["Idempotency-Key"],),
        )
        return done

    with monkeypatch.context() as patch:
        patch.setattr(organisations, "invite", slow_invite)
        answer = await http.post("/api/invitations", json={"email": email}, headers=headers)
    assert answer.status_code == 409
    assert await invitations(superuser, email) == 0


async def test_stored_answers_tell_nothing(
    http: httpx.AsyncClient, gym: Gym, desk: Desk, superuser: Superuser
) -> None:
    person = await desk.set_password(gym.owner)
    same = key()
    made = await http.post("/api/api-keys", json={"name": "k"}, headers={**person.headers, **same})
    body = {"email": person.email, "password": PASSWORD}
    signed_in = await http.post("/api/auth/sign-in", json=body, headers=same)
    rows = await superuser.execute(
        "SELECT row_to_json(a)::text FROM idempotent_answers a WHERE key = %s", (same["Idempotency-Key"],)
    )
    stored = "".join(row[0] for row in await rows.fetchall())
    assert stored.count('"v1.') == 2
    tokens = signed_in.json()
    for secret in (made.json()["key"], tokens["access_token"], tokens["refresh_token"], PASSWORD):
        assert secret not in stored
