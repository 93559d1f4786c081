"""An approval is used once: in the transaction of what it allowed."""

from typing import Final

from sqlalchemy import update

from spotter.clock import now
from spotter.identity import audit
from spotter.identity.principal import Role
from spotter.runtime.tables import Approval
from spotter.runtime.tool import Tool
from spotter.sessions.events import ApprovalDecided, Outcome
from spotter.sessions.log import Fenced
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork

_NOT_RUN: Final = (Outcome.DENIED, Outcome.CANCELLED)


def may_call(scope: Scope, tool: Tool) -> bool:
    return scope.role == "service" or Role(scope.role or Role.MEMBER).at_least(tool.permission)


async def use(uow: UnitOfWork, decision: ApprovalDecided) -> None:
    """Before an effect outside is begun: together with its mark. Raises when there is nothing left to use; then
    neither commits."""
    used = await uow.session.execute(
        update(Approval)
        .where(
            Approval.id == decision.approval_id, Approval.state == "approved", Approval.settled_at.is_(None)
        )
        .values(state="used")
        .returning(Approval.id)
    )
    if used.first() is None:
        raise Fenced("The approval of this call was used or withdrawn meanwhile.")
    await audit.record(uow, "approval.used", target=str(decision.approval_id))


async def settle(uow: UnitOfWork, decision: ApprovalDecided, outcome: Outcome) -> None:
    """Together with the call's result. What was approved and carried out must still be there to be used."""
    if not decision.approved or outcome in _NOT_RUN:
        await _void(uow, decision)
        return
    settled = await uow.session.execute(
        update(Approval)
        .where(
            Approval.id == decision.approval_id,
            Approval.state.in_(("approved", "used")),
            Approval.settled_at.is_(None),
        )
        .values(settled_at=now())
        .returning(Approval.state)
    )
    state = settled.scalar()
    if state is None:
        raise Fenced("The approval of this call was used or withdrawn meanwhile.")
    if state == "approved":
        await uow.session.execute(
            update(Approval).where(Approval.id == decision.approval_id).values(state="used")
        )
        await audit.record(uow, "approval.used", target=str(decision.approval_id))


async def _void(uow: UnitOfWork, decision: ApprovalDecided) -> None:
    """The call was answered without being carried out. There may be no row: not in a copy of somebody's log."""
    open_row = (Approval.id == decision.approval_id, Approval.settled_at.is_(None))
    await uow.session.execute(
        update(Approval).where(*open_row, Approval.state == "approved").values(state="superseded")
    )
    await uow.session.execute(update(Approval).where(*open_row).values(settled_at=now()))
