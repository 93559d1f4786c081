"""What people do with a request: approve, deny, edit; and what becomes of one that nobody decides about.

A decision, its event and the turn that goes on are one transaction. The session is locked first, then the request: of
everybody who decides at the same moment one is first, and all others are told what that one said.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import select, tuple_

from spotter.clock import now
from spotter.errors import Conflict, Forbidden, InvalidInput, NotFound
from spotter.identity import audit
from spotter.identity.principal import Principal, Role
from spotter.identity.tables import Membership
from spotter.ids import new_id
from spotter.runtime.approvals import (
    canonical,
    fingerprint,
    requested,
    spelled,
    supersede,
    version_of,
)
from spotter.runtime.closing import cancelled, void
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.tables import Approval
from spotter.sessions.codec import storable
from spotter.sessions.events import Action, ApprovalDecided
from spotter.sessions.log import Lease, SessionLog, Turn
from spotter.sessions.tables import AgentSession
from spotter.store.scope import NOBODY, Scope
from spotter.store.unit_of_work import UnitOfWork

NOBODY_AT_ONCE: Final = Lease(owner=0, seconds=0.0)
"""For a turn that is opened where none can be run: it is taken over at once by whoever looks."""
_TOO_LATE: Final = "Nobody approved it in time."


class AlreadyDecided(Conflict):
    code = "already_decided"
    title = "This was decided before"


class NotWhatWasShown(Conflict):
    code = "approval_mismatch"
    title = "This is not what you were shown"


class ApprovalExpired(Conflict):
    code = "approval_expired"
    title = "This request has run out"


@dataclass(frozen=True, slots=True)
class Decision:
    approve: bool
    args_hash: str
    """Of what the approver was shown."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    approval: Approval
    sequence: int
    turn: Turn | None
    """The one that goes on now; None while another is going on."""
    scope: Scope
    """The person whose turn it is, with the role they have now."""


async def get(uow: UnitOfWork, approval_id: UUID) -> Approval:
    row = await uow.session.scalar(select(Approval).where(Approval.id == approval_id))
    if row is None:
        raise NotFound("There is no such approval.")
    return row


async def listing(
    uow: UnitOfWork,
    *,
    limit: int,
    before: tuple[datetime, UUID] | None = None,
    state: str | None = None,
    session_id: UUID | None = None,
) -> list[Approval]:
    """Newest first. One's own; staff see everybody's."""
    query = select(Approval)
    if state is not None:
        query = query.where(Approval.state == state)
    if session_id is not None:
        query = query.where(Approval.session_id == session_id)
    if before is not None:
        query = query.where(tuple_(Approval.requested_at, Approval.id) < before)
    query = query.order_by(Approval.requested_at.desc(), Approval.id.desc()).limit(limit)
    return list(await uow.session.scalars(query))


async def decide(
    uow: UnitOfWork, log: SessionLog, by: Principal, approval_id: UUID, decision: Decision, lease: Lease
) -> Decided:
    row = await _pending(uow, by, approval_id)
    bound = fingerprint(row.tool, row.tool_version, row.arguments, row.session_id, row.call_id)
    if not bound == row.args_hash == decision.args_hash:
        raise NotWhatWasShown(
            "The arguments of this request are not those you decided about. Nothing was decided; look at it again.",
            extra={"args_hash": row.args_hash},
        )
    row.state = "approved" if decision.approve else "denied"
    row.decided_by, row.decision_reason = by.id, storable(decision.reason)
    await audit.whereabouts(uow)
    return await _close(uow, log, row, lease, by_key=by.user_id is None)


async def expire(uow: UnitOfWork, log: SessionLog, approval_id: UUID) -> Decided | None:
    """None when it was decided meanwhile. The turn goes on elsewhere, and hears that nobody wanted it."""
    found = await get(uow, approval_id)
    row = await _locked(uow, found)
    if row is None or row.state != "pending" or row.expires_at > now():
        return None
    row.state, row.decision_reason = "expired", _TOO_LATE
    await audit.record(uow, "approval.expired", target=str(row.id))
    return await _close(uow, log, row, NOBODY_AT_ONCE)


async def edit(
    uow: UnitOfWork,
    log: SessionLog,
    by: Principal,
    approval_id: UUID,
    arguments: Mapping[str, Any],
    registry: ToolRegistry,
    valid_for: timedelta,
) -> tuple[Approval, int]:
    """A new request with other arguments, which needs an approval of its own; the old one is void. Also the number
    of its event."""
    row = await _pending(uow, by, approval_id)
    tool = registry.get(row.tool)
    if tool is None:
        raise Conflict(f"There is no tool {row.tool!r} any more. Deny this request instead.")
    try:
        spelling = canonical(tool, spelled(dict(arguments)))
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}"
            for one in error.errors(include_url=False, include_input=False)[:8]
        )
        raise InvalidInput(f"{row.tool} does not take these arguments. {problems}") from None
    moment = now()
    new = Approval(
        org_id=row.org_id,
        id=new_id(),
        user_id=row.user_id,
        session_id=row.session_id,
        call_id=row.call_id,
        agent=row.agent,
        tool=row.tool,
        tool_version=version_of(tool),
        arguments=spelling,
        args_hash=fingerprint(tool.name, version_of(tool), spelling, row.session_id, row.call_id),
        why=row.why,
        approver_role=row.approver_role,
        four_eyes=row.four_eyes,
        replaces=row.id,
        edited=True,
        requested_by=by.id,
        requested_at=moment,
        expires_at=moment + valid_for,
        state="pending",
    )
    done = await log.append(uow.scope, row.session_id, [requested(new)], connection=await uow.driver())
    await supersede(uow, row.id, "Edited.")
    uow.session.add(new)
    await uow.session.flush()
    return new, done.last


async def withdraw(uow: UnitOfWork, log: SessionLog, session_id: UUID) -> int | None:
    """Stop: what waits in this session, for a person or for its turn, is not carried out any more. The number of the
    last event; None when nothing waits, or a turn is going on: stopping that one ends everything."""
    if await _lock_session(uow, session_id) is not False:
        return None
    rows = await uow.session.scalars(
        select(Approval)
        .where(Approval.session_id == session_id, Approval.settled_at.is_(None))
        .order_by(Approval.requested_at, Approval.id)
        .with_for_update()
    )
    calls = [Action(tool=row.tool, args="", call_id=row.call_id) for row in rows]
    if not calls:
        return None
    results = [cancelled(call) for call in calls]
    done = await log.append(uow.scope, session_id, results, connection=await uow.driver())
    await void(uow, session_id, [call.call_id for call in calls])
    return done.last


async def _pending(uow: UnitOfWork, by: Principal, approval_id: UUID) -> Approval:
    """Locked; and the caller may decide about it, now."""
    found = await get(uow, approval_id)
    _require_right(by, found)
    row = await _locked(uow, found)
    if row is None:
        raise NotFound("There is no such approval.")
    if row.state != "pending":
        raise AlreadyDecided(
            f"This request is {row.state} already. That stands.",
            extra={
                "state": row.state,
                "decided_by": str(row.decided_by) if row.decided_by else None,
                "decided_at": row.decided_at.isoformat() if row.decided_at else None,
                "reason": row.decision_reason,
            },
        )
    if row.expires_at <= now():
        raise ApprovalExpired("Nobody decided about this request in time. It is not carried out.")
    return row


def _require_right(by: Principal, row: Approval) -> None:
    by.require_role(Role(row.approver_role))
    if row.four_eyes and (by.user_id is None or by.id in (row.user_id, row.requested_by)):
        raise Forbidden("Somebody else must decide about this: a person who has not asked for it.")


async def _locked(uow: UnitOfWork, row: Approval) -> Approval | None:
    await _lock_session(uow, row.session_id)
    return await uow.session.scalar(
        select(Approval)
        .where(Approval.id == row.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )


async def _lock_session(uow: UnitOfWork, session_id: UUID) -> bool | None:
    """Whether a turn is going on; None when there is no such session."""
    return await uow.session.scalar(
        select(AgentSession.turn_open)
        .where(AgentSession.id == session_id, AgentSession.erased_at.is_(None))
        .with_for_update()
    )


async def _close(
    uow: UnitOfWork, log: SessionLog, row: Approval, lease: Lease, *, by_key: bool = False
) -> Decided:
    row.decided_at = now()
    event = ApprovalDecided(
        approval_id=row.id,
        call_id=row.call_id,
        approved=row.state == "approved",
        by=row.decided_by,
        by_key=by_key,
        reason=row.decision_reason,
        tool=row.tool,
        args=row.arguments,
        edited=row.edited,
        agent=row.agent,
    )
    turn, sequence = await log.reopen_turn(uow.scope, row.session_id, [event], lease, await uow.driver())
    return Decided(row, sequence, turn, await _owner(uow, row))


async def _owner(uow: UnitOfWork, row: Approval) -> Scope:
    if row.user_id == NOBODY:
        return Scope(row.org_id, None, "service")
    role = await uow.session.scalar(
        select(Membership.role).where(Membership.org_id == row.org_id, Membership.user_id == row.user_id)
    )
    return Scope(row.org_id, row.user_id, role or "member")
