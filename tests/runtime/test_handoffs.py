"""Handing a conversation over: in one turn, in one log, and everything about it is what the log says."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from uuid import UUID

import pytest

from spotter.app import House
from spotter.llm.scripted import Asked, Line, Say, call
from spotter.runtime.agent import Agent, Handover
from spotter.runtime.approvals import ApprovalDesk
from spotter.runtime.executor import ToolContext
from spotter.runtime.kit import known_agents
from spotter.runtime.seams import Seams
from spotter.runtime.tool import Answer, tool
from spotter.runtime.turn_run import TurnRun
from spotter.runtime.turns import Turns
from spotter.sessions import directory
from spotter.sessions.events import Ending, Handoff, Knowledge, Outcome, Result, Stage, UserMessage
from spotter.store.scope import Scope
from tests.runtime.test_turns import events_of
from tests.support.agents import add
from tests.support.approvals import checked_events, decide, outcomes, paid, pay, quiet, requests
from tests.support.cast import new_in, own_cast, row_of, transfer, turn
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


def cast(home: House, **scripts: list[Line]) -> AbstractAsyncContextManager[Turns]:
    return own_cast(home, (DESK, COACH, QUIET), (add, go_on, hold), scripts)


async def at_the_desk(home: House, scope: Scope) -> UUID:
    return await new_in(home, scope, "desk", stage="start")


async def test_the_other_agent_goes_on_in_the_same_turn(home: House, gym: Gym) -> None:
    session_id = await at_the_desk(home, gym.member.scope)
    asked: list[Asked] = []

    def answer(question: Asked) -> str:
        asked.append(question)
        return "Let us train."

    async with cast(home, desk=[transfer("coach")], coach=[answer, "And again."]) as turns:
        assert await turn(turns, gym, session_id) is Ending.FINAL
        assert (await row_of(home, gym.member.scope, session_id)).agent == "coach"
        # The next turn begins with who was handed the conversation.
        assert await turn(turns, gym, session_id) is Ending.FINAL
    events = [event.content for event in await events_of(home, gym.member.scope, session_id)]
    assert [event.event_type for event in events[:5]] == [
        "user_message",
        "action",
        "handoff",
        "result",
        "assistant_message",
    ]
    assert events[2] == Handoff(from_agent="desk", to_agent="coach", reason="they ask for it")
    assert asked[0].tools.names == ("go_on", "transfer_to_desk")
    assert "You coach." in asked[0].prompt.system[0].text


async def test_calls_of_one_answer_are_all_made_by_the_agent_who_made_them(home: House, gym: Gym) -> None:
    session_id = await at_the_desk(home, gym.member.scope)
    both = Say(calls=(call("transfer_to_coach", {}), call("add", {"a": 2})))
    async with cast(home, desk=[both], coach=["Done."]) as turns:
        assert await turn(turns, gym, session_id) is Ending.FINAL
    results = [
        event.content
        for event in await events_of(home, gym.member.scope, session_id)
        if isinstance(event.content, Result)
    ]
    assert [result.outcome for result in results] == [Outcome.OK, Outcome.OK]


async def test_only_who_may_be_handed_to(home: House, gym: Gym) -> None:
    session_id = await at_the_desk(home, gym.member.scope)
    async with cast(home, desk=[transfer("owner"), "Then not."]) as turns:
        assert await turn(turns, gym, session_id) is Ending.FINAL
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
        await turn(turns, gym, session_id, "My locker has the number 4711")
        await turn(turns, gym, session_id, "And now something else")
    read = repr([fragment.message for fragment in asked[0].prompt.messages])
    assert "something else" in read
    assert "4711" not in read


async def test_a_stage_moves_with_the_result_that_moved_it(home: House, gym: Gym) -> None:
    session_id = await at_the_desk(home, gym.member.scope)
    async with cast(
        home, desk=[transfer("coach")], coach=[Say(calls=(call("go_on", {"to": "end"}),))]
    ) as turns:
        assert await turn(turns, gym, session_id) is Ending.IDLE
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
        await turn(turns, gym, session_id)
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


@dataclass
class Teller:
    """Knows something for each agent, and who it told."""

    told: list[str] = field(default_factory=list)

    async def knowledge(self, run: TurnRun) -> Sequence[Knowledge]:
        self.told.append(run.agent.name)
        return (Knowledge(source=run.agent.name, formatted=f"what {run.agent.name} must know"),)


async def test_who_is_handed_the_conversation_is_told_what_they_should_know(home: House, gym: Gym) -> None:
    """In the same turn, once, before they answer; and whoever stays is not told again."""
    session_id = await at_the_desk(home, gym.member.scope)
    asked: list[Asked] = []
    teller = Teller()

    def answer(question: Asked) -> str:
        asked.append(question)
        return "I know."

    services = home.services
    seams = Seams(budget=services.ledger, guard=services.moderation, initializer=teller)
    scripts: dict[str, list[Line]] = {
        "desk": [Say(calls=(call("add", {"a": 1}),)), transfer("coach")],
        "coach": [answer, "Again."],
    }
    async with own_cast(home, (DESK, COACH, QUIET), (add, go_on, hold), scripts, seams) as turns:
        assert await turn(turns, gym, session_id) is Ending.FINAL
        assert teller.told == ["desk", "coach"]
        assert await turn(turns, gym, session_id) is Ending.FINAL
        assert teller.told == ["desk", "coach", "coach"]
    kinds = [event.type for event in await events_of(home, gym.member.scope, session_id)]
    assert kinds[:9] == [
        "user_message",
        "knowledge",
        "action",
        "result",
        "action",
        "handoff",
        "result",
        "knowledge",
        "assistant_message",
    ]
    assert "what coach must know" in repr([one.message for one in asked[0].prompt.messages])


CASHIER = Agent(
    name="desk",
    instructions="You take money.",
    model="desk",
    tools=("pay",),
    handoffs=(Handover("coach", "for training"),),
)


@pytest.mark.parametrize("gone", [False, True])
async def test_what_was_approved_is_carried_out_though_another_speaks_by_now(
    home: House, gym: Gym, gone: bool
) -> None:
    """As a call of whoever made it. If they may not make it any more, it is answered, and nothing is done."""
    session_id = await at_the_desk(home, gym.member.scope)
    seams = Seams(approvals=ApprovalDesk(home.services.database))
    scripts: dict[str, list[Line]] = {
        "desk": [Say(calls=(call("pay", {"amount": 5}),)), transfer("coach")],
        "coach": ["Let us train.", "It was paid."],
    }
    async with own_cast(home, (CASHIER, COACH), (add, go_on, hold, pay), scripts, seams) as turns:
        assert await turn(turns, gym, session_id) is Ending.APPROVAL
        assert await turn(turns, gym, session_id, "I would rather train") is Ending.FINAL
        assert (await row_of(home, gym.member.scope, session_id)).agent == "coach"
        (row,) = await requests(home, gym, session_id)
        assert row.agent == "desk"
        if gone:
            poor = replace(CASHIER, tools=())
            turns._kit = replace(
                turns._kit, agents=known_agents({agent.name: agent for agent in (poor, COACH)})
            )
        await decide(home, turns, gym.staff, row)
        await quiet(home, gym, session_id)
    events = await checked_events(home, gym, session_id)
    assert outcomes(events)[row.call_id] is (Outcome.ERROR if gone else Outcome.OK)
    assert await paid(home, gym, row.call_id) == (0 if gone else 1)
    assert (await row_of(home, gym.member.scope, session_id)).agent == "coach", "who speaks has not changed"
