"""Sessions for programs (B9), in the shapes their clients know. One more view of an ordinary session."""

from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Request
from pydantic import BaseModel, Field, StringConstraints

from spotter.api import talk
from spotter.api.access import Caller
from spotter.api.agent_runs import Instructions, ModelWished, spoken
from spotter.api.definition_fields import require_builder
from spotter.api.fields import Body, Name, storable_text
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.transactions import Transaction
from spotter.errors import BadRequest
from spotter.identity.principal import Principal
from spotter.ids import new_id
from spotter.runtime.kit import Part
from spotter.scenarios import program_sessions
from spotter.scenarios.program_sessions import Wished
from spotter.sessions import projections
from spotter.sessions.codec import Event
from spotter.sessions.events import Action, AssistantMessage, Notice, Result, UserMessage
from spotter.sessions.tables import AgentSession

routes = router("sdk", prefix="/api/sdk/session")

GivenId = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,200}$")]


class SdkSessionRequest(Body):
    session_id: GivenId | None = Field(
        default=None, description="your own name for it: the same name is the same session"
    )
    agent_name: Name = Field(description="an agent, or a name of your own for one with your instructions")
    instructions: Instructions = Field(default="", description="instead of the agent's own; for staff")
    model: ModelWished | None = Field(default=None, description="for staff, and one that is allowed")
    trial: bool = Field(default=False, description="only to try an agent out: lists can leave it away")


class SdkSession(BaseModel):
    session_id: str
    agent_name: str
    model: str


class SdkAgent(Body):
    name: Name | None = None
    instructions: Instructions | None = None
    model: ModelWished | None = None


class SdkMessage(Body):
    session_id: GivenId
    user_input: Annotated[str, StringConstraints(max_length=32_000)]
    agent: SdkAgent | None = Field(default=None, description="holds from this message on")


class SdkAnswer(BaseModel):
    final_output: str
    new_items_len: int
    tool_calls: list[str]


class SdkTranscript(BaseModel):
    session_id: str
    items: list[dict[str, Any]]
    length: int


@routes.post("/create")
async def create_sdk_session(
    request: Request, caller: Caller, uow: Transaction, body: SdkSessionRequest
) -> SdkSession:
    """Start a session, or get the one that has this name already, as it is."""
    wished = Wished(body.agent_name, storable_text(body.instructions).strip(), body.model or "")
    if wished.brings:
        require_builder(request, caller, body.model)
    services = services_of(request)
    name = body.session_id or str(new_id())
    session_id = program_sessions.own_id(caller, name) if body.session_id is not None else UUID(name)
    book = await services.definitions.book(caller.scope)
    session = await program_sessions.create(uow, book, session_id, wished, trial=body.trial)
    return SdkSession(
        session_id=name,
        agent_name=program_sessions.name_in(session),
        model=await _model(request, caller, session),
    )


@routes.post("/message", responses=problem_responses(402, 404, 429))
async def say_in_sdk_session(request: Request, caller: Caller, body: SdkMessage) -> SdkAnswer:
    """Say something and get the answer, once it is complete."""
    if not body.user_input.strip():
        raise BadRequest("`user_input` is empty. Say something.")
    session_id = await _prepared(request, caller, body)
    heard = await talk.say(request, caller, session_id, storable_text(body.user_input), wait=True)
    said = spoken(heard.events)
    return SdkAnswer(
        final_output=said[-1] if said else "",
        new_items_len=len(_items(heard.events)) - 1,
        tool_calls=[event.content.tool for event in heard.events if isinstance(event.content, Action)],
    )


@routes.get("/transcript", responses=problem_responses(404))
async def get_sdk_transcript(
    request: Request, caller: Caller, uow: Transaction, session_id: Annotated[GivenId, Query()]
) -> SdkTranscript:
    """Everything that was said and done, each item with where it came from."""
    session = await program_sessions.find(uow, caller, session_id)
    items = _items(await services_of(request).log.read(caller.scope, session.id))
    return SdkTranscript(session_id=session_id, items=items, length=len(items))


async def _prepared(request: Request, caller: Principal, body: SdkMessage) -> UUID:
    services = services_of(request)
    given = body.agent or SdkAgent()
    wished = Wished(given.name or "", storable_text(given.instructions or "").strip(), given.model or "")
    if wished.brings:
        require_builder(request, caller, given.model)
    async with services.database.unit_of_work(caller.scope) as uow:
        session = await program_sessions.find(uow, caller, body.session_id)
        if wished != Wished():
            book = await services.definitions.book(caller.scope, session.project_id)
            last = await program_sessions.change(uow, services.log, book, session, wished)
            if last is not None:
                uow.after_commit(partial(talk.wake, services, session.id, last, caller.user_id))
        return session.id


async def _model(request: Request, caller: Principal, session: AgentSession) -> str:
    part = Part(session.agent, session.scenario, session.overrides)
    return (await services_of(request).definitions.agent(caller.scope, part)).model


def _items(events: Iterable[Event]) -> list[dict[str, Any]]:
    """As the Agents SDK writes them, with the source of each."""
    items: list[dict[str, Any]] = []
    for event in events:
        match event.content:
            case UserMessage(text=text, source=source):
                items.append({"role": "user", "content": text, "source": source})
            case AssistantMessage(text=text, source=source) if text:
                items.append({"role": "assistant", "content": text, "source": source})
            case Notice(text=text):
                items.append({"role": "assistant", "content": text, "source": projections.NOTICE})
            case Action(tool=tool, args=args, call_id=call_id, source=source):
                call = {"type": "function_call", "name": tool, "arguments": args, "call_id": call_id}
                items.append({**call, "source": source} if source else call)
            case Result(call_id=call_id, formatted=formatted, error=error):
                output = formatted or error or ""
                items.append({"type": "function_call_output", "call_id": call_id, "output": output})
            case _:
                pass
    return items
