"""Who may run agents by AG-UI. A thread's name is the caller's own; agents and scenarios are the organisation's."""

from collections.abc import Mapping
from typing import Final

from spotter.identity.principal import Role
from spotter.ids import random_id
from tests.http.agui_client import run_input, user
from tests.http.idor_cases import Ask, Case, Seen, World


async def _agent(world: World) -> Ask:
    body = {"name": f"desk_{random_id().hex[:8]}", "instructions": "You are at the desk."}
    made = await world.http.post("/api/ai-agents", json=body, headers=world.gym.owner.headers)
    assert made.status_code == 201, made.text
    said = run_input(str(random_id()), [user("hello")])
    return Ask(path={"agent_name": body["name"]}, body=said)


async def _scenario(world: World) -> Ask:
    name, body = f"s-{random_id().hex}", {"name": "Welcome", "root": "trainer", "agents": ["trainer"]}
    saved = await world.http.put(f"/api/scenarios/{name}", json=body, headers=world.gym.owner.headers)
    assert saved.status_code == 200, saved.text
    return Ask(path={"scenario_name": name}, body=run_input(str(random_id()), [user("hello")]))


async def _thread(world: World) -> Ask:
    made = await world.http.post("/api/sessions", json={}, headers=world.gym.member.headers)
    assert made.status_code == 201, made.text
    return Ask(path={"thread_id": made.json()["id"]})


_THREAD: Final = ("path.thread_id",)

AGUI_CASES: Final[Mapping[str, Case]] = {
    "run_agent_by_agui": Case(Role.MEMBER, _agent, ids=("path.agent_name",)),
    "run_scenario_by_agui": Case(Role.MEMBER, _scenario, ids=("path.scenario_name",)),
    "follow_thread_by_agui": Case(Role.MEMBER, _thread, ids=_THREAD, seen=Seen.BY_ITS_PERSON),
    "cancel_thread_by_agui": Case(Role.MEMBER, _thread, ids=_THREAD, seen=Seen.BY_ITS_PERSON),
}
