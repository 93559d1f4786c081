"""Every tool there is, by name. One registry; duplicate names are refused."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from spotter.errors import InvalidInput
from spotter.llm.prompt import Tools
from spotter.runtime.tool import Tool


class ToolRegistry:
    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        found: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in found:
                raise ValueError(f"two tools are called {tool.name!r}")
            found[tool.name] = tool
        self._tools: Mapping[str, Tool] = MappingProxyType(found)
        self._wire = lru_cache(maxsize=512)(self._encode)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def wire(self, names: tuple[str, ...]) -> Tools:
        """The named tools as models see them. Encoded once for each set and kept."""
        return self._wire(names)

    def _encode(self, names: tuple[str, ...]) -> Tools:
        unknown = [name for name in names if name not in self._tools]
        if unknown:
            raise InvalidInput(f"There are no tools called {', '.join(unknown)}.")
        return Tools(self._tools[name].spec for name in names)
