"""Who may call what: agents, scenarios, and what is asked of them."""

from collections.abc import Mapping
from typing import Any, Final

from spotter.identity.principal import Role
from spotter.ids import random_id
from tests.http.idor_cases import Ask, Case, Seen, World

DESK: Final[dict[str, Any]] = {"name": "desk", "instructions": "You are at the desk."}
WELCOME: Final[dict[str, Any]] = {"name": "Welcome", "root": "trainer", "agents": ["trainer"]}


async def _nothing(world: World) -> Ask:
    return Ask()


async def _new_agent(world: World) -> Ask:
    return Ask(body={**DESK, "name": f"desk_{random_id().hex[:8]}"})


async def _agent(world: World) -> Ask:
    made = await world.http.post(
        "/api/ai-agents", json=(await _new_agent(world)).body, headers=world.gym.owner.headers
    )
    assert made.status_code == 201, made.text
    return Ask(path={"agent_id": made.json()["id"]})


async def _agent_change(world: World) -> Ask:
    return Ask(path=(await _agent(world)).path, body=(await _new_agent(world)).body)


async def _agent_rollback(world: World) -> Ask:
    return Ask(path=(await _agent(world)).path, body={"version": 1})


async def _new_scenario(world: World) -> Ask:
    return Ask(path={"scenario_id": f"s-{random_id().hex}"}, body=WELCOME)


async def _scenario(world: World) -> Ask:
    ask = await _new_scenario(world)
    path = f"/api/scenarios/{ask.path['scenario_id']}"
    saved = await world.http.put(path, json=ask.body, headers=world.gym.owner.headers)
    assert saved.status_code == 200, saved.text
    return Ask(path=ask.path)


async def _scenario_check(world: World) -> Ask:
    return Ask(body={**WELCOME, "id": "welcome"})


async def _scenario_rollback(world: World) -> Ask:
    return Ask(path=(await _scenario(world)).path, body={"version": 1})


async def _who_answers(world: World) -> Ask:
    made = await world.http.post(
        "/api/sessions", json={"scenario": "retail"}, headers=world.gym.member.headers
    )
    assert made.status_code == 201, made.text
    said = [{"role": "user", "content": "Where is my order?"}]
    return Ask(
        body={"scenario_id": "retail", "session_id": made.json()["id"], "messages": said, "apply": True}
    )


async def _sdk_session(world: World) -> str:
    made = await world.http.post(
        "/api/sdk/session/create", json={"agent_name": "assistant"}, headers=world.gym.member.headers
    )
    assert made.status_code == 200, made.text
    session_id: str = made.json()["session_id"]
    return session_id


async def _sdk_create(world: World) -> Ask:
    return Ask(body={"agent_name": "assistant"})


async def _sdk_message(world: World) -> Ask:
    return Ask(body={"session_id": await _sdk_session(world), "user_input": "Hello"})


async def _sdk_transcript(world: World) -> Ask:
    return Ask(query={"session_id": await _sdk_session(world)})


async def _run(world: World) -> Ask:
    return Ask(body={"input": "Hello"})


_AGENT: Final = ("path.agent_id",)
_SCENARIO: Final = ("path.scenario_id",)

SCENARIO_CASES: Final[Mapping[str, Case]] = {
    "list_ai_agents": Case(Role.MEMBER, _nothing),
    "create_ai_agent": Case(Role.ADMIN, _new_agent),
    "list_ai_agent_tools": Case(Role.MEMBER, _nothing),
    "validate_ai_agent": Case(Role.STAFF, _new_agent),
    "get_ai_agent": Case(Role.MEMBER, _agent, ids=_AGENT),
    "update_ai_agent": Case(Role.ADMIN, _agent_change, ids=_AGENT),
    "archive_ai_agent": Case(Role.ADMIN, _agent, ids=_AGENT),
    "list_ai_agent_versions": Case(Role.STAFF, _agent, ids=_AGENT),
    "roll_back_ai_agent": Case(Role.ADMIN, _agent_rollback, ids=_AGENT),
    "orchestrate": Case(Role.MEMBER, _who_answers, ids=("body.session_id",), seen=Seen.BY_ITS_PERSON),
    "run_agent": Case(Role.MEMBER, _run),
    "create_sdk_session": Case(Role.MEMBER, _sdk_create),
    "say_in_sdk_session": Case(Role.MEMBER, _sdk_message, ids=("body.session_id",), seen=Seen.BY_ITS_PERSON),
    "get_sdk_transcript": Case(
        Role.MEMBER, _sdk_transcript, ids=("query.session_id",), seen=Seen.BY_ITS_PERSON
    ),
    "list_scenarios": Case(Role.MEMBER, _nothing),
    "validate_scenario": Case(Role.STAFF, _scenario_check),
    "get_scenario": Case(Role.MEMBER, _scenario, ids=_SCENARIO),
    "put_scenario": Case(Role.ADMIN, _new_scenario, own_names=_SCENARIO),
    "archive_scenario": Case(Role.ADMIN, _scenario, ids=_SCENARIO),
    "list_scenario_versions": Case(Role.STAFF, _scenario, ids=_SCENARIO),
    "roll_back_scenario": Case(Role.ADMIN, _scenario_rollback, ids=_SCENARIO),
}
