"""Lists in pages: everything once, nothing of others."""

from typing import Any

import httpx

from spotter.identity.principal import Role
from tests.http.actions import Desk, invite
from tests.support.people import Gym, Person


async def walk(http: httpx.AsyncClient, path: str, person: Person, limit: int) -> list[list[dict[str, Any]]]:
    pages: list[list[dict[str, Any]]] = []
    query: dict[str, Any] = {"limit": limit}
    while True:
        answer = await http.get(path, params=query, headers=person.headers)
        assert answer.status_code == 200
        pages.append(answer.json()["items"])
        if answer.json()["next_cursor"] is None:
            return pages
        query["cursor"] = answer.json()["next_cursor"]


async def test_members(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    newcomers = [await desk.add(gym, Role.MEMBER) for _ in range(4)]
    everybody = {str(person.user_id) for person in (*gym.everybody, *newcomers)}
    for limit in (1, 2, 3, 9, 200):
        pages = await walk(http, "/api/members", gym.staff, limit)
        assert all(len(page) <= limit for page in pages)
        listed = [member["id"] for page in pages for member in page]
        assert len(listed) == len(set(listed)) == 9
        assert set(listed) == everybody
        joined = [member["joined_at"] for page in pages for member in page]
        assert joined == sorted(joined)


async def test_who_joins_or_leaves_meanwhile_moves_nobody(
    http: httpx.AsyncClient, gym: Gym, desk: Desk
) -> None:
    first = (await http.get("/api/members?limit=3", headers=gym.owner.headers)).json()
    await http.delete(f"/api/members/{first['items'][2]['id']}", headers=gym.owner.headers)
    late = await desk.add(gym, Role.MEMBER)
    rest = (
        await http.get(
            "/api/members", params={"cursor": first["next_cursor"], "limit": 50}, headers=gym.owner.headers
        )
    ).json()
    listed = [one["id"] for one in (*first["items"], *rest["items"])]
    assert len(listed) == len(set(listed)) == 6
    assert listed[-1] == str(late.user_id)


async def test_audit_newest_first(http: httpx.AsyncClient, gym: Gym) -> None:
    made = [(await invite(http, gym.admin))["id"] for _ in range(7)]
    pages = await walk(http, "/api/audit", gym.owner, 3)
    entries = [entry for page in pages for entry in page]
    assert [one["target"] for one in entries if one["action"] == "member.invited"] == made[::-1]
    assert len({entry["id"] for entry in entries}) == len(entries)
    invited = next(entry for entry in entries if entry["action"] == "member.invited")
    assert (invited["actor_kind"], invited["actor_id"]) == ("user", str(gym.admin.user_id))
    assert invited["ip"] == "127.0.0.1"
    assert invited["correlation_id"]


async def test_a_cursor_of_others_shows_nothing_of_theirs(
    http: httpx.AsyncClient, gym: Gym, other_gym: Gym
) -> None:
    for path in ("/api/members", "/api/audit"):
        await invite(http, gym.owner)
        await invite(http, gym.owner)
        theirs = (await http.get(path, params={"limit": 1}, headers=gym.owner.headers)).json()
        assert theirs["next_cursor"] is not None
        answer = await http.get(
            path, params={"cursor": theirs["next_cursor"]}, headers=other_gym.owner.headers
        )
        assert answer.status_code == 200
        for person in gym.everybody:
            assert person.email not in answer.text
            assert str(person.user_id) not in answer.text


async def test_a_sign_in_is_audited_with_its_address(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    assert (await http.post("/api/auth/link", json={"token": await desk.link(gym.member)})).status_code == 200
    entries = (await http.get("/api/audit", headers=gym.owner.headers)).json()["items"]
    entry = next(one for one in entries if one["action"] == "sign_in.link")
    assert (entry["actor_id"], entry["ip"]) == (str(gym.member.user_id), "127.0.0.1")
