"""Projects: parts of an organisation's work, and who is in them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from spotter.api.access import AdminCaller, Caller
from spotter.api.fields import Body, Name, storable_text
from spotter.api.pages import Cursor, Page, PageParams, page_of
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.transactions import Transaction
from spotter.identity import projects, tables
from spotter.identity.principal import Role

routes = router("projects", prefix="/api/projects")

Description = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=2_000), AfterValidator(storable_text)
]


class Project(BaseModel):
    id: UUID
    name: str
    description: str
    is_default: bool = Field(description="everybody's; what names no project belongs here")
    archived: bool
    created_at: datetime
    updated_at: datetime


class NewProject(Body):
    name: Name
    description: Description = ""


class ProjectChange(Body):
    name: Name | None = None
    description: Description | None = None
    archived: bool | None = None


class ProjectMember(BaseModel):
    user_id: UUID
    email: str
    name: str
    role: Role
    added_at: datetime


class ProjectMembers(BaseModel):
    items: list[ProjectMember]


def _shown(row: tables.Project) -> Project:
    return Project(
        id=row.id,
        name=row.name,
        description=row.description,
        is_default=row.is_default,
        archived=row.archived_at is not None,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


@routes.get("")
async def list_projects(
    caller: Caller, uow: Transaction, page: PageParams, archived: bool = False
) -> Page[Project]:
    """The default project and those you are in, newest first; as admin all of them. `archived` adds those put away."""
    rows = await projects.listing(uow, limit=page.limit + 1, after=page.after, archived=archived)
    return page_of(rows, page, item=_shown, place=lambda row: Cursor(row.created_at, row.id))


@routes.post("", status_code=201)
async def create_project(caller: AdminCaller, uow: Transaction, body: NewProject) -> Project:
    """A new project, with you in it. Nobody else sees it until you add them, but for admins."""
    return _shown(await projects.create(uow, body.name, body.description))


@routes.get("/{project_id}")
async def get_project(caller: Caller, uow: Transaction, project_id: UUID) -> Project:
    """One project."""
    return _shown(await projects.get(uow, project_id))


@routes.patch("/{project_id}", responses=problem_responses(409))
async def update_project(
    caller: AdminCaller, uow: Transaction, project_id: UUID, body: ProjectChange
) -> Project:
    """Change it, put it away (`archived: true`) or bring it back. The default project stays."""
    return _shown(
        await projects.change(
            uow, project_id, name=body.name, description=body.description, archived=body.archived
        )
    )


@routes.delete("/{project_id}", status_code=204, responses=problem_responses(409))
async def archive_project(caller: AdminCaller, uow: Transaction, project_id: UUID) -> None:
    """Put it away. What is in it stays, and is there again when it is brought back."""
    await projects.change(uow, project_id, name=None, description=None, archived=True)


@routes.get("/{project_id}/members")
async def list_project_members(caller: Caller, uow: Transaction, project_id: UUID) -> ProjectMembers:
    """Who was added to it; members see themselves. The default project names nobody: it is everybody's."""
    found = await projects.people(uow, project_id)
    return ProjectMembers(
        items=[
            ProjectMember(
                user_id=one.user_id, email=one.email, name=one.name, role=one.role, added_at=one.added_at
            )
            for one in found
        ]
    )


@routes.put("/{project_id}/members/{member_id}", status_code=204, responses=problem_responses(409))
async def add_project_member(
    caller: AdminCaller, uow: Transaction, project_id: UUID, member_id: UUID
) -> None:
    """Add somebody of the organisation. Adding them again changes nothing."""
    await projects.add_person(uow, project_id, member_id)


@routes.delete("/{project_id}/members/{member_id}", status_code=204)
async def remove_project_member(
    caller: AdminCaller, uow: Transaction, project_id: UUID, member_id: UUID
) -> None:
    """Take somebody out. From then on they see nothing of it."""
    await projects.remove_person(uow, project_id, member_id)
