"""Projects and drafts over HTTP (B10, B15): who sees what, versions, and that the database itself keeps them apart."""

import asyncio
from typing import Any

import httpx
import psycopg
import pytest

from spotter.app import Ground, House
from spotter.identity import projects
from spotter.identity.principal import Role
from tests.http.actions import Desk, create_key
from tests.support.people import Gym, Person


async def make(http: httpx.AsyncClient, gym: Gym, *people: Person, name: str = "Spring") -> str:
    made = await http.post("/api/projects", json={"name": name}, headers=gym.admin.headers)
    assert made.status_code == 201, made.text
    project_id: str = made.json()["id"]
    for person in people:
        added = await http.put(
            f"/api/projects/{project_id}/members/{person.user_id}", headers=gym.admin.headers
        )
        assert added.status_code == 204, added.text
    return project_id


async def put(http: httpx.AsyncClient, person: Person, key: str, **body: Any) -> httpx.Response:
    return await http.put(f"/api/drafts/{key}", json=body, headers=person.headers)


async def names(http: httpx.AsyncClient, person: Person) -> set[str]:
    listed = await http.get("/api/projects", headers=person.headers)
    return {one["name"] for one in listed.json()["items"]}


async def test_a_new_organisation_has_a_default_project(http: httpx.AsyncClient, gym: Gym) -> None:
    project: dict[str, Any] = {}
    for person in gym.everybody:
        listed = (await http.get("/api/projects", headers=person.headers)).json()
        (project,) = listed["items"]
        assert set(project) == {
            "id", "name", "description", "is_default", "archived", "created_at", "updated_at",
        }  # fmt: skip
        assert (project["name"], project["is_default"], project["archived"]) == ("General", True, False)
    refused = await http.delete(f"/api/projects/{project['id']}", headers=gym.owner.headers)
    assert refused.status_code == 409
    again = await http.put(
        f"/api/projects/{project['id']}/members/{gym.member.user_id}", headers=gym.owner.headers
    )
    assert again.status_code == 409


async def test_a_project_is_seen_by_those_in_it_and_by_admins(http: httpx.AsyncClient, gym: Gym) -> None:
    project_id = await make(http, gym, gym.member)
    seen = {person.role: await names(http, person) for person in gym.everybody[:-1]}
    assert "Spring" not in seen[Role.STAFF]
    assert all("Spring" in seen[role] for role in (Role.OWNER, Role.ADMIN, Role.MEMBER))
    assert "Spring" not in await names(http, gym.other_member)
    of_it = await http.get(f"/api/projects/{project_id}/members", headers=gym.owner.headers)
    assert {one["user_id"] for one in of_it.json()["items"]} == {
        str(gym.admin.user_id), str(gym.member.user_id),
    }  # fmt: skip
    own = await http.get(f"/api/projects/{project_id}/members", headers=gym.member.headers)
    assert [one["user_id"] for one in own.json()["items"]] == [str(gym.member.user_id)]

    gone = await http.delete(
        f"/api/projects/{project_id}/members/{gym.member.user_id}", headers=gym.admin.headers
    )
    assert gone.status_code == 204
    assert "Spring" not in await names(http, gym.member)


async def test_an_archived_project_takes_nothing_new(http: httpx.AsyncClient, gym: Gym) -> None:
    project_id = await make(http, gym, gym.member)
    await put(http, gym.member, "plan", content="a", project_id=project_id)
    await http.delete(f"/api/projects/{project_id}", headers=gym.admin.headers)
    assert "Spring" not in await names(http, gym.admin)
    refused = await put(http, gym.member, "plan", content="b", project_id=project_id)
    assert refused.status_code == 409
    kept = await http.get("/api/drafts/plan", params={"project_id": project_id}, headers=gym.member.headers)
    assert kept.json()["content"] == "a"
    back = await http.patch(
        f"/api/projects/{project_id}", json={"archived": False}, headers=gym.admin.headers
    )
    assert back.json()["archived"] is False
    assert (await put(http, gym.member, "plan", content="b", project_id=project_id)).status_code == 200


async def test_a_draft_is_made_once_and_keeps_its_versions(http: httpx.AsyncClient, gym: Gym) -> None:
    first = await put(http, gym.staff, "newsletter", content={"body": "one"}, title="News")
    assert first.status_code == 201, first.text
    assert set(first.json()) == {
        "id", "key", "title", "project_id", "user_id", "version", "created_at", "updated_at", "updated_by",
        "content",
    }  # fmt: skip
    same = await put(http, gym.staff, "newsletter", content={"body": "one"})
    assert (same.status_code, same.json()["version"]) == (200, 1)
    changed = await put(http, gym.staff, "newsletter", content="two\x00", expected_version=1)
    assert (changed.json()["version"], changed.json()["title"]) == (2, "News")
    late = await put(http, gym.staff, "newsletter", content="three", expected_version=1)
    assert (late.status_code, late.json()["code"], late.json()["version"]) == (409, "draft_changed", 2)
    shown = (await http.get("/api/drafts/newsletter", headers=gym.staff.headers)).json()
    assert [(one["version"], one["content"]) for one in shown["versions"]] == [
        (2, "two\N{REPLACEMENT CHARACTER}"),
        (1, {"body": "one"}),
    ]
    listed = (await http.get("/api/drafts", headers=gym.staff.headers)).json()
    assert [(one["key"], one["version"]) for one in listed["items"]] == [("newsletter", 2)]
    assert "content" not in listed["items"][0]


async def test_eight_who_write_one_draft_make_eight_versions(http: httpx.AsyncClient, gym: Gym) -> None:
    answers = await asyncio.gather(*(put(http, gym.staff, "race", content=f"text {n}") for n in range(8)))
    assert sorted(one.json()["version"] for one in answers) == list(range(1, 9))
    assert [one.status_code for one in answers].count(201) == 1


async def test_an_idempotency_key_holds_for_a_draft(http: httpx.AsyncClient, gym: Gym) -> None:
    headers = {**gym.staff.headers, "Idempotency-Key": "one"}
    first = await http.put("/api/drafts/key", json={"content": "x"}, headers=headers)
    await put(http, gym.staff, "key", content="y")
    again = await http.put("/api/drafts/key", json={"content": "x"}, headers=headers)
    assert again.json() == first.json()
    assert (await http.get("/api/drafts/key", headers=gym.staff.headers)).json()["version"] == 2


async def test_in_the_default_project_members_have_their_own(http: httpx.AsyncClient, gym: Gym) -> None:
    for person in (gym.member, gym.other_member, gym.staff):
        await put(http, person, "diary", content=person.email)
    for person in (gym.member, gym.other_member):
        listed = (await http.get("/api/drafts", headers=person.headers)).json()["items"]
        assert [one["user_id"] for one in listed] == [str(person.user_id)]
        assert (await http.get("/api/drafts/diary", headers=person.headers)).json()["content"] == person.email
        other = await http.get(
            "/api/drafts/diary", params={"user_id": str(gym.staff.user_id)}, headers=person.headers
        )
        assert other.status_code == 404
    shared = await http.get("/api/drafts/diary", headers=gym.admin.headers)
    assert (shared.json()["content"], shared.json()["user_id"]) == (gym.staff.email, None)
    of_member = await http.get(
        "/api/drafts/diary", params={"user_id": str(gym.member.user_id)}, headers=gym.staff.headers
    )
    assert of_member.json()["content"] == gym.member.email


async def test_those_in_a_project_share_its_drafts(http: httpx.AsyncClient, gym: Gym) -> None:
    project_id = await make(http, gym, gym.member, gym.other_member)
    await put(http, gym.member, "plan", content="ours", project_id=project_id)
    assert (await put(http, gym.other_member, "plan", content="more", project_id=project_id)).json()[
        "version"
    ] == 2
    hidden = await http.get("/api/drafts/plan", params={"project_id": project_id}, headers=gym.staff.headers)
    assert hidden.status_code == 404
    assert (await http.get("/api/drafts", headers=gym.staff.headers)).json()["items"] == []


async def test_an_api_key_writes_what_the_staff_shares(http: httpx.AsyncClient, gym: Gym) -> None:
    key = await create_key(http, gym.owner, ["read", "write"], role="staff")
    stored = await http.put("/api/drafts/k", json={"content": 1}, headers=key.headers)
    assert (stored.status_code, stored.json()["user_id"]) == (201, None)
    assert (await http.get("/api/drafts/k", headers=gym.staff.headers)).json()["content"] == 1


@pytest.mark.parametrize("content", ["x" * 300_000, [[[["deep"]]]] * 60_000])
async def test_too_much_is_refused(http: httpx.AsyncClient, gym: Gym, content: Any) -> None:
    assert (await put(http, gym.staff, "big", content=content)).status_code == 422


async def test_too_deep_is_refused(http: httpx.AsyncClient, gym: Gym) -> None:
    content: Any = "bottom"
    for _ in range(80):
        content = [content]
    assert (await put(http, gym.staff, "deep", content=content)).status_code == 422


async def test_the_database_itself_hides_what_is_of_a_project(
    http: httpx.AsyncClient, gym: Gym, base: Ground
) -> None:
    """With raw SQL as the login Spotter serves with."""
    project_id = await make(http, gym, gym.member)
    await put(http, gym.member, "plan", content="secret words", project_id=project_id)
    counts: dict[str, tuple[int, ...]] = {}
    async with await psycopg.AsyncConnection.connect(base.urls.runtime_direct) as connection:
        for person in (gym.owner, gym.staff, gym.member, gym.other_member):
            await connection.execute(
                "SELECT set_config('spotter.org_id', %s, false), set_config('spotter.user_id', %s, false),"
                " set_config('spotter.role', %s, false)",
                (str(gym.org_id), str(person.user_id), person.role.value),
            )
            found = [
                await (await connection.execute(query, (project_id,))).fetchone()
                for query in (
                    "SELECT count(*) FROM projects WHERE id = %s",
                    "SELECT count(*) FROM project_members WHERE project_id = %s",
                    "SELECT count(*) FROM drafts WHERE project_id = %s",
                    "SELECT count(*) FROM draft_versions WHERE project_id = %s",
                )
            ]
            counts[str(person.user_id)] = tuple(row[0] for row in found if row is not None)
            if person in (gym.staff, gym.other_member):
                for statement in (
                    "INSERT INTO project_members (org_id, project_id, user_id) VALUES (%s, %s, %s)",
                    "INSERT INTO drafts (org_id, id, project_id, user_id, key, content)"
                    " VALUES (%s, gen_random_uuid(), %s, %s, 'mine', '1')",
                ):
                    with pytest.raises(psycopg.errors.InsufficientPrivilege):
                        await connection.execute(statement, (gym.org_id, project_id, person.user_id))
                    await connection.rollback()
    assert counts == {
        str(gym.owner.user_id): (1, 2, 1, 1),
        str(gym.staff.user_id): (0, 0, 0, 0),
        str(gym.member.user_id): (1, 1, 1, 1),
        str(gym.other_member.user_id): (0, 0, 0, 0),
    }


async def test_everybody_who_is_left_out_comes_in_again_only_by_an_admin(
    http: httpx.AsyncClient, gym: Gym, desk: Desk, home: House
) -> None:
    project_id = await make(http, gym)
    for person in (gym.staff, gym.member):
        tried = await http.put(f"/api/projects/{project_id}/members/{person.user_id}", headers=person.headers)
        assert tried.status_code == 403
    async with home.services.database.unit_of_work(gym.staff.scope) as uow:
        assert [one.name for one in await projects.listing(uow, limit=10)] == ["General"]
