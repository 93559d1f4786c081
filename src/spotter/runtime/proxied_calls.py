"""Model calls that other programs make through us (B7): allowed models only, checked, reserved, billed.

Each has a record of its own, in no list: a turn that is opened before the provider is asked and closed with what it
cost, by the statement that bills it. The words themselves are not kept. The call is a task, so a client that hangs up
changes nothing about the bill: the answer is read to its end. When the server stops in the middle, what was held back
is counted, and the entry says that nobody reported.
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import psycopg
from sqlalchemy.exc import SQLAlchemyError

from spotter.billing.ledger import Call, Ledger
from spotter.errors import InvalidInput, PaymentRequired, SpotterError, Unavailable
from spotter.identity.principal import Principal
from spotter.llm.allowed import AllowedModels
from spotter.llm.faults import ModelError, ModelProtocolError, ModelTimeout
from spotter.llm.port import Usage
from spotter.llm.tokens import estimate
from spotter.runtime import verdicts
from spotter.runtime.agent import Agent, Limits
from spotter.runtime.guard import Guard
from spotter.runtime.proxied_answers import ProxiedAnswer
from spotter.runtime.steps import BUDGET
from spotter.runtime.usage import usage_record
from spotter.sessions import directory
from spotter.sessions.codec import storable
from spotter.sessions.events import (
    AssistantMessage,
    Content,
    Ending,
    Failure,
    TurnEnded,
    UsageRecord,
    UserMessage,
)
from spotter.sessions.log import Lease, SessionLog, Turn
from spotter.store.database import Database
from spotter.store.scope import Scope

log = logging.getLogger(__name__)

PROXY: Final = "model-proxy"
"""Who such a call is billed under. No agent can be called so: names have no hyphen."""
_LEASE_SECONDS: Final = 900.0
"""Longer than any call lasts. If this process dies its lock goes with it, and others need not wait for the lease."""
_MANY: Final = 256


def proxy_agent() -> Agent:
    """Ends what a dead process left: nothing is ever asked again in somebody else's name."""
    return Agent(PROXY, "You are a record of model calls.", limits=Limits(iterations=0))


class Blocked(InvalidInput):
    code = "moderation_blocked"
    title = "The text may not be passed on"


class Passing(Protocol):
    """A provider's model that takes a request as it is."""

    name: str
    provider: str

    @property
    def usage(self) -> Usage: ...

    @property
    def request_id(self) -> str: ...

    async def whole(self, body: dict[str, Any]) -> dict[str, Any]: ...

    def pieces(self, body: dict[str, Any]) -> AsyncGenerator[bytes, None]: ...


PassingFor = Callable[[Scope, str], Awaitable[Any]]


@dataclass(slots=True)
class _Open:
    """A call that is going on."""

    scope: Scope
    turn: Turn
    model: Passing
    body: dict[str, Any]
    answer: ProxiedAnswer
    pieces: "asyncio.Queue[bytes | SpotterError | None]" = field(default_factory=lambda: asyncio.Queue(_MANY))
    nobody_listens: bool = False
    began: bool = False
    """The provider has begun to answer: from here on it costs something."""


class ProxiedCalls:
    def __init__(
        self,
        database: Database,
        session_log: SessionLog,
        ledger: Ledger,
        guard: Guard,
        models: PassingFor,
        allowed: AllowedModels,
        owner: int,
    ) -> None:
        self._database = database
        self._log = session_log
        self._ledger = ledger
        self._guard = guard
        self._models = models
        self._allowed = allowed
        self._lease = Lease(owner, _LEASE_SECONDS)
        self._running: set[asyncio.Task[Any]] = set()
        self._stopping = False

    async def stop(self, grace: float) -> None:
        """Lets calls end; what is still going on then is billed as far as anybody knows."""
        self._stopping = True
        if self._running:
            await asyncio.wait(self._running, timeout=grace)
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def whole(self, caller: Principal, body: Mapping[str, Any], texts: str) -> dict[str, Any]:
        call = await self._open(caller, body, texts)
        answer: dict[str, Any] = await asyncio.shield(self._task(self._ask(call)))
        return answer

    async def stream(
        self, caller: Principal, body: Mapping[str, Any], texts: str
    ) -> AsyncGenerator[bytes, None]:
        """Raises before the first piece where the provider refuses; after that, an error ends the stream."""
        call = await self._open(caller, body, texts)
        self._task(self._pass_on(call))
        first = await call.pieces.get()
        if isinstance(first, SpotterError):
            raise first
        return _heard(call, first)

    def _task(self, work: Any) -> "asyncio.Task[Any]":
        task = asyncio.create_task(work, name="a proxied model call")
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def _open(self, caller: Principal, body: Mapping[str, Any], texts: str) -> _Open:
        if self._stopping:
            raise Unavailable("This server is stopping. Try again.", retry_after=1)
        name = str(body["model"]).removeprefix("openai:")
        self._allowed.require(f"openai:{name}")
        scope = caller.scope
        model: Passing = await self._models(scope, name)
        decision = await self._guard.check(scope, texts, "api")
        policy = await self._guard.policy(scope)
        if not decision.allowed:
            raise Blocked(
                f"Nothing was asked: {decision.reason}",
                extra={"categories": [one.name for one in decision.categories]},
            )
        message = UserMessage(
            text=f"[A call of the Responses API, {storable(name)}]",
            source="api",
            moderation=verdicts.as_record(decision, spans=False),
        )
        async with self._database.unit_of_work(scope) as uow:
            session = await directory.create(uow, PROXY, kind="proxy")
        turn = await self._log.open_turn(scope, session.id, message, self._lease, wait=False)
        assert isinstance(turn, Turn)
        answer = ProxiedAnswer(policy, scope, texts)
        call = _Open(scope, turn, model, {**body, "model": name, "store": False}, answer)
        await self._reserve(call)
        return call

    async def _reserve(self, call: _Open) -> None:
        if not call.turn.capped:
            return
        wanted = call.body.get("max_output_tokens")
        asked = estimate(json.dumps({name: call.body.get(name) for name in _READ}))
        try:
            most = await self._ledger.reserve(
                call.scope,
                Call(call.turn.session_id, call.turn.fence, call.model, asked, wanted),  # type: ignore[arg-type]
            )
        except PaymentRequired as refused:
            ended = TurnEnded(ends=Ending.LIMIT, reason=refused.detail, limit=BUDGET, detail=refused.extra)
            await self._end(call, ended)
            raise
        if most is not None:
            call.body["max_output_tokens"] = most

    async def _ask(self, call: _Open) -> dict[str, Any]:
        try:
            answer = await call.model.whole(call.body)
            answer = await asyncio.to_thread(call.answer.whole, answer)
        except BaseException as error:
            await self._end_after(call, error)
            raise
        await self._end_after(call, None)
        return answer

    async def _pass_on(self, call: _Open) -> None:
        try:
            async for piece in call.model.pieces(call.body):
                call.began = True
                for checked in call.answer.feed(piece):
                    await _put(call, checked)
            for checked in call.answer.finish():
                await _put(call, checked)
        except ModelError as error:
            await self._end_after(call, error)
            await _put(call, error)
            return
        except BaseException as error:
            await self._end_after(call, error)
            await _put(call, Unavailable("This server is stopping."))
            raise
        await self._end_after(call, None)
        await _put(call, None)

    async def _end_after(self, call: _Open, error: BaseException | None) -> None:
        usage = usage_record(call.model.usage, call.model.name, call.model.provider, call.model.request_id)
        if error is None or call.began:
            self._guard.seen(call.answer.decision)
        verdict = call.answer.verdict
        await asyncio.shield(self._end(call, _last(usage, error, verdict, began=call.began)))

    async def _end(self, call: _Open, last: Content) -> None:
        """Billed by the same statement. Left open if the database is away: then others end it."""
        try:
            await self._log.append(
                call.scope, call.turn.session_id, [last], fence=call.turn.fence, close=True
            )
        except (psycopg.Error, SQLAlchemyError, SpotterError) as trouble:
            log.error("a proxied model call could not be recorded", exc_info=trouble)
            raise


_READ: Final = ("instructions", "input", "tools", "text")


def _last(
    usage: UsageRecord, error: BaseException | None, verdict: dict[str, Any], *, began: bool
) -> Content:
    if error is None:
        return AssistantMessage(text="", usage=usage, moderation=verdict, ends=Ending.FINAL)
    # Refused before anything was worked out: nothing is owed. Broken off in the middle: nobody knows, and that is
    # recorded as a call that reported nothing; where caps hold, it counts as all that was held back for it.
    refused = isinstance(error, ModelError) and not isinstance(error, ModelTimeout | ModelProtocolError)
    owed = usage if usage.reported or began or not refused else None
    code = error.code if isinstance(error, SpotterError) else "stopped"
    detail = error.detail if isinstance(error, SpotterError) else "The server stopped in the middle."
    return Failure(code=code, detail=storable(detail), usage=owed, ends=Ending.FAILED)


async def _put(call: _Open, piece: "bytes | SpotterError | None") -> None:
    """Waits for a slow reader, but not for one who left."""
    while not call.nobody_listens:
        try:
            async with asyncio.timeout(0.5):
                await call.pieces.put(piece)
                return
        except TimeoutError:
            continue


async def _heard(call: _Open, first: bytes | None) -> AsyncGenerator[bytes, None]:
    piece: bytes | SpotterError | None = first
    try:
        while isinstance(piece, bytes):
            yield piece
            piece = await call.pieces.get()
        if isinstance(piece, SpotterError):
            problem = {"type": "error", "code": piece.code, "message": piece.detail}
            yield b"event: error\ndata: " + json.dumps(problem).encode() + b"\n\n"
    finally:
        call.nobody_listens = True
