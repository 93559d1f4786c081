"""Handing a conversation over: in one turn, in one log, and everything about it is what the log says."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import pytest

from spotter.app import House
from spotter.llm.port import Model
from spotter.llm.scripted import Asked, Line, Say, ScriptedModel, call
from spotter.runtime.agent import Agent, Handover
from spotter.runtime.executor import ToolContext
from spotter.runtime.kit import Kit, known_agents
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.seams import Seams
from spotter.runtime.tool import Answer, tool
from spotter.runtime.turns import Turns
from spotter.sessions import directory
from spotter.sessions.events import Ending, Handoff, Outcome, Result, Stage, UserMessage
from spotter.sessions.tables import AgentSession
from spotter.store.scope import Scope
from tests.runtime.test_turns import events_of
from tests.support.agents import add
from tests.support.people import Gym


@tool(category="test")
async def go_on(context: ToolContext, to: str) -> Answer:
    """Moves the session on."""
    return Answer({"to": to}, f"now {to}", Ending.IDLE, (Stage(from_stage="start", to_stage=to),))


HELD: list[tuple[asyncio.Event, asyncio.Event]] = []


@tool(category="test")
async def hold(context: ToolContext) -> str:
    """Waits until it is told to go on."""
    began, goes_on = HELD.pop()
    began.set()
    await goes_on.wait()
    return "held"


DESK = Agent(
    name="desk",
    instructions="You are at the desk.",
    model="desk",
    tools=("add", "hold"),
    handoffs=(Handover("coach", "for training"), Handover("quiet", "for secrets", history="turn")),
)
COACH = Agent(
    name="coach",
    instructions="You coach.",
    model="coach",
    tools=("go_on",),
    handoffs=(Handover("desk", "all else"),),
)
QUIET = Agent(name="quiet", instructions="You know little.", model="quiet")


@asynccontextmanager
async def cast(home: House, **scripts: list[Line]) -> AsyncIterator[Turns]:
    """Each agent with its own scripted model."""
    models: dict[str, Model] = {name: ScriptedModel(script) for name, script in scripts.items()}

    async def model_of(scope: Scope, agent: Agent) -> Model:
        return models[agent.name]

    services = home.services
    kit = Kit(
        database=services.database,
        bus=services.bus,
        log=services.log,
        registry=ToolRegistry([add, go_on, hold]),
        agents=known_agents({agent.name: agent for agent in (DESK, COACH, QUIET)}),
        models=model_of,
        seams=Seams(budget=services.ledger, guard=services.moderation),
    )
    turns = Turns(kit)
    await turns.start()
    try:
        yield turns
    finally:
        await turns.stop(grace=1)


async def at_the_desk(home: House, scope: Scope) -> UUID:
    async with home.services.database.unit_of_work(scope) as uow:
        return (await directory.create(uow, "desk", stage="start")).id


async def row_of(home: House, scope: Scope, session_id: UUID) -> AgentSession:
    async with home.services.database.unit_of_work(scope) as uow:
        return await directory.get(uow, session_id)


async def say(turns: Turns, gym: Gym, session_id: UUID, text: str = "hello") -> Ending:
    ticket = await turns.say(gym.member.scope, session_id, UserMessage(text=text))
    assert ticket.done is not None
    return await ticket.done


def transfer(to: str) -> Say:
    return Say(calls=(call(f"transfer_to_{to}", {"reason": "they want to train"}),))


async def test_the_other_agent_goes_on_in_the_same_turn(home: House, gym: Gym) -> None:
    session_id = await at_the_desk(home, gym.member.scope)
    asked: list[Asked] = []

    def answer(question: Asked) -> str:
        asked.append(question)
        return "Let us train."

    async with cast(home, desk=[transfer("coach")], coach=[answer, "And again."]) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
        assert (await row_of(home, gym.member.scope, session_id)).agent == "coach"
        # The next turn begins with who was handed the conversation.
        assert await say(turns, gym, session_id) is Ending.FINAL
    events = [event.content for event in await events_of(home, gym.member.scope, session_id)]
    assert [event.event_type for event in events[:5]] == [
        "user_message",
        "action",
        "handoff",
        "result",
        "assistant_message",
    ]
    assert events[2] == Handoff(from_agent="desk", to_agent="coach", reason="they want to train")
    assert asked[0].tools.names == ("go_on", "transfer_to_desk")
    assert "You coach." in asked[0].prompt.system[0].text


async def test_calls_of_one_answer_are_all_made_by_the_agent_who_made_them(home: House, gym: Gym) -> None:
    session_id = await at_the_desk(home, gym.member.scope)
    both = Say(calls=(call("transfer_to_coach", {}), call("add", {"a": 2})))
    async with cast(home, desk=[both], coach=["Done."]) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
    results = [
        event.content
        for event in await events_of(home, gym.member.scope, session_id)
        if isinstance(event.content, Result)
    ]
    assert [result.outcome for result in results] == [Outcome.OK, Outcome.OK]


async def test_only_who_may_be_handed_to(home: House, gym: Gym) -> None:
    session_id = await at_the_desk(home, gym.member.scope)
    async with cast(home, desk=[transfer("owner"), "Then not."]) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
    row = await row_of(home, gym.member.scope, session_id)
    assert row.agent == "desk"


async def test_what_travels(home: House, gym: Gym) -> None:
    """An agent that gets only the turn reads nothing of what was said before; the next one may again."""
    session_id = await at_the_desk(home, gym.member.scope)
    asked: list[Asked] = []

    def note(question: Asked) -> str:
        asked.append(question)
        return "I see."

    async with cast(home, desk=["Noted.", transfer("quiet")], quiet=[note]) as turns:
        await say(turns, gym, session_id, "My locker has the number 4711")
        await say(turns, gym, session_id, "And now something else")
    read = repr([fragment.message for fragment in asked[0].prompt.messages])
    assert "something else" in read
    assert "4711" not in read


async def test_a_stage_moves_with_the_result_that_moved_it(home: House, gym: Gym) -> None:
    session_id = await at_the_desk(home, gym.member.scope)
    async with cast(
        home, desk=[transfer("coach")], coach=[Say(calls=(call("go_on", {"to": "end"}),))]
    ) as turns:
        assert await say(turns, gym, session_id) is Ending.IDLE
    row = await row_of(home, gym.member.scope, session_id)
    assert (row.agent, row.stage, row.turn_open) == ("coach", "end", False)


@pytest.mark.parametrize(
    ("at", "agent", "stage"), [(1, "desk", "start"), (4, "coach", "start"), (None, "coach", "end")]
)
async def test_a_fork_stands_where_the_session_stood(
    home: House, gym: Gym, at: int | None, agent: str, stage: str
) -> None:
    session_id = await at_the_desk(home, gym.member.scope)
    async with cast(
        home, desk=[transfer("coach")], coach=[Say(calls=(call("go_on", {"to": "end"}),))]
    ) as turns:
        await say(turns, gym, session_id)
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        copy = await directory.fork(uow, session_id, at=at)
        assert (copy.agent, copy.stage) == (agent, stage)
        other = await directory.fork(uow, session_id, at=at, agent="quiet", model="gpt-4o")
        assert (other.agent, other.overrides) == ("quiet", {"model": "gpt-4o"})


async def test_handed_over_from_outside_while_a_turn_is_going_on(home: House, gym: Gym) -> None:
    """The calls of the answer that was given are carried out as who gave it; the next step is the other one's."""
    session_id = await at_the_desk(home, gym.member.scope)
    scope = gym.member.scope
    asked: list[Asked] = []

    def answer(question: Asked) -> str:
        asked.append(question)
        return "I go on."

    began, goes_on = asyncio.Event(), asyncio.Event()
    HELD.append((began, goes_on))
    held = Say(calls=(call("hold", {}),))
    async with cast(home, desk=[held], coach=[answer]) as turns:
        ticket = await turns.say(scope, session_id, UserMessage(text="hello"))
        await began.wait()
        moved = Handoff(from_agent="desk", to_agent="coach", reason="It fits better.")
        await home.services.log.append(scope, session_id, [moved])
        goes_on.set()
        assert ticket.done is not None
        assert await ticket.done is Ending.FINAL
    assert "You coach." in asked[0].prompt.system[0].text
    row = await row_of(home, scope, session_id)
    assert (row.agent, row.turn_open) == ("coach", False)
    kinds = [event.content.event_type for event in await events_of(home, scope, session_id)]
    assert kinds == ["user_message", "action", "handoff", "result", "assistant_message"]
