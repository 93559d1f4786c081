"""Scenarios as they are shown: who takes part, with what they are told and what they can do (B1, B2)."""

from typing import Any

from pydantic import BaseModel, Field

from spotter.runtime.kit import Part
from spotter.runtime.registry import ToolRegistry
from spotter.scenarios.book import Book
from spotter.scenarios.scenario_files import Guardrails, ScenarioFile, Stages


class ToolShown(BaseModel):
    name: str
    description: str
    parameters: dict[str, Any] = Field(description="JSON schema")


class ScenarioAgent(BaseModel):
    name: str
    description: str
    instructions: str
    model: str
    tools: list[ToolShown]
    handoffs: list[str]
    voice: str | None = None


class ScenarioSummary(BaseModel):
    id: str
    name: str
    description: str
    default_root: str
    agents: list[str]


class ScenarioDetail(BaseModel):
    id: str
    name: str
    description: str
    default_root: str
    routing: str
    stages: Stages | None = Field(default=None, description="with the routing `stages`")
    agents: list[ScenarioAgent]
    guardrails: Guardrails


def summary_of(scenario: ScenarioFile) -> ScenarioSummary:
    return ScenarioSummary(
        id=scenario.id,
        name=scenario.name,
        description=scenario.description,
        default_root=scenario.root,
        agents=list(scenario.agents),
    )


def detail_of(scenario: ScenarioFile, book: Book, registry: ToolRegistry) -> ScenarioDetail:
    return ScenarioDetail(
        id=scenario.id,
        name=scenario.name,
        description=scenario.description,
        default_root=scenario.root,
        routing=scenario.routing,
        stages=scenario.stages,
        agents=agents_of(scenario, book, registry),
        guardrails=scenario.guardrails,
    )


def agents_of(
    scenario: ScenarioFile, book: Book, registry: ToolRegistry, first: str | None = None
) -> list[ScenarioAgent]:
    """All who take part, in the scenario's order, but `first` before the others."""
    names = sorted((name for name in scenario.agents if name in book.agents), key=lambda name: name != first)
    return [_agent(name, scenario, book, registry) for name in names]


def _agent(name: str, scenario: ScenarioFile, book: Book, registry: ToolRegistry) -> ScenarioAgent:
    """As it plays here: with the scenario's rules in its instructions, and only the handoffs it has here."""
    agent, written = book.cast(Part(name, scenario.id)), book.agents[name]
    tools = [tool for tool in map(registry.get, agent.tools) if tool is not None]
    return ScenarioAgent(
        name=name,
        description=written.description,
        instructions=agent.instructions,
        model=agent.model,
        tools=[
            ToolShown(name=tool.name, description=tool.description, parameters=dict(tool.schema))
            for tool in tools
        ],
        handoffs=[handover.to for handover in agent.handoffs],
        voice=written.voice,
    )
