"""Being told what happens as it happens (B3): WebSockets for a session and for a person, and tickets to open them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Query, Request, WebSocket
from pydantic import BaseModel, Field
from pydantic_core import to_json
from starlette.websockets import WebSocketDisconnect, WebSocketState

from spotter.api.access import Caller, watcher
from spotter.api.fields import Body
from spotter.api.routing import router
from spotter.api.services import Services, services_of
from spotter.api.streams import message_of
from spotter.errors import InvalidInput
from spotter.identity.principal import Principal
from spotter.runtime.person_watch import PersonWatch
from spotter.runtime.pushes import pushes
from spotter.runtime.watch import Item, Watch
from spotter.sessions import directory
from spotter.sessions.codec import Event

routes = router("push")

ME: Final = "me"
RENEW: Final = 4000
"""Closed because it was open for as long as a sign-in is trusted unseen: connect again, from where you were."""
_MOST_PLACES: Final = 200
Sequence = Annotated[int, Query(ge=0, le=2**31 - 1)]


class NewTicket(Body):
    session_id: UUID | None = Field(
        default=None, description="the session to follow; without one, everything that happens to you"
    )


class Ticket(BaseModel):
    ticket: str = Field(description="good once, for this one stream, for half a minute")
    expires_at: datetime
    path: str = Field(description="where to connect, with `?ticket=`")


@routes.post("/api/me/tickets", status_code=201)
async def create_stream_ticket(request: Request, caller: Caller, body: NewTicket) -> Ticket:
    """A ticket to open a WebSocket with, for browsers: they cannot send a header. Ask for a new one each time."""
    caller.require_person()
    services = services_of(request)
    stream, path = ME, "/api/me/events"
    if body.session_id is not None:
        await _must_see(services, caller, body.session_id)
        stream, path = str(body.session_id), f"/api/sessions/{body.session_id}/ws"
    ticket, expires_at = services.tickets.issue(caller, stream)
    return Ticket(ticket=ticket, expires_at=expires_at, path=path)


@routes.websocket("/api/sessions/{session_id}/ws")
async def follow_by_websocket(websocket: WebSocket, session_id: UUID, after: Sequence = 0) -> None:
    """The same messages as the session's stream; those that mean something to a client say so in `push`. Resume with
    `after`: the number of the last event you have seen."""
    principal = await watcher(websocket, str(session_id))
    services = services_of(websocket)
    await _must_see(services, principal, session_id)
    watch = Watch(services.bus, services.log, principal.scope, session_id, after)
    await _serve(websocket, _session_messages(watch))


@routes.websocket("/api/me/events")
async def follow_me(websocket: WebSocket, after: Annotated[list[str], Query()] = []) -> None:  # noqa: B006
    """What happens in any of your sessions: agents that change, stages, results, approvals, workouts, XP, interrupts.
    Resume with `after=SESSION:NUMBER`, once for each session you have seen something of."""
    principal = await watcher(websocket, ME)
    principal.require_person()
    services = services_of(websocket)
    watch = PersonWatch(services.bus, services.log, services.database, principal.scope, _places(after))
    await _serve(websocket, _encoded(watch.follow()))


async def _must_see(services: Services, principal: Principal, session_id: UUID) -> None:
    async with services.database.unit_of_work(principal.scope) as uow:
        await directory.get(uow, session_id)


def _places(given: list[str]) -> dict[UUID, int]:
    try:
        found = {UUID(one.partition(":")[0]): int(one.partition(":")[2]) for one in given[:_MOST_PLACES]}
    except ValueError:
        raise InvalidInput("`after` is a session's id and the number of its last event: ID:12.") from None
    if any(not 0 <= number < 2**31 for number in found.values()):
        raise InvalidInput("The number of an event is between 0 and 2147483647.")
    return found


async def _session_messages(watch: Watch) -> AsyncGenerator[str, None]:
    async with aclosing(watch.follow()) as items:
        async for item in items:
            yield to_json(with_pushes(item)).decode()


async def _encoded(messages: AsyncGenerator[dict[str, Any], None]) -> AsyncGenerator[str, None]:
    async with aclosing(messages):
        async for message in messages:
            yield to_json(message).decode()


def with_pushes(item: Item) -> dict[str, Any]:
    message = message_of(item)
    if isinstance(item, Event) and (told := pushes(item)):
        message["push"] = told
    return message


async def _serve(websocket: WebSocket, messages: AsyncGenerator[str, None]) -> None:
    """Until either side has enough, or it is time to look again who is there. Who reads slowly is waited for by nobody
    but this task: what is missed meanwhile is read from the log."""
    minutes = services_of(websocket).settings.access_token_minutes
    await websocket.accept()
    sending = asyncio.create_task(_send_all(websocket, messages))
    leaving = asyncio.create_task(_until_left(websocket))
    try:
        done, _ = await asyncio.wait(
            {sending, leaving}, timeout=60.0 * minutes, return_when=asyncio.FIRST_COMPLETED
        )
        if sending in done:
            sending.result()
    except WebSocketDisconnect:
        return
    finally:
        sending.cancel()
        leaving.cancel()
        await asyncio.wait({sending, leaving})
    if not done and websocket.application_state is WebSocketState.CONNECTED:
        await websocket.close(RENEW, "connect again")


async def _send_all(websocket: WebSocket, messages: AsyncGenerator[str, None]) -> None:
    async with aclosing(messages):
        async for message in messages:
            await websocket.send_text(message)


async def _until_left(websocket: WebSocket) -> None:
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass
