"""Conversations: making them, saying something, following, forking, exporting, erasing."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import Header, Query, Request
from pydantic import BaseModel, Field, StringConstraints

from spotter.api import talk
from spotter.api.access import Caller
from spotter.api.definition_fields import ScenarioName, book_for, require_builder
from spotter.api.fields import Body, OptionalName, storable_text
from spotter.api.pages import Cursor, Page, PageParams, page_of
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.streams import HEARTBEAT_SECONDS, event_json, event_stream
from spotter.api.transactions import Transaction
from spotter.identity import audit, projects
from spotter.runtime.given_context import give_context
from spotter.runtime.kit import Part
from spotter.runtime.outside import judged_import
from spotter.runtime.watch import Watch
from spotter.sessions import directory, tables, transfer
from spotter.sessions.transfer import ExportedSession

routes = router("sessions", prefix="/api/sessions")

AgentName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
Searched = Annotated[
    str, Query(max_length=100, description="words of the title, or names of the agent or the scenario")
]
Sequence = Annotated[int, Query(ge=0, le=2**31 - 1)]


class Session(BaseModel):
    id: UUID
    agent: str = Field(description="who answers next")
    scenario: str | None
    stage: str | None
    project_id: UUID | None
    title: str
    user_id: UUID
    created_at: datetime
    updated_at: datetime
    last_sequence: int
    context_start_sequence: int
    turn_open: bool
    forked_from: UUID | None
    forked_at: int | None
    metadata: dict[str, Any]


class NewSession(Body):
    scenario: ScenarioName | None = Field(
        default=None, description="who may answer in it; one agent alone if not given"
    )
    agent: AgentName | None = Field(
        default=None,
        description="who is spoken to first; the scenario's root, or the assistant, if not given",
    )
    project_id: UUID | None = Field(default=None, description="the project it belongs to")
    title: OptionalName = ""
    context_id: UUID | None = Field(default=None, description="of a snapshot; the agent reads it first")
    trial: bool = Field(default=False, description="only to try an agent out: lists can leave it away")


class NewMessage(Body):
    text: Annotated[str, StringConstraints(min_length=1, max_length=32_000)]
    wait: bool = Field(
        default=True, description="false: 409 instead of waiting while another turn is going on"
    )
    context_id: UUID | None = Field(default=None, description="of a snapshot; the agent reads it before this")


class Fork(Body):
    at: int | None = Field(
        default=None, ge=0, le=2**31 - 1, description="the last event to keep; all of them if not given"
    )
    agent: AgentName | None = Field(
        default=None, description="who answers in the fork; the same agent if not given"
    )
    model: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        default=None, description="what answers in the fork; for staff, and one that is allowed"
    )


class SessionEvent(BaseModel):
    sequence: int
    type: str
    at: datetime
    content: dict[str, Any]


class SessionEvents(BaseModel):
    items: list[SessionEvent]
    last_sequence: int


class Reply(BaseModel):
    session_id: UUID
    message_id: UUID
    ending: str
    text: str
    events: list[SessionEvent]


class Cancelled(BaseModel):
    cancelled: bool = Field(description="false when no turn was going on and nothing waited for approval")


def _shown(row: tables.AgentSession) -> Session:
    return Session(
        id=row.id,
        agent=row.agent,
        scenario=row.scenario,
        stage=row.stage,
        project_id=row.project_id,
        title=row.title,
        user_id=row.user_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
        last_sequence=row.last_sequence,
        context_start_sequence=row.context_start_sequence,
        turn_open=row.turn_open,
        forked_from=row.forked_from,
        forked_at=row.forked_at,
        metadata=row.details,
    )


@routes.get("")
async def list_sessions(
    caller: Caller,
    uow: Transaction,
    page: PageParams,
    user_id: UUID | None = None,
    search: Searched = "",
    forked_from: UUID | None = None,
    trials: Annotated[bool, Query(description="false: without those that only try an agent out")] = True,
) -> Page[Session]:
    """Your sessions, the most recent first. Staff see everybody's, or one person's."""
    rows = await directory.listing(
        uow,
        limit=page.limit + 1,
        before=page.after,
        user_id=user_id,
        search=storable_text(search),
        forked_from=forked_from,
        trials=trials,
    )
    return page_of(rows, page, item=_shown, place=lambda row: Cursor(row.updated_at, row.id))


@routes.post("", status_code=201, responses=problem_responses(404, 409))
async def create_session(request: Request, caller: Caller, uow: Transaction, body: NewSession) -> Session:
    """Start a conversation with an agent."""
    services = services_of(request)
    book = await book_for(request, caller, uow, body.project_id)
    if body.project_id is not None:
        await projects.open_one(uow, body.project_id)
    begins = book.opening(body.scenario, body.agent)
    session = await directory.create(
        uow,
        begins.agent,
        title=body.title,
        scenario=begins.scenario,
        stage=begins.stage,
        project_id=body.project_id,
        details=directory.trial_mark(body.trial),
    )
    if body.context_id is not None:
        await give_context(uow, services.log, services.moderation, session.id, body.context_id)
        await uow.session.refresh(session)
    return _shown(session)


@routes.post("/import", status_code=201, responses=problem_responses(404))
async def import_session(
    request: Request, caller: Caller, uow: Transaction, body: ExportedSession
) -> Session:
    """A new session from an export. Its events are data: nothing in them is carried out."""
    services = services_of(request)
    await services.agents(caller.scope, Part(body.agent))
    judge = partial(
        judged_import,
        policy=await services.moderation.policy(caller.scope),
        seen=services.moderation.seen,
    )
    return _shown(await transfer.imported(uow, services.log, body, judge))


@routes.get("/{session_id}")
async def get_session(caller: Caller, uow: Transaction, session_id: UUID) -> Session:
    """One session."""
    return _shown(await directory.get(uow, session_id))


@routes.delete("/{session_id}", status_code=204)
async def erase_session(caller: Caller, uow: Transaction, session_id: UUID) -> None:
    """Shred what was said. That something was, and in which order, stays."""
    await directory.erase(uow, session_id)


@routes.post("/{session_id}/fork", status_code=201)
async def fork_session(
    request: Request, caller: Caller, uow: Transaction, session_id: UUID, body: Fork
) -> Session:
    """A copy up to an event, to go another way from there: with another agent, or other words."""
    if body.agent is not None:
        source = await directory.get(uow, session_id)
        book = await services_of(request).definitions.book(caller.scope, source.project_id)
        book.require_choice(source.scenario, body.agent)
    if body.model is not None:
        require_builder(request, caller, body.model)
    return _shown(await directory.fork(uow, session_id, at=body.at, agent=body.agent, model=body.model))


@routes.get("/{session_id}/export")
async def export_session(
    request: Request, caller: Caller, uow: Transaction, session_id: UUID
) -> ExportedSession:
    """Everything, as JSON that `import` takes back."""
    session = await directory.get(uow, session_id)
    events = await services_of(request).log.read(caller.scope, session_id)
    await audit.record(uow, "session.exported", target=str(session_id))
    return transfer.exported(session, events)


@routes.post(
    "/{session_id}/messages",
    responses={200: {"content": {"text/event-stream": {}}}, **problem_responses(402, 429)},
)
async def say_something(
    request: Request,
    caller: Caller,
    session_id: UUID,
    body: NewMessage,
    accept: Annotated[str, Header()] = "application/json",
) -> Reply:
    """Say something and get the answer: whole, or as events with `Accept: text/event-stream`. The turn goes on if
    you leave; come back to `/events` for the rest. Without budget for it, what you said is kept and the answer is 402:
    what is left, and when it begins anew (as events: in the one that ends the turn)."""
    text = storable_text(body.text)
    if body.context_id is not None:
        await talk.give(request, caller, session_id, body.context_id)
    if "text/event-stream" in accept:
        return await talk.stream(request, caller, session_id, text, wait=body.wait)  # type: ignore[return-value]
    heard = await talk.say(request, caller, session_id, text, wait=body.wait)
    return Reply(
        session_id=session_id,
        message_id=heard.message_id,
        ending=heard.ending,
        text=heard.text,
        events=[SessionEvent.model_validate(event_json(event)) for event in heard.events],
    )


@routes.post("/{session_id}/cancel")
async def cancel_turn(request: Request, caller: Caller, session_id: UUID) -> Cancelled:
    """Stop the turn that is going on, and withdraw what waits for approval. When this answers, nothing new is begun
    any more."""
    return Cancelled(cancelled=await talk.cancel(request, caller, session_id))


@routes.get("/{session_id}/events", responses={200: {"content": {"text/event-stream": {}}}})
async def follow_events(
    request: Request,
    caller: Caller,
    session_id: UUID,
    after: Sequence = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    accept: Annotated[str, Header()] = "application/json",
    last_event_id: Annotated[str | None, Header()] = None,
) -> SessionEvents:
    """The events after a number: a list, or with `Accept: text/event-stream` a stream that goes on. `Last-Event-ID`
    resumes it: exactly what is missing, then the text so far of what is being said, then the rest as it happens."""
    services = services_of(request)
    async with services.database.unit_of_work(caller.scope) as uow:
        session = await directory.get(uow, session_id)
    start = talk.resume_point(last_event_id, after)
    if "text/event-stream" in accept:
        watch = Watch(services.bus, services.log, caller.scope, session_id, start)
        return event_stream(watch.batches(HEARTBEAT_SECONDS))  # type: ignore[return-value]
    events = await services.log.read(caller.scope, session_id, after=start, limit=limit)
    items = [SessionEvent.model_validate(event_json(event)) for event in events]
    return SessionEvents(items=items, last_sequence=session.last_sequence)
