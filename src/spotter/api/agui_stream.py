"""A run as AG-UI streams it: what is known, what happens, what it cost, and how it ended."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from ag_ui.core import (
    PROTOCOL_VERSION,
    BaseEvent,
    CustomEvent,
    Interrupt,
    RunErrorEvent,
    RunFinishedCancelledOutcome,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    TokenUsage,
)
from pydantic_core import from_json
from starlette.responses import StreamingResponse

from spotter.api.agui_input import QUESTION
from spotter.api.agui_picture import Picture
from spotter.api.services import Services
from spotter.api.streams import STREAM_HEADERS
from spotter.billing import reports
from spotter.identity.principal import Principal
from spotter.runtime import approval_decisions
from spotter.runtime.tables import Approval
from spotter.runtime.watch import Item
from spotter.sessions import directory
from spotter.sessions.codec import Event
from spotter.sessions.events import Content, Ending, Failure, TurnEnded, UsageRecord
from spotter.sessions.projections import usage_of
from spotter.sessions.tables import AgentSession

COST: Final = "spotter.cost"
_CUT: Final = "This server is stopping. The answer goes on; ask for the thread again."
_MOST_ASKED: Final = 50
_DECISION: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "reason": {"type": "string", "description": "the agent reads it"},
        "arguments": {"type": "object", "description": "other arguments than those asked about"},
    },
    "required": ["approved"],
}


@dataclass(slots=True)
class Run:
    """One run to be told. `after` is the last event of the past; without it, whatever is in the log before the first
    event that comes is the past."""

    services: Services
    caller: Principal
    session: AgentSession
    thread_id: str
    run_id: str
    batches: AsyncGenerator[list[Item], None]
    names: Mapping[UUID, str] = field(default_factory=dict)
    after: int | None = None
    known: frozenset[str] | None = None
    """The ids of the messages that the client has; None when it has to be told them."""
    resumed: bool = False
    """The client has what came before: no snapshots."""
    _used: list[UsageRecord] = field(default_factory=list)

    def response(self) -> StreamingResponse:
        return StreamingResponse(self._encoded(), media_type="text/event-stream", headers=STREAM_HEADERS)

    async def _encoded(self) -> AsyncIterator[bytes]:
        async with aclosing(self._told()) as told:
            async for sequence, event in told:
                if event is None:
                    yield b": still here\n\n"
                    continue
                head = f"id: {sequence}\n".encode() if sequence else b""
                yield head + b"data: " + event.model_dump_json(by_alias=True).encode() + b"\n\n"

    async def _told(self) -> AsyncGenerator[tuple[int, BaseEvent | None], None]:
        """Each event with the number of the log's event it completes, or 0."""
        yield (
            0,
            RunStartedEvent(thread_id=self.thread_id, run_id=self.run_id, protocol_version=PROTOCOL_VERSION),
        )
        picture: Picture | None = None
        first = self.after
        async with aclosing(self.batches):
            async for batch in self.batches:
                if not batch:
                    yield 0, None
                for item in batch:
                    if picture is None:
                        if first is None:
                            first = item.sequence - 1 if isinstance(item, Event) else 0
                        picture = await self._past(first)
                        for event in self._beginning(picture):
                            yield 0, event
                    for numbered in self._news(picture, item):
                        yield numbered
        if picture is None:
            picture = await self._past(self.after or self.session.last_sequence)
            for event in self._beginning(picture):
                yield 0, event
        for event in picture.end():
            yield picture.last, event
        yield 0, await self._cost(first or 0)
        yield picture.last, await self._end(picture)

    def _news(self, picture: Picture, item: Item) -> list[tuple[int, BaseEvent | None]]:
        if not isinstance(item, Event):
            return [(0, event) for event in picture.hear(item)]
        if item.sequence <= picture.last:
            return []
        if (used := usage_of(item)) is not None:
            self._used.append(used)
        told = picture.take(item)
        # Only the last one has the number: whoever stops in between gets all of them again.
        return [(item.sequence if event is told[-1] else 0, event) for event in told]

    async def _past(self, upto: int) -> Picture:
        past = (
            await self.services.log.read(self.caller.scope, self.session.id, limit=upto) if upto > 0 else []
        )
        return Picture.of(self.session, past, self.names)

    def _beginning(self, picture: Picture) -> list[BaseEvent]:
        if self.resumed:
            return []
        messages, state = picture.snapshots
        ours = {message.id for message in picture.messages}
        return [state] if self.known is not None and self.known == ours else [messages, state]

    async def _cost(self, after: int) -> CustomEvent:
        """Of this run; of everything where the client is told everything."""
        async with self.services.database.unit_of_work(self.caller.scope) as uow:
            whole = await reports.of_session(uow, self.session.id)
            calls = await reports.of_calls(uow, self.session.id, after if self.known is not None else 0)
        return CustomEvent(
            name=COST,
            value={
                "currency": "micro-dollars",
                "session": {"charge": whole.charge, "cost": whole.cost, "calls": whole.calls},
                "calls": [
                    {"sequence": one.sequence, "model": one.model, "charge": one.charge, "priced": one.priced}
                    for one in calls
                ],
            },
        )

    async def _end(self, picture: Picture) -> BaseEvent:
        usage = _usage(self._used) or None
        if picture.ending in (Ending.FAILED, Ending.LIMIT):
            code, message = _trouble(picture.closing)
            return RunErrorEvent(message=message, code=code, usage=usage)
        if picture.ending is None and await self._goes_on():
            return RunErrorEvent(message=_CUT, code="server_stopping", usage=usage)
        outcome = await self._outcome(picture)
        return RunFinishedEvent(thread_id=self.thread_id, run_id=self.run_id, outcome=outcome, usage=usage)

    async def _outcome(self, picture: Picture) -> RunFinishedOutcome:
        if picture.ending is Ending.CANCELLED:
            return RunFinishedCancelledOutcome()
        if picture.ending in (Ending.ASKED, Ending.APPROVAL):
            asked = await self._interrupts(picture)
            if asked:
                return RunFinishedInterruptOutcome(interrupts=asked)
        return RunFinishedSuccessOutcome()

    async def _goes_on(self) -> bool:
        async with self.services.database.unit_of_work(self.caller.scope) as uow:
            return (await directory.get(uow, self.session.id)).turn_open

    async def _interrupts(self, picture: Picture) -> list[Interrupt]:
        asked: list[Interrupt] = []
        if picture.ending is Ending.ASKED and (question := picture.state["question"]) is not None:
            answer: dict[str, Any] = {"type": "string"}
            if question["options"]:
                answer["examples"] = question["options"]
            asked.append(
                Interrupt(
                    id=f"{QUESTION}{picture.asked_at}",
                    reason="input_required",
                    message=question["text"],
                    response_schema={
                        "type": "object",
                        "properties": {"answer": answer},
                        "required": ["answer"],
                    },
                    metadata={"options": question["options"]},
                )
            )
        async with self.services.database.unit_of_work(self.caller.scope) as uow:
            rows = await approval_decisions.listing(
                uow, limit=_MOST_ASKED, state="pending", session_id=self.session.id
            )
        return asked + [_approval(row) for row in reversed(rows)]


def _approval(row: Approval) -> Interrupt:
    return Interrupt(
        id=str(row.id),
        reason="tool_call",
        message=f"{row.tool} waits for approval. {row.why}".strip(),
        tool_call_id=row.call_id,
        response_schema=_DECISION,
        expires_at=row.expires_at.isoformat(),
        metadata={
            "tool": row.tool,
            "arguments": from_json(row.arguments),
            "argsHash": row.args_hash,
            "approverRole": row.approver_role,
            "fourEyes": row.four_eyes,
        },
    )


def _trouble(closing: Content | None) -> tuple[str, str]:
    match closing:
        case Failure(code=code, detail=detail):
            return code, detail
        case TurnEnded(limit=limit, reason=reason):
            return f"limit.{limit}" if limit else "limit", reason or "A limit was reached."
        case _:
            return "failed", "The turn failed."


def _usage(used: list[UsageRecord]) -> list[TokenUsage]:
    """One entry for each model. In AG-UI's counting what was cached is a part of the input."""
    found: dict[tuple[str, str], TokenUsage] = {}
    for one in used:
        entry = found.setdefault(
            (one.provider, one.model),
            TokenUsage(
                provider=one.provider or None,
                model=one.model,
                input_tokens=0,
                output_tokens=0,
                total_tokens=0,
                cached_input_tokens=0,
                cache_write_input_tokens=0,
            ),
        )
        taken = one.input + one.cache_read + one.cache_write
        for name, count in (
            ("input_tokens", taken),
            ("output_tokens", one.output),
            ("total_tokens", taken + one.output),
            ("cached_input_tokens", one.cache_read),
            ("cache_write_input_tokens", one.cache_write),
        ):
            setattr(entry, name, getattr(entry, name) + count)
    return list(found.values())
