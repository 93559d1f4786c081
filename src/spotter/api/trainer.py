"""The personal trainer's addresses (C9), in the shapes its clients know. One more view of an ordinary session."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID, uuid5

from fastapi import Header, Query, Request
from pydantic import BaseModel, Field
from pydantic_core import to_json
from starlette.responses import JSONResponse, Response, StreamingResponse

from spotter.api import talk
from spotter.api.access import Caller
from spotter.api.fields import Body, storable_text
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.streams import STREAM_HEADERS
from spotter.api.transactions import Transaction
from spotter.errors import Forbidden
from spotter.identity.principal import Principal
from spotter.runtime.watch import Item
from spotter.sessions import directory, projections, tables
from spotter.sessions.codec import Event
from spotter.sessions.events import (
    AssistantMessage,
    Ending,
    Failure,
    Notice,
    Outcome,
    Result,
    TurnEnded,
    ending_of,
)

routes = router("trainer", prefix="/api/agent")

TRAINER: Final = "trainer"
_WORKOUT_TOOLS: Final = frozenset(
    {"generate_workout", "swap_exercise", "adjust_exercise", "remove_exercise", "set_preference"}
)
"""Where they changed what lies on the table, their results show it."""
_RECENT: Final = 10
_RECENT_KINDS: Final = ("action", "result")


class ChatMessage(Body):
    message: Annotated[str, Field(max_length=32_000)] = ""
    sessionId: UUID | None = None  # noqa: N815 - the contract's name
    context_id: UUID | None = Field(
        default=None, description="of a snapshot; the trainer reads it before this"
    )


class AskedQuestion(BaseModel):
    text: str
    options: list[str]


class ChatResponse(BaseModel):
    messages: list[str]
    exercises: list[dict[str, Any]] | None
    question: AskedQuestion | None


class ChatAnswer(BaseModel):
    sessionId: UUID  # noqa: N815
    response: ChatResponse
    iterations: int


class TrainerSession(BaseModel):
    id: UUID
    user_id: UUID
    created_at: datetime
    updated_at: datetime
    context_start_sequence: int
    metadata: dict[str, Any]


class TrainerSessions(BaseModel):
    sessions: list[TrainerSession]


class OneTrainerSession(BaseModel):
    session: TrainerSession


class RecentAction(BaseModel):
    id: UUID
    session_id: UUID
    sequence_number: int
    event_type: str
    content: dict[str, Any]
    created_at: datetime


class TrainerSessionDetail(BaseModel):
    session: TrainerSession
    recentActions: list[RecentAction]  # noqa: N815


class SeedError(BaseModel):
    error: str


_REFUSALS: Final[dict[int | str, dict[str, Any]]] = {
    400: {"model": SeedError, "description": "No message."},
    **problem_responses(402),
}


@routes.post("/chat", responses=_REFUSALS)
async def chat_with_trainer(request: Request, caller: Caller, body: ChatMessage) -> ChatAnswer:
    """Say something to the trainer and get everything it answered, once it is done."""
    if not body.message.strip():
        return _no_message()  # type: ignore[return-value]
    session_id = await _session(request, caller, body.sessionId)
    if body.context_id is not None:
        await talk.give(request, caller, session_id, body.context_id)
    heard = await talk.say(request, caller, session_id, storable_text(body.message), wait=True)
    return ChatAnswer(
        sessionId=session_id, response=_response(heard.events), iterations=_iterations(heard.events)
    )


@routes.post("/stream", responses={**_REFUSALS, 200: {"content": {"text/event-stream": {}}}})
async def stream_from_trainer(request: Request, caller: Caller, body: ChatMessage) -> ChatAnswer:
    """The same as a stream: one message for each action as it happens, then `done` or `error`."""
    if not body.message.strip():
        return _no_message()  # type: ignore[return-value]
    session_id = await _session(request, caller, body.sessionId)
    if body.context_id is not None:
        await talk.give(request, caller, session_id, body.context_id)
    batches = await talk.answering(request, caller, session_id, storable_text(body.message), wait=True)
    return _stream(batches, session_id)  # type: ignore[return-value]


@routes.get("/stream", responses={200: {"content": {"text/event-stream": {}}}})
async def resume_trainer_stream(
    request: Request,
    caller: Caller,
    session_id: Annotated[UUID, Query(alias="sessionId")],
    last_event_id: Annotated[str | None, Header()] = None,
) -> ChatAnswer:
    """Go on with a stream that broke off: what came after `Last-Event-ID`, until the turn ends."""
    await _session(request, caller, session_id)
    after = talk.resume_point(last_event_id, 0)
    batches = talk.rest_of_turn(services_of(request), caller, session_id, after)
    return _stream(batches, session_id, nothing_more=True)  # type: ignore[return-value]


@routes.get("/sessions")
async def list_trainer_sessions(
    caller: Caller, uow: Transaction, limit: Annotated[int, Query(ge=1, le=100)] = 10
) -> TrainerSessions:
    """Your sessions with the trainer, the most recent first."""
    rows = await directory.with_agent(uow, TRAINER, limit)
    return TrainerSessions(sessions=[_shown(row) for row in rows])


@routes.post("/sessions", status_code=201)
async def create_trainer_session(caller: Caller, uow: Transaction) -> OneTrainerSession:
    """Start anew with the trainer."""
    _require_person(caller)
    return OneTrainerSession(session=_shown(await directory.create(uow, TRAINER)))


@routes.get("/sessions/{session_id}")
async def get_trainer_session(
    request: Request, caller: Caller, uow: Transaction, session_id: UUID
) -> TrainerSessionDetail:
    """One session, with the last things that were done in it."""
    session = await directory.get(uow, session_id)
    recent = await directory.latest_events(uow, session_id, _RECENT_KINDS, _RECENT)
    actions = [
        RecentAction(
            # An event is known by its place in the log; clients that ask for one id get it made from that.
            id=uuid5(row.session_id, str(row.sequence_number)),
            session_id=row.session_id,
            sequence_number=row.sequence_number,
            event_type=row.event_type,
            content=row.content,
            created_at=row.created_at,
        )
        for row in recent
    ]
    return TrainerSessionDetail(session=_shown(session), recentActions=actions)


async def _session(request: Request, caller: Principal, session_id: UUID | None) -> UUID:
    """The one asked for, or the latest, or a new one. A session is its person's: staff talk in their own."""
    _require_person(caller)
    async with services_of(request).database.unit_of_work(caller.scope) as uow:
        if session_id is not None:
            return (await directory.own(uow, session_id)).id
        found = await directory.latest(uow, TRAINER) or await directory.create(uow, TRAINER)
        return found.id


def _require_person(caller: Principal) -> None:
    if caller.user_id is None:
        raise Forbidden("The trainer trains people. Sign in as one; an API key has no body.")


def _no_message() -> JSONResponse:
    return JSONResponse({"error": "Message is required."}, status_code=400)


def _response(events: Iterable[Event]) -> ChatResponse:
    found = list(events)
    exercises: list[dict[str, Any]] | None = None
    for event in found:
        if isinstance(event.content, Result) and (shown := _exercises(event.content)) is not None:
            exercises = shown
    question = projections.open_question(found)
    asked = AskedQuestion(text=question.text, options=list(question.options)) if question else None
    return ChatResponse(messages=_messages(found, asked), exercises=exercises, question=asked)


def _messages(events: Iterable[Event], asked: AskedQuestion | None) -> list[str]:
    said = [message.text for message in projections.messages(events) if message.role == "assistant"]
    if asked is not None and said and said[-1] == asked.text:
        said.pop()
    trouble = [
        event.content.detail if isinstance(event.content, Failure) else event.content.reason
        for event in events
        if isinstance(event.content, Failure | TurnEnded)
        and ending_of(event.content) not in (None, Ending.CANCELLED)
    ]
    return [*said, *filter(None, trouble)]


def _exercises(result: Result) -> list[dict[str, Any]] | None:
    if result.tool not in _WORKOUT_TOOLS or result.outcome is not Outcome.OK:
        return None
    shown = result.result.get("exercises") if isinstance(result.result, dict) else None
    return shown if isinstance(shown, list) else None


def _iterations(events: Iterable[Event]) -> int:
    """How often the model was asked for its next step."""
    steps = (event.content for event in events)
    return sum(getattr(step, "usage", None) is not None for step in steps if step.event_type in _STEPS)


_STEPS: Final = frozenset({"action", "assistant_message", "error"})


def _stream(
    batches: AsyncGenerator[list[Item], None], session_id: UUID, *, nothing_more: bool = False
) -> Response:
    messages = _seed_messages(batches, session_id, nothing_more=nothing_more)
    return StreamingResponse(messages, media_type="text/event-stream", headers=STREAM_HEADERS)


async def _seed_messages(
    batches: AsyncGenerator[list[Item], None], session_id: UUID, *, nothing_more: bool = False
) -> AsyncIterator[bytes]:
    """`nothing_more` when an end without an ending is one all the same: there was nothing to resume. The last message
    is `done` or `error`, never both: clients stop at either."""
    ended = failed = False
    async with aclosing(batches):
        async for batch in batches:
            if not batch:
                yield b": still here\n\n"
            for item in batch:
                if isinstance(item, Event):
                    messages = _seed_message(item)
                    for message in messages:
                        yield f"id: {item.sequence}\ndata: ".encode() + to_json(message) + b"\n\n"
                    if ending_of(item.content) is not None:
                        # What was missed may hold several turns; how the last one ended counts.
                        ended, failed = True, any(one["type"] == _ERROR for one in messages)
            ended = ended or nothing_more
    if failed:
        return
    last = {"type": "done", "sessionId": session_id} if ended else {"type": _ERROR, "message": _CUT}
    yield b"data: " + to_json(last) + b"\n\n"


_ERROR: Final = "error"
_CUT: Final = "This server is stopping. The answer goes on; ask for the stream again with Last-Event-ID."


def _seed_message(event: Event) -> list[dict[str, Any]]:
    """`{type: tool, data: result}` for each action; words that no tool spoke are a notice too."""
    match event.content:
        case Result(tool=tool, outcome=Outcome.OK, result=result):
            return [{"type": tool, "data": result}]
        case Result(tool=tool, error=error):
            return [{"type": tool, "data": {"success": False, "error": error}}]
        case AssistantMessage(text=text) | Notice(text=text) if text:
            return [{"type": "message_notify_user", "data": {"success": True, "message": text}}]
        case Failure(detail=detail, ends=ends) if ends is not None:
            return [{"type": _ERROR, "message": detail}]
        case TurnEnded(reason=reason) if reason:
            return [{"type": _ERROR, "message": reason}]
        case _:
            return []


def _shown(row: tables.AgentSession) -> TrainerSession:
    return TrainerSession(
        id=row.id,
        user_id=row.user_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
        context_start_sequence=row.context_start_sequence,
        metadata=row.details,
    )
