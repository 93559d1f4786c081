"""Approvals where they meet a turn: does this call need one, asking for it, and whether one that was given still holds.

A request is bound to what will happen: tool, its version, the final arguments, session and call, in one hash. Whoever
locks both a session and its approvals locks the session first; nobody then waits for somebody who waits for them.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid5

from pydantic import ValidationError
from sqlalchemy import select, text

from spotter.clock import now
from spotter.identity import audit
from spotter.identity.principal import Role
from spotter.identity.tables import Membership
from spotter.runtime.approval_policy import Mode, Policy, Rule, demand, rule_for
from spotter.runtime.approval_use import may_call
from spotter.runtime.tables import Approval, ApprovalPolicy
from spotter.runtime.taint import taint_of
from spotter.runtime.tool import Tool
from spotter.runtime.turn_run import TurnRun
from spotter.sessions.events import Action, ApprovalDecided, ApprovalRequested, Ending
from spotter.sessions.tables import AgentSession
from spotter.store.database import Database
from spotter.store.scope import NOBODY, Scope
from spotter.store.unit_of_work import UnitOfWork

_TAINTED: Final = "The agent has read words of strangers and private data, and this sends something outside."

# Whether a session, or one it was forked from, came from a file: then a stranger may have written all of it.
_IMPORTED: Final = text(
    "WITH RECURSIVE line AS (SELECT id, forked_from, forked_at FROM agent_sessions WHERE id = :id"
    " UNION SELECT s.id, s.forked_from, s.forked_at FROM agent_sessions s JOIN line l ON s.id = l.forked_from)"
    " SELECT EXISTS (SELECT 1 FROM line WHERE forked_from IS NULL AND forked_at IS NOT NULL)"
)


@dataclass(frozen=True, slots=True)
class Ask:
    """A request to be made."""

    call_id: str
    tool: Tool
    arguments: str
    why: str
    rule: Rule
    replaces: UUID | None = None
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Granted:
    """Carry it out."""


@dataclass(frozen=True, slots=True)
class Refused:
    reason: str


class ApprovalDesk:
    """The seam of `runtime/seams.py`, with policies and requests in the database."""

    def __init__(self, database: Database, *, valid_for: timedelta = timedelta(hours=24)) -> None:
        self._database = database
        self.valid_for = valid_for
        self._policies = database.kept(policies_of)

    async def needed(self, run: TurnRun, tool: Tool, call: Action) -> Ask | None:
        """None also for what will be refused anyway: nobody should be asked about it."""
        if not may_call(run.scope, tool):
            return None
        assert run.scope.org_id is not None
        try:
            arguments = canonical(tool, call.args)
        except ValidationError:
            return None
        rule = rule_for(
            await self._policies.of(run.scope.org_id),
            tool.approval,
            tool=tool.name,
            agent=run.agent.name,
            role=run.scope.role or "",
        )
        why = demand(rule, json.loads(arguments))
        if why is None and tool.sends_outside and not rule.trusts_tainted and await self._tainted(run):
            why = _TAINTED
        return Ask(call.call_id, tool, arguments, why, rule) if why is not None else None

    async def _tainted(self, run: TurnRun) -> bool:
        taint = taint_of(run.view.read, run.executor.registry.get)
        if not taint.private or taint.untrusted:
            return taint.both
        async with self._database.unit_of_work(run.scope) as uow:
            return bool(await uow.session.scalar(_IMPORTED, {"id": run.turn.session_id}))

    async def ask(self, run: TurnRun, asks: Sequence[Ask]) -> Ending:
        """Requests and the turn's end in one transaction; from here on nothing is held."""
        turn = run.turn
        async with self._database.unit_of_work(run.scope) as uow:
            owner = await uow.session.scalar(
                select(AgentSession.user_id).where(AgentSession.id == turn.session_id)
            )
            rows = [_row(run, ask, owner or NOBODY, self.valid_for) for ask in asks]
            events = [requested(row, last=row is rows[-1]) for row in rows]
            last = await run.log.append(
                run.scope,
                turn.session_id,
                events,
                fence=turn.fence,
                close=True,
                connection=await uow.driver(),
            )
            for row in rows:
                if row.replaces is not None:
                    await supersede(uow, row.replaces, "The tool has changed since.")
                uow.session.add(row)
        await run.saw(events, last)
        return Ending.APPROVAL

    async def check(
        self, run: TurnRun, tool: Tool | None, decision: ApprovalDecided
    ) -> Granted | Refused | Ask:
        """Again, right before it is carried out: what was approved must be what happens now."""
        if not decision.approved:
            return Refused(_denied(decision))
        async with self._database.unit_of_work(run.scope) as uow:
            row = await uow.session.scalar(
                select(Approval).where(
                    Approval.id == decision.approval_id, Approval.session_id == run.turn.session_id
                )
            )
            role = await _role_of(uow, run.scope)
        if row is None:
            return Refused("Not carried out: this was not approved here.")
        if (refusal := _void_because(row)) is not None:
            return Refused(refusal)
        if tool is None:
            return Granted()  # whoever runs it finds that there is no such tool, and says so
        if role is None or not role.at_least(tool.permission):
            return Refused(f"Not carried out: {tool.name} needs the role {tool.permission}, which is gone.")
        bound = fingerprint(tool.name, version_of(tool), decision.args, run.turn.session_id, decision.call_id)
        return Granted() if bound == row.args_hash else _ask_again(tool, decision, row)


def _void_because(row: Approval) -> str | None:
    if row.settled_at is not None or row.state not in ("approved", "used"):
        return "Not carried out: the approval is used up, or was withdrawn."
    if row.decided_at is None or row.decided_at > row.expires_at:
        return "Not carried out: the approval came too late."
    return None


def _ask_again(tool: Tool, decision: ApprovalDecided, row: Approval) -> Ask | Refused:
    try:
        arguments = canonical(tool, decision.args)
    except ValidationError:
        return Refused("Not carried out: the tool has changed since, and takes other arguments now.")
    rule = Rule(Mode.ALWAYS, approver=Role(row.approver_role), four_eyes=row.four_eyes)
    why = "The tool or its arguments have changed since this was approved."
    return Ask(decision.call_id, tool, arguments, why, rule, row.id, row.edited)


def canonical(tool: Tool, args: str) -> str:
    """Checked, complete with defaults, and in one spelling (plain ASCII, so that nothing in it is unstorable)."""
    arguments = tool.arguments.model_validate_json(args or "{}")
    return spelled(arguments.model_dump(mode="json"))


def spelled(arguments: Any) -> str:
    return json.dumps(arguments, sort_keys=True, separators=(",", ":"))


def version_of(tool: Tool) -> str:
    """Changes whenever what an approver was shown might mean something else."""
    described = [tool.version, tool.schema, tool.description, tool.effect]
    return hashlib.sha256(spelled(described).encode()).hexdigest()[:16]


def fingerprint(tool: str, version: str, arguments: str, session_id: UUID, call_id: str) -> str:
    bound = spelled([tool, version, arguments, str(session_id), call_id])
    return hashlib.sha256(bound.encode()).hexdigest()


def requested(row: Approval, *, last: bool = False) -> ApprovalRequested:
    return ApprovalRequested(
        approval_id=row.id,
        call_id=row.call_id,
        tool=row.tool,
        args=row.arguments,
        reason=row.why,
        replaces=row.replaces,
        ends=Ending.APPROVAL if last else None,
    )


async def supersede(uow: UnitOfWork, approval_id: UUID, reason: str) -> None:
    row = await uow.session.scalar(
        select(Approval).where(Approval.id == approval_id, Approval.settled_at.is_(None)).with_for_update()
    )
    if row is not None:
        row.state, row.settled_at = "superseded", now()
        row.decided_at, row.decision_reason = row.decided_at or now(), row.decision_reason or reason
        await audit.record(uow, "approval.superseded", target=str(row.id), detail={"reason": reason})


async def policies_of(uow: UnitOfWork) -> list[Policy]:
    return [policy_of(row) for row in await uow.session.scalars(select(ApprovalPolicy))]


def policy_of(row: ApprovalPolicy) -> Policy:
    rule = Rule(
        Mode(row.mode), row.argument, row.above, Role(row.approver_role), row.four_eyes, row.trusts_tainted
    )
    return Policy(rule, row.tool, row.agent, row.role)


def _row(run: TurnRun, ask: Ask, owner: UUID, expires_in: timedelta) -> Approval:
    turn, tool, moment = run.turn, ask.tool, now()
    assert run.scope.org_id is not None
    return Approval(
        org_id=run.scope.org_id,
        id=uuid5(turn.session_id, f"{ask.call_id}/{turn.fence}"),
        user_id=owner,
        session_id=turn.session_id,
        call_id=ask.call_id,
        agent=run.agent.name,
        tool=tool.name,
        tool_version=version_of(tool),
        arguments=ask.arguments,
        args_hash=fingerprint(tool.name, version_of(tool), ask.arguments, turn.session_id, ask.call_id),
        why=ask.why,
        approver_role=ask.rule.approver.value,
        four_eyes=ask.rule.four_eyes,
        replaces=ask.replaces,
        edited=ask.edited,
        requested_by=run.scope.user_id,
        requested_at=moment,
        expires_at=moment + expires_in,
        state="pending",
    )


async def _role_of(uow: UnitOfWork, scope: Scope) -> Role | None:
    """The one the person has now; None when they have left. A service's own work has no person to lose."""
    if scope.user_id is None:
        return Role.OWNER if scope.role == "service" else Role(scope.role or Role.MEMBER)
    role = await uow.session.scalar(
        select(Membership.role).where(
            Membership.org_id == scope.org_id,
            Membership.user_id == scope.user_id,
            Membership.removed_at.is_(None),
        )
    )
    return Role(role) if role is not None else None


def _denied(decision: ApprovalDecided) -> str:
    said = f" The reason: {decision.reason}" if decision.reason else ""
    return f"Not carried out: it was not approved.{said} Do not try to get the same done another way."
