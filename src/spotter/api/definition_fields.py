"""What the addresses of agents and of scenarios have in common."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Request
from pydantic import BaseModel, Field, StringConstraints

from spotter.api.fields import Body
from spotter.api.services import services_of
from spotter.errors import Forbidden
from spotter.identity import projects
from spotter.identity.principal import Principal, Role
from spotter.scenarios import keeping
from spotter.scenarios.book import Book
from spotter.scenarios.checking import Problem
from spotter.store.unit_of_work import UnitOfWork

ProjectQuery = Annotated[
    UUID | None, Query(description="a project, where its own come first; the organisation's if not given")
]


ScenarioName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class DefinitionProblem(BaseModel):
    where: str = Field(examples=["agent desk", "scenario welcome"])
    code: str = Field(examples=["unknown_tool", "unreachable_agent", "missing_root", "no_exit"])
    message: str


class Problems(BaseModel):
    valid: bool
    problems: list[DefinitionProblem]


class DefinitionVersion(BaseModel):
    version: int
    note: str
    created_by: UUID | None
    created_at: datetime
    definition: dict[str, Any]


class DefinitionVersions(BaseModel):
    items: list[DefinitionVersion]


class Rollback(Body):
    version: Annotated[int, Field(ge=1, le=2**31 - 1)] = Field(description="the one to be like again")


def problems_shown(problems: Iterable[Problem]) -> Problems:
    shown = [DefinitionProblem(where=one.where, code=one.code, message=one.message) for one in problems]
    return Problems(valid=not shown, problems=shown)


def versions_shown(rows: Sequence[keeping.Version]) -> DefinitionVersions:
    return DefinitionVersions(
        items=[
            DefinitionVersion(
                version=row.version,
                note=row.note,
                created_by=row.created_by,
                created_at=row.created_at,
                definition=row.definition,
            )
            for row in rows
        ]
    )


async def book_for(
    request: Request, caller: Principal, uow: UnitOfWork, project_id: UUID | None = None
) -> Book:
    """What holds there. Of a project the caller does not see nothing is told."""
    if project_id is not None:
        await projects.get(uow, project_id)
    return await services_of(request).definitions.book(caller.scope, project_id)


def require_builder(request: Request, caller: Principal, model: str | None = None) -> None:
    """Before a caller's own instructions or model are used: staff may, with a model the operator allows."""
    if not caller.role.at_least(Role.STAFF):
        raise Forbidden("Instructions and models of your own are for staff. Leave them out.")
    if model is not None:
        services_of(request).allowed_models.require(model)
