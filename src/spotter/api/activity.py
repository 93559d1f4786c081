"""What the organisation's agents did: calls, approvals, limits. A view of the audit log, without what was said."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, Field, StringConstraints
from sqlalchemy import ColumnElement, Row, TextClause, column, select, table, text, tuple_

from spotter.api.access import StaffCaller
from spotter.api.pages import Cursor, Page, PageParams, page_of
from spotter.api.routing import router
from spotter.api.transactions import Transaction

routes = router("agents", prefix="/api/ai-agents")

_COLUMNS = (
    "id",
    "at",
    "user_id",
    "agent",
    "action",
    "tool",
    "outcome",
    "ms",
    "session_id",
    "sequence",
    "call_id",
)
_LOG = table("ai_agent_activity_log", *(column(name) for name in _COLUMNS))
_SINCE = text("at >= (SELECT s.created_at FROM agent_sessions s WHERE s.id = :session_id)")

Name = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_.:-]+$")]
Outcome = Literal["ok", "error", "denied", "cancelled", "uncertain", "approved"]


class Activity(BaseModel):
    id: UUID
    at: datetime
    user_id: UUID | None = Field(description="for whom the agent acted, or who decided")
    agent: str | None
    action: str = Field(
        description="`tool.called`, `approval.requested`, `approval.decided`, `limit.hit`, `cap.hit`",
        examples=["tool.called"],
    )
    tool: str | None
    outcome: str | None
    ms: int | None = Field(description="how long the tool took")
    session_id: UUID
    sequence: int = Field(
        description="of the event in that session; what it cost is recorded by the same number"
    )
    call_id: str | None


def _shown(row: Row[Any]) -> Activity:
    return Activity.model_validate(dict(row._mapping))


@routes.get("/activity")
async def list_agent_activity(
    caller: StaffCaller,
    uow: Transaction,
    page: PageParams,
    *,
    agent: Name | None = None,
    tool: Name | None = None,
    session_id: UUID | None = None,
    outcome: Outcome | None = None,
    since: Annotated[AwareDatetime | None, Query(alias="from", description="this moment or later")] = None,
    until: Annotated[AwareDatetime | None, Query(alias="to", description="before this moment")] = None,
) -> Page[Activity]:
    """What agents did, newest first."""
    wanted = {"agent": agent, "tool": tool, "session_id": session_id, "outcome": outcome}
    conditions: list[ColumnElement[bool] | TextClause] = [
        _LOG.c[name] == value for name, value in wanted.items() if value is not None
    ]
    if session_id is not None:
        conditions.append(_SINCE.bindparams(session_id=session_id))  # keeps the look short in a long log
    if since is not None:
        conditions.append(_LOG.c.at >= since)
    if until is not None:
        conditions.append(_LOG.c.at < until)
    if page.after is not None:
        conditions.append(tuple_(_LOG.c.at, _LOG.c.id) < page.after)
    query = select(_LOG).where(*conditions).order_by(_LOG.c.at.desc(), _LOG.c.id.desc()).limit(page.limit + 1)
    rows = (await uow.session.execute(query)).all()
    return page_of(rows, page, item=_shown, place=lambda row: Cursor(row.at, row.id))
