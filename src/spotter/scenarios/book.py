"""The agents and scenarios that hold for somebody, and who a name means there."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from spotter.errors import NotFound
from spotter.runtime.agent import Agent
from spotter.runtime.kit import Part
from spotter.scenarios.agent_files import AgentFile
from spotter.scenarios.scenario_files import ScenarioFile

log = logging.getLogger(__name__)

_MOST_KEPT: Final = 512


@dataclass(frozen=True, slots=True)
class Book:
    agents: Mapping[str, AgentFile]
    scenarios: Mapping[str, ScenarioFile]
    default_model: str = "offline"
    _made: dict[tuple[str, str | None], Agent] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(
        cls, agents: Mapping[str, AgentFile], scenarios: Mapping[str, ScenarioFile], default_model: str
    ) -> "Book":
        return cls(MappingProxyType(dict(agents)), MappingProxyType(dict(scenarios)), default_model)

    def scenario(self, scenario_id: str) -> ScenarioFile:
        found = self.scenarios.get(scenario_id)
        if found is None:
            raise NotFound(f"There is no scenario called {scenario_id!r}.")
        return found

    def agent(self, name: str) -> AgentFile:
        found = self.agents.get(name)
        if found is None:
            raise NotFound(f"There is no agent called {name!r}.")
        return found

    def cast(self, part: Part) -> Agent:
        """Who plays it. In a scenario an agent that is gone is replaced by the root, under the root's own name; outside
        of one an agent hands over to nobody."""
        name = part.agent
        if part.scenario is not None:
            scenario = self.scenario(part.scenario)
            if name not in scenario.agents or name not in self.agents:
                log.warning(
                    "an agent is gone; the root takes over", extra={"agent": name, "scenario": scenario.id}
                )
                name = scenario.root
        return _changed(self._of(name, part.scenario), part.overrides)

    def _of(self, name: str, scenario_id: str | None) -> Agent:
        """Made once: its instructions are encoded once, and its tools are found by it."""
        key = (name, scenario_id)
        if key not in self._made:
            if len(self._made) >= _MOST_KEPT:
                self._made.clear()
            self._made[key] = self._make(name, scenario_id)
        return self._made[key]

    def _make(self, name: str, scenario_id: str | None) -> Agent:
        written = self.agent(name)
        if scenario_id is None:
            return written.agent(self.default_model)
        scenario = self.scenario(scenario_id)
        others = {each: self.agents[each] for each in scenario.agents if each in self.agents}
        return written.agent(scenario.model or self.default_model, others, rules=scenario.guardrails.told())


def _changed(agent: Agent, overrides: Mapping[str, Any] | None) -> Agent:
    """With what the session has different. Whoever set it was allowed to; nothing else can be set."""
    if not overrides:
        return agent
    model, instructions = overrides.get("model"), overrides.get("instructions")
    if model:
        agent = replace(agent, model=model, fallbacks=() if model == "offline" else ("offline",))
    return replace(agent, instructions=instructions) if instructions else agent
