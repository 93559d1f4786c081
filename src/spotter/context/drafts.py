"""Drafts: content kept by key in a project, with every version it had."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pydantic_core import to_json
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from spotter.clock import now
from spotter.context.tables import Draft, DraftVersion
from spotter.errors import Conflict, InvalidInput, NotFound
from spotter.identity import projects
from spotter.ids import new_id
from spotter.sessions.codec import storable
from spotter.store.scope import NOBODY
from spotter.store.unit_of_work import UnitOfWork

LONGEST: Final = 200_000
"""Characters of a draft, written as JSON."""
_DEEPEST: Final = 50
_VERSIONS_SHOWN: Final = 100


class VersionMismatch(Conflict):
    code = "draft_changed"
    title = "The draft was changed meanwhile"


@dataclass(frozen=True, slots=True)
class Stored:
    draft: Draft
    changed: bool


async def put(
    uow: UnitOfWork,
    key: str,
    content: Any,
    *,
    title: str | None = None,
    project_id: UUID | None = None,
    expected: int | None = None,
) -> Stored:
    """Makes it or changes it. The same content again changes nothing. With `expected`, only if that is the version
    it has (0: only if there is none)."""
    project = await projects.open_one(uow, project_id)
    owner = await _owner(uow, project.id)
    content = plain(content)
    found = await _locked(uow, project.id, key, owner)
    if found is None:
        if expected not in (None, 0):
            raise VersionMismatch(f"There is no draft {key!r} yet, so it has no version {expected}.")
        made = await _insert(uow, project.id, key, owner, title or "", content)
        if made is not None:
            return Stored(made, True)
        found = await _locked(uow, project.id, key, owner)  # somebody was quicker
        assert found is not None
    if expected is not None and expected != found.version:
        raise VersionMismatch(
            f"It is at version {found.version}, not {expected}. Read it again, then change it.",
            extra={"version": found.version},
        )
    wanted = found.title if title is None else title
    if found.content == content and found.title == wanted:
        return Stored(found, False)
    found.content, found.title, found.version = content, wanted, found.version + 1
    found.updated_at, found.updated_by = now(), uow.scope.user_id
    await _keep_version(uow, found)
    return Stored(found, True)


async def _owner(uow: UnitOfWork, project_id: UUID) -> UUID:
    return NOBODY if await projects.shares(uow, project_id) else uow.scope.user_id or NOBODY


async def _locked(uow: UnitOfWork, project_id: UUID, key: str, owner: UUID) -> Draft | None:
    return await uow.session.scalar(
        select(Draft)
        .where(Draft.project_id == project_id, Draft.key == key, Draft.user_id == owner)
        .with_for_update()
        .execution_options(populate_existing=True)
    )


async def _insert(
    uow: UnitOfWork, project_id: UUID, key: str, owner: UUID, title: str, content: Any
) -> Draft | None:
    """None when there is one already."""
    made = await uow.session.execute(
        insert(Draft)
        .values(
            org_id=uow.scope.org_id,
            id=new_id(),
            project_id=project_id,
            user_id=owner,
            key=key,
            title=title,
            content=content,
            version=1,
            updated_by=uow.scope.user_id,
            created_at=now(),
            updated_at=now(),
        )
        .on_conflict_do_nothing()
        .returning(Draft)
    )
    draft = made.scalar()
    if draft is not None:
        await _keep_version(uow, draft)
    return draft


async def _keep_version(uow: UnitOfWork, draft: Draft) -> None:
    uow.session.add(
        DraftVersion(
            org_id=draft.org_id,
            draft_id=draft.id,
            version=draft.version,
            project_id=draft.project_id,
            user_id=draft.user_id,
            title=draft.title,
            content=draft.content,
            created_by=draft.updated_by,
            created_at=draft.updated_at,
        )
    )
    await uow.session.flush()


async def get(
    uow: UnitOfWork, key: str, *, project_id: UUID | None = None, user_id: UUID | None = None
) -> Draft:
    """The project's own, or the caller's; as staff also a member's own, by `user_id`."""
    project = await projects.get(uow, project_id) if project_id is not None else await projects.default(uow)
    owner = user_id if user_id is not None else await _owner(uow, project.id)
    found = await uow.session.scalar(
        select(Draft).where(Draft.project_id == project.id, Draft.key == key, Draft.user_id == owner)
    )
    if found is None:
        raise NotFound(f"There is no draft {key!r} here.")
    return found


async def versions(uow: UnitOfWork, draft: Draft) -> Sequence[DraftVersion]:
    """The newest first, the last hundred."""
    rows = await uow.session.scalars(
        select(DraftVersion)
        .where(DraftVersion.draft_id == draft.id)
        .order_by(DraftVersion.version.desc())
        .limit(_VERSIONS_SHOWN)
    )
    return rows.all()


async def listing(
    uow: UnitOfWork,
    *,
    limit: int,
    project_id: UUID | None = None,
    before: tuple[datetime, UUID] | None = None,
) -> list[Draft]:
    """What the caller sees, the last changed first; of one project, or of all."""
    query = select(Draft)
    if project_id is not None:
        query = query.where(Draft.project_id == (await projects.get(uow, project_id)).id)
    if before is not None:
        query = query.where(
            (Draft.updated_at < before[0]) | ((Draft.updated_at == before[0]) & (Draft.id < before[1]))
        )
    query = query.order_by(Draft.updated_at.desc(), Draft.id.desc()).limit(limit)
    return list(await uow.session.scalars(query))


def plain(content: Any) -> Any:
    """As it can be stored: what no database takes is replaced, visibly; what is too much is refused."""
    kept = _plain(content, 0)
    if len(to_json(kept)) > LONGEST:
        raise InvalidInput(f"A draft has up to {LONGEST} characters. Split it.")
    return kept


def _plain(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        raise InvalidInput(f"The content is nested more than {_DEEPEST} levels deep.")
    match value:
        case str():
            return storable(value)
        case dict():
            return {storable(str(name)): _plain(one, depth + 1) for name, one in value.items()}
        case list() | tuple():
            return [_plain(one, depth + 1) for one in value]
        case _:
            return value
