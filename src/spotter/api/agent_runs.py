"""One question to one agent (B8): a session of its own, so it is recorded, billed and moderated like any turn."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Request
from pydantic import BaseModel, Field, StringConstraints

from spotter.api import talk
from spotter.api.access import Caller
from spotter.api.definition_fields import ScenarioName, require_builder
from spotter.api.fields import Body, storable_text
from spotter.api.idempotency import HEADER as IDEMPOTENCY_HEADER
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.errors import BadRequest
from spotter.identity.principal import Principal
from spotter.ids import new_id
from spotter.scenarios import program_sessions
from spotter.scenarios.program_sessions import Wished
from spotter.sessions import directory, projections
from spotter.sessions.codec import Event
from spotter.sessions.events import Action, Ending, Failure, Outcome, Result, TurnEnded, ending_of
from spotter.sessions.tables import AgentSession
from spotter.store.unit_of_work import UnitOfWork

routes = router("agent", prefix="/api/agent")

AgentName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
Instructions = Annotated[str, StringConstraints(max_length=40_000)]
ModelWished = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class AgentRunRequest(Body):
    agent: AgentName | None = Field(
        default=None, description="the scenario's root, or the assistant, if not given"
    )
    scenario_id: ScenarioName | None = None
    input: Annotated[str, StringConstraints(max_length=32_000)]
    instructions: Instructions | None = Field(
        default=None, description="instead of the agent's own; for staff"
    )
    model: ModelWished | None = Field(
        default=None, description="instead of the agent's own; for staff, and one that is allowed"
    )


class OutputText(BaseModel):
    type: Literal["text"] = "text"
    text: str


class ToolCallMade(BaseModel):
    name: str
    arguments: dict[str, Any]
    result: Any
    success: bool


class TokensUsed(BaseModel):
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    total_tokens: int


class AgentRun(BaseModel):
    id: UUID = Field(description="of the session that holds it: `/api/sessions/{id}/events`")
    output: list[OutputText]
    tool_calls: list[ToolCallMade]
    usage: TokensUsed


@routes.post("/run", responses=problem_responses(402, 404, 429))
async def run_agent(request: Request, caller: Caller, body: AgentRunRequest) -> AgentRun:
    """Ask an agent once and get everything it said and did. Each run has a session of its own, which is in no list."""
    if not body.input.strip():
        raise BadRequest("`input` is empty. Say what the agent should do.")
    wished = Wished(instructions=storable_text(body.instructions or "").strip(), model=body.model or "")
    if wished.brings:
        require_builder(request, caller, body.model)
    async with services_of(request).database.unit_of_work(caller.scope) as uow:
        session = await _session(request, caller, uow, body, wished)
    heard = await talk.say(request, caller, session.id, storable_text(body.input), wait=True)
    return AgentRun(
        id=session.id,
        output=[OutputText(text=text) for text in spoken(heard.events)],
        tool_calls=calls_made(heard.events),
        usage=_used(heard.events),
    )


async def _session(
    request: Request, caller: Principal, uow: UnitOfWork, body: AgentRunRequest, wished: Wished
) -> AgentSession:
    """With an Idempotency-Key, the same one for the same key: the message then is the same one, too."""
    book = await services_of(request).definitions.book(caller.scope)
    begins = book.opening(body.scenario_id, body.agent)
    key = request.headers.get(IDEMPOTENCY_HEADER)
    session_id = program_sessions.own_id(caller, f"run/{key}") if key is not None else new_id()
    known = await program_sessions.known(uow, session_id)
    return known or await directory.create(
        uow,
        begins.agent,
        scenario=begins.scenario,
        stage=begins.stage,
        overrides=wished.overrides(begins.agent),
        session_id=session_id,
        kind="call",
    )


def spoken(events: Iterable[Event]) -> list[str]:
    """What the agent said, and what went wrong where something did."""
    found = list(events)
    said = [message.text for message in projections.messages(found) if message.role == "assistant"]
    trouble = [
        event.content.detail if isinstance(event.content, Failure) else event.content.reason
        for event in found
        if isinstance(event.content, Failure | TurnEnded)
        and ending_of(event.content) not in (None, Ending.CANCELLED)
    ]
    return [text for text in (*said, *trouble) if text]


def calls_made(events: Sequence[Event]) -> list[ToolCallMade]:
    results = {event.content.call_id: event.content for event in events if isinstance(event.content, Result)}
    return [
        _call(event.content, results.get(event.content.call_id))
        for event in events
        if isinstance(event.content, Action)
    ]


def _call(action: Action, result: Result | None) -> ToolCallMade:
    ok = result is not None and result.outcome is Outcome.OK
    told = None if result is None else result.result if ok else result.error
    return ToolCallMade(name=action.tool, arguments=projections.arguments_of(action), result=told, success=ok)


def _used(events: Sequence[Event]) -> TokensUsed:
    total = projections.totals(events)
    return TokensUsed(
        input_tokens=total.input,
        output_tokens=total.output,
        cache_read_tokens=total.cache_read,
        cache_write_tokens=total.cache_write,
        total_tokens=total.input + total.output + total.cache_read + total.cache_write,
    )
