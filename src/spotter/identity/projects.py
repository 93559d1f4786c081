"""Projects: parts of an organisation's work, and who is in them.

Every organisation has one that is everybody's; what names no project belongs there. The database decides who sees
what (`spotter_auth.sees_project`, `shares_project`): of a project one is not in, nothing can be found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import delete, select, text
from sqlalchemy.dialects.postgresql import insert

from spotter.clock import now
from spotter.errors import Conflict, NotFound
from spotter.identity import audit
from spotter.identity.principal import Role
from spotter.identity.tables import Membership, Project, ProjectMember, User
from spotter.ids import new_id
from spotter.store.unit_of_work import UnitOfWork

DEFAULT_NAME: Final = "General"
_SHARES: Final = text("SELECT spotter_auth.shares_project(:project)")


@dataclass(frozen=True, slots=True)
class PersonInProject:
    user_id: UUID
    email: str
    name: str
    role: Role
    added_at: datetime


async def add_default(uow: UnitOfWork) -> Project:
    """With a new organisation, in its transaction."""
    return await _add(uow, DEFAULT_NAME, "Everybody's: what names no other project.", is_default=True)


async def create(uow: UnitOfWork, name: str, description: str = "") -> Project:
    project = await _add(uow, name, description)
    if uow.scope.user_id is not None:
        await _join(uow, project.id, uow.scope.user_id)
    await audit.record(uow, "project.created", target=str(project.id))
    return project


async def _add(uow: UnitOfWork, name: str, description: str, *, is_default: bool = False) -> Project:
    assert uow.scope.org_id is not None
    project = Project(
        org_id=uow.scope.org_id,
        id=new_id(),
        name=name,
        description=description,
        is_default=is_default,
        created_by=uow.scope.user_id,
        created_at=now(),
        updated_at=now(),
    )
    uow.session.add(project)
    await uow.session.flush()
    return project


async def get(uow: UnitOfWork, project_id: UUID) -> Project:
    found = await uow.session.scalar(select(Project).where(Project.id == project_id))
    if found is None:
        raise NotFound("There is no such project.")
    return found


async def default(uow: UnitOfWork) -> Project:
    return (await uow.session.scalars(select(Project).where(Project.is_default))).one()


async def open_one(uow: UnitOfWork, project_id: UUID | None) -> Project:
    """The one that is named, or the default: to work in. Not one that was put away."""
    found = await get(uow, project_id) if project_id is not None else await default(uow)
    if found.archived_at is not None:
        raise Conflict("This project was archived. Bring it back first, or use another one.")
    return found


async def shares(uow: UnitOfWork, project_id: UUID) -> bool:
    """Whether the caller has a part in what the project has in common. In the default project staff do; members
    keep their own things there."""
    return bool(await uow.session.scalar(_SHARES, {"project": project_id}))


async def listing(
    uow: UnitOfWork, *, limit: int, after: tuple[datetime, UUID] | None = None, archived: bool = False
) -> list[Project]:
    """Those the caller sees, newest first."""
    query = select(Project)
    if not archived:
        query = query.where(Project.archived_at.is_(None))
    if after is not None:
        query = query.where(
            (Project.created_at < after[0]) | ((Project.created_at == after[0]) & (Project.id < after[1]))
        )
    return list(
        await uow.session.scalars(query.order_by(Project.created_at.desc(), Project.id.desc()).limit(limit))
    )


async def change(
    uow: UnitOfWork, project_id: UUID, *, name: str | None, description: str | None, archived: bool | None
) -> Project:
    project = await get(uow, project_id)
    if archived and project.is_default:
        raise Conflict("The default project stays: everything that names no project belongs there.")
    if name is not None:
        project.name = name
    if description is not None:
        project.description = description
    if archived is not None:
        project.archived_at = (project.archived_at or now()) if archived else None
    project.updated_at = now()
    given = {"name": name, "description": description, "archived": archived}
    fields = [field for field, value in given.items() if value is not None]
    await audit.record(uow, "project.changed", target=str(project_id), detail={"fields": fields})
    return project


async def people(uow: UnitOfWork, project_id: UUID) -> Sequence[PersonInProject]:
    """As far as the caller may see: members see themselves, staff everybody. In the default project nobody is named:
    it is everybody's."""
    await get(uow, project_id)
    rows = await uow.session.execute(
        select(User.id, User.email, User.name, Membership.role, ProjectMember.created_at)
        .join(ProjectMember, ProjectMember.user_id == User.id)
        .join(
            Membership,
            (Membership.org_id == ProjectMember.org_id) & (Membership.user_id == ProjectMember.user_id),
        )
        .where(ProjectMember.project_id == project_id, Membership.removed_at.is_(None))
        .order_by(ProjectMember.created_at, User.id)
    )
    return [PersonInProject(row[0], row[1], row[2], Role(row[3]), row[4]) for row in rows]


async def add_person(uow: UnitOfWork, project_id: UUID, user_id: UUID) -> None:
    project = await get(uow, project_id)
    if project.is_default:
        raise Conflict("The default project is everybody's: nobody has to be added.")
    found = await uow.session.scalar(
        select(Membership.user_id).where(
            Membership.org_id == uow.scope.org_id,
            Membership.user_id == user_id,
            Membership.removed_at.is_(None),
        )
    )
    if found is None:
        raise NotFound("There is no such member.")
    if await _join(uow, project_id, user_id):
        await audit.record(uow, "project.person_added", target=str(project_id), detail={"user": str(user_id)})


async def remove_person(uow: UnitOfWork, project_id: UUID, user_id: UUID) -> None:
    await get(uow, project_id)
    gone = await uow.session.execute(
        delete(ProjectMember)
        .where(ProjectMember.project_id == project_id, ProjectMember.user_id == user_id)
        .returning(ProjectMember.user_id)
    )
    if gone.first() is None:
        raise NotFound("There is no such person in this project.")
    await audit.record(uow, "project.person_removed", target=str(project_id), detail={"user": str(user_id)})


async def _join(uow: UnitOfWork, project_id: UUID, user_id: UUID) -> bool:
    joined = await uow.session.execute(
        insert(ProjectMember)
        .values(
            org_id=uow.scope.org_id,
            project_id=project_id,
            user_id=user_id,
            added_by=uow.scope.user_id,
            created_at=now(),
        )
        .on_conflict_do_nothing()
        .returning(ProjectMember.user_id)
    )
    return joined.first() is not None
