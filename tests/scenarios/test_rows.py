"""What the database itself holds back: who may write definitions, and who sees those of a project."""

from uuid import UUID

import httpx
import pytest
from sqlalchemy import select, text, update
from sqlalchemy.exc import DBAPIError

from spotter.app import House
from spotter.clock import now
from spotter.ids import new_id
from spotter.scenarios.tables import AiAgent, AiAgentVersion, Scenario
from spotter.store.scope import Scope
from tests.http.test_own_agents import project_of, put, save
from tests.support.people import Gym, Person


def row(org_id: UUID) -> AiAgent:
    return AiAgent(
        org_id=org_id, id=new_id(), name="sneaky", definition={}, created_at=now(), updated_at=now()
    )


async def add(home: House, person: Person) -> None:
    """As far as the database allows it; nothing is kept."""
    async with home.services.database.unit_of_work(person.scope) as uow:
        uow.session.add(row(person.org_id))
        await uow.session.flush()
        uow.give_up()


async def test_members_and_staff_write_none(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    saved = await save(http, gym.admin)
    for person in (gym.member, gym.staff):
        with pytest.raises(DBAPIError, match="row-level security"):
            await add(home, person)
        async with home.services.database.unit_of_work(person.scope) as uow:
            changed = await uow.session.execute(
                update(AiAgent)
                .where(AiAgent.id == UUID(saved["id"]))
                .values(name="mine")
                .returning(AiAgent.id)
            )
            assert changed.first() is None
    await add(home, gym.admin)


async def test_nobody_changes_or_deletes_what_was(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    await save(http, gym.admin)
    for statement in (
        "UPDATE ai_agent_versions SET note = 'x'",
        "DELETE FROM ai_agent_versions",
        "DELETE FROM ai_agents",
        "DELETE FROM scenarios",
    ):
        with pytest.raises(DBAPIError, match="permission denied"):
            async with home.services.database.unit_of_work(gym.owner.scope) as uow:
                await uow.session.execute(text(statement))


async def test_what_is_in_a_project_stays_there(
    http: httpx.AsyncClient, home: House, gym: Gym, other_gym: Gym
) -> None:
    project_id = await project_of(http, gym)
    await save(http, gym.admin)
    made = await http.post(
        "/api/ai-agents",
        json={"name": "secret", "instructions": "x"},
        params={"project_id": project_id},
        headers=gym.admin.headers,
    )
    assert made.status_code == 201, made.text
    assert (await put(http, gym.admin, "hidden", project_id=project_id)).status_code == 200

    async def seen(scope: Scope) -> tuple[set[str], set[str], int]:
        async with home.services.database.unit_of_work(scope) as uow:
            agents = set(await uow.session.scalars(select(AiAgent.name)))
            scenarios = set(await uow.session.scalars(select(Scenario.name)))
            versions = len((await uow.session.scalars(select(AiAgentVersion.version))).all())
        return agents, scenarios, versions

    assert await seen(gym.admin.scope) == ({"desk", "secret"}, {"hidden"}, 2)
    assert await seen(gym.member.scope) == ({"desk", "secret"}, {"hidden"}, 0), (
        "is in the project, but no staff"
    )
    assert await seen(gym.other_member.scope) == ({"desk"}, set(), 0)
    assert await seen(gym.staff.scope) == ({"desk"}, set(), 1)
    assert await seen(other_gym.owner.scope) == (set(), set(), 0)
