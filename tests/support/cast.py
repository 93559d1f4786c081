"""A cast: agents, each with its own scripted model, run by real turns."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from uuid import UUID

from spotter.app import House
from spotter.llm.port import Model
from spotter.llm.scripted import Line, Say, ScriptedModel, call
from spotter.runtime.agent import Agent
from spotter.runtime.kit import AgentSource, Kit, known_agents
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.seams import Seams
from spotter.runtime.tool import Tool
from spotter.runtime.turns import Turns
from spotter.sessions import directory
from spotter.sessions.events import Ending, UserMessage
from spotter.sessions.tables import AgentSession
from spotter.store.scope import Scope
from tests.support.people import Gym

Scripts = Mapping[str, list[Line]]


@asynccontextmanager
async def own_cast(
    home: House, agents: Sequence[Agent], tools: Sequence[Tool], scripts: Scripts, seams: Seams | None = None
) -> AsyncIterator[Turns]:
    """These agents with these tools."""
    source = known_agents({agent.name: agent for agent in agents})
    async with _playing(home, source, ToolRegistry(tools), scripts, seams) as turns:
        yield turns


@asynccontextmanager
async def builtin_cast(home: House, **scripts: list[Line]) -> AsyncIterator[Turns]:
    """The agents that ship, as their scenarios cast them, with their real tools."""
    services = home.services
    async with _playing(home, services.definitions.agent, services.registry, scripts) as turns:
        yield turns


@asynccontextmanager
async def _playing(
    home: House,
    agents: AgentSource,
    registry: ToolRegistry,
    scripts: Scripts,
    seams: Seams | None = None,
) -> AsyncIterator[Turns]:
    models: dict[str, Model] = {name: ScriptedModel(script) for name, script in scripts.items()}

    async def model_of(scope: Scope, agent: Agent) -> Model:
        return models[agent.name]

    services = home.services
    kit = Kit(
        database=services.database,
        bus=services.bus,
        log=services.log,
        registry=registry,
        agents=agents,
        models=model_of,
        seams=seams or Seams(budget=services.ledger, guard=services.moderation),
    )
    turns = Turns(kit)
    await turns.start()
    try:
        yield turns
    finally:
        await turns.stop(grace=1)


async def new_in(
    home: House, scope: Scope, agent: str, scenario: str | None = None, stage: str | None = None
) -> UUID:
    async with home.services.database.unit_of_work(scope) as uow:
        return (await directory.create(uow, agent, scenario=scenario, stage=stage)).id


async def row_of(home: House, scope: Scope, session_id: UUID) -> AgentSession:
    async with home.services.database.unit_of_work(scope) as uow:
        return await directory.get(uow, session_id)


async def agent_of(home: House, gym: Gym, session_id: UUID) -> str:
    return (await row_of(home, gym.member.scope, session_id)).agent


async def turn(turns: Turns, gym: Gym, session_id: UUID, text: str = "hello") -> Ending:
    ticket = await turns.say(gym.member.scope, session_id, UserMessage(text=text))
    assert ticket.done is not None
    return await ticket.done


def transfer(to: str, reason: str = "they ask for it") -> Say:
    return Say(calls=(call(f"transfer_to_{to}", {"reason": reason}),))
