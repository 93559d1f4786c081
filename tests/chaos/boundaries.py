"""Where a process can die: before and after everything it waits for. Put in from outside: the source has no hooks."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import psycopg
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from spotter.billing.ledger import Ledger
from spotter.llm.scripted import ScriptedModel
from spotter.runtime.executor import CallSite, Carried, Executor, ToolContext
from spotter.runtime.tool import Tool
from spotter.runtime.turns import Turns
from spotter.sessions.charges import usage_in
from spotter.sessions.events import Move, Result
from spotter.sessions.log import Appended, Fenced, SessionLog
from spotter.store.unit_of_work import UnitOfWork

IN_TURN: ContextVar[bool] = ContextVar("in_turn", default=False)


class Injected(Exception):
    """A bug that nobody expected."""


class Boundaries:
    def __init__(self, at: int, how: str, *, steps: bool, killed_at: Path) -> None:
        self._at = at
        self._how = how
        self.steps = steps
        self._killed_at = killed_at
        self.count = 0
        self.fenced = 0
        """How often this process was told that the turn is not its own."""
        self.took_over = 0

    def here(self, name: str) -> None:
        if self.steps != (name == "step") or (self._how.startswith("raise") and not IN_TURN.get()):
            return
        self.count += 1
        if self.count != self._at:
            return
        self._killed_at.write_text(name)
        match self._how:
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "stop":
                os.kill(os.getpid(), signal.SIGSTOP)
            case "term":
                os.kill(os.getpid(), signal.SIGTERM)
            case "raise a bug":
                raise Injected(name)
            case "raise a loss":
                raise psycopg.OperationalError(f"injected: the connection is lost {name}")

    def install(self) -> None:
        """In this process only, which dies soon."""
        self._wrap(SessionLog, "_call", lambda _, statement, *rest: statement.split("(")[0].split()[-1])
        self._wrap(SessionLog, "read", lambda *_: "read")
        self._wrap(UnitOfWork, "__aenter__", lambda *_: "begin")
        self._wrap(UnitOfWork, "_end", lambda *_: "end")
        self._wrap(AsyncConnection, "commit", lambda *_: "commit")
        self._wrap(psycopg.AsyncCursor, "execute", lambda *_: "statement")
        self._wrap(Executor, "_commit", lambda *_: "result")
        self._wrap(Executor, "_mark_attempt", lambda *_: "mark")
        self._wrap(Ledger, "reserve", lambda *_: "reserve")
        self._mark_turns()
        self._watch_streams()

    def tool(self, tool: Tool) -> Tool:
        async def function(context: ToolContext, **given: Any) -> Any:
            self.here(f"before {tool.name}")
            answer = await tool.function(context, **given)
            self.here(f"after {tool.name}")
            return answer

        return replace(tool, function=function)

    def _wrap(self, owner: type, name: str, label: Callable[..., str]) -> None:
        original: Callable[..., Awaitable[Any]] = getattr(owner, name)

        async def wrapped(*args: Any, **kwargs: Any) -> Any:
            said = label(*args)
            self.here(f"before {said}")
            try:
                answer = await original(*args, **kwargs)
            except Fenced:
                self.fenced += name in ("_call", "_mark_attempt", "reserve")
                raise
            if said == "spotter_take_over":
                self.fenced += answer is None
                self.took_over += answer is not None
            self.here(f"after {said}")
            return answer

        setattr(owner, name, wrapped)

    def _mark_turns(self) -> None:
        run_all, keep_lease = Turns._run_all, Turns._keep_lease

        async def turn(*args: Any) -> None:
            IN_TURN.set(True)
            await run_all(*args)

        async def lease(*args: Any, **kwargs: Any) -> None:
            IN_TURN.set(False)
            await keep_lease(*args, **kwargs)

        setattr(Turns, "_run_all", turn)  # noqa: B010 - methods may not be assigned
        setattr(Turns, "_keep_lease", lease)  # noqa: B010

    def _watch_streams(self) -> None:
        stream = ScriptedModel.stream

        async def watched(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
            self.here("before model")
            async for chunk in stream(*args, **kwargs):
                self.here(f"before {type(chunk).__name__}")
                yield chunk
                self.here(f"after {type(chunk).__name__}")

        setattr(ScriptedModel, "stream", watched)  # noqa: B010


class SteppingLoop(asyncio.SelectorEventLoop):
    """Every step of every task of a turn is a boundary: whatever was awaited, here it goes on."""

    boundaries: ClassVar[Boundaries | None] = None

    @override
    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> asyncio.Handle:
        return super().call_soon(self._step, callback, *args, context=context)

    def _step(self, callback: Any, *args: Any) -> None:
        if self.boundaries is not None and IN_TURN.get():
            self.boundaries.here("step")
        callback(*args)


def without_transaction() -> None:
    """A mutant: the effect is committed before its result, as if there were no transaction around both."""

    async def commit(
        self: Executor, site: CallSite, context: ToolContext, result: Result, moves: tuple[Move, ...]
    ) -> Carried:
        unit, context._unit = context._unit, None
        if unit is not None:
            await unit.__aexit__(None, None, None)
        return Carried(result, await self._append(site, result, moves=moves), moves)

    setattr(Executor, "_commit", commit)  # noqa: B010


def without_fence() -> None:
    """A mutant: whoever writes is let write."""
    append = SessionLog.append

    async def unfenced(*args: Any, **kwargs: Any) -> Appended:
        return await append(*args, **{**kwargs, "fence": None})

    setattr(SessionLog, "append", unfenced)  # noqa: B010


def billed_apart() -> None:
    """A mutant: the call is recorded, and billed by a statement of its own right after."""
    append = SessionLog.append
    bill = (
        "INSERT INTO usage_entries (org_id, session_id, sequence_number, user_id, billing_day, billing_month, kind,"
        " agent, provider, model, input, output, cache_read, cache_write, reported, cost, charge, markup, price,"
        " counted, counted_tokens) SELECT %s, %s, %s, %s, now()::date, date_trunc('month', now())::date, 'x', 'tester',"
        " %s, %s, %s, %s, 0, 0, true, 0, 0, 0, 'x', 0, %s"
    )

    async def apart(self: SessionLog, scope: Any, session_id: Any, events: Any, **kwargs: Any) -> Appended:
        done = await append(self, scope, session_id, events, **{**kwargs, "bill": False})
        for offset, event in enumerate(events, start=1 - len(events)):
            if (usage := usage_in(event)) is None:
                continue
            async with self._pool.connection() as connection, connection.transaction():
                await connection.execute(
                    "SELECT set_config('spotter.org_id', %s, true), set_config('spotter.user_id', %s, true)",
                    (str(scope.org_id), str(scope.user_id)),
                )
                place = (scope.org_id, session_id, done.last + offset, scope.user_id)
                used = (usage.provider, usage.model, usage.input, usage.output, usage.input + usage.output)
                await connection.execute(bill, (*place, *used))
        return done

    setattr(SessionLog, "append", apart)  # noqa: B010
