"""An organisation's policies: what its agents must not do unasked. Every change is audited."""

from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from spotter.clock import now
from spotter.errors import NotFound
from spotter.identity import audit
from spotter.ids import new_id
from spotter.runtime.approval_policy import Policy
from spotter.runtime.tables import ApprovalPolicy
from spotter.store.unit_of_work import UnitOfWork


async def listing(uow: UnitOfWork) -> list[ApprovalPolicy]:
    order = (ApprovalPolicy.tool, ApprovalPolicy.agent, ApprovalPolicy.role)
    return list(await uow.session.scalars(select(ApprovalPolicy).order_by(*order)))


async def put(uow: UnitOfWork, policy: Policy) -> ApprovalPolicy:
    """One for each combination of tool, agent and role: a newer one takes the older one's place."""
    rule = policy.rule
    values = {
        "mode": rule.mode.value,
        "argument": rule.argument,
        "above": rule.above,
        "approver_role": rule.approver.value,
        "four_eyes": rule.four_eyes,
        "trusts_tainted": rule.trusts_tainted,
    }
    key = {"org_id": uow.scope.org_id, "tool": policy.tool, "agent": policy.agent, "role": policy.role}
    row: ApprovalPolicy | None = await uow.session.scalar(
        insert(ApprovalPolicy)
        .values(id=new_id(), **key, **values)
        .on_conflict_do_update(index_elements=list(key), set_={**values, "updated_at": now()})
        .returning(ApprovalPolicy),
        execution_options={"populate_existing": True},
    )
    assert row is not None
    uow.settings_changed()
    await audit.record(uow, "approval_policy.set", target=_name(row), detail=values)
    return row


async def remove(uow: UnitOfWork, policy_id: UUID) -> None:
    row = await uow.session.scalar(
        delete(ApprovalPolicy).where(ApprovalPolicy.id == policy_id).returning(ApprovalPolicy)
    )
    if row is None:
        raise NotFound("There is no such policy.")
    uow.settings_changed()
    await audit.record(uow, "approval_policy.removed", target=_name(row), detail={"mode": row.mode})


def _name(row: ApprovalPolicy) -> str:
    return f"tool {row.tool or 'any'}, agent {row.agent or 'any'}, role {row.role or 'any'}"
