"""Agents: those that ship with Spotter, and organisations' own (E9)."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid5

from fastapi import Request
from pydantic import BaseModel, Field

from spotter.api.access import AdminCaller, Caller, StaffCaller
from spotter.api.definition_fields import (
    DefinitionVersions,
    Problems,
    ProjectQuery,
    Rollback,
    book_for,
    problems_shown,
    versions_shown,
)
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.transactions import Transaction
from spotter.billing.accounts import read_account
from spotter.errors import Conflict
from spotter.identity.principal import Role
from spotter.runtime.tool import Effect, Tool
from spotter.scenarios import checking, keeping
from spotter.scenarios.agent_files import AgentFile
from spotter.scenarios.book import Kept
from spotter.scenarios.builtin_files import builtin_agents
from spotter.scenarios.own import AGENTS, as_kept
from spotter.store.unit_of_work import UnitOfWork

routes = router("ai-agents", prefix="/api/ai-agents")

_SHIPPED = UUID("0197a0b0-6e1f-7c54-9a55-5b0f6a9f2d10")
"""From which those that ship have their ids: the same everywhere."""


class AiAgent(AgentFile):
    """An agent, and where it comes from."""

    id: UUID
    source: Literal["builtin", "organisation", "project"]
    project_id: UUID | None
    version: int = Field(description="0 for those that ship with Spotter")
    archived: bool
    created_at: datetime | None
    updated_at: datetime | None


class AiAgents(BaseModel):
    items: list[AiAgent]


class AiAgentTool(BaseModel):
    """A tool that agents can be given."""

    name: str
    description: str
    category: str
    parameters: dict[str, Any] = Field(description="JSON schema")
    permission: Role = Field(description="the least the person must be for whom the agent works")
    effect: Effect
    ends_turn: bool
    sends_outside: bool
    approval: str = Field(description="when a person must approve a call: never, always or above a value")
    examples: list[str]


class AiAgentTools(BaseModel):
    items: list[AiAgentTool]


@routes.get("")
async def list_ai_agents(
    request: Request,
    caller: Caller,
    uow: Transaction,
    project_id: ProjectQuery = None,
    archived: bool = False,
) -> AiAgents:
    """Those you may talk to. `archived` shows those put away instead."""
    book = await book_for(request, caller, uow, project_id)
    if archived:
        rows = await keeping.archived(uow, AGENTS, project_id)
        return AiAgents(items=[_kept(as_kept(AGENTS, row), archived=True) for row in rows])
    return AiAgents(
        items=[_shown(agent, book.kept.get(("agent", name))) for name, agent in book.agents.items()]
    )


@routes.post("", status_code=201)
async def create_ai_agent(
    request: Request,
    caller: AdminCaller,
    uow: Transaction,
    body: AgentFile,
    project_id: ProjectQuery = None,
) -> AiAgent:
    """Save an agent of your own. Called like one that ships with Spotter, it takes its place. It is checked first,
    and nothing is saved that could not work."""
    row = await keeping.create(uow, services_of(request).definitions, AGENTS, body, project_id)
    return _kept(as_kept(AGENTS, row))


@routes.get("/tools")
async def list_ai_agent_tools(request: Request, caller: Caller) -> AiAgentTools:
    """Every tool an agent can be given."""
    return AiAgentTools(items=[_tool(tool) for tool in services_of(request).registry])


@routes.post("/validate")
async def validate_ai_agent(
    request: Request, caller: StaffCaller, uow: Transaction, body: AgentFile, project_id: ProjectQuery = None
) -> Problems:
    """What would be wrong with an agent. Nothing is saved."""
    book = await book_for(request, caller, uow, project_id)
    agents = {**book.agents, body.name: body}
    rules, plan = services_of(request).definitions.rules, (await read_account(uow)).tier
    return problems_shown([*checking.check_agent(body, agents, rules), *checking.check_plan(body, plan)])


@routes.get("/{agent_id}")
async def get_ai_agent(caller: Caller, uow: Transaction, agent_id: UUID) -> AiAgent:
    """One agent."""
    if (shipped := _shipped(agent_id)) is not None:
        return _shown(shipped)
    row = await keeping.by_id(uow, AGENTS, agent_id)
    return _kept(as_kept(AGENTS, row), archived=row.archived_at is not None)


@routes.put("/{agent_id}")
async def update_ai_agent(
    request: Request, caller: AdminCaller, uow: Transaction, agent_id: UUID, body: AgentFile
) -> AiAgent:
    """Save the next version. From the next turn on, everywhere, it is this one. One that was put away comes back."""
    row = await _own(uow, agent_id)
    await keeping.change(uow, services_of(request).definitions, AGENTS, row, body)
    return _kept(as_kept(AGENTS, row))


@routes.delete("/{agent_id}", status_code=204, responses=problem_responses(409))
async def archive_ai_agent(request: Request, caller: AdminCaller, uow: Transaction, agent_id: UUID) -> None:
    """Put it away; `PUT` brings it back. Refused while a scenario needs it."""
    await keeping.archive(uow, services_of(request).definitions, AGENTS, await _own(uow, agent_id))


@routes.get("/{agent_id}/versions", responses=problem_responses(409))
async def list_ai_agent_versions(caller: StaffCaller, uow: Transaction, agent_id: UUID) -> DefinitionVersions:
    """Every version, newest first. What ships with Spotter has none."""
    if _shipped(agent_id) is not None:
        return DefinitionVersions(items=[])
    return versions_shown(await keeping.versions(uow, AGENTS, await _own(uow, agent_id)))


@routes.post("/{agent_id}/rollback")
async def roll_back_ai_agent(
    request: Request, caller: AdminCaller, uow: Transaction, agent_id: UUID, body: Rollback
) -> AiAgent:
    """Make it again what it was. That is a new version, checked like any other."""
    row = await _own(uow, agent_id)
    await keeping.roll_back(uow, services_of(request).definitions, AGENTS, row, body.version)
    return _kept(as_kept(AGENTS, row))


async def _own(uow: UnitOfWork, agent_id: UUID) -> keeping.Row:
    if (shipped := _shipped(agent_id)) is not None:
        raise Conflict(f"{shipped.name!r} ships with Spotter. Save your own under this name to change it.")
    return await keeping.by_id(uow, AGENTS, agent_id)


def _shipped(agent_id: UUID) -> AgentFile | None:
    return next((each for name, each in builtin_agents().items() if uuid5(_SHIPPED, name) == agent_id), None)


def _shown(agent: AgentFile, kept: Kept | None = None) -> AiAgent:
    if kept is not None:
        return _kept(kept)
    return AiAgent(
        **_fields(agent),
        id=uuid5(_SHIPPED, agent.name),
        source="builtin",
        project_id=None,
        version=0,
        archived=False,
        created_at=None,
        updated_at=None,
    )


def _kept(kept: Kept, *, archived: bool = False) -> AiAgent:
    assert isinstance(kept.definition, AgentFile)
    return AiAgent(
        **_fields(kept.definition),
        id=kept.id,
        source="organisation" if kept.project_id is None else "project",
        project_id=kept.project_id,
        version=kept.version,
        archived=archived,
        created_at=kept.created_at,
        updated_at=kept.updated_at,
    )


def _fields(agent: AgentFile) -> dict[str, Any]:
    return {name: getattr(agent, name) for name in AgentFile.model_fields}


def _tool(tool: Tool) -> AiAgentTool:
    return AiAgentTool(
        name=tool.name,
        description=tool.description,
        category=tool.category,
        parameters=dict(tool.schema),
        permission=tool.permission,
        effect=tool.effect,
        ends_turn=tool.ends_turn,
        sends_outside=tool.sends_outside,
        approval=tool.approval.mode,
        examples=list(tool.examples),
    )
