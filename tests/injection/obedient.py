"""A model that does whatever any text in its prompt says, and tools whose effects nobody must bring about that way."""

import re
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import select
from typing_extensions import override

from spotter.context import drafts
from spotter.identity.principal import Role
from spotter.identity.tables import User
from spotter.llm.port import (
    DEFAULTS,
    Capabilities,
    Chunk,
    Final,
    FinishReason,
    ModelSettings,
    StreamingModel,
    Usage,
)
from spotter.llm.prompt import NO_TOOLS, Fragment, Prompt, ToolCall, Tools
from spotter.llm.scripted import call
from spotter.runtime.agent import Agent, Handover
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Effect, Tool, tool
from spotter.tools.data import fetch_data
from spotter.tools.drafts import echo_context
from spotter.training.preferences import Duration, PreferenceType, keep
from spotter.training.tables import Preference

_ORDER = re.compile(r"call\s+([a-z_]+)\s+with\s+(\{[^{}]*\})", re.IGNORECASE)


class ObedientModel(StreamingModel):
    """First it looks where it was told to; then it carries out every order it can find, whoever wrote it."""

    name = "obedient"
    provider = "scripted"
    capabilities = Capabilities()

    def __init__(self, first: ToolCall | None) -> None:
        self._first = first
        self.obeyed: list[tuple[str, str]] = []

    @override
    async def stream(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> AsyncGenerator[Chunk, None]:
        calls: list[ToolCall] = []
        if self._first is not None:
            calls, self._first = [self._first], None
        else:
            for order in dict.fromkeys(self._orders(prompt)):
                if order not in self.obeyed:
                    self.obeyed.append(order)
                    calls.append(call(*order))
        finish = FinishReason.TOOL_CALLS if calls else FinishReason.STOP
        usage = Usage(input=1, output=1, reported=True)
        yield Final("" if calls else "Done.", tuple(calls), finish, usage, self.provider, self.name)

    def _orders(self, prompt: Prompt) -> Iterator[tuple[str, str]]:
        for fragment in (*prompt.messages, *prompt.trailing):
            for found in _ORDER.finditer(_text(fragment).replace('\\"', '"')):
                yield found[1].lower(), found[2]


def _text(fragment: Fragment) -> str:
    return str(getattr(fragment.message, "text", ""))


@dataclass
class Effects:
    """What was really done, by the tools themselves."""

    done: list[tuple[str, UUID | None]] = field(default_factory=list)

    def add(self, name: str, context: ToolContext) -> None:
        self.done.append((name, context.session_id))

    def of(self, session_id: UUID) -> list[str]:
        return [name for name, session in self.done if session == session_id]


EFFECTS = Effects()


@tool(category="test")
async def remember(context: ToolContext, text: str) -> str:
    """Anybody may. It shows that the model obeys."""
    EFFECTS.add("remember", context)
    return "remembered"


@tool(category="test", permission=Role.STAFF)
async def refund(context: ToolContext, amount: int) -> str:
    """Gives money back. Staff may."""
    EFFECTS.add("refund", context)
    return "refunded"


@tool(category="test", permission=Role.OWNER)
async def grant_role(context: ToolContext, role: str) -> str:
    """Makes somebody an owner. Owners may."""
    EFFECTS.add("grant_role", context)
    return "granted"


@tool(category="test")
async def purge(context: ToolContext, what: str) -> str:
    """There, but not among the agent's tools."""
    EFFECTS.add("purge", context)
    return "purged"


@tool(category="test", approval="always")
async def wire_money(context: ToolContext, amount: int) -> str:
    """Always needs a person's approval."""
    EFFECTS.add("wire_money", context)
    return "wired"


@tool(category="test", effect=Effect.UNKEYED)
async def mail(context: ToolContext, to: str) -> str:
    """Sends something outside: not unasked by one who has read strangers' words and private data."""
    EFFECTS.add("mail", context)
    return "sent"


@tool(category="test")
async def read_preferences(context: ToolContext, user_id: UUID) -> Any:
    """Whoever's: the database says whose one may see."""
    uow = await context.transaction()
    rows = await uow.session.scalars(select(Preference.value).where(Preference.user_id == user_id))
    return list(rows)


@tool(category="test")
async def change_preference(context: ToolContext, user_id: UUID, value: str) -> str:
    """Whoever's."""
    uow = await context.transaction()
    for row in await uow.session.scalars(select(Preference).where(Preference.user_id == user_id)):
        row.value = value
        EFFECTS.add("change_preference", context)
    await uow.session.flush()
    return "changed"


@tool(category="test", reads_private=True, reads_untrusted=True)
async def look_up_member(context: ToolContext, user_id: UUID) -> Any:
    """A member's name, as they wrote it."""
    uow = await context.transaction()
    return {"name": await uow.session.scalar(select(User.name).where(User.id == user_id))}


@tool(category="test", reads_private=True, reads_untrusted=True)
async def read_draft(context: ToolContext, key: str) -> str:
    """A draft of whoever works on this project."""
    return str((await drafts.get(await context.transaction(), key)).content)


PAGES: dict[str, str] = {}


@tool(category="test", reads_private=True, reads_untrusted=True)
async def read_page(context: ToolContext, name: str) -> str:
    """A page of somebody else's, or what another system answered."""
    return PAGES[name]


ALLOWED: tuple[Tool, ...] = (
    remember,
    refund,
    grant_role,
    wire_money,
    mail,
    read_preferences,
    change_preference,
    look_up_member,
    read_page,
    fetch_data,
    read_draft,
    echo_context,
)
ALL_TOOLS: tuple[Tool, ...] = (*ALLOWED, purge)

AGENT = Agent(
    name="tester",
    instructions="You help.",
    model="obedient",
    tools=tuple(one.name for one in ALLOWED),
    handoffs=(Handover("helper", "when asked"),),
)
HELPER = Agent(name="helper", instructions="You help too.", model="obedient", tools=("remember",))
BOSS = Agent(
    name="boss", instructions="You may do all.", model="obedient", tools=tuple(t.name for t in ALL_TOOLS)
)

__all__ = ["ALL_TOOLS", "Duration", "PreferenceType", "keep"]
