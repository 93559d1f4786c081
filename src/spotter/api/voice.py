"""Talking aloud (B2, B13): the browser's key to a voice model, and what was said with it."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from spotter.api import talk
from spotter.api.access import Caller
from spotter.api.fields import Body
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.identity.principal import PermissionScope, Principal
from spotter.sessions.events import Interrupt
from spotter.voice.cast import Speaker
from spotter.voice.starting import Started, Wish
from spotter.voice.transcripts import Report, Spoken, Used

routes = router("voice", prefix="/api")

_DEPRECATED_SINCE: Final = "@1794787200"
"""16 November 2026, as RFC 9745 writes it."""
_MOST_TOKENS: Final = 10_000_000
_REFUSALS: Final = problem_responses(402, 404, 413, 422, 502, 504)

ScenarioName = Annotated[str, Query(pattern=r"^[a-z][a-z0-9_-]{1,59}$")]
AgentName = Annotated[str | None, Query(pattern=r"^[a-z][a-z0-9_]{1,49}$")]
ItemId = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[\x21-\x7e]+$")]
Tokens = Annotated[int, Field(ge=0, le=_MOST_TOKENS)]


class Secret(BaseModel):
    value: str
    expires_at: int = Field(description="seconds since 1970; connect before then")


class OldSession(BaseModel):
    client_secret: Secret


class AgentTool(BaseModel):
    name: str
    description: str
    parameters: dict[str, Any]


class VoiceAgent(BaseModel):
    name: str
    description: str
    instructions: str
    model: str
    tools: list[AgentTool]
    handoffs: list[str]
    voice: str


class VoiceGuardrails(BaseModel):
    always: list[str]
    never: list[str]
    typed_text: str = Field(
        description="where to have typed text checked before it is sent to the voice model"
    )
    transcripts: str = Field(description="where to post what was said, as it is said")
    events: str = Field(description="a WebSocket that tells when to stop speaking, and who speaks")
    workouts: Literal["tools"] = Field(default="tools", description="workouts come from tools only")


class VoiceLimits(BaseModel):
    voice_id: UUID
    seconds: int
    ends_at: datetime
    budget_micro_dollars: int | None


class SessionInitPayload(BaseModel):
    session_id: UUID
    scenario_id: str
    root_agent: str
    client_secret: Secret
    model: str
    initial_agents: list[VoiceAgent] = Field(description="whoever is spoken to first, then the others")
    guardrails: VoiceGuardrails
    context: str | None = Field(default=None, description="what the agent was told of the page")
    limits: VoiceLimits


class SpokenItem(Body):
    item_id: ItemId = Field(description="the provider's; sent again, it is not recorded again")
    role: Literal["user", "assistant"]
    text: Annotated[str, StringConstraints(min_length=1, max_length=32_000)]
    previous_item_id: ItemId | None = None


class _Counted(BaseModel):
    """The provider's own words, passed on as they are: what we do not know of is left alone."""

    model_config = ConfigDict(extra="ignore")


class KindsOfTokens(_Counted):
    text_tokens: Tokens | None = None
    audio_tokens: Tokens | None = None


class InputTokens(KindsOfTokens):
    cached_tokens: Tokens | None = None
    cached_tokens_details: KindsOfTokens | None = None


class RealtimeUsage(_Counted):
    input_tokens: Tokens = 0
    output_tokens: Tokens = 0
    input_token_details: InputTokens | None = None
    output_token_details: KindsOfTokens | None = None


class UsedByAnswer(Body):
    response_id: ItemId = Field(description="the provider's; reported again, it is not billed again")
    usage: RealtimeUsage


class Transcript(Body):
    items: Annotated[list[SpokenItem], Field(max_length=200)] = Field(default_factory=list)
    usage: Annotated[list[UsedByAnswer], Field(max_length=200)] = Field(default_factory=list)
    ended: bool = Field(
        default=False, description="the conversation is over; what was held back is given back"
    )


class Stop(BaseModel):
    """Stop speaking at once, and say `text` instead."""

    reason: str
    category: str
    text: str


class TranscriptRecorded(BaseModel):
    session_id: UUID
    recorded: int = Field(description="items that were new")
    last_sequence: int
    interrupt: Stop | None
    ended: bool
    spent_micro_dollars: int
    budget_micro_dollars: int | None


@routes.get("/session", deprecated=True, responses=_REFUSALS)
async def mint_voice_secret(request: Request, response: Response, caller: Caller) -> OldSession:
    """Only a key to speak with the trainer, for old clients. Use `/api/session2`."""
    response.headers["Deprecation"] = _DEPRECATED_SINCE
    response.headers["Link"] = '</api/session2>; rel="successor-version"'
    return OldSession(client_secret=_secret(await _start(request, response, caller, Wish())))


@routes.get("/session2", responses=_REFUSALS)
async def start_voice_session(
    request: Request,
    response: Response,
    caller: Caller,
    scenario_id: ScenarioName = "trainer",
    root_agent: AgentName = None,
    context_id: UUID | None = None,
    session_id: Annotated[UUID | None, Query(description="one of yours to go on in, aloud")] = None,
) -> SessionInitPayload:
    """Begin to speak: a key for the browser that is good for a minute, who can be spoken to (whoever is first at the
    front), and how long. The worst it can cost is held back until you report what it did."""
    started = await _start(request, response, caller, Wish(scenario_id, root_agent, session_id, context_id))
    path = f"/api/sessions/{started.session_id}"
    return SessionInitPayload(
        session_id=started.session_id,
        scenario_id=started.scenario_id,
        root_agent=started.speakers[0].name,
        client_secret=_secret(started),
        model=started.model,
        initial_agents=[_agent(speaker, started.model) for speaker in started.speakers],
        guardrails=VoiceGuardrails(
            always=list(started.guardrails.always),
            never=list(started.guardrails.never),
            typed_text="/api/moderate",
            transcripts=f"{path}/transcript",
            events=f"{path}/ws",
        ),
        context=started.context,
        limits=VoiceLimits(
            voice_id=started.voice_id,
            seconds=started.seconds,
            ends_at=started.ends_at,
            budget_micro_dollars=started.budget,
        ),
    )


@routes.post("/sessions/{session_id}/transcript")
async def post_transcript(
    request: Request, caller: Caller, session_id: UUID, body: Transcript
) -> TranscriptRecorded:
    """What was said aloud and what it used, as it happens. It joins the session's log, checked; if `interrupt` is
    there, stop speaking. Every other client of the session is told too."""
    services = services_of(request)
    report = Report(
        items=[Spoken(one.item_id, one.role, one.text, one.previous_item_id) for one in body.items],
        used=[_used(one) for one in body.usage],
        ended=body.ended,
    )
    done = await services.transcripts.record(caller.scope, session_id, report)
    talk.wake(services, session_id, done.last_sequence, caller.user_id)
    return TranscriptRecorded(
        session_id=session_id,
        recorded=done.new_items,
        last_sequence=done.last_sequence,
        interrupt=_stop(done.interrupt),
        ended=done.ended,
        spent_micro_dollars=done.spent,
        budget_micro_dollars=done.budget,
    )


async def _start(request: Request, response: Response, caller: Principal, wish: Wish) -> Started:
    # It makes something and costs money, whatever the method says.
    caller.require_scope(PermissionScope.WRITE)
    services = services_of(request)
    started = await services.voice.start(caller.scope, wish)
    response.headers["Cache-Control"] = "no-store"
    talk.wake(services, started.session_id, started.sequence, caller.user_id)
    return started


def _secret(started: Started) -> Secret:
    return Secret(value=started.secret.value, expires_at=int(started.secret.expires_at.timestamp()))


def _agent(speaker: Speaker, model: str) -> VoiceAgent:
    return VoiceAgent(
        name=speaker.name,
        description=speaker.description,
        instructions=speaker.instructions,
        model=model,
        tools=[AgentTool.model_validate(tool) for tool in speaker.tools],
        handoffs=list(speaker.handoffs),
        voice=speaker.voice,
    )


def _used(report: UsedByAnswer) -> Used:
    """The provider counts cached tokens within the prompt; ours do not overlap. What it says is held against itself: a
    part is never more than the whole."""
    usage, read = report.usage, report.usage.input_token_details or InputTokens()
    cached = min(read.cached_tokens or 0, usage.input_tokens)
    kinds = read.cached_tokens_details or KindsOfTokens()
    cached_sound = min(kinds.audio_tokens or 0, cached)
    fresh = usage.input_tokens - cached
    sound = min(max(0, (read.audio_tokens or 0) - cached_sound), fresh)
    spoken = (usage.output_token_details or KindsOfTokens()).audio_tokens or 0
    return Used(
        response_id=report.response_id,
        input=fresh,
        output=usage.output_tokens,
        cache_read=cached,
        audio_input=sound,
        audio_output=min(spoken, usage.output_tokens),
        audio_cache_read=cached_sound,
    )


def _stop(interrupt: Interrupt | None) -> Stop | None:
    if interrupt is None:
        return None
    return Stop(reason=interrupt.reason, category=interrupt.category, text=interrupt.text)
