"""Coming in: passwords, one-time links, choosing and switching the organisation, signing up."""

import asyncio
import hashlib

import httpx
import pytest

from spotter.app import Ground
from spotter.identity.principal import Role
from spotter.ids import random_id
from tests.http.actions import PASSWORD, Desk, another_server, bearer, fresh_email, without_id
from tests.http.conftest import Superuser
from tests.support.people import Gym


async def sign_in(
    http: httpx.AsyncClient, email: str, password: str = PASSWORD, **more: str
) -> httpx.Response:
    return await http.post("/api/auth/sign-in", json={"email": email, "password": password, **more})


def sign_up_body(**changes: str) -> dict[str, str]:
    slug = f"new-{random_id().hex[:12]}"
    return {
        "email": fresh_email(),
        "password": PASSWORD,
        "name": "Ana",
        "organisation_name": "New Gym",
        "organisation_slug": slug,
        **changes,
    }


async def test_with_a_password(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    person = await desk.set_password(gym.staff)
    answer = await sign_in(http, person.email.upper())
    assert answer.status_code == 200
    assert answer.json()["user_id"] == str(person.user_id)
    assert answer.json()["organisation_id"] == str(gym.org_id)
    assert answer.json()["token_type"] == "bearer"
    me = await http.get("/api/me", headers=bearer(answer.json()["access_token"]))
    assert me.json()["role"] == "staff"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("spotter_refresh=")
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= {part.strip() for part in cookie.split(";")}


async def test_wrong_in_any_way_is_told_the_same(
    http: httpx.AsyncClient, gym: Gym, desk: Desk, superuser: Superuser
) -> None:
    known = await desk.set_password(gym.member)
    disabled = await desk.set_password(gym.other_member)
    await superuser.execute("UPDATE users SET disabled_at = now() WHERE id = %s", (disabled.user_id,))
    answers = [
        await sign_in(http, known.email, "not the password"),
        await sign_in(http, fresh_email()),
        await sign_in(http, disabled.email),
        await sign_in(http, gym.staff.email),  # has no password
        await sign_in(http, fresh_email(), organisation=gym.slug),
    ]
    assert {answer.status_code for answer in answers} == {401}
    assert len({str(without_id(answer)) for answer in answers}) == 1
    assert all("set-cookie" not in answer.headers for answer in answers)


async def test_a_disabled_account_stops_everywhere(
    http: httpx.AsyncClient, gym: Gym, desk: Desk, superuser: Superuser
) -> None:
    person = gym.member
    link = await desk.link(person)
    await superuser.execute("UPDATE users SET disabled_at = now() WHERE id = %s", (person.user_id,))
    assert (await http.get("/api/me", headers=person.headers)).status_code == 401
    refreshed = await http.post("/api/auth/refresh", json={"refresh_token": person.refresh_token})
    assert refreshed.status_code == 401
    assert (await http.post("/api/auth/link", json={"token": link})).status_code == 401


async def test_choosing_the_organisation(
    http: httpx.AsyncClient, gym: Gym, other_gym: Gym, desk: Desk
) -> None:
    person = await desk.set_password(gym.member)
    await desk.join(person, other_gym, Role.STAFF)
    first = await sign_in(http, person.email)
    assert first.json()["organisation_id"] == str(gym.org_id)
    for name in (other_gym.slug, str(other_gym.org_id)):
        chosen = await sign_in(http, person.email, organisation=name)
        assert chosen.json()["organisation_id"] == str(other_gym.org_id)
    here = await http.get("/api/me/organisations", headers=bearer(first.json()["access_token"]))
    assert [(one["slug"], one["role"]) for one in here.json()["items"]] == [
        (gym.slug, "member"),
        (other_gym.slug, "staff"),
    ]


async def test_an_organisation_of_others_is_like_none(
    http: httpx.AsyncClient, gym: Gym, other_gym: Gym, desk: Desk
) -> None:
    person = await desk.set_password(gym.owner)
    for refused, unknown in (
        (
            await sign_in(http, person.email, organisation=other_gym.slug),
            await sign_in(http, person.email, organisation="no-such-gym"),
        ),
        (
            await http.post(
                "/api/auth/switch", json={"organisation": other_gym.slug}, headers=person.headers
            ),
            await http.post("/api/auth/switch", json={"organisation": "nowhere"}, headers=person.headers),
        ),
    ):
        assert refused.status_code == unknown.status_code == 404
        assert without_id(refused) == without_id(unknown)


async def test_switching_keeps_the_first_sign_in(
    http: httpx.AsyncClient, gym: Gym, other_gym: Gym, desk: Desk
) -> None:
    await desk.join(gym.member, other_gym, Role.ADMIN)
    switched = await http.post(
        "/api/auth/switch", json={"organisation": other_gym.slug}, headers=gym.member.headers
    )
    there = (await http.get("/api/me", headers=bearer(switched.json()["access_token"]))).json()
    here = (await http.get("/api/me", headers=gym.member.headers)).json()
    assert (there["organisation"]["slug"], there["role"]) == (other_gym.slug, "admin")
    assert (here["organisation"]["slug"], here["role"]) == (gym.slug, "member")


async def test_signing_up(http: httpx.AsyncClient) -> None:
    body = sign_up_body()
    answer = await http.post("/api/auth/sign-up", json=body)
    assert answer.status_code == 201
    me = (await http.get("/api/me", headers=bearer(answer.json()["access_token"]))).json()
    assert (me["email"], me["role"], me["name"]) == (body["email"], "owner", "Ana")
    assert me["organisation"]["slug"] == body["organisation_slug"]
    assert (await sign_in(http, body["email"])).status_code == 200


async def test_signing_up_is_all_or_nothing(http: httpx.AsyncClient, gym: Gym, superuser: Superuser) -> None:
    for body, status in (
        (sign_up_body(organisation_slug=gym.slug), 409),
        (sign_up_body(timezone="Mars/Olympus"), 422),
        (sign_up_body(password="short"), 422),
        (sign_up_body(email=gym.owner.email), 409),
    ):
        assert (await http.post("/api/auth/sign-up", json=body)).status_code == status
        accounts = await superuser.execute(
            "SELECT count(*) FROM users WHERE email = %s", (body["email"].lower(),)
        )
        places = await superuser.execute(
            "SELECT count(*) FROM organisations WHERE slug = %s", (body["organisation_slug"],)
        )
        there_before = (body["email"] == gym.owner.email, body["organisation_slug"] == gym.slug)
        assert (await accounts.fetchone(), await places.fetchone()) == (
            (int(there_before[0]),),
            (int(there_before[1]),),
        )


async def test_ten_who_want_one_name(http: httpx.AsyncClient) -> None:
    slug = f"wanted-{random_id().hex[:12]}"
    answers = await asyncio.gather(
        *(http.post("/api/auth/sign-up", json=sign_up_body(organisation_slug=slug)) for _ in range(5))
    )
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409, 409]


async def test_sign_up_can_be_closed(base: Ground, superuser: Superuser) -> None:
    body = sign_up_body()
    async with another_server(base, {"sign_up": "closed"}) as closed:
        answer = await closed.post("/api/auth/sign-up", json=body)
    assert answer.status_code == 403
    assert "invitation" in answer.json()["detail"]
    found = await superuser.execute("SELECT 1 FROM users WHERE email = %s", (body["email"],))
    assert await found.fetchone() is None


async def test_a_link_works_once(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    token = await desk.link(gym.member)
    first = await http.post("/api/auth/link", json={"token": token})
    second = await http.post("/api/auth/link", json={"token": token})
    assert first.status_code == 200
    assert first.json()["user_id"] == str(gym.member.user_id)
    assert second.status_code == 401
    assert "used already" in second.json()["detail"]


async def test_an_old_link_does_not(
    http: httpx.AsyncClient, gym: Gym, desk: Desk, superuser: Superuser
) -> None:
    token = await desk.link(gym.member)
    await superuser.execute(
        "UPDATE sign_in_links SET expires_at = now() - interval '1 second' WHERE token_hash = %s",
        (hashlib.sha256(token.encode()).hexdigest(),),
    )
    assert (await http.post("/api/auth/link", json={"token": token})).status_code == 401


async def test_a_link_of_somebody_removed_does_not(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    token = await desk.link(gym.member)
    gone = await http.delete(f"/api/members/{gym.member.user_id}", headers=gym.owner.headers)
    assert gone.status_code == 204
    assert (await http.post("/api/auth/link", json={"token": token})).status_code == 401


@pytest.mark.parametrize("round_", range(2))
async def test_of_twenty_with_one_link_one_comes_in(
    http: httpx.AsyncClient, gym: Gym, desk: Desk, round_: int
) -> None:
    token = await desk.link(gym.member)
    answers = await asyncio.gather(*(http.post("/api/auth/link", json={"token": token}) for _ in range(20)))
    assert sorted(answer.status_code for answer in answers) == [200] + [401] * 19
