"""Widgets (B12): the chats on other people's pages, the tokens for their visitors, and what the chat itself asks."""

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Request
from pydantic import AfterValidator, BaseModel, Field, StringConstraints
from sqlalchemy import select

from spotter.api.access import AdminCaller, Caller, StaffCaller
from spotter.api.definition_fields import ScenarioName, book_for
from spotter.api.fields import Body, Name, OptionalName, storable_text
from spotter.api.origins import Host, parse_origin
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.transactions import Transaction
from spotter.errors import Forbidden, InvalidInput
from spotter.identity import tables, widgets
from spotter.identity.widgets import LONGEST_SECONDS
from spotter.scenarios.agent_files import AgentFile
from spotter.scenarios.book import Book
from spotter.sessions import directory
from spotter.sessions.tables import AgentSession

routes = router("widgets", prefix="/api/widgets")

_MOST_ORIGINS: Final = 20
_MOST_AGENTS: Final = 6
_MOST_EXAMPLES: Final = 3


def _exact_origin(text: str) -> str:
    """As a browser writes it. No wildcard: a page that may show the chat is a page somebody has thought of."""
    origin = parse_origin(text)
    if origin is None or "*" in text:
        raise ValueError("an origin is scheme, host and port and nothing else: https://www.example.com")
    if origin.scheme != "https" and not Host(origin.host, origin.port).is_loopback:
        raise ValueError("pages of this origin are not encrypted; use https (http only on your own machine)")
    return origin.text


HostOrigin = Annotated[
    str,
    StringConstraints(min_length=8, max_length=300),
    AfterValidator(_exact_origin),
    Field(examples=["https://www.example.com"]),
]
AgentName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
Origins = Annotated[list[HostOrigin], Field(min_length=1, max_length=_MOST_ORIGINS)]
Agents = Annotated[list[AgentName], Field(min_length=1, max_length=_MOST_AGENTS)]


class Widget(BaseModel):
    id: UUID
    name: str
    origins: list[str] = Field(description="pages of exactly these may show it")
    scenario: str | None
    agents: list[str] = Field(description="one tab each")
    enabled: bool
    created_at: datetime
    updated_at: datetime


class Widgets(BaseModel):
    items: list[Widget]
    voice: bool = Field(description="whether visitors can talk aloud: that needs an OpenAI account")


class NewWidget(Body):
    name: Name
    origins: Origins
    scenario: ScenarioName | None = Field(
        default=None, description="in which the agents play; each alone if not given"
    )
    agents: Agents | None = Field(
        default=None, description="who can be talked to; the scenario's first if not given"
    )
    enabled: bool = True


class WidgetChange(Body):
    """What is not given stays."""

    name: Name | None = None
    origins: Origins | None = None
    scenario: ScenarioName | None = None
    agents: Agents | None = None
    enabled: bool | None = None


class NewWidgetToken(Body):
    user_id: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        default=None,
        description="your own id for whoever is looking at your page: the same id is the same person. Without one they "
        "are a guest, if the organisation takes guests",
        examples=["customer-4711"],
    )
    name: OptionalName = Field(default="", description="how the agents may call them")
    ttl_seconds: Annotated[int, Field(ge=60, le=LONGEST_SECONDS)] = 600


class WidgetToken(BaseModel):
    token: str = Field(description="for the page; mint a new one before it expires, the conversation goes on")
    expires_at: datetime
    widget_id: UUID
    origins: list[str]
    user_id: UUID = Field(description="who that is here")
    guest: bool


class DockAgent(BaseModel):
    name: str
    title: str
    description: str
    examples: list[str] = Field(description="things to begin with")


class Dock(BaseModel):
    """What the chat shows."""

    widget_id: UUID
    name: str
    scenario: str | None
    agents: list[DockAgent]
    voice_url: str | None = Field(
        description="where a browser begins to speak, with the key from /api/session2; null where voice is not set up"
    )


class OpenDock(Body):
    agent: AgentName
    fresh: bool = Field(default=False, description="begin anew instead of going on")


class DockSession(BaseModel):
    session_id: UUID
    agent: str = Field(description="who answers next")
    scenario: str | None
    last_sequence: int


def _shown(row: tables.Widget) -> Widget:
    return Widget(
        id=row.id,
        name=row.name,
        origins=row.origins,
        scenario=row.scenario,
        agents=row.agents,
        enabled=row.enabled,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _agent(written: AgentFile) -> DockAgent:
    return DockAgent(
        name=written.name,
        title=written.title or written.name.replace("_", " ").capitalize(),
        description=written.description,
        examples=[str(one) for one in written.examples[:_MOST_EXAMPLES]],
    )


def _require_agents(book: Book, scenario: str | None, agents: list[str]) -> None:
    """That somebody can begin with each of them."""
    for agent in agents:
        book.opening(scenario, agent)


@routes.get("")
async def list_widgets(request: Request, caller: AdminCaller, uow: Transaction) -> Widgets:
    """All widgets of the organisation."""
    return Widgets(
        items=[_shown(row) for row in await widgets.listing(uow)],
        voice=await services_of(request).voice.can_speak(caller.scope),
    )


@routes.post("", status_code=201, responses=problem_responses(404))
async def create_widget(request: Request, caller: AdminCaller, uow: Transaction, body: NewWidget) -> Widget:
    """Make a widget: where it may be shown, and who can be talked to."""
    book = await book_for(request, caller, uow)
    agents = body.agents or [book.opening(body.scenario).agent]
    _require_agents(book, body.scenario, agents)
    row = await widgets.create(
        uow,
        caller,
        name=body.name,
        origins=body.origins,
        scenario=body.scenario,
        agents=agents,
        enabled=body.enabled,
    )
    return _shown(row)


@routes.get("/{widget_id}")
async def get_widget(caller: AdminCaller, uow: Transaction, widget_id: UUID) -> Widget:
    """One widget."""
    return _shown(await widgets.get(uow, widget_id))


@routes.patch("/{widget_id}")
async def update_widget(
    request: Request, caller: AdminCaller, uow: Transaction, widget_id: UUID, body: WidgetChange
) -> Widget:
    """Change a widget. It holds from the next request on: who may no longer show it or be talked to is out at once."""
    changes: dict[str, Any] = {
        name: value
        for name, value in body.model_dump(exclude_unset=True).items()
        if value is not None or name == "scenario"
    }
    if {"scenario", "agents"} & changes.keys():
        row = await widgets.get(uow, widget_id)
        book = await book_for(request, caller, uow)
        _require_agents(book, changes.get("scenario", row.scenario), changes.get("agents", row.agents))
    return _shown(await widgets.change(uow, widget_id, changes))


@routes.delete("/{widget_id}", status_code=204)
async def remove_widget(caller: AdminCaller, uow: Transaction, widget_id: UUID) -> None:
    """Take a widget away. What was said in it stays in the log."""
    await widgets.remove(uow, widget_id)


@routes.post("/{widget_id}/tokens", status_code=201, responses=problem_responses(429))
async def mint_widget_token(
    request: Request, caller: StaffCaller, widget_id: UUID, body: NewWidgetToken
) -> WidgetToken:
    """For your server, with an API key that may write: a token for whoever looks at your page. It is good for minutes,
    in this widget's frame only, and for nothing but talking there. Mint another one before it ends."""
    services = services_of(request)
    subject = storable_text(body.user_id) if body.user_id is not None else None
    minted = await services.widgets.mint(caller, widget_id, subject, body.name, body.ttl_seconds)
    async with services.database.unit_of_work(caller.scope) as uow:
        origins = (await widgets.get(uow, widget_id)).origins
    return WidgetToken(
        token=minted.token,
        expires_at=minted.expires_at,
        widget_id=widget_id,
        origins=origins,
        user_id=minted.person,
        guest=minted.guest,
    )


@routes.get("/{widget_id}/dock")
async def get_dock(request: Request, caller: Caller, uow: Transaction, widget_id: UUID) -> Dock:
    """What the chat on the page shows: its agents, and where to speak."""
    row = await widgets.get(uow, widget_id)
    book = await book_for(request, caller, uow)
    known = [book.agents[name] for name in row.agents if name in book.agents]
    services = services_of(request)
    speaks = await services.voice.can_speak(caller.scope)
    return Dock(
        widget_id=row.id,
        name=row.name,
        scenario=row.scenario,
        agents=[_agent(one) for one in known],
        voice_url=str(services.settings.voice_url) if speaks else None,
    )


@routes.post("/{widget_id}/sessions", responses=problem_responses(404))
async def open_dock_session(
    request: Request, caller: Caller, uow: Transaction, widget_id: UUID, body: OpenDock
) -> DockSession:
    """The conversation with one of the widget's agents: the latest, or a new one."""
    person = caller.require_person()
    row = await widgets.get(uow, widget_id)
    if not row.enabled:
        raise Forbidden("This widget is switched off.")
    if body.agent not in row.agents:
        raise InvalidInput(f"{body.agent!r} is not in this widget. These are: {', '.join(row.agents)}.")
    mark = {"widget": str(widget_id), "opened_with": body.agent}
    session = None
    if not body.fresh:
        session = await uow.session.scalar(
            select(AgentSession)
            .where(
                AgentSession.user_id == person,
                AgentSession.details.contains(mark),
                AgentSession.erased_at.is_(None),
                AgentSession.scenario == row.scenario
                if row.scenario is not None
                else AgentSession.scenario.is_(None),
            )
            .order_by(AgentSession.updated_at.desc())
            .limit(1)
        )
    if session is None:
        begins = (await book_for(request, caller, uow)).opening(row.scenario, body.agent)
        session = await directory.create(
            uow, begins.agent, scenario=begins.scenario, stage=begins.stage, details=mark, title=row.name
        )
    return DockSession(
        session_id=session.id,
        agent=session.agent,
        scenario=session.scenario,
        last_sequence=session.last_sequence,
    )
