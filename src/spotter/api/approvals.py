"""Calls that wait for a person: seeing exactly what would happen, and deciding."""

import json
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Request
from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from spotter.api.access import Caller
from spotter.api.fields import Body, storable_text
from spotter.api.pages import Cursor, Page, PageParams, page_of
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.talk import wake
from spotter.api.transactions import Transaction
from spotter.identity.principal import Role
from spotter.runtime import approval_decisions, tables
from spotter.runtime.approval_decisions import Decided, Decision

routes = router("approvals", prefix="/api/approvals")

State = Literal["pending", "approved", "denied", "expired", "superseded", "used"]
Reason = Annotated[str, StringConstraints(max_length=2_000), AfterValidator(storable_text)]


class Approval(BaseModel):
    """A call as it would be carried out, and what became of the request."""

    id: UUID
    state: State
    session_id: UUID
    call_id: str
    agent: str
    tool: str
    tool_version: str
    arguments: dict[str, Any] = Field(description="final: exactly these are carried out, or none")
    args_hash: str = Field(
        description="of tool, version, arguments, session and call; state it when you decide"
    )
    why: str
    approver_role: Role
    four_eyes: bool
    edited: bool
    replaces: UUID | None
    user_id: UUID
    requested_by: UUID | None
    requested_at: datetime
    expires_at: datetime
    decided_by: UUID | None
    decided_at: datetime | None
    decision_reason: str


class NewDecision(Body):
    decision: Literal["approve", "deny"]
    args_hash: Annotated[str, StringConstraints(min_length=1, max_length=128)] = Field(
        description="the `args_hash` of what you were shown"
    )
    reason: Reason = Field(default="", description="the agent reads it")


class Edit(Body):
    arguments: dict[str, Any]


def _shown(row: tables.Approval) -> Approval:
    names = set(Approval.model_fields) - {"arguments"}
    return Approval.model_validate(
        {**{name: getattr(row, name) for name in names}, "arguments": json.loads(row.arguments)}
    )


@routes.get("")
async def list_approvals(
    caller: Caller,
    uow: Transaction,
    page: PageParams,
    state: State | None = None,
    session_id: UUID | None = None,
) -> Page[Approval]:
    """Requests of your own sessions, newest first. Staff see everybody's."""
    rows = await approval_decisions.listing(
        uow, limit=page.limit + 1, before=page.after, state=state, session_id=session_id
    )
    return page_of(rows, page, item=_shown, place=lambda row: Cursor(row.requested_at, row.id))


@routes.get("/{approval_id}")
async def get_approval(caller: Caller, uow: Transaction, approval_id: UUID) -> Approval:
    """One request, in full."""
    return _shown(await approval_decisions.get(uow, approval_id))


@routes.post("/{approval_id}/decision", responses=problem_responses(403, 409))
async def decide_approval(
    request: Request, caller: Caller, uow: Transaction, approval_id: UUID, body: NewDecision
) -> Approval:
    """Approve or deny, once. The turn goes on by itself; follow it at the session's events."""
    services = services_of(request)
    decision = Decision(body.decision == "approve", body.args_hash, body.reason)
    lease = services.turns.lease or approval_decisions.NOBODY_AT_ONCE
    decided = await approval_decisions.decide(uow, services.log, caller, approval_id, decision, lease)
    uow.after_commit(lambda: go_on(request, decided))
    return _shown(decided.approval)


@routes.post("/{approval_id}/edit", status_code=201, responses=problem_responses(403, 409))
async def edit_approval(
    request: Request, caller: Caller, uow: Transaction, approval_id: UUID, body: Edit
) -> Approval:
    """Other arguments: a new request, which needs an approval of its own. The old one is void."""
    services = services_of(request)
    new, sequence = await approval_decisions.edit(
        uow,
        services.log,
        caller,
        approval_id,
        body.arguments,
        services.registry,
        services.settings.approval_time,
    )
    uow.after_commit(lambda: wake(services, new.session_id, sequence, new.user_id))
    return _shown(new)


def go_on(request: Request, decided: Decided) -> None:
    """Here, if turns are run here. If this process dies meanwhile, another one finds the open turn."""
    services = services_of(request)
    wake(services, decided.approval.session_id, decided.sequence, decided.approval.user_id)
    if decided.turn is not None and services.turns.lease is not None:
        services.turns.go_on(decided.scope, decided.turn)
