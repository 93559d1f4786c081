"""A small agent with one tool of each kind, run by a scripted model."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Annotated
from uuid import UUID

from pydantic import Field

from spotter.app import House
from spotter.identity import audit
from spotter.llm.port import Model
from spotter.runtime.agent import Agent, Limits
from spotter.runtime.executor import ToolContext
from spotter.runtime.kit import Kit, known_agents
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.seams import Seams
from spotter.runtime.tool import Answer, Effect, FixAndRetry, Tool, ToolFailed, tool
from spotter.runtime.turns import Turns
from spotter.sessions import directory
from spotter.sessions.events import Ending
from spotter.store.scope import Scope


@tool(category="test", examples=["add 2 and 3"])
async def add(context: ToolContext, a: Annotated[int, Field(description="first")], b: int = 1) -> int:
    """Adds two numbers."""
    return a + b


@tool(category="test")
async def note(context: ToolContext, text: str) -> str:
    """Writes a row of ours."""
    uow = await context.transaction()
    await audit.record(uow, "test.note", target=text)
    return f"noted {text}"


@tool(category="test")
async def break_down(context: ToolContext, how: str) -> str:
    """Writes a row, then fails."""
    uow = await context.transaction()
    await audit.record(uow, "test.note", target=how)
    if how == "fix":
        raise FixAndRetry("Give another value.")
    if how == "fail":
        raise ToolFailed("It does not work today.")
    raise RuntimeError("a bug with a secret in it")


@tool(category="test", effect=Effect.KEYED)
async def charge(context: ToolContext, amount: int) -> str:
    """Sends something outside, with a key."""
    await context.outbox("charge", {"amount": amount})
    return "queued"


@tool(category="test", effect=Effect.UNKEYED)
async def mail(context: ToolContext, to: str) -> str:
    """Sends something outside, without a key."""
    SENT.append((context.session_id, context.call_id, to))
    return "sent"


@tool(category="talk")
async def idle(context: ToolContext, reason: str = "") -> Answer:
    """Ends the turn."""
    return Answer({"reason": reason}, "idle", Ending.IDLE)


SENT: list[tuple[UUID, str, str]] = []
TOOLS = (add, note, break_down, charge, mail, idle)


def tester_agent(limits: Limits | None, tools: Sequence[Tool]) -> Agent:
    return Agent(
        name="tester",
        instructions="You test.",
        model="scripted",
        tools=tuple(t.name for t in tools),
        limits=limits or Limits(),
    )


@asynccontextmanager
async def running_turns(
    home: House,
    model: Callable[[], Model] | Model,
    *,
    limits: Limits | None = None,
    seams: Seams | None = None,
    tools: Sequence[Tool] = TOOLS,
) -> AsyncIterator[Turns]:
    async def models(scope: Scope, agent: Agent) -> Model:
        return model() if callable(model) else model

    services = home.services
    kit = Kit(
        database=services.database,
        bus=services.bus,
        log=services.log,
        registry=ToolRegistry(tools),
        agents=known_agents({"tester": tester_agent(limits, tools)}),
        models=models,
        seams=seams or Seams(budget=services.ledger, guard=services.moderation),
    )
    turns = Turns(kit)
    await turns.start()
    try:
        yield turns
    finally:
        await turns.stop(grace=1)


async def new_session(home: House, scope: Scope) -> UUID:
    async with home.services.database.unit_of_work(scope) as uow:
        return (await directory.create(uow, "tester")).id
