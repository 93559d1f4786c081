"""What turns are run with, wired once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from uuid import UUID

from spotter.errors import NotFound
from spotter.llm.port import Model
from spotter.runtime.agent import Agent
from spotter.runtime.checkpoint import Checkpointer
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.seams import Seams
from spotter.runtime.turn_run import Cast
from spotter.sessions.log import SessionLog, Turn
from spotter.store.bus import Bus
from spotter.store.database import Database
from spotter.store.scope import Scope


@dataclass(frozen=True, slots=True)
class Part:
    """Which agent is wanted, and for what: the same name may mean another one in another scenario."""

    agent: str
    scenario: str | None = None
    overrides: dict[str, Any] | None = None
    """What the session has different from the definition."""
    session_id: UUID | None = None


AgentSource: TypeAlias = Callable[[Scope, Part], Awaitable[Agent]]
ModelSource: TypeAlias = Callable[[Scope, Agent], Awaitable[Model]]


@dataclass(frozen=True, slots=True)
class Kit:
    """What turns are run with."""

    database: Database
    bus: Bus
    log: SessionLog
    registry: ToolRegistry
    agents: AgentSource
    models: ModelSource
    seams: Seams = field(default_factory=Seams)
    checkpointer: Checkpointer = field(default_factory=Checkpointer)

    def casting(self, scope: Scope, turn: Turn) -> Callable[[str], Awaitable[Cast]]:
        """Finds who can answer in a turn, by name."""

        async def find(name: str) -> Cast:
            agent = await self.agents(scope, Part(name, turn.scenario, turn.overrides, turn.session_id))
            return Cast(agent, await self.models(scope, agent), self.registry.of(agent).wire)

        return find


def with_own(agents: AgentSource, *own: Agent) -> AgentSource:
    """Also knows those that are nobody's to talk to: they stand behind records of single calls."""
    known = {agent.name: agent for agent in own}

    async def find(scope: Scope, part: Part) -> Agent:
        found = known.get(part.agent)
        return found if found is not None else await agents(scope, part)

    return find


def known_agents(agents: dict[str, Agent]) -> AgentSource:
    """Agents that ship with the program."""

    async def find(scope: Scope, part: Part) -> Agent:
        if part.agent not in agents:
            raise NotFound(f"There is no agent called {part.agent!r}.")
        return agents[part.agent]

    return find
