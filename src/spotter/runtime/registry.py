"""Every tool there is, by name. One registry; duplicate names are refused."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from spotter.errors import InvalidInput
from spotter.llm.prompt import Tools
from spotter.runtime.agent import Agent, Handover
from spotter.runtime.handoffs import transfer_tool
from spotter.runtime.tool import Tool


class Toolbox:
    """What one agent may call, and how a model is told of it. Encoded once."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools: Mapping[str, Tool] = MappingProxyType({tool.name: tool for tool in tools})
        self.wire = Tools(tool.spec for tool in self._tools.values())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._tools)

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)


class ToolRegistry:
    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        found: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in found:
                raise ValueError(f"two tools are called {tool.name!r}")
            found[tool.name] = tool
        self._tools: Mapping[str, Tool] = MappingProxyType(found)
        self._box = lru_cache(maxsize=512)(self._fill)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def of(self, agent: Agent) -> Toolbox:
        """The agent's tools, and one for each agent it may hand over to."""
        return self._box(agent.tools, agent.handoffs)

    def _fill(self, names: tuple[str, ...], handoffs: tuple[Handover, ...]) -> Toolbox:
        unknown = [name for name in names if name not in self._tools]
        if unknown:
            raise InvalidInput(f"There are no tools called {', '.join(unknown)}.")
        return Toolbox([*(self._tools[name] for name in names), *map(transfer_tool, handoffs)])
