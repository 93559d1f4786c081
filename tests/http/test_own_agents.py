"""Organisations' own agents and scenarios over HTTP: shapes, order, versions, and that a change is felt everywhere."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import httpx
import pytest

from spotter.app import Ground, House, house
from spotter.runtime.kit import Part
from spotter.sessions.events import UserMessage
from spotter.sessions.log import Lease
from spotter.store.scope import Scope
from tests.http.idor_scenario_cases import DESK, WELCOME
from tests.http.test_sessions import say
from tests.support.money import account
from tests.support.people import Gym, Person


async def save(http: httpx.AsyncClient, person: Person, **given: Any) -> dict[str, Any]:
    answer = await http.post("/api/ai-agents", json={**DESK, **given}, headers=person.headers)
    assert answer.status_code == 201, answer.text
    saved: dict[str, Any] = answer.json()
    return saved


async def put(http: httpx.AsyncClient, person: Person, scenario: str, **given: Any) -> httpx.Response:
    project = {"project_id": given.pop("project_id")} if "project_id" in given else {}
    return await http.put(
        f"/api/scenarios/{scenario}", json={**WELCOME, **given}, params=project, headers=person.headers
    )


async def project_of(http: httpx.AsyncClient, gym: Gym) -> str:
    made = await http.post("/api/projects", json={"name": "Spring"}, headers=gym.owner.headers)
    project_id: str = made.json()["id"]
    await http.put(f"/api/projects/{project_id}/members/{gym.member.user_id}", headers=gym.owner.headers)
    return project_id


async def test_the_shapes_of_scenarios(http: httpx.AsyncClient, gym: Gym) -> None:
    listed = (await http.get("/api/scenarios", headers=gym.member.headers)).json()
    assert list(listed) == ["scenarios"]
    retail = next(one for one in listed["scenarios"] if one["id"] == "retail")
    assert list(retail) == ["id", "name", "description", "default_root", "agents"]
    assert (retail["default_root"], retail["agents"][0]) == ("supervisor", "supervisor")
    detail = (await http.get("/api/scenarios/retail", headers=gym.member.headers)).json()
    assert list(detail) == ["id", "name", "description", "default_root", "routing", "agents", "guardrails"]
    assert detail["routing"] == "handoff"
    supervisor, advisor, _ = detail["agents"]
    assert list(advisor) == ["name", "description", "instructions", "model", "tools", "handoffs", "voice"]
    assert supervisor["handoffs"] == ["product_advisor", "order_care"]
    assert [list(tool) for tool in advisor["tools"]] == [["name", "description", "parameters"]] * 2
    assert "Promise a refund" in advisor["instructions"]
    trainer = (await http.get("/api/scenarios/trainer", headers=gym.member.headers)).json()
    assert "voice" not in trainer["agents"][0]


@pytest.mark.parametrize("prefix", ["/.netlify/functions", "/functions/v1"])
async def test_the_old_addresses_answer(http: httpx.AsyncClient, gym: Gym, prefix: str) -> None:
    for path in ("/scenarios", "/scenarios/retail", "/ai-agents", "/ai-agents/tools"):
        assert (await http.get(prefix + path, headers=gym.member.headers)).status_code == 200


async def test_an_agent_of_ones_own(http: httpx.AsyncClient, gym: Gym) -> None:
    saved = await save(http, gym.admin, description="At the desk", tools=["message_ask_user"], voice="sage")
    assert (saved["source"], saved["version"], saved["archived"]) == ("organisation", 1, False)
    read = await http.get(f"/api/ai-agents/{saved['id']}", headers=gym.member.headers)
    assert read.json() == saved
    items = (await http.get("/api/ai-agents", headers=gym.member.headers)).json()["items"]
    assert {(one["name"], one["source"]) for one in items} >= {
        ("trainer", "builtin"),
        ("desk", "organisation"),
    }
    shipped = next(one for one in items if one["name"] == "trainer")
    assert (await http.get(f"/api/ai-agents/{shipped['id']}", headers=gym.member.headers)).json() == shipped
    changed = await http.put(
        f"/api/ai-agents/{shipped['id']}", json={**DESK, "name": "trainer"}, headers=gym.admin.headers
    )
    assert changed.status_code == 409
    again = await http.post("/api/ai-agents", json=DESK, headers=gym.admin.headers)
    assert (again.status_code, saved["id"] in again.json()["detail"]) == (409, True)


async def test_tools_tell_what_they_do(http: httpx.AsyncClient, gym: Gym) -> None:
    items = (await http.get("/api/ai-agents/tools", headers=gym.member.headers)).json()["items"]
    idle = next(one for one in items if one["name"] == "idle")
    assert (idle["category"], idle["permission"], idle["effect"], idle["ends_turn"]) == (
        "talk",
        "member",
        "ours",
        True,
    )
    assert idle["parameters"]["required"] == ["reason"]


async def test_an_agent_has_as_many_tools_as_the_plan_allows(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    names = [tool.name for tool in home.services.registry][:13]
    saved = await save(http, gym.admin, tools=names)
    await account(home, gym, tier="free")
    problem = {
        "where": "agent desk",
        "code": "too_many_tools",
        "message": "It has 13 tools, and the plan Free allows 12 for each agent. Take some away, or ask for a larger "
        "plan.",
    }
    many = {**DESK, "tools": names}
    path = f"/api/ai-agents/{saved['id']}"
    for refused in (
        await http.put(path, json=many, headers=gym.admin.headers),
        await http.post("/api/ai-agents", json={**many, "name": "more"}, headers=gym.admin.headers),
    ):
        assert (refused.status_code, refused.json()["code"]) == (422, "definition_invalid")
        assert [{**one, "where": "agent desk"} for one in refused.json()["problems"]] == [problem]
    checked = await http.post("/api/ai-agents/validate", json=many, headers=gym.staff.headers)
    assert checked.json() == {"valid": False, "problems": [problem]}
    scenario = {**WELCOME, "id": "welcome", "root": "desk", "agents": ["desk"], "with_agents": [many]}
    checked = await http.post("/api/scenarios/validate", json=scenario, headers=gym.staff.headers)
    assert checked.json()["problems"] == [problem]
    assert (await http.get(path, headers=gym.member.headers)).json() == saved, "it goes on as it was"
    fewer = await http.put(path, json={**DESK, "tools": names[:12]}, headers=gym.admin.headers)
    assert fewer.status_code == 200, fewer.text


async def test_nothing_is_saved_that_cannot_work(http: httpx.AsyncClient, gym: Gym) -> None:
    wrong = {**DESK, "tools": ["fly"], "model": "martian:9", "handoffs": ["nobody"]}
    refused = await http.post("/api/ai-agents", json=wrong, headers=gym.admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (422, "definition_invalid")
    codes = [problem["code"] for problem in refused.json()["problems"]]
    assert codes == ["unknown_tool", "model_not_allowed", "unknown_handoff"]
    checked = await http.post("/api/ai-agents/validate", json=wrong, headers=gym.staff.headers)
    assert checked.json() == {"valid": False, "problems": refused.json()["problems"]}
    items = (await http.get("/api/ai-agents", headers=gym.admin.headers)).json()["items"]
    assert "desk" not in {one["name"] for one in items}
    scenario = {**WELCOME, "id": "welcome", "root": "desk", "agents": ["desk"]}
    checked = await http.post("/api/scenarios/validate", json=scenario, headers=gym.staff.headers)
    assert [one["code"] for one in checked.json()["problems"]] == ["unknown_agent"]
    together = {**scenario, "with_agents": [DESK]}
    checked = await http.post("/api/scenarios/validate", json=together, headers=gym.staff.headers)
    assert checked.json() == {"valid": True, "problems": []}


async def test_an_agent_that_others_need_stays(http: httpx.AsyncClient, gym: Gym) -> None:
    desk = await save(http, gym.admin)
    assert (await put(http, gym.admin, "welcome", root="desk", agents=["desk"])).status_code == 200
    path = f"/api/ai-agents/{desk['id']}"
    refused = await http.delete(path, headers=gym.admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "definition_needed")
    assert "welcome" in refused.json()["detail"]
    renamed = await http.put(path, json={**DESK, "name": "counter"}, headers=gym.admin.headers)
    assert renamed.status_code == 422
    assert (await http.delete("/api/scenarios/welcome", headers=gym.admin.headers)).status_code == 204
    assert (await http.get("/api/scenarios/welcome", headers=gym.admin.headers)).status_code == 404
    assert (await http.delete(path, headers=gym.admin.headers)).status_code == 204
    put_away = (await http.get("/api/ai-agents?archived=true", headers=gym.admin.headers)).json()["items"]
    assert [(one["name"], one["archived"]) for one in put_away] == [("desk", True)]
    back = await http.put(path, json=DESK, headers=gym.admin.headers)
    assert (back.json()["version"], back.json()["archived"]) == (2, False)


async def test_what_would_break_one_that_ships_is_refused(http: httpx.AsyncClient, gym: Gym) -> None:
    """A supervisor of one's own takes the place of the one that ships, so it must reach the others too."""
    lonely = await http.post("/api/ai-agents", json={**DESK, "name": "supervisor"}, headers=gym.admin.headers)
    assert [one["code"] for one in lonely.json()["problems"]] == ["unreachable_agent"] * 2
    own = await save(http, gym.admin, name="supervisor", handoffs=["product_advisor", "order_care"])
    detail = (await http.get("/api/scenarios/retail", headers=gym.member.headers)).json()
    assert detail["agents"][0]["instructions"].startswith(DESK["instructions"])
    assert (await http.delete(f"/api/ai-agents/{own['id']}", headers=gym.admin.headers)).status_code == 204
    detail = (await http.get("/api/scenarios/retail", headers=gym.member.headers)).json()
    assert detail["agents"][0]["instructions"].startswith("You supervise the shop")


async def test_the_course_of_one_that_ships_stays(http: httpx.AsyncClient, gym: Gym) -> None:
    """Its stages are moved by code; a scenario of the same id without them would let people past screening."""
    shipped = (await http.get("/api/scenarios/coach", headers=gym.admin.headers)).json()
    agents = [agent["name"] for agent in shipped["agents"]]
    chained = [{**DESK, "name": name, "handoffs": [n for n in agents if n != name]} for name in agents]
    without = {"id": "coach", **WELCOME, "root": agents[-1], "agents": agents, "with_agents": chained}
    checked = await http.post("/api/scenarios/validate", json=without, headers=gym.staff.headers)
    assert [one["code"] for one in checked.json()["problems"]] == ["course_changed"]
    same = {"root": shipped["default_root"], "agents": agents, "routing": "stages"}
    moved = {**shipped["stages"], "first": "workout"}
    refused = await put(http, gym.admin, "coach", **same, stages=moved)
    assert [one["code"] for one in refused.json()["problems"]] == ["course_changed"]
    kept = await put(
        http, gym.admin, "coach", **same, stages=shipped["stages"], guardrails={"never": ["Shout."]}
    )
    assert kept.status_code == 200, kept.text


async def test_a_project_comes_before_the_organisation(http: httpx.AsyncClient, gym: Gym) -> None:
    project = {"project_id": await project_of(http, gym)}
    said = []
    for name, where in (("Built in", None), ("The organisation's", {}), ("The project's", project)):
        if where is not None:
            saved = await http.put(
                "/api/scenarios/retail",
                json={**WELCOME, "name": name},
                params=where,
                headers=gym.admin.headers,
            )
            assert saved.status_code == 200, saved.text
        for params in ({}, project):
            listed = (await http.get("/api/scenarios", params=params, headers=gym.member.headers)).json()[
                "scenarios"
            ]
            said.append(next(one["name"] for one in listed if one["id"] == "retail"))
    shop = "The gym's shop"
    assert said == [shop, shop, *["The organisation's"] * 2, "The organisation's", "The project's"]
    # Nobody else sees anything of the project.
    hidden = await http.get("/api/scenarios/retail", params=project, headers=gym.other_member.headers)
    assert hidden.status_code == 404
    agent = (await http.post("/api/ai-agents", json=DESK, params=project, headers=gym.admin.headers)).json()
    assert agent["source"] == "project"
    path = f"/api/ai-agents/{agent['id']}"
    assert (await http.get(path, headers=gym.member.headers)).status_code == 200
    assert (await http.get(path, headers=gym.other_member.headers)).status_code == 404
    assert (await http.get(path, headers=gym.staff.headers)).status_code == 404
    assert (await http.get(f"{path}/versions", headers=gym.staff.headers)).status_code == 404


async def test_a_session_of_a_project_is_answered_by_its_agents(
    http: httpx.AsyncClient, gym: Gym, home: House
) -> None:
    project_id = await project_of(http, gym)
    await save(http, gym.admin, instructions="You are the organisation's desk.")
    await http.post(
        "/api/ai-agents",
        json={**DESK, "instructions": "You are the project's desk."},
        params={"project_id": project_id},
        headers=gym.admin.headers,
    )
    for given, expected in (({"project_id": project_id}, "project's"), ({}, "organisation's")):
        made = await http.post("/api/sessions", json={"agent": "desk", **given}, headers=gym.member.headers)
        assert made.status_code == 201, made.text
        part = Part("desk", session_id=made.json()["id"])
        agent = await home.services.definitions.agent(gym.member.scope, part)
        assert agent.instructions == f"You are the {expected} desk."


async def test_versions_and_back(http: httpx.AsyncClient, gym: Gym) -> None:
    saved = await save(http, gym.admin)
    path = f"/api/ai-agents/{saved['id']}"
    for text in ("Second.", "Third."):
        answer = await http.put(path, json={**DESK, "instructions": text}, headers=gym.admin.headers)
        assert answer.status_code == 200
    back = await http.post(f"{path}/rollback", json={"version": 2}, headers=gym.admin.headers)
    assert (back.json()["version"], back.json()["instructions"]) == (4, "Second.")
    missing = await http.post(f"{path}/rollback", json={"version": 9}, headers=gym.admin.headers)
    assert missing.status_code == 404
    items = (await http.get(f"{path}/versions", headers=gym.staff.headers)).json()["items"]
    assert [(one["version"], one["note"]) for one in items] == [
        (4, "back to version 2"),
        (3, "saved"),
        (2, "saved"),
        (1, "saved"),
    ]
    assert [one["definition"]["instructions"] for one in items][:2] == ["Second.", "Third."]
    assert items[0]["created_by"] == str(gym.admin.user_id)
    trail = (await http.get("/api/audit", headers=gym.owner.headers)).json()["items"]
    assert [one["action"] for one in trail if one["target"] == saved["id"]] == ["agent.saved"] * 4
    for name in ("One", "Two"):
        await put(http, gym.admin, "welcome", name=name)
    back = await http.post("/api/scenarios/welcome/rollback", json={"version": 1}, headers=gym.admin.headers)
    assert (back.json()["name"], back.json()["own"]["version"]) == ("One", 3)
    listed = (await http.get("/api/scenarios", headers=gym.member.headers)).json()["scenarios"]
    own = {one["id"]: one["own"]["version"] for one in listed if "own" in one}
    assert own == {"welcome": 3}, "only an organisation's own say so"
    kept = await http.get("/api/scenarios/welcome/versions", headers=gym.staff.headers)
    assert [one["version"] for one in kept.json()["items"]] == [3, 2, 1]


async def test_what_ships_has_no_versions(http: httpx.AsyncClient, gym: Gym) -> None:
    answer = await http.get("/api/scenarios/retail/versions", headers=gym.staff.headers)
    assert answer.json() == {"items": []}
    answer = await http.get("/api/scenarios/nowhere/versions", headers=gym.staff.headers)
    assert answer.status_code == 404
    for method, path in (("DELETE", "/api/scenarios/retail"), ("POST", "/api/scenarios/retail/rollback")):
        body = {"version": 1} if method == "POST" else None
        answer = await http.request(method, path, json=body, headers=gym.admin.headers)
        assert answer.status_code == 409


async def test_words_that_cannot_be_stored_are_replaced(http: httpx.AsyncClient, gym: Gym) -> None:
    saved = await save(http, gym.admin, instructions="A\x00B")
    assert "\x00" not in saved["instructions"]


async def test_a_change_is_felt_on_every_instance(
    http: httpx.AsyncClient, gym: Gym, base: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other instance has looked already, and would not look again for an hour: the next turn it opens tells it."""
    monkeypatch.setattr("spotter.store.stamps._FRESH_SECONDS", 3600.0)
    saved = await save(http, gym.admin)
    made = await http.post("/api/sessions", json={"agent": "desk"}, headers=gym.member.headers)
    async with house(base) as other:
        definitions = other.services.definitions
        scope = Scope(gym.org_id, None, "service")
        assert (await definitions.agent(scope, Part("desk"))).instructions == DESK["instructions"]
        await http.put(
            f"/api/ai-agents/{saved['id']}",
            json={**DESK, "instructions": "New words."},
            headers=gym.admin.headers,
        )
        assert (await definitions.agent(scope, Part("desk"))).instructions == DESK["instructions"]
        await other.services.log.open_turn(
            gym.member.scope, UUID(made.json()["id"]), UserMessage(text="hello"), Lease(owner=1)
        )
        assert (await definitions.agent(scope, Part("desk"))).instructions == "New words."


async def test_here_it_is_felt_at_once(http: httpx.AsyncClient, gym: Gym) -> None:
    saved = await save(http, gym.admin, tools=["get_progress_summary"])
    made = await http.post("/api/sessions", json={"agent": "desk"}, headers=gym.member.headers)
    session_id = made.json()["id"]
    reply = await say(http, gym.member, session_id, "hello")
    assert "get progress summary" in reply["text"]
    await http.put(
        f"/api/ai-agents/{saved['id']}",
        json={**DESK, "tools": ["get_workout_stats"]},
        headers=gym.admin.headers,
    )
    reply = await say(http, gym.member, session_id, "hello")
    assert "get workout stats" in reply["text"]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"scenario": "retail"}, 201),
        ({"scenario": "retail", "agent": "order_care"}, 201),
        ({"scenario": "retail", "agent": "trainer"}, 422),
        ({"scenario": "nowhere"}, 404),
        ({"agent": "nobody"}, 404),
    ],
)
async def test_sessions_begin_in_a_scenario(
    http: httpx.AsyncClient, gym: Gym, given: Mapping[str, str], status: int
) -> None:
    made = await http.post("/api/sessions", json=given, headers=gym.member.headers)
    assert made.status_code == status, made.text
    if status == 201:
        wanted = given.get("agent", "supervisor")
        assert (made.json()["scenario"], made.json()["agent"]) == ("retail", wanted)


async def test_where_there_is_a_course_nobody_is_chosen(http: httpx.AsyncClient, gym: Gym) -> None:
    stages = {"first": "start", "agents": {"start": "trainer", "end": "assistant"}}
    course = {"agents": ["trainer", "assistant"], "routing": "stages", "stages": stages}
    assert (await put(http, gym.admin, "course", **course)).status_code == 200
    made = await http.post("/api/sessions", json={"scenario": "course"}, headers=gym.member.headers)
    assert (made.json()["agent"], made.json()["stage"]) == ("trainer", "start")
    later = {"scenario": "course", "agent": "assistant"}
    assert (await http.post("/api/sessions", json=later, headers=gym.member.headers)).status_code == 422
    fork = f"/api/sessions/{made.json()['id']}/fork"
    for agent in ("assistant", "trainer"):
        refused = await http.post(fork, json={"agent": agent}, headers=gym.member.headers)
        assert refused.status_code == 422
    body = {"session_id": made.json()["id"], "user_input": "Hi", "agent": {"name": "assistant"}}
    refused = await http.post("/api/sdk/session/message", json=body, headers=gym.member.headers)
    assert refused.status_code == 422


async def test_a_fork_with_another_model_is_for_staff(http: httpx.AsyncClient, gym: Gym) -> None:
    for person, model, status in (
        (gym.member, "offline", 403),
        (gym.staff, "martian:9", 403),
        (gym.staff, "offline", 201),
    ):
        made = await http.post("/api/sessions", json={}, headers=person.headers)
        fork = f"/api/sessions/{made.json()['id']}/fork"
        answer = await http.post(fork, json={"model": model}, headers=person.headers)
        assert answer.status_code == status, answer.text
