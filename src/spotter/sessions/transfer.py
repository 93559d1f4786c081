"""A session's full export as JSON, and its import as a new session."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json, to_json

from spotter.errors import InvalidInput
from spotter.ids import new_id
from spotter.sessions import directory, projections
from spotter.sessions.codec import Event, UnreadableEvent, dump, load
from spotter.sessions.events import Content, Handoff
from spotter.sessions.log import SessionLog
from spotter.sessions.tables import AgentSession
from spotter.store.scope import NOBODY
from spotter.store.unit_of_work import UnitOfWork

FORMAT: Literal["spotter-session/1"] = "spotter-session/1"
_MOST_EVENTS = 100_000


class ExportedEvent(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sequence: int
    type: str
    at: datetime
    content: dict[str, Any]


class ExportedSession(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal["spotter-session/1"] = FORMAT
    session_id: UUID
    agent: str = Field(max_length=120)
    title: str = Field(default="", max_length=500)
    created_at: datetime
    context_start_sequence: int = Field(ge=0)
    events: list[ExportedEvent] = Field(max_length=_MOST_EVENTS)


def exported(session: AgentSession, events: list[Event]) -> ExportedSession:
    return ExportedSession(
        session_id=session.id,
        agent=session.agent,
        title=session.title,
        created_at=session.created_at,
        context_start_sequence=session.context_start_sequence,
        events=[
            ExportedEvent(
                sequence=event.sequence, type=event.type, at=event.at, content=from_json(dump(event.content))
            )
            for event in events
        ],
    )


Judge = Callable[[Content], Content]
"""An event of somebody else's log as it may be kept."""


async def imported(uow: UnitOfWork, log: SessionLog, given: ExportedSession, judge: Judge) -> AgentSession:
    """A new session with the same events. They are data: nothing in them is run, fetched or believed."""
    contents = [_checked(event, place) for place, event in enumerate(given.events, start=1)]
    # A megabyte takes a second: nobody else waits for it.
    contents = await asyncio.to_thread(lambda: list(map(judge, contents)))
    assert uow.scope.org_id is not None
    session = AgentSession(
        org_id=uow.scope.org_id,
        id=new_id(),
        user_id=uow.scope.user_id or NOBODY,
        agent=given.agent,
        title=given.title,
        forked_at=len(contents),  # up to here it is another session's history, which may break off anywhere
    )
    uow.session.add(session)
    await uow.session.flush()
    if contents:
        asked = projections.asked_and_unanswered(
            Event(place, given.created_at, content) for place, content in enumerate(contents, start=1)
        )
        contents += [directory.not_carried_out(one.call_id, one.tool) for one in asked]
        if (speaker := _last_speaker(contents)) not in (None, given.agent):
            raise InvalidInput(f"The events end with {speaker!r} speaking, but the agent is {given.agent!r}.")
        await log.append(uow.scope, session.id, contents, bill=False, connection=await uow.driver())
    await uow.session.refresh(session)
    # Where a session stands is earned, not brought along: nobody gets past a screening by importing one.
    session.stage = None
    await uow.session.flush()
    return session


def _last_speaker(contents: list[Content]) -> str | None:
    return next((one.to_agent for one in reversed(contents) if isinstance(one, Handoff)), None)


def _checked(event: ExportedEvent, place: int) -> Content:
    if event.sequence != place:
        raise InvalidInput(
            f"Event {place} has the sequence number {event.sequence}: they run from 1 without a gap."
        )
    try:
        return load(event.type, to_json(event.content).decode())
    except UnreadableEvent as error:
        raise InvalidInput(f"Event {place}: {error.detail}") from error
