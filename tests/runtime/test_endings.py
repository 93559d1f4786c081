"""Turns that are ended from outside, or break: each call has one result, each turn one end, and nothing is claimed
that nobody knows."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import pytest

from spotter.app import House
from spotter.llm.scripted import Line, Say, ScriptedModel, call
from spotter.runtime import turns as turns_module
from spotter.runtime.agent import Agent
from spotter.runtime.context import SessionView
from spotter.runtime.executor import ToolContext
from spotter.runtime.kit import Kit, known_agents
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.tool import Effect, tool
from spotter.runtime.turns import Turns
from spotter.sessions.codec import Event
from spotter.sessions.events import Ending, Failure, Outcome, Result, UserMessage
from spotter.sessions.log import SessionLog
from spotter.sessions.verify import Wanted, verify
from spotter.store.scope import Scope
from tests.support.agents import new_session
from tests.support.people import Gym

RINGING = asyncio.Event()


@tool(category="test", effect=Effect.UNKEYED)
async def dial(context: ToolContext) -> str:
    """Rings for a long time."""
    RINGING.set()
    await asyncio.sleep(300)
    return "answered"


@tool(category="test", effect=Effect.UNKEYED, timeout=0.05)
async def dial_briefly(context: ToolContext) -> str:
    """Gives up soon."""
    await asyncio.sleep(30)
    return "answered"


@tool(category="test", effect=Effect.UNKEYED)
async def post(context: ToolContext) -> str:
    """Sends at once."""
    return "sent"


TOOLS = (dial, dial_briefly, post)


@asynccontextmanager
async def turns_with(home: House, script: list[Line], *, agent: str = "tester") -> AsyncIterator[Turns]:
    model = ScriptedModel(script)

    async def models(*_: object) -> ScriptedModel:
        return model

    tester = Agent("tester", "You test.", model="scripted", tools=tuple(one.name for one in TOOLS))
    services = home.services
    kit = Kit(
        database=services.database,
        bus=services.bus,
        log=services.log,
        registry=ToolRegistry(TOOLS),
        agents=known_agents({agent: tester}),
        models=models,
    )
    turns = Turns(kit)
    await turns.start()
    try:
        yield turns
    finally:
        await turns.stop(grace=1)


async def say(turns: Turns, scope: Scope, session_id: UUID) -> Ending:
    ticket = await turns.say(scope, session_id, UserMessage(text="go"))
    assert ticket.done is not None
    return await asyncio.wait_for(ticket.done, 60)


async def events_of(home: House, scope: Scope, session_id: UUID) -> list[Event]:
    findings = await verify(home.base.urls, SessionView, Wanted(session_id=session_id))
    assert findings.violations == []
    return await SessionLog(home.services.database.hot).read(scope, session_id)


def outcomes(events: list[Event]) -> list[Outcome]:
    return [event.content.outcome for event in events if isinstance(event.content, Result)]


async def test_cancelled_while_something_is_being_sent(home: House, gym: Gym) -> None:
    """What was begun is uncertain; what was not begun is not carried out."""
    scope = gym.member.scope
    session_id = await new_session(home, scope)
    async with turns_with(home, [Say(calls=(call("dial"), call("post")))]) as turns:
        ticket = await turns.say(scope, session_id, UserMessage(text="go"))
        assert ticket.done is not None
        await asyncio.wait_for(RINGING.wait(), 60)
        assert turns.cancel_here(session_id)
        assert await asyncio.wait_for(ticket.done, 60) is Ending.CANCELLED
    assert outcomes(await events_of(home, scope, session_id)) == [Outcome.UNCERTAIN, Outcome.CANCELLED]


async def test_a_time_out_while_sending_is_uncertain(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with turns_with(home, [Say(calls=(call("dial_briefly"),)), "Hm."]) as turns:
        assert await say(turns, gym.member.scope, session_id) is Ending.FINAL
    assert outcomes(await events_of(home, gym.member.scope, session_id)) == [Outcome.UNCERTAIN]


async def test_staff_can_send_in_a_members_session(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with turns_with(home, [Say(calls=(call("post"),)), "Done."]) as turns:
        assert await say(turns, gym.staff.scope, session_id) is Ending.FINAL
    assert outcomes(await events_of(home, gym.member.scope, session_id)) == [Outcome.OK]


async def test_a_turn_whose_agent_is_gone_ends(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with turns_with(home, [], agent="another") as turns:
        assert await say(turns, gym.member.scope, session_id) is Ending.FAILED
    last = (await events_of(home, gym.member.scope, session_id))[-1].content
    assert isinstance(last, Failure)
    assert last.code == "not_found"


def _speaks(turns: Turns, session_id: UUID) -> bool:
    """Whether something has been said in the turn that is going on."""
    running = turns._running.get(session_id)
    run = running.run if running is not None else None
    return run is not None and run.speech is not None and bool(run.speech.text)


async def test_the_next_turn_can_be_cancelled_too(home: House, gym: Gym) -> None:
    scope = gym.member.scope
    session_id = await new_session(home, scope)
    async with turns_with(home, [Say("one\n " * 50, delay=0.1), Say("two\n " * 50, delay=0.1)]) as turns:
        ticket = await turns.say(scope, session_id, UserMessage(text="go"))
        await turns.say(scope, session_id, UserMessage(text="and go on"))
        assert ticket.done is not None
        for sequence in (1, 4):
            async with asyncio.timeout(60):
                log = SessionLog(home.services.database.hot)
                while not (
                    await log.read(scope, session_id, after=sequence - 1) and _speaks(turns, session_id)
                ):
                    await asyncio.sleep(0.02)
            assert turns.cancel_here(session_id)
        async with asyncio.timeout(60):
            while session_id in turns._running:
                await asyncio.sleep(0.02)
    kinds = [event.type for event in await events_of(home, scope, session_id)]
    assert kinds == ["user_message", "assistant_message", "turn_ended"] * 2


async def test_a_lease_that_is_not_ours_is_no_longer_renewed(
    home: House, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Being cancelled can get lost while the lease is being renewed: the turn must end all the same."""
    monkeypatch.setattr(turns_module, "_RENEW_EVERY", 0.0)
    for _ in range(20):
        session_id = await new_session(home, gym.member.scope)
        async with turns_with(home, ["Done."]) as turns:
            assert await say(turns, gym.member.scope, session_id) is Ending.FINAL
            async with asyncio.timeout(60):
                while session_id in turns._running:
                    await asyncio.sleep(0.005)
