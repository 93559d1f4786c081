"""Saying something in a session and hearing the answer, whichever process runs the turn."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID, uuid5

from fastapi import Request
from sqlalchemy import select
from starlette.responses import StreamingResponse

from spotter.api.idempotency import HEADER as IDEMPOTENCY_HEADER
from spotter.api.services import Services, services_of
from spotter.api.streams import HEARTBEAT_SECONDS, event_stream
from spotter.errors import InvalidInput, PaymentRequired, Unavailable
from spotter.identity.principal import Principal
from spotter.runtime import approval_decisions
from spotter.runtime.given_context import give_context
from spotter.runtime.speech import announce
from spotter.runtime.steps import BUDGET
from spotter.runtime.tickets import Ticket
from spotter.runtime.turns import instance_topic
from spotter.runtime.watch import Item, Watch
from spotter.sessions import directory
from spotter.sessions.codec import Event
from spotter.sessions.events import AssistantMessage, Notice, TurnEnded, UserMessage, ending_of
from spotter.sessions.tables import AgentSession

_LONGEST_ANSWER: Final = 600.0
_CANCEL_PATIENCE: Final = 5.0
_LOOK_EVERY: Final = 0.05


@dataclass(frozen=True, slots=True)
class Heard:
    message_id: UUID
    ending: str
    text: str
    events: list[Event]


async def say(request: Request, caller: Principal, session_id: UUID, text: str, *, wait: bool) -> Heard:
    services = services_of(request)
    ticket = await _say(request, caller, session_id, text, wait=wait)
    try:
        async with asyncio.timeout(_LONGEST_ANSWER):
            events = await _whole_answer(services, caller, ticket)
    except TimeoutError:
        raise Unavailable(
            f"The answer takes longer than {_LONGEST_ANSWER:.0f} seconds. It goes on; follow it at "
            f"/api/sessions/{session_id}/events.",
            retry_after=5,
        ) from None
    last = events[-1].content if events else None
    ending = ending_of(last) if last is not None else None
    if ending is None:
        raise Unavailable(
            "This server is stopping. Your message is kept and its answer goes on elsewhere; follow it at "
            f"/api/sessions/{session_id}/events.",
            retry_after=1,
        )
    if isinstance(last, TurnEnded) and last.limit == BUDGET:
        asked = {"session_id": session_id, "message_id": ticket.message_id}
        raise PaymentRequired(last.reason, extra={**(last.detail or {}), **asked})
    spoken = [event.content.text for event in events if isinstance(event.content, AssistantMessage | Notice)]
    return Heard(ticket.message_id, str(ending), "\n".join(filter(None, spoken)), events)


async def stream(
    request: Request, caller: Principal, session_id: UUID, text: str, *, wait: bool
) -> StreamingResponse:
    ticket = await _say(request, caller, session_id, text, wait=wait)
    return event_stream(_answer_to(services_of(request), caller, ticket))


async def answering(
    request: Request, caller: Principal, session_id: UUID, text: str, *, wait: bool
) -> AsyncGenerator[list[Item], None]:
    """Says it; what is answered, as it happens."""
    ticket = await _say(request, caller, session_id, text, wait=wait)
    return _answer_to(services_of(request), caller, ticket)


async def saying(
    request: Request, caller: Principal, session_id: UUID, text: str, key: UUID
) -> tuple[Ticket, AsyncGenerator[list[Item], None]]:
    """As `answering`, for a message that has a name of its own: said again under it, it is not recorded again."""
    services = services_of(request)
    message = UserMessage(text=text, source="api" if caller.user_id is None else "text")
    ticket = await services.turns.say(caller.scope, session_id, message, key=key)
    return ticket, _answer_to(services, caller, ticket)


async def give(request: Request, caller: Principal, session_id: UUID, context_id: UUID) -> None:
    """What the person's page shows, for the agent to read before the next message."""
    services = services_of(request)
    async with services.database.unit_of_work(caller.scope) as uow:
        given = await give_context(uow, services.log, services.moderation, session_id, context_id)
        if given is not None:
            uow.after_commit(partial(wake, services, session_id, given, caller.user_id))


async def rest_of_turn(
    services: Services, caller: Principal, session_id: UUID, after: int
) -> AsyncGenerator[list[Item], None]:
    """What came after an event, until a turn ends. At once when none is going on."""
    async with services.database.unit_of_work(caller.scope) as uow:
        going_on = (await directory.get(uow, session_id)).turn_open
    if not going_on:
        missed: list[Item] = [*await services.log.read(caller.scope, session_id, after=after)]
        yield missed
        return
    watch = Watch(services.bus, services.log, caller.scope, session_id, after)
    async with aclosing(watch.batches(HEARTBEAT_SECONDS)) as batches:
        async for batch in batches:
            for place, item in enumerate(batch):
                if isinstance(item, Event) and ending_of(item.content) is not None:
                    yield batch[: place + 1]
                    return
            yield batch


async def _say(request: Request, caller: Principal, session_id: UUID, text: str, *, wait: bool) -> Ticket:
    """An Idempotency-Key holds for the message itself: the turn outlives this request, so its answer alone would not
    be enough to keep a repetition from being a second message."""
    given = request.headers.get(IDEMPOTENCY_HEADER)
    key = uuid5(session_id, f"{caller.key}/{given}/{text}") if given is not None else None
    message = UserMessage(text=text, source="api" if caller.user_id is None else "text")
    return await services_of(request).turns.say(caller.scope, session_id, message, wait=wait, key=key)


async def _whole_answer(services: Services, caller: Principal, ticket: Ticket) -> list[Event]:
    if ticket.done is not None:
        # The turn runs here: no need to watch it. Should it be lost to another process, watching tells the rest.
        with suppress(asyncio.CancelledError):
            await asyncio.shield(ticket.done)
            events = await services.log.read(caller.scope, ticket.session_id, after=ticket.after)
            if (own := _of_one_turn(events, ticket.message_id)) is not None:
                return own
    async with aclosing(_answer_to(services, caller, ticket)) as batches:
        return [item async for batch in batches for item in batch if isinstance(item, Event)]


def _of_one_turn(events: list[Event], message_id: UUID) -> list[Event] | None:
    """From the message to the end of its turn; None when that is not all there."""
    own: list[Event] = []
    for event in events:
        if _starts_with([event], message_id):
            own = []
        own.append(event)
        if ending_of(event.content) is not None and _starts_with(own, message_id):
            return own
    return None


def _starts_with(events: list[Event], message_id: UUID) -> bool:
    first = events[0].content
    return isinstance(first, UserMessage) and first.message_id == message_id


def _begins_turn(event: Event) -> bool:
    """What is said by voice meanwhile belongs to no turn."""
    return isinstance(event.content, UserMessage) and event.content.source != "voice"


async def cancel(request: Request, caller: Principal, session_id: UUID) -> bool:
    """Waits until the turn has really ended: after the answer, nothing new begins. What waits for an approval is
    not carried out any more."""
    services = services_of(request)
    async with services.database.unit_of_work(caller.scope) as uow:
        session = await directory.get(uow, session_id)
        if not await directory.request_cancel(uow, session_id):
            withdrawn = await approval_decisions.withdraw(uow, services.log, session_id)
            if withdrawn is not None:
                uow.after_commit(partial(wake, services, session_id, withdrawn, session.user_id))
            # Somebody may have decided just before: then there is a turn after all.
            if not await directory.request_cancel(uow, session_id):
                return withdrawn is not None
            await uow.session.refresh(session)
        owner, fence = session.lease_owner, session.fence
    if not services.turns.cancel_here(session_id) and owner is not None:
        services.bus.publish(instance_topic(owner), {"do": "cancel", "session_id": str(session_id)})
    with suppress(TimeoutError):
        async with asyncio.timeout(_CANCEL_PATIENCE):
            while await _is_open(services, caller, session_id, fence):  # noqa: ASYNC110 - another process ends it
                await asyncio.sleep(_LOOK_EVERY)
            return True
    raise Unavailable("The turn was asked to stop and has not yet. Ask again to be sure.", retry_after=1)


def wake(services: Services, session_id: UUID, sequence: int, owner: UUID | None) -> None:
    """Tells those who follow a session, or its owner, that something was added to it outside of a turn."""
    announce(services.bus, session_id, sequence, owner)


def resume_point(last_event_id: str | None, after: int) -> int:
    if last_event_id is None or not last_event_id.strip():
        return after
    if not last_event_id.strip().isdecimal() or int(last_event_id) > 2**31 - 1:
        raise InvalidInput("Last-Event-ID is the number of the last event you have seen.")
    return int(last_event_id)


async def _answer_to(
    services: Services, caller: Principal, ticket: Ticket
) -> AsyncGenerator[list[Item], None]:
    """From the message itself to the event that ends its turn."""
    watch = Watch(services.bus, services.log, caller.scope, ticket.session_id, ticket.after)
    ours = False
    async with aclosing(watch.batches(HEARTBEAT_SECONDS)) as batches:
        async for batch in batches:
            answer: list[Item] = []
            for item in batch:
                if isinstance(item, Event) and _begins_turn(item):
                    ours = _starts_with([item], ticket.message_id)
                if not ours:
                    continue
                answer.append(item)
                if isinstance(item, Event) and ending_of(item.content) is not None:
                    yield answer
                    return
            if answer or not batch:
                yield answer


async def _is_open(services: Services, caller: Principal, session_id: UUID, fence: int) -> bool:
    async with services.database.unit_of_work(caller.scope) as uow:
        state = await uow.session.scalar(
            select(AgentSession.id).where(
                AgentSession.id == session_id, AgentSession.turn_open, AgentSession.fence <= fence + 1
            )
        )
    return state is not None
