"""The coach's addresses (A1, A6, A7), in the shapes its clients know. One more view of ordinary sessions."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json
from starlette.responses import JSONResponse, StreamingResponse

from spotter.api import talk, visitors
from spotter.api.access import StaffCaller
from spotter.api.fields import Body, storable_text
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import Services, services_of
from spotter.api.streams import STREAM_HEADERS
from spotter.api.transactions import Transaction
from spotter.api.visitors import KnownVisitor, TalkingVisitor, Visitor
from spotter.errors import Forbidden, InvalidInput
from spotter.identity.principal import Principal, Role
from spotter.runtime.steps import BUDGET
from spotter.runtime.watch import Item
from spotter.scenarios.coach import visit, visits
from spotter.scenarios.coach.course import course_of
from spotter.scenarios.coach.stages import CoachStage
from spotter.scenarios.coach.standing import standing_of
from spotter.scenarios.coach.visits import Denied
from spotter.sessions import directory, projections
from spotter.sessions.codec import Event
from spotter.sessions.events import Ending, Failure, Handoff, Notice, Stage, TurnEnded, ending_of
from spotter.sessions.tables import AgentSession

routes = router("coach", prefix="/api/coach")

LONGEST: Final = 8_000
LONGEST_OF_GUEST: Final = 2_000
MOST_OF_GUEST: Final = 120
"""Messages in one visit."""
_STREAM: Final = "text/event-stream"
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_SORRY: Final = "Something went wrong on our side. Your message is kept; please say it once more."


class CoachMessage(BaseModel):
    """Unknown fields are ignored: clients of the first hour send some."""

    model_config = ConfigDict(extra="ignore")

    message: Annotated[str, Field(max_length=LONGEST)] = ""
    sessionId: UUID | None = None  # noqa: N815 - the contract's name
    userId: Annotated[str, Field(max_length=200)] | None = Field(  # noqa: N815
        default=None, description="ignored: who you are is told by your token"
    )
    sessionState: CoachStage | None = Field(  # noqa: N815
        default=None, description="a wish; the answer tells the true state, and why where it differs"
    )


class CoachAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    message: str
    sessionId: UUID  # noqa: N815
    sessionState: CoachStage  # noqa: N815
    currentAgent: str  # noqa: N815
    data: dict[str, Any] | None = None
    debug: dict[str, Any] | None = Field(default=None, description="in development only")


class CoachError(BaseModel):
    error: str
    sessionId: UUID | None = None  # noqa: N815


class CoachSession(BaseModel):
    sessionId: UUID  # noqa: N815
    sessionState: CoachStage  # noqa: N815
    currentAgent: str  # noqa: N815
    createdAt: datetime  # noqa: N815
    updatedAt: datetime  # noqa: N815


class CoachSessions(BaseModel):
    sessions: list[CoachSession]


class Step(BaseModel):
    fromState: str  # noqa: N815
    toState: str  # noqa: N815
    at: datetime
    accepted: bool
    reason: str


class Said(BaseModel):
    role: str
    text: str
    at: datetime


class CoachSessionDetail(CoachSession):
    enteredAt: datetime | None = Field(description="since when it is in this state")  # noqa: N815
    stepCount: int  # noqa: N815
    steps: dict[str, int] = Field(description="messages by state")
    transitions: list[Step]
    messages: list[Said]
    data: dict[str, Any]


class CoachStatistics(BaseModel):
    total: int
    active: int
    anonymous: int
    byState: dict[str, int]  # noqa: N815


class CleanUp(Body):
    maxAgeHours: Annotated[int, Field(ge=1, le=24 * 365)] = 24  # noqa: N815


class CleanedUp(BaseModel):
    removed: int


_SHAPES: Final[dict[int | str, dict[str, Any]]] = {
    400: {"model": CoachError, "description": "No message."},
    200: {"content": {_STREAM: {"schema": {"type": "string"}}}},
    **problem_responses(402, 403, 404, 409),
}


@routes.post("", responses=_SHAPES, response_model_exclude_none=True)
async def talk_to_coach(
    request: Request, response: Response, one: TalkingVisitor, body: CoachMessage
) -> CoachAnswer:
    """Say something to the coach. With `Accept: text/event-stream` the answer comes as it is spoken, then whole."""
    if not body.message.strip():
        return JSONResponse({"error": "Message is required."}, status_code=400)  # type: ignore[return-value]
    services, caller = services_of(request), one.principal
    text = sanitised(storable_text(body.message))
    session_id, denied = await _session(services, one, body, text)
    if _STREAM in request.headers.get("accept", ""):
        batches = await talk.answering(request, caller, session_id, text, wait=True)
        stream = StreamingResponse(
            _stream(services, caller, session_id, batches, denied), media_type=_STREAM, headers=STREAM_HEADERS
        )
        visitors.tell(stream, services, one)
        return stream  # type: ignore[return-value]
    heard = await talk.say(request, caller, session_id, text, wait=True)
    visitors.tell(response, services, one)
    return await _answer(services, caller, session_id, heard.events, denied)


async def _session(
    services: Services, one: Visitor, body: CoachMessage, text: str
) -> tuple[UUID, Denied | None]:
    """The one asked for, or the latest, or a new one; moved where the client wishes it, if that may be."""
    caller = one.principal
    async with services.database.unit_of_work(caller.scope) as uow:
        if body.sessionId is not None:
            session = await visits.own(uow, body.sessionId)
        else:
            session = await visits.latest(uow) or await visits.begin(uow)
        if caller.guest:
            _hold_guest(session, text)
        denied = None
        if body.sessionState is not None:
            denied = await visits.wish(uow, services.log, session.id, body.sessionState)
        return session.id, denied


def _hold_guest(session: AgentSession, text: str) -> None:
    if len(text) > LONGEST_OF_GUEST:
        raise InvalidInput(f"Guests can write up to {LONGEST_OF_GUEST} characters at once.")
    if session.last_sequence > MOST_OF_GUEST * 12:
        raise Forbidden("This visit has become long. Sign in to go on: everything you said stays with you.")


async def _answer(
    services: Services, caller: Principal, session_id: UUID, events: Sequence[Event], denied: Denied | None
) -> CoachAnswer:
    async with services.database.unit_of_work(caller.scope) as uow:
        session = await visits.own(uow, session_id)
        data = await visit.data_for(uow, standing_of(session))
    if denied is not None:
        data["refused"] = {"sessionState": denied.wanted, "reason": denied.reason}
    return CoachAnswer(
        message=_message(events),
        sessionId=session_id,
        sessionState=CoachStage(session.stage or CoachStage.INTAKE),
        currentAgent=session.agent,
        data=data,
        debug=_debug(events) if services.settings.environment == "development" else None,
    )


def _message(events: Sequence[Event]) -> str:
    said = [one.text for one in projections.messages(events) if one.role == "assistant" and one.text]
    for event in events:
        match event.content:
            case Failure(ends=ends) if ends is not None:
                said.append(_SORRY)
            case TurnEnded(limit=limit, reason=reason) if limit == BUDGET:
                said.append(reason)
            case TurnEnded(reason=reason, ends=ends) if reason and ends is not Ending.CANCELLED:
                said.append(_SORRY)
            case _:
                pass
    return sanitised("\n\n".join(said))


def sanitised(text: str) -> str:
    """Without what cannot be seen: control characters, and those that turn text around."""
    return _CONTROL.sub("", text).strip()


def _debug(events: Sequence[Event]) -> dict[str, Any]:
    """What happened in this turn, by names only."""
    calls = [event.content.tool for event in events if event.type == "result"]  # type: ignore[union-attr]
    usage = [found for event in events if (found := projections.usage_of(event)) is not None]
    return {
        "events": len(events),
        "tools": calls,
        "models": sorted({one.model for one in usage}),
        "fallback": sorted({name for one in usage for name in one.failed}),
        "iterations": len(usage),
    }


async def _stream(
    services: Services,
    caller: Principal,
    session_id: UUID,
    batches: AsyncGenerator[list[Item], None],
    denied: Denied | None,
) -> AsyncIterator[bytes]:
    events: list[Event] = []
    async with aclosing(batches):
        async for batch in batches:
            if not batch:
                yield b": still here\n\n"
            for item in batch:
                if isinstance(item, Event):
                    events.append(item)
                    if (told := _told(item)) is not None:
                        yield _data(told, item.sequence)
                else:
                    yield _data({"type": "delta", "text": item.text, "offset": item.offset, "key": item.key})
    if events and ending_of(events[-1].content) is not None:
        answer = await _answer(services, caller, session_id, events, denied)
        yield _data(
            {"type": "done", **answer.model_dump(mode="json", exclude_none=True)}, events[-1].sequence
        )
    else:
        yield _data({"type": "error", "message": "This server is stopping. The answer goes on; ask again."})


def _told(event: Event) -> dict[str, Any] | None:
    match event.content:
        case Stage(to_stage=stage, accepted=True):
            return {"type": "stage", "sessionState": stage}
        case Handoff(to_agent=agent):
            return {"type": "agent", "currentAgent": agent}
        case Notice(code=code, text=text):
            return {"type": "notice", "code": code, "text": text}
        case _:
            return None


def _data(message: dict[str, Any], sequence: int | None = None) -> bytes:
    head = f"id: {sequence}\n".encode() if sequence is not None else b""
    return head + b"data: " + to_json(message) + b"\n\n"


@routes.get("/sessions")
async def list_coach_sessions(
    request: Request, caller: KnownVisitor, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> CoachSessions:
    """Your visits, the most recent first."""
    async with services_of(request).database.unit_of_work(caller.scope) as uow:
        return CoachSessions(sessions=[_shown(row) for row in await visits.listing(uow, limit)])


@routes.get("/sessions/stats")
async def get_coach_statistics(request: Request, caller: KnownVisitor) -> CoachStatistics:
    """Your visits in numbers; for staff, the organisation's."""
    whose = None if caller.role.at_least(Role.STAFF) else caller.user_id
    async with services_of(request).database.unit_of_work(caller.scope) as uow:
        found = await visits.statistics(uow, whose)
    return CoachStatistics(
        total=found.total, active=found.active, anonymous=found.anonymous, byState=found.by_state
    )


@routes.post("/sessions/cleanup")
async def clean_up_coach_sessions(caller: StaffCaller, uow: Transaction, body: CleanUp) -> CleanedUp:
    """Erase guests who came longer ago than that. Signed-in people's history stays."""
    return CleanedUp(removed=await visits.clean_up(uow, timedelta(hours=body.maxAgeHours)))


# Only ids here: `stats` and `cleanup` are other things, and a wrong method on them is told as such.
@routes.get("/sessions/{session_id:uuid}", responses=problem_responses(404))
async def get_coach_session(request: Request, caller: KnownVisitor, session_id: UUID) -> CoachSessionDetail:
    """One of your visits: where it stands, the way it took, and what was said."""
    services = services_of(request)
    async with services.database.unit_of_work(caller.scope) as uow:
        session = await visits.own(uow, session_id)
        data = await visit.data_for(uow, standing_of(session))
    events = await services.log.read(caller.scope, session_id)
    course = course_of(events)
    return CoachSessionDetail(
        **_shown(session).model_dump(),
        enteredAt=course.entered_at,
        stepCount=course.total_steps,
        steps=course.steps,
        transitions=[
            Step(
                fromState=one.from_stage,
                toState=one.to_stage,
                at=one.at,
                accepted=one.accepted,
                reason=one.reason,
            )
            for one in course.taken
        ],
        messages=[Said(role=one.role, text=one.text, at=one.at) for one in projections.messages(events)],
        data=data,
    )


@routes.delete("/sessions/{session_id:uuid}", status_code=204, responses=problem_responses(404))
async def delete_coach_session(request: Request, caller: KnownVisitor, session_id: UUID) -> None:
    """Shred what was said in one of your visits. What you trained stays in your history."""
    async with services_of(request).database.unit_of_work(caller.scope) as uow:
        await visits.own(uow, session_id)
        await directory.erase(uow, session_id)


def _shown(row: AgentSession) -> CoachSession:
    return CoachSession(
        sessionId=row.id,
        sessionState=CoachStage(row.stage or CoachStage.INTAKE),
        currentAgent=row.agent,
        createdAt=row.created_at,
        updatedAt=row.updated_at,
    )
