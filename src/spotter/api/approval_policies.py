"""What an organisation's agents must not do without asking a person."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints, model_validator

from spotter.api.access import AdminCaller
from spotter.api.fields import Body
from spotter.api.routing import router
from spotter.api.transactions import Transaction
from spotter.identity.principal import Role
from spotter.runtime import approval_policies, tables
from spotter.runtime.approval_policy import Mode, Policy, Rule

routes = router("approvals", prefix="/api/approval-policies")

AnyName = Annotated[str, StringConstraints(pattern=r"^([A-Za-z][A-Za-z0-9_.-]{0,119})?$")]


class NewApprovalPolicy(Body):
    """For which calls (an empty name means any), and when they must be approved by whom."""

    tool: AnyName = ""
    agent: AnyName = ""
    role: Literal["", "member", "staff", "admin", "owner", "service"] = Field(
        default="", description="of the person whose turn it is"
    )
    mode: Mode
    argument: AnyName = Field(default="", description="with `above`: a number, or a list whose length counts")
    above: float = Field(default=0.0, ge=0, le=1e15)
    approver_role: Role = Role.STAFF
    four_eyes: bool = Field(default=False, description="whoever asked may not approve it")
    trusts_tainted: bool = Field(
        default=False,
        description="let it send outside unasked even after untrusted text and private data were read",
    )

    @model_validator(mode="after")
    def _above_what(self) -> Self:
        if (self.mode is Mode.ABOVE) != bool(self.argument):
            raise ValueError("`argument` goes with the mode `above`, and only with it")
        return self


class ApprovalPolicy(BaseModel):
    id: UUID
    tool: str
    agent: str
    role: str
    mode: Mode
    argument: str
    above: float
    approver_role: Role
    four_eyes: bool
    trusts_tainted: bool
    updated_at: datetime


class ApprovalPolicies(BaseModel):
    items: list[ApprovalPolicy]


def _shown(row: tables.ApprovalPolicy) -> ApprovalPolicy:
    return ApprovalPolicy.model_validate({name: getattr(row, name) for name in ApprovalPolicy.model_fields})


@routes.get("")
async def list_approval_policies(caller: AdminCaller, uow: Transaction) -> ApprovalPolicies:
    """Every policy of the organisation."""
    return ApprovalPolicies(items=[_shown(row) for row in await approval_policies.listing(uow)])


@routes.put("")
async def put_approval_policy(
    caller: AdminCaller, uow: Transaction, body: NewApprovalPolicy
) -> ApprovalPolicy:
    """Set the policy for a tool, an agent, a role or any of them. A policy that names the tool wins, then one that
    names the agent, then the role; one without a tool makes a tool's own rule stricter, never laxer."""
    rule = Rule(body.mode, body.argument, body.above, body.approver_role, body.four_eyes, body.trusts_tainted)
    return _shown(await approval_policies.put(uow, Policy(rule, body.tool, body.agent, body.role)))


@routes.delete("/{policy_id}", status_code=204)
async def delete_approval_policy(caller: AdminCaller, uow: Transaction, policy_id: UUID) -> None:
    """Remove a policy: the next one that fits counts again, or what the tool says of itself."""
    await approval_policies.remove(uow, policy_id)
