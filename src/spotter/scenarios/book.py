"""The agents and scenarios that hold for somebody, and who a name means there."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from uuid import UUID

from spotter.errors import InvalidInput, NotFound
from spotter.runtime.agent import Agent
from spotter.runtime.kit import Part
from spotter.scenarios.agent_files import AgentFile
from spotter.scenarios.builtin_files import ASSISTANT
from spotter.scenarios.scenario_files import ScenarioFile

log = logging.getLogger(__name__)

_MOST_KEPT: Final = 512


@dataclass(frozen=True, slots=True)
class Kept:
    """A definition of an organisation's own, as it is kept."""

    id: UUID
    name: str
    project_id: UUID | None
    version: int
    definition: AgentFile | ScenarioFile
    created_at: datetime
    updated_at: datetime


class Opening(NamedTuple):
    """Where a session begins."""

    agent: str
    scenario: str | None = None
    stage: str | None = None


@dataclass(frozen=True, slots=True)
class Book:
    agents: Mapping[str, AgentFile]
    scenarios: Mapping[str, ScenarioFile]
    default_model: str = "offline"
    kept: Mapping[tuple[str, str], Kept] = field(default_factory=dict)
    """Those that are somebody's own, by kind and name; the others ship with Spotter."""
    _made: dict[tuple[str, str | None], Agent] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(
        cls, agents: Mapping[str, AgentFile], scenarios: Mapping[str, ScenarioFile], default_model: str
    ) -> "Book":
        return cls(MappingProxyType(dict(agents)), MappingProxyType(dict(scenarios)), default_model)

    def with_own(self, own: Iterable[Kept]) -> "Book":
        """The same with these instead of those that are called alike."""
        agents, scenarios, kept = dict(self.agents), dict(self.scenarios), dict(self.kept)
        for each in own:
            if isinstance(each.definition, AgentFile):
                agents[each.name] = each.definition
                kept["agent", each.name] = each
            else:
                scenarios[each.name] = each.definition
                kept["scenario", each.name] = each
        return Book(agents, scenarios, self.default_model, kept)

    def scenario(self, scenario_id: str) -> ScenarioFile:
        found = self.scenarios.get(scenario_id)
        if found is None:
            raise NotFound("There is no such scenario.")
        return found

    def agent(self, name: str) -> AgentFile:
        found = self.agents.get(name)
        if found is None:
            raise NotFound(f"There is no agent called {name!r}.")
        return found

    def opening(self, scenario_id: str | None, agent: str | None = None) -> Opening:
        """With whom a session begins: the one asked for, where that is possible."""
        if scenario_id is None:
            return Opening(self.agent(agent or ASSISTANT).name)
        scenario = self.scenario(scenario_id)
        if agent is None or agent == scenario.first_agent:
            return Opening(scenario.first_agent, scenario.id, scenario.first_stage)
        self.require_choice(scenario_id, agent)
        return Opening(agent, scenario.id)

    def require_choice(self, scenario_id: str | None, agent: str) -> None:
        """That somebody may say who answers. Where a scenario has a course nobody may: whoever could would be past the
        stages before, screening among them."""
        if scenario_id is None:
            self.agent(agent)
            return
        scenario = self.scenario(scenario_id)
        if agent not in scenario.agents:
            known = ", ".join(scenario.agents)
            raise InvalidInput(
                f"{agent!r} does not take part in the scenario {scenario_id!r}. These do: {known}."
            )
        if scenario.stages is not None:
            raise InvalidInput(
                f"The scenario {scenario_id!r} has a course: its stages decide who answers, beginning with "
                f"{scenario.first_agent!r}."
            )

    def cast(self, part: Part) -> Agent:
        """Who plays it. In a scenario an agent that is gone is replaced by the root, under the root's own name; outside
        of one an agent hands over to nobody."""
        name = part.agent
        if part.scenario is not None:
            if part.scenario not in self.scenarios:
                raise NotFound(f"The scenario {part.scenario!r} is no longer there. Start a new session.")
            scenario = self.scenario(part.scenario)
            if name not in scenario.agents or name not in self.agents:
                log.warning(
                    "an agent is gone; the root takes over", extra={"agent": name, "scenario": scenario.id}
                )
                name = scenario.root
        rules = self.scenarios[part.scenario].guardrails.told() if part.scenario is not None else ""
        return _changed(self._of(name, part.scenario), part.overrides, rules)

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


def _changed(agent: Agent, overrides: Mapping[str, Any] | None, rules: str) -> Agent:
    """With what the session has different. Whoever set it was allowed to; nothing else can be set. Instructions are
    those of the agent they were given for, and the scenario's rules hold beside them."""
    if not overrides:
        return agent
    model, instructions = overrides.get("model"), overrides.get("instructions")
    if model:
        agent = replace(agent, model=model, fallbacks=() if model == "offline" else ("offline",))
    if instructions and overrides.get("agent", agent.name) == agent.name:
        agent = replace(agent, instructions=f"{instructions}\n\n{rules}" if rules else instructions)
    return agent
