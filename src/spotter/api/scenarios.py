"""Scenarios: who takes part in a conversation and how it finds the right one (B1)."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Request
from pydantic import BaseModel, Field, ValidationError

from spotter.api.access import AdminCaller, Caller, StaffCaller
from spotter.api.definition_fields import (
    DefinitionVersions,
    Problems,
    ProjectQuery,
    Rollback,
    ScenarioName,
    book_for,
    problems_shown,
    versions_shown,
)
from spotter.api.fields import Body
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.transactions import Transaction
from spotter.billing.accounts import read_account
from spotter.errors import Conflict, InvalidInput, NotFound
from spotter.scenarios import checking, keeping
from spotter.scenarios.agent_files import AgentFile, AgentName, ModelName, what_is_wrong
from spotter.scenarios.builtin_files import builtin_scenarios
from spotter.scenarios.describing import ScenarioDetail, ScenarioSummary, detail_of, summary_of
from spotter.scenarios.own import SCENARIOS
from spotter.scenarios.scenario_files import Guardrails, ScenarioFile, Stages
from spotter.store.unit_of_work import UnitOfWork

routes = router("scenarios", prefix="/api/scenarios")


class Scenarios(BaseModel):
    scenarios: list[ScenarioSummary]


class ScenarioWritten(Body):
    """A scenario's definition; its id is in the path."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    description: Annotated[str, Field(max_length=400)] = ""
    root: AgentName = Field(description="who is spoken to first")
    agents: Annotated[list[AgentName], Field(min_length=1, max_length=40)]
    routing: Literal["handoff", "stages"] = "handoff"
    stages: Stages | None = Field(default=None, description="with the routing `stages`, and only then")
    guardrails: Guardrails = Guardrails()
    model: ModelName | None = None


class ScenarioToCheck(ScenarioWritten):
    id: ScenarioName
    with_agents: list[AgentFile] = Field(
        default=[], description="agents that are not saved yet, or not saved so"
    )


@routes.get("", response_model_exclude_none=True)
async def list_scenarios(
    request: Request, caller: Caller, uow: Transaction, project_id: ProjectQuery = None
) -> Scenarios:
    """Those you may talk in: what ships with Spotter, and the organisation's own."""
    book = await book_for(request, caller, uow, project_id)
    return Scenarios(scenarios=[summary_of(each, book) for each in book.scenarios.values()])


@routes.post("/validate")
async def validate_scenario(
    request: Request,
    caller: StaffCaller,
    uow: Transaction,
    body: ScenarioToCheck,
    project_id: ProjectQuery = None,
) -> Problems:
    """What would be wrong with it, and with the agents that come with it. Nothing is saved."""
    book = await book_for(request, caller, uow, project_id)
    rules = services_of(request).definitions.rules
    agents = {**book.agents, **{agent.name: agent for agent in body.with_agents}}
    plan = (await read_account(uow)).tier
    found = [
        problem
        for agent in body.with_agents
        for problem in (*checking.check_agent(agent, agents, rules), *checking.check_plan(agent, plan))
    ]
    written = body.model_copy(update={"with_agents": []})
    file = _file(body.id, written)
    found += [
        *checking.check_scenario(file, agents, rules),
        *checking.check_course(file, builtin_scenarios().get(file.id)),
    ]
    return problems_shown(found)


@routes.get("/{scenario_id}", response_model_exclude_none=True)
async def get_scenario(
    request: Request,
    caller: Caller,
    uow: Transaction,
    scenario_id: ScenarioName,
    project_id: ProjectQuery = None,
) -> ScenarioDetail:
    """One scenario with its agents, as they play in it."""
    book = await book_for(request, caller, uow, project_id)
    return detail_of(book.scenario(scenario_id), book, services_of(request).registry)


@routes.put("/{scenario_id}", response_model_exclude_none=True)
async def put_scenario(
    request: Request,
    caller: AdminCaller,
    uow: Transaction,
    scenario_id: ScenarioName,
    body: ScenarioWritten,
    project_id: ProjectQuery = None,
) -> ScenarioDetail:
    """Save one of your own. Called like one that ships with Spotter, it takes its place. It is checked first, and
    nothing is saved that could not work."""
    services = services_of(request)
    file = _file(scenario_id, body)
    row = await keeping.by_name(uow, SCENARIOS, scenario_id, project_id)
    if row is None:
        await keeping.create(uow, services.definitions, SCENARIOS, file, project_id)
    else:
        await keeping.change(uow, services.definitions, SCENARIOS, row, file)
    book = await keeping.book_in(uow, services.definitions, project_id)
    return detail_of(book.scenario(scenario_id), book, services.registry)


@routes.delete("/{scenario_id}", status_code=204, responses=problem_responses(409))
async def archive_scenario(
    request: Request,
    caller: AdminCaller,
    uow: Transaction,
    scenario_id: ScenarioName,
    project_id: ProjectQuery = None,
) -> None:
    """Put one of your own away; `PUT` brings it back. If it took the place of one that ships, that one is back."""
    row = await _own(uow, scenario_id, project_id)
    await keeping.archive(uow, services_of(request).definitions, SCENARIOS, row)


@routes.get("/{scenario_id}/versions", responses=problem_responses(409))
async def list_scenario_versions(
    caller: StaffCaller, uow: Transaction, scenario_id: ScenarioName, project_id: ProjectQuery = None
) -> DefinitionVersions:
    """Every version of one of your own, newest first. What ships with Spotter has none."""
    row = await keeping.by_name(uow, SCENARIOS, scenario_id, project_id)
    if row is None and scenario_id in builtin_scenarios():
        return DefinitionVersions(items=[])
    return versions_shown(
        await keeping.versions(uow, SCENARIOS, row or await _own(uow, scenario_id, project_id))
    )


@routes.post("/{scenario_id}/rollback", response_model_exclude_none=True)
async def roll_back_scenario(
    request: Request,
    caller: AdminCaller,
    uow: Transaction,
    scenario_id: ScenarioName,
    body: Rollback,
    project_id: ProjectQuery = None,
) -> ScenarioDetail:
    """Make it again what it was. That is a new version, checked like any other."""
    services = services_of(request)
    row = await _own(uow, scenario_id, project_id)
    await keeping.roll_back(uow, services.definitions, SCENARIOS, row, body.version)
    book = await keeping.book_in(uow, services.definitions, project_id)
    return detail_of(book.scenario(scenario_id), book, services.registry)


async def _own(uow: UnitOfWork, name: str, project_id: UUID | None) -> keeping.Row:
    row = await keeping.by_name(uow, SCENARIOS, name, project_id)
    if row is not None:
        return row
    if name in builtin_scenarios():
        raise Conflict(f"{name!r} ships with Spotter. Save your own under this name to change it.")
    raise NotFound("There is no such scenario.")


def _file(scenario_id: str, body: ScenarioWritten) -> ScenarioFile:
    written = {name: getattr(body, name) for name in ScenarioWritten.model_fields}
    try:
        return ScenarioFile.model_validate({"id": scenario_id, **written})
    except ValidationError as error:
        raise InvalidInput(f"The scenario cannot be used: {what_is_wrong(error)}") from None
