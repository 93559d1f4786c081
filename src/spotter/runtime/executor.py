"""Running one call: may it, does it fit, what came of it; with the effect and its result in one transaction.

What happens if the process dies here depends on the tool's effect class. Ours: the transaction was committed with
the result or not at all, so after a crash the call is simply run. Unkeyed: it was marked before it was tried; a mark
without a result means nobody knows, and that is what the log then says.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from uuid import UUID, uuid5

import psycopg
from pydantic import ValidationError
from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from spotter.clock import now
from spotter.context import references
from spotter.errors import SpotterError, Unavailable
from spotter.ids import new_id
from spotter.runtime.agent import Agent
from spotter.runtime.approval_use import may_call, settle, use
from spotter.runtime.closing import uncertain
from spotter.runtime.guard import Guard
from spotter.runtime.outside import judged_result
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.results import as_answer, explain, failure_of, result_of
from spotter.runtime.tool import Answer, Effect, FixAndRetry, Tool, ToolFailed
from spotter.sessions.codec import storable
from spotter.sessions.events import Action, ApprovalDecided, Content, Ending, Move, Outcome, Result
from spotter.sessions.log import Appended, Fenced, SessionLog, Turn
from spotter.sessions.tables import AgentSession, OutboxMessage
from spotter.sessions.tables import Effect as EffectMark
from spotter.store.database import Database
from spotter.store.faults import as_spotter_error
from spotter.store.scope import NOBODY, Scope
from spotter.store.unit_of_work import UnitOfWork

log = logging.getLogger(__name__)

_CHECKED_AT_ONCE = 4_000
"""Characters. A longer result is checked beside the loop: 60 000 take 80 ms."""
_EFFECTS = UUID("6f1c4a52-8f0e-4d0b-9a35-5d1f2f0e7a11")


Judge: TypeAlias = Callable[[Result], Awaitable[Result]]
"""The result as a model may read it."""


def effect_of(session_id: UUID, call_id: str) -> UUID:
    return uuid5(_EFFECTS, f"{session_id}/{call_id}")


@dataclass(slots=True)
class ToolContext:
    """What a tool works with. `transaction()` is the one its result commits in."""

    scope: Scope
    session_id: UUID
    call_id: str
    agent: Agent
    database: Database
    _unit: UnitOfWork | None = field(default=None, repr=False)

    @property
    def effect_id(self) -> UUID:
        """The same for every run of this call: a key for effects outside, and for what it spends."""
        return effect_of(self.session_id, self.call_id)

    async def transaction(self) -> UnitOfWork:
        if self._unit is None:
            unit = self.database.unit_of_work(self.scope)
            await unit.__aenter__()
            self._unit = unit
        return self._unit

    async def project_id(self) -> UUID | None:
        """Where what the tool keeps belongs; None for the organisation's default project."""
        uow = await self.transaction()
        return await uow.session.scalar(
            select(AgentSession.project_id).where(AgentSession.id == self.session_id)
        )

    async def outbox(self, kind: str, payload: dict[str, Any]) -> UUID:
        """Something to deliver outside, once the result is committed, with its id as idempotency key."""
        uow = await self.transaction()
        assert self.scope.org_id is not None
        message = OutboxMessage(
            org_id=self.scope.org_id,
            id=new_id(),
            user_id=self.scope.user_id or NOBODY,
            kind=kind,
            payload=payload,
            session_id=self.session_id,
            call_id=self.call_id,
        )
        uow.session.add(message)
        await uow.defer(
            "outbox.deliver", queue_name="outbox", lock=f"outbox:{message.id}", message_id=str(message.id)
        )
        return message.id


@dataclass(frozen=True, slots=True)
class CallSite:
    """One call in one turn: who asked, for whom, with what right to write."""

    scope: Scope
    turn: Turn
    agent: Agent
    call: Action
    decision: ApprovalDecided | None = None
    """What a person said about it, where one had to."""
    alone: bool = True
    """No other call waits to be answered. Only then may its result end the turn."""
    last: bool = False
    """The turn is about this call, which a program made, and ends with its result."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A call that has its result, committed."""

    result: Result
    done: Appended
    moves: tuple[Move, ...] = ()

    @property
    def events(self) -> tuple[Content, ...]:
        """As they stand in the log: the result last, for it may end the turn."""
        return (*self.moves, self.result)


class Executor:
    def __init__(
        self, registry: ToolRegistry, database: Database, session_log: SessionLog, guard: Guard
    ) -> None:
        self.registry = registry
        self._database = database
        self._log = session_log
        self._guard = guard

    def tool_for(self, agent: Agent, call: Action) -> Tool | None:
        """Only what the agent is allowed: a name that a text brought in is as unknown as any other."""
        return self.registry.of(agent).get(call.tool)

    async def with_ids(self, scope: Scope, session_id: UUID, tool: Tool | None, call: Action) -> Action:
        """The call with ids where it names references of the session's context. Before anybody is asked about it: what
        is approved is what happens. The log keeps what the model wrote."""
        if tool is None:
            return call
        args = await references.resolved(self._database, scope, session_id, tool.schema, call.args)
        return call if args is call.args else call.model_copy(update={"args": args})

    async def run(self, site: CallSite) -> Carried:
        """The result, committed, and its place in the log. Raises only when that is not certain (the database is
        away, the turn was taken over): then the log tells whoever goes on."""
        call = site.call
        tool = self.tool_for(site.agent, call)
        if tool is None:
            allowed = ", ".join(self.registry.of(site.agent).names) or "none"
            return await self._refuse(site, f"There is no tool {call.tool!r} here. There are: {allowed}.")
        if not may_call(site.scope, tool):
            return await self._refuse(site, f"{call.tool} needs the role {tool.permission}.", Outcome.DENIED)
        try:
            arguments = tool.arguments.model_validate_json(call.args or "{}")
        except ValidationError as error:
            return await self._refuse(site, explain(error))
        given = {name: getattr(arguments, name) for name in type(arguments).model_fields}
        judge = await self._judge(site, tool)
        if tool.effect is Effect.UNKEYED:
            return await self._run_unkeyed(site, tool, given, judge)
        return await self._run_ours(site, tool, given, judge)

    async def deny(self, site: CallSite, reason: str) -> Carried:
        """A person did not want it, or what they wanted is no longer what would happen. It never will."""
        return await self._refuse(site, reason, Outcome.DENIED)

    async def _judge(self, site: CallSite, tool: Tool) -> Judge:
        """Asked for before the tool opens its transaction, so that no second connection is needed then."""
        policy, seen = await self._guard.policy(site.scope), self._guard.seen

        async def judge(result: Result) -> Result:
            if len(result.formatted) <= _CHECKED_AT_ONCE:
                return judged_result(result, policy, seen, strange=tool.reads_untrusted)
            return await asyncio.to_thread(judged_result, result, policy, seen, strange=tool.reads_untrusted)

        return judge

    async def _run_ours(self, site: CallSite, tool: Tool, given: dict[str, Any], judge: Judge) -> Carried:
        context = self._context(site)
        started = time.perf_counter()
        try:
            answer = await self._call(tool, context, given)
            result = await judge(
                result_of(site.call, answer, started, edited=_edited(site), alone=site.alone)
            )
        except Exception as error:
            await _roll_back(context, error)
            if _uncertain_commit(error):
                raise
            return await self._answer(site, await judge(failure_of(site.call, error, started)))
        except BaseException as error:
            await _roll_back(context, error)
            raise
        try:
            return await self._commit(site, context, result, answer.moves)
        except (psycopg.Error, SQLAlchemyError) as error:
            await _roll_back(context, error)
            if _uncertain_commit(error):
                raise
            return await self._answer(site, await judge(failure_of(site.call, error, started)))
        except BaseException as error:
            # Anything else may have come after the commit: only the log knows.
            await _roll_back(context, error)
            raise

    async def _run_unkeyed(self, site: CallSite, tool: Tool, given: dict[str, Any], judge: Judge) -> Carried:
        context = self._context(site)
        started = time.perf_counter()
        moves: tuple[Move, ...] = ()
        if not await self._mark_attempt(site):
            result = uncertain(site.call)
        else:
            try:
                answer = await self._call(tool, context, given)
                result, moves = (
                    await judge(
                        result_of(site.call, answer, started, edited=_edited(site), alone=site.alone)
                    ),
                    answer.moves,
                )
            except Exception as error:  # noqa: BLE001 - a tool's bug is told to the model and logged, see _reason
                await _roll_back(context, error)
                result = await judge(failure_of(site.call, error, started))
                if not _says_nothing_happened(error):
                    result = uncertain(site.call)
            except BaseException as error:
                await _roll_back(context, error)
                raise
        state = "uncertain" if result.outcome is Outcome.UNCERTAIN else "done"
        try:
            uow = await context.transaction()
            await uow.session.execute(
                update(EffectMark)
                .where(EffectMark.session_id == site.turn.session_id, EffectMark.call_id == site.call.call_id)
                .values(state=state, settled_at=now())
            )
            return await self._commit(site, context, result, moves)
        except BaseException as error:
            await _roll_back(context, error)
            raise

    def _context(self, site: CallSite) -> ToolContext:
        return ToolContext(site.scope, site.turn.session_id, site.call.call_id, site.agent, self._database)

    async def _mark_attempt(self, site: CallSite) -> bool:
        """False when it was tried before: then nobody knows whether it happened, and it is not tried again.

        The session is locked against being taken over or cancelled meanwhile: whoever has lost the turn begins nothing.
        """
        async with self._database.unit_of_work(site.scope) as uow:
            owner = await uow.session.scalar(
                select(AgentSession.user_id)
                .where(
                    AgentSession.id == site.turn.session_id,
                    AgentSession.fence == site.turn.fence,
                    AgentSession.turn_open,
                )
                .with_for_update(read=True)
            )
            if owner is None:
                raise Fenced("This turn was taken over by another process, or has ended.")
            marked = await uow.session.execute(
                insert(EffectMark)
                .values(
                    org_id=site.scope.org_id,
                    session_id=site.turn.session_id,
                    call_id=site.call.call_id,
                    user_id=owner,
                    state="attempting",
                )
                .on_conflict_do_nothing()
                .returning(EffectMark.call_id)
            )
            first = marked.first() is not None
            if first and site.decision is not None:
                await use(uow, site.decision)
            return first

    async def _call(self, tool: Tool, context: ToolContext, given: dict[str, Any]) -> Answer:
        async with asyncio.timeout(tool.timeout):
            return as_answer(tool, await tool.function(context, **given))

    async def _commit(
        self, site: CallSite, context: ToolContext, result: Result, moves: tuple[Move, ...]
    ) -> Carried:
        """The effect and its result, together. A tool that opened no transaction changed nothing."""
        result = _as_last(site, result)
        unit = context._unit
        if unit is None:
            return Carried(result, await self._append(site, result, moves=moves), moves)
        done = await self._append(site, result, unit, moves)
        context._unit = None
        await unit.__aexit__(None, None, None)
        return Carried(result, done, moves)

    async def _refuse(self, site: CallSite, text: str, outcome: Outcome = Outcome.ERROR) -> Carried:
        text = storable(text)
        result = Result(
            tool=site.call.tool, call_id=site.call.call_id, outcome=outcome, error=text, formatted=text
        )
        return await self._answer(site, result)

    async def _answer(self, site: CallSite, result: Result) -> Carried:
        result = _as_last(site, result)
        return Carried(result, await self._append(site, result))

    async def _append(
        self, site: CallSite, result: Result, uow: UnitOfWork | None = None, moves: tuple[Move, ...] = ()
    ) -> Appended:
        """The result and, where the call was decided about, the end of that decision: together or not at all."""
        if uow is None and site.decision is not None:
            async with self._database.unit_of_work(site.scope) as own:
                return await self._append(site, result, own, moves)
        done = await self._log.append(
            site.scope,
            site.turn.session_id,
            [*moves, result],
            fence=site.turn.fence,
            close=result.ends is not None,
            connection=await uow.driver() if uow is not None else None,
        )
        if uow is not None and site.decision is not None:
            await settle(uow, site.decision, result.outcome)
        return done


def _uncertain_commit(error: Exception) -> bool:
    """Whether the transaction may have happened all the same, or is no longer ours to answer for."""
    return isinstance(error, Fenced | Unavailable) or isinstance(as_spotter_error(error), Unavailable)


def _says_nothing_happened(error: Exception) -> bool:
    """A tool that refuses says so. After a time-out, a lost connection or a bug the effect may have happened."""
    return isinstance(error, FixAndRetry | ToolFailed) or (
        isinstance(error, SpotterError) and error.status < 500
    )


async def _roll_back(context: ToolContext, error: BaseException) -> None:
    unit = context._unit
    context._unit = None
    if unit is not None:
        await unit.__aexit__(type(error), error, error.__traceback__)


def _as_last(site: CallSite, result: Result) -> Result:
    return result.model_copy(update={"ends": Ending.CALLED}) if site.last else result


def _edited(site: CallSite) -> bool:
    return site.decision is not None and site.decision.edited
