"""Members, their roles, and invitations."""

import asyncio

import httpx
import pytest

from spotter.identity.principal import Role
from tests.http.actions import PASSWORD, Desk, accept, bearer, fresh_email, invite
from tests.http.conftest import Superuser
from tests.support.people import Gym, Person


async def change(http: httpx.AsyncClient, by: Person, whom: Person, role: str) -> int:
    answer = await http.patch(f"/api/members/{whom.user_id}", json={"role": role}, headers=by.headers)
    return answer.status_code


async def remove(http: httpx.AsyncClient, by: Person, whom: Person) -> int:
    return (await http.delete(f"/api/members/{whom.user_id}", headers=by.headers)).status_code


async def owners(superuser: Superuser, gym: Gym) -> int:
    found = await superuser.execute(
        "SELECT count(*) FROM memberships WHERE org_id = %s AND role = 'owner' AND removed_at IS NULL",
        (gym.org_id,),
    )
    row = await found.fetchone()
    assert row is not None
    return int(row[0])


async def test_who_may_change_whom(http: httpx.AsyncClient, gym: Gym) -> None:
    assert await change(http, gym.admin, gym.member, "staff") == 200
    assert await change(http, gym.admin, gym.member, "admin") == 200
    assert await change(http, gym.admin, gym.member, "owner") == 403
    assert await change(http, gym.admin, gym.owner, "member") == 403
    assert await remove(http, gym.admin, gym.owner) == 403
    assert await change(http, gym.staff, gym.other_member, "staff") == 403
    assert await change(http, gym.other_member, gym.other_member, "owner") == 403
    assert await remove(http, gym.staff, gym.other_member) == 403
    assert await change(http, gym.owner, gym.member, "owner") == 200
    assert await change(http, gym.owner, gym.member, "member") == 200


async def test_the_last_owner_stays(http: httpx.AsyncClient, gym: Gym, superuser: Superuser) -> None:
    assert await change(http, gym.owner, gym.owner, "admin") == 409
    assert await remove(http, gym.owner, gym.owner) == 409
    assert await owners(superuser, gym) == 1
    assert await change(http, gym.owner, gym.admin, "owner") == 200
    assert await remove(http, gym.owner, gym.owner) == 204
    assert await owners(superuser, gym) == 1


@pytest.mark.parametrize("way", ["remove", "demote"])
async def test_two_owners_cannot_rid_each_other_at_once(
    http: httpx.AsyncClient, gym: Gym, desk: Desk, superuser: Superuser, way: str
) -> None:
    for _ in range(5):
        one, two = await desk.add(gym, Role.OWNER), await desk.add(gym, Role.OWNER)
        await superuser.execute(
            "UPDATE memberships SET role = 'admin' WHERE org_id = %s AND user_id <> ALL(%s)",
            (gym.org_id, [one.user_id, two.user_id]),
        )
        if way == "remove":
            both = await asyncio.gather(remove(http, one, two), remove(http, two, one))
        else:
            both = await asyncio.gather(change(http, one, two, "staff"), change(http, two, one, "staff"))
        assert sorted(both)[0] in (200, 204)
        assert sorted(both)[1] in (401, 403, 409)
        assert await owners(superuser, gym) == 1


async def test_somebody_removed_is_out_at_once(http: httpx.AsyncClient, gym: Gym) -> None:
    assert await remove(http, gym.admin, gym.member) == 204
    assert (await http.get("/api/me", headers=gym.member.headers)).status_code == 401
    refreshed = await http.post("/api/auth/refresh", json={"refresh_token": gym.member.refresh_token})
    assert refreshed.status_code == 401
    assert await remove(http, gym.admin, gym.member) == 404
    seen = await http.get(f"/api/members/{gym.member.user_id}", headers=gym.owner.headers)
    assert seen.status_code == 404


async def test_a_new_person_joins(http: httpx.AsyncClient, gym: Gym) -> None:
    invitation = await invite(http, gym.admin, email="Ana.Upper@New.Example", role="staff")
    assert invitation["email"] == "ana.upper@new.example"
    joined = await accept(http, invitation["token"], name="Ana")
    assert joined.status_code == 201
    me = (await http.get("/api/me", headers=bearer(joined.json()["access_token"]))).json()
    assert (me["role"], me["name"], me["organisation"]["slug"]) == ("staff", "Ana", gym.slug)
    open_ones = (await http.get("/api/invitations", headers=gym.admin.headers)).json()["items"]
    assert invitation["id"] not in {one["id"] for one in open_ones}


async def test_somebody_with_an_account_proves_it(
    http: httpx.AsyncClient, gym: Gym, other_gym: Gym, desk: Desk
) -> None:
    known = await desk.set_password(other_gym.member)
    invitation = await invite(http, gym.owner, email=known.email)
    assert (await accept(http, invitation["token"], "not their password")).status_code == 401
    joined = await accept(http, invitation["token"])
    assert joined.status_code == 201
    assert joined.json()["user_id"] == str(known.user_id)
    assert (await http.get("/api/me", headers=known.headers)).status_code == 200  # the other sign-in stays


async def test_an_account_without_a_password_is_not_taken_over(
    http: httpx.AsyncClient, gym: Gym, other_gym: Gym
) -> None:
    invitation = await invite(http, gym.owner, email=other_gym.owner.email)
    assert (await accept(http, invitation["token"])).status_code == 401
    signed_in = {"email": other_gym.owner.email, "password": PASSWORD}
    assert (await http.post("/api/auth/sign-in", json=signed_in)).status_code == 401


async def test_invitations_that_are_over(http: httpx.AsyncClient, gym: Gym, superuser: Superuser) -> None:
    withdrawn, old, used = [await invite(http, gym.owner) for _ in range(3)]
    gone = await http.delete(f"/api/invitations/{withdrawn['id']}", headers=gym.admin.headers)
    assert gone.status_code == 204
    await superuser.execute(
        "UPDATE invitations SET expires_at = now() - interval '1 second' WHERE id = %s", (old["id"],)
    )
    assert (await accept(http, used["token"])).status_code == 201
    for invitation in (withdrawn, old, used):
        assert (await accept(http, invitation["token"])).status_code == 401
    again = await http.delete(f"/api/invitations/{withdrawn['id']}", headers=gym.admin.headers)
    assert again.status_code == 404
    found = await superuser.execute("SELECT count(*) FROM users WHERE email = %s", (old["email"],))
    assert await found.fetchone() == (0,)


async def test_who_may_invite_whom(http: httpx.AsyncClient, gym: Gym) -> None:
    for role, status in (("admin", 201), ("staff", 201), ("member", 201), ("owner", 422)):
        body = {"email": fresh_email(), "role": role}
        answer = await http.post("/api/invitations", json=body, headers=gym.admin.headers)
        assert answer.status_code == status
    refused = await http.post("/api/invitations", json={"email": fresh_email()}, headers=gym.staff.headers)
    assert refused.status_code == 403


async def test_of_ten_who_accept_at_once_one_joins(
    http: httpx.AsyncClient, gym: Gym, superuser: Superuser
) -> None:
    invitation = await invite(http, gym.owner)
    answers = await asyncio.gather(*(accept(http, invitation["token"]) for _ in range(10)))
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(201) == 1
    assert set(statuses) <= {201, 401, 409}
    joined = await superuser.execute(
        "SELECT count(*) FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = %s",
        (invitation["email"],),
    )
    assert await joined.fetchone() == (1,)


async def test_rejoining_takes_the_new_role(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    person = await desk.set_password(await desk.add(gym, Role.ADMIN))
    assert await remove(http, gym.owner, person) == 204
    invitation = await invite(http, gym.owner, email=person.email)
    assert (await accept(http, invitation["token"])).status_code == 201
    member = (await http.get(f"/api/members/{person.user_id}", headers=gym.owner.headers)).json()
    assert member["role"] == "member"
