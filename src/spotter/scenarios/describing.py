"""Scenarios as they are shown: who takes part, with what they are told and what they can do (B1, B2)."""

from datetime import datetime
from typing import Any
from uuid import UUID

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


class OwnScenario(BaseModel):
    """Where one comes from that does not ship with Spotter."""

    version: int
    project_id: UUID | None = Field(default=None, description="not given for the organisation's")
    model: str | None = Field(
        default=None, description="what its agents think with, unless they say otherwise"
    )
    updated_at: datetime


class ScenarioSummary(BaseModel):
    id: str
    name: str
    description: str
    default_root: str
    agents: list[str]
    own: OwnScenario | None = Field(default=None, description="not given for those that ship with Spotter")


class ScenarioDetail(BaseModel):
    id: str
    name: str
    description: str
    default_root: str
    routing: str
    stages: Stages | None = Field(default=None, description="with the routing `stages`")
    agents: list[ScenarioAgent]
    guardrails: Guardrails
    own: OwnScenario | None = Field(default=None, description="not given for those that ship with Spotter")


def _own(scenario: ScenarioFile, book: Book) -> OwnScenario | None:
    kept = book.kept.get(("scenario", scenario.id))
    if kept is None:
        return None
    return OwnScenario(
        version=kept.version, project_id=kept.project_id, model=scenario.model, updated_at=kept.updated_at
    )


def summary_of(scenario: ScenarioFile, book: Book) -> ScenarioSummary:
    return ScenarioSummary(
        id=scenario.id,
        name=scenario.name,
        description=scenario.description,
        default_root=scenario.root,
        agents=list(scenario.agents),
        own=_own(scenario, book),
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
        own=_own(scenario, book),
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
