"""Who may call what: projects, drafts, context, tools."""

from collections.abc import Mapping
from typing import Any, Final

from spotter.identity.principal import Role
from tests.http.idor_cases import Ask, Case, Seen, World


async def _project(world: World) -> str:
    """One of A, with its member in it and nobody else but who made it."""
    owner = world.gym.owner.headers
    made = await world.http.post("/api/projects", json={"name": "Spring"}, headers=owner)
    assert made.status_code == 201, made.text
    identifier: str = made.json()["id"]
    added = await world.http.put(
        f"/api/projects/{identifier}/members/{world.gym.member.user_id}", headers=owner
    )
    assert added.status_code == 204, added.text
    return identifier


async def _nothing(world: World) -> Ask:
    return Ask()


async def _new_project(world: World) -> Ask:
    return Ask(body={"name": "Autumn"})


async def _in_path(world: World) -> Ask:
    return Ask(path={"project_id": await _project(world)})


async def _change(world: World) -> Ask:
    return Ask(path={"project_id": await _project(world)}, body={"name": "Summer"})


async def _somebody(world: World) -> Ask:
    return Ask(path={"project_id": await _project(world), "member_id": str(world.gym.member.user_id)})


async def _new_draft(world: World) -> Ask:
    return Ask(path={"draft_key": "plan"}, body={"content": "words", "project_id": await _project(world)})


async def _draft(world: World) -> Ask:
    ask = await _new_draft(world)
    stored = await world.http.put("/api/drafts/plan", json=ask.body, headers=world.gym.member.headers)
    assert stored.status_code == 201, stored.text
    assert ask.body is not None
    return Ask(path={"draft_key": "plan"}, query={"project_id": ask.body["project_id"]})


async def _drafts(world: World) -> Ask:
    return Ask(query=(await _draft(world)).query)


async def _tool_call(world: World) -> Ask:
    made = await world.http.post("/api/sessions", json={}, headers=world.gym.member.headers)
    return Ask(body={"tool": "echo", "arguments": {"text": "hi"}, "session_id": made.json()["id"]})


async def _page(world: World) -> Ask:
    return Ask(body={"page": "/workouts", "user_id": str(world.gym.member.user_id)})


async def _model_call(world: World) -> Ask:
    return Ask(body={"model": "gpt-4o-mini", "input": "hello"})


_BY_ADMINS: Final[dict[str, Any]] = {"seen": Seen.BY_ADMINS}
_PROJECT: Final = ("path.project_id",)
_BOTH: Final = ("path.project_id", "path.member_id")

CONTEXT_CASES: Mapping[str, Case] = {
    "list_projects": Case(Role.MEMBER, _nothing),
    "create_project": Case(Role.ADMIN, _new_project),
    "get_project": Case(Role.MEMBER, _in_path, ids=_PROJECT, **_BY_ADMINS),
    "update_project": Case(Role.ADMIN, _change, ids=_PROJECT, **_BY_ADMINS),
    "archive_project": Case(Role.ADMIN, _in_path, ids=_PROJECT, **_BY_ADMINS),
    "list_project_members": Case(Role.MEMBER, _in_path, ids=_PROJECT, **_BY_ADMINS),
    "add_project_member": Case(Role.ADMIN, _somebody, ids=_BOTH, **_BY_ADMINS),
    "remove_project_member": Case(Role.ADMIN, _somebody, ids=_BOTH, **_BY_ADMINS),
    "put_draft": Case(
        Role.MEMBER, _new_draft, ids=("body.project_id",), own_names=("path.draft_key",), **_BY_ADMINS
    ),
    "get_draft": Case(
        Role.MEMBER, _draft, ids=("query.project_id",), own_names=("path.draft_key",), **_BY_ADMINS
    ),
    "execute_tool": Case(Role.MEMBER, _tool_call, ids=("body.session_id",), seen=Seen.BY_ITS_PERSON),
    "snapshot_context": Case(Role.MEMBER, _page, ids=("body.user_id",), seen=Seen.BY_STAFF),
    "pass_on_response": Case(Role.STAFF, _model_call, also=frozenset({503})),
    "list_drafts": Case(Role.MEMBER, _drafts, ids=("query.project_id",), **_BY_ADMINS),
}
