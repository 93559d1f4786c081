"""A snapshot of what a person's page shows, for an agent (B6)."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Request
from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from spotter.api.access import Caller
from spotter.api.fields import Body, storable_text
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.transactions import Transaction
from spotter.context import snapshots
from spotter.context.tables import ContextSnapshot

routes = router("context", prefix="/api/context")


class PageToShow(Body):
    page: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=500),
        AfterValidator(storable_text),
    ] = Field(examples=["/workouts"], description="its address or name; ids in it are replaced")
    user_id: UUID | None = Field(
        default=None, description="whose records; yourself if not given. It grants nothing."
    )
    project_id: UUID | None = Field(default=None, description="the default project if not given")
    record_ids: list[UUID] | None = Field(
        default=None, max_length=snapshots.MOST_RECORDS, description="these; the recent ones if not given"
    )


class Access(BaseModel):
    role: str
    project: str
    default_project: bool
    shares_drafts: bool
    own_records: bool


class DraftOfContext(BaseModel):
    reference: str
    key: str
    title: str
    version: int
    updated_at: datetime


class Context(BaseModel):
    context_id: UUID
    block: str = Field(description="what an agent is told")
    references: dict[str, str] = Field(description="what stands in for ids, and a label for people")
    access: Access
    drafts: list[DraftOfContext]


def _shown(row: ContextSnapshot) -> Context:
    fields: dict[str, Any] = {
        "context_id": row.id,
        "block": row.block,
        "references": row.labels,
        "access": row.access,
        "drafts": row.drafts["items"],
    }
    return Context.model_validate(fields)


@routes.post("/snapshot", responses=problem_responses(404, 409))
async def snapshot_context(request: Request, caller: Caller, uow: Transaction, body: PageToShow) -> Context:
    """Put together what an agent may know of a page. Give the `context_id` to a new session or with a message: the
    agent then reads the block, and the references stand in for ids in its tool calls."""
    policy = await services_of(request).moderation.policy(caller.scope)
    asked = snapshots.Asked(
        body.page, body.user_id, body.project_id, set(body.record_ids) if body.record_ids else None
    )
    return _shown(await snapshots.take(uow, asked, policy))
