"""Drafts: content kept by key in a project, with its versions (B10)."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Response
from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from spotter.api.access import Caller
from spotter.api.fields import Body, storable_text
from spotter.api.pages import Cursor, Page, PageParams, page_of
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.transactions import Transaction
from spotter.context import drafts, tables
from spotter.store.scope import NOBODY

routes = router("drafts", prefix="/api/drafts")

DraftKey = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,119}$", examples=["spring-newsletter"])
]
Title = Annotated[str, StringConstraints(max_length=200), AfterValidator(storable_text)]


class NewDraft(Body):
    content: Any = Field(description="text, or any JSON")
    title: Title | None = Field(default=None, description="kept as it is if not given")
    project_id: UUID | None = Field(default=None, description="the default project if not given")
    expected_version: int | None = Field(
        default=None,
        ge=0,
        le=2**31 - 1,
        description="409 unless the draft is at this version; 0: unless there is none",
    )


class DraftSummary(BaseModel):
    id: UUID
    key: str
    title: str
    project_id: UUID
    user_id: UUID | None = Field(description="whose own it is; null when those in the project share it")
    version: int
    created_at: datetime
    updated_at: datetime
    updated_by: UUID | None


class Draft(DraftSummary):
    content: Any


class DraftVersion(BaseModel):
    version: int
    title: str
    content: Any
    created_at: datetime
    created_by: UUID | None


class DraftWithVersions(Draft):
    versions: list[DraftVersion] = Field(description="the newest first, the last hundred")


def _summary(row: tables.Draft) -> DraftSummary:
    return DraftSummary(
        id=row.id,
        key=row.key,
        title=row.title,
        project_id=row.project_id,
        user_id=None if row.user_id == NOBODY else row.user_id,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
        updated_by=row.updated_by,
    )


@routes.put("/{draft_key}", responses={201: {"model": Draft}, **problem_responses(404, 409)})
async def put_draft(
    caller: Caller, uow: Transaction, response: Response, draft_key: DraftKey, body: NewDraft
) -> Draft:
    """Make or change a draft. The same content again changes nothing; anything else is a new version."""
    stored = await drafts.put(
        uow,
        draft_key,
        body.content,
        title=body.title,
        project_id=body.project_id,
        expected=body.expected_version,
    )
    if stored.changed and stored.draft.version == 1:
        response.status_code = 201
    return Draft(**_summary(stored.draft).model_dump(), content=stored.draft.content)


@routes.get("", responses=problem_responses(404))
async def list_drafts(
    caller: Caller, uow: Transaction, page: PageParams, project_id: UUID | None = None
) -> Page[DraftSummary]:
    """What you see, the last changed first: of one project, or of all."""
    rows = await drafts.listing(uow, limit=page.limit + 1, project_id=project_id, before=page.after)
    return page_of(rows, page, item=_summary, place=lambda row: Cursor(row.updated_at, row.id))


@routes.get("/{draft_key}")
async def get_draft(
    caller: Caller,
    uow: Transaction,
    draft_key: DraftKey,
    project_id: UUID | None = None,
    user_id: UUID | None = None,
) -> DraftWithVersions:
    """One draft with its versions: the project's, or in the default project your own. Staff see a member's own by
    `user_id`."""
    row = await drafts.get(uow, draft_key, project_id=project_id, user_id=user_id)
    versions = [
        DraftVersion(
            version=one.version,
            title=one.title,
            content=one.content,
            created_at=one.created_at,
            created_by=one.created_by,
        )
        for one in await drafts.versions(uow, row)
    ]
    return DraftWithVersions(**_summary(row).model_dump(), content=row.content, versions=versions)
