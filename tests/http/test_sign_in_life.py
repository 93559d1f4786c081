"""A sign-in from its refresh tokens to its end."""

import asyncio
from uuid import UUID

import httpx

from spotter.identity.principal import Role
from tests.http.actions import PASSWORD, Desk, bearer
from tests.http.conftest import Superuser
from tests.support.people import Gym

NEW_PASSWORD = "a wholly different sentence"


async def refresh(http: httpx.AsyncClient, token: str) -> httpx.Response:
    return await http.post("/api/auth/refresh", json={"refresh_token": token})


async def works(http: httpx.AsyncClient, access_token: str) -> bool:
    status = (await http.get("/api/me", headers=bearer(access_token))).status_code
    assert status in (200, 401)
    return status == 200


async def age_used_tokens(superuser: Superuser, session_id: UUID) -> None:
    await superuser.execute(
        "UPDATE refresh_tokens SET used_at = used_at - interval '11 seconds' WHERE session_id = %s",
        (session_id,),
    )


async def test_each_refresh_gives_the_next_pair(http: httpx.AsyncClient, gym: Gym) -> None:
    token = gym.member.refresh_token
    seen = {token}
    for _ in range(5):
        answer = await refresh(http, token)
        assert answer.status_code == 200
        token = answer.json()["refresh_token"]
        assert token not in seen
        seen.add(token)
        assert await works(http, answer.json()["access_token"])


async def test_the_browser_s_cookie_will_do(http: httpx.AsyncClient, gym: Gym) -> None:
    http.cookies.set("spotter_refresh", gym.member.refresh_token)
    answer = await http.post("/api/auth/refresh", json={})
    assert answer.status_code == 200
    assert f"spotter_refresh={answer.json()['refresh_token']}" in answer.headers["set-cookie"]
    http.cookies.clear()
    assert (await http.post("/api/auth/refresh", json={})).status_code == 401


async def test_the_cookie_is_no_credential_for_anything_else(http: httpx.AsyncClient, gym: Gym) -> None:
    http.cookies.set("spotter_refresh", gym.owner.refresh_token)
    assert (await http.get("/api/me")).status_code == 401
    assert (await http.post("/api/auth/sign-out")).status_code == 401


async def test_two_tabs_may_use_one_token_at_once(http: httpx.AsyncClient, gym: Gym) -> None:
    first = await refresh(http, gym.member.refresh_token)
    second = await refresh(http, gym.member.refresh_token)
    assert first.json()["refresh_token"] != second.json()["refresh_token"]
    for answer in (first, second):
        assert (await refresh(http, answer.json()["refresh_token"])).status_code == 200


async def test_an_old_token_that_returns_ends_the_sign_in(
    http: httpx.AsyncClient, gym: Gym, superuser: Superuser
) -> None:
    person = gym.member
    next_pair = (await refresh(http, person.refresh_token)).json()
    await age_used_tokens(superuser, person.session_id)
    assert (await refresh(http, person.refresh_token)).status_code == 401
    assert not await works(http, next_pair["access_token"])
    assert not await works(http, person.token)
    assert (await refresh(http, next_pair["refresh_token"])).status_code == 401
    entries = (await http.get("/api/audit", headers=gym.owner.headers)).json()["items"]
    assert "sign_in.reuse_detected" in {entry["action"] for entry in entries}


async def test_twenty_refreshes_at_once(http: httpx.AsyncClient, gym: Gym, superuser: Superuser) -> None:
    answers = await asyncio.gather(*(refresh(http, gym.member.refresh_token) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["refresh_token"] for answer in answers}) == 20
    await age_used_tokens(superuser, gym.member.session_id)
    late = await asyncio.gather(*(refresh(http, gym.member.refresh_token) for _ in range(5)))
    assert {answer.status_code for answer in late} == {401}
    assert (await refresh(http, answers[0].json()["refresh_token"])).status_code == 401


async def test_what_is_no_refresh_token(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    for wrong in (gym.member.token, "spr_" + "x" * 38, await desk.link(gym.member), "x"):
        assert (await refresh(http, wrong)).status_code == 401


async def test_signing_out_ends_everything_of_it_at_once(
    http: httpx.AsyncClient, gym: Gym, desk: Desk
) -> None:
    here, elsewhere = gym.member, await desk.sign_in_again(gym.member)
    pair = (await refresh(http, here.refresh_token)).json()
    answer = await http.post("/api/auth/sign-out", headers=here.headers)
    assert answer.status_code == 204
    assert 'spotter_refresh=""' in answer.headers["set-cookie"]
    assert not await works(http, here.token)
    assert not await works(http, pair["access_token"])
    for token in (here.refresh_token, pair["refresh_token"]):
        assert (await refresh(http, token)).status_code == 401
    assert await works(http, elsewhere.token)


async def test_ending_another_device_of_mine(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    here, lost = gym.member, await desk.sign_in_again(gym.member)
    listed = (await http.get("/api/me/sessions", headers=here.headers)).json()["items"]
    assert {one["id"]: one["current"] for one in listed} == {
        str(here.session_id): True,
        str(lost.session_id): False,
    }
    address = f"/api/me/sessions/{lost.session_id}"
    assert (await http.delete(address, headers=here.headers)).status_code == 204
    assert not await works(http, lost.token)
    assert (await http.delete(address, headers=here.headers)).status_code == 404


async def test_staff_cannot_end_the_owner_s_sign_in(http: httpx.AsyncClient, gym: Gym) -> None:
    for person in (gym.staff, gym.admin, gym.member):
        answer = await http.delete(f"/api/me/sessions/{gym.owner.session_id}", headers=person.headers)
        assert answer.status_code == 404
    assert await works(http, gym.owner.token)


async def test_a_changed_password_ends_all_other_sign_ins(
    http: httpx.AsyncClient, gym: Gym, other_gym: Gym, desk: Desk
) -> None:
    here = await desk.set_password(gym.member)
    there = await desk.join(here, other_gym, Role.MEMBER)
    change = {"current_password": PASSWORD, "new_password": NEW_PASSWORD}
    answer = await http.post("/api/me/password", json=change, headers=here.headers)
    assert answer.status_code == 200
    for old in (here, there):
        assert not await works(http, old.token)
        assert (await refresh(http, old.refresh_token)).status_code == 401
    assert await works(http, answer.json()["access_token"])
    assert (await refresh(http, answer.json()["refresh_token"])).status_code == 200
    for password, status in ((PASSWORD, 401), (NEW_PASSWORD, 200)):
        body = {"email": here.email, "password": password}
        assert (await http.post("/api/auth/sign-in", json=body)).status_code == status


async def test_a_password_is_changed_only_with_the_current_one(
    http: httpx.AsyncClient, gym: Gym, desk: Desk
) -> None:
    person = await desk.set_password(gym.member)
    for current in ({}, {"current_password": "a guess of somebody"}, {"current_password": None}):
        body = {**current, "new_password": NEW_PASSWORD}
        answer = await http.post("/api/me/password", json=body, headers=person.headers)
        assert answer.status_code == 403
    for weak in ("brief", "aaaaaaaaaaaa", "password123", person.email):
        body = {"current_password": PASSWORD, "new_password": weak}
        answer = await http.post("/api/me/password", json=body, headers=person.headers)
        assert answer.status_code == 422
        assert weak not in answer.text
    assert await works(http, person.token)


async def test_of_two_password_changes_at_once_one_wins(
    http: httpx.AsyncClient, gym: Gym, desk: Desk
) -> None:
    person = await desk.set_password(gym.member)
    wanted = [f"{NEW_PASSWORD} {number}" for number in range(3)]
    answers = await asyncio.gather(
        *(
            http.post(
                "/api/me/password",
                json={"current_password": PASSWORD, "new_password": new},
                headers=person.headers,
            )
            for new in wanted
        )
    )
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(200) == 1
    assert set(statuses) <= {200, 401, 403, 409}
    winner = wanted[statuses.index(200)]
    signed_in = await http.post("/api/auth/sign-in", json={"email": person.email, "password": winner})
    assert signed_in.status_code == 200
