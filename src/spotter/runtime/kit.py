"""What turns are run with, wired once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from spotter.errors import NotFound
from spotter.llm.port import Model
from spotter.runtime.agent import Agent
from spotter.runtime.checkpoint import Checkpointer
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.seams import Seams
from spotter.sessions.log import SessionLog
from spotter.store.bus import Bus
from spotter.store.database import Database
from spotter.store.scope import Scope

AgentSource: TypeAlias = Callable[[Scope, str], Awaitable[Agent]]
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


def known_agents(agents: dict[str, Agent]) -> AgentSource:
    """Agents that ship with the program."""

    async def find(scope: Scope, name: str) -> Agent:
        if name not in agents:
            raise NotFound(f"There is no agent called {name!r}.")
        return agents[name]

    return find
