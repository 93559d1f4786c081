"""A turn from the first word to the last: what is in the log, what was done, how it ended."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar
from uuid import UUID

import pytest
from sqlalchemy import func, select

from spotter.app import House
from spotter.identity.tables import AuditEntry
from spotter.llm.faults import ModelUnavailable
from spotter.llm.prompt import ToolResult
from spotter.llm.scripted import Asked, Line, Say, ScriptedModel, call
from spotter.runtime.agent import Limits
from spotter.runtime.tickets import Ticket
from spotter.runtime.turns import Turns
from spotter.safety import as_data
from spotter.sessions import projections
from spotter.sessions.codec import Event
from spotter.sessions.events import (
    Action,
    AssistantMessage,
    Ending,
    Failure,
    Outcome,
    Result,
    TurnEnded,
    UserMessage,
)
from spotter.sessions.log import SessionBusy, SessionLog
from spotter.sessions.tables import Effect
from spotter.store.scope import Scope
from tests.support.agents import SENT, new_session, running_turns
from tests.support.people import Gym

T = TypeVar("T")


async def soon(work: Awaitable[T]) -> T:
    return await asyncio.wait_for(work, 60)


async def events_of(home: House, scope: Scope, session_id: UUID) -> list[Event]:
    return await SessionLog(home.services.database.hot).read(scope, session_id)


async def ending_of(ticket: Ticket) -> Ending:
    assert ticket.done is not None
    return await soon(ticket.done)


async def notes(home: House, gym: Gym, target: str) -> int:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        query = select(func.count()).where(AuditEntry.action == "test.note", AuditEntry.target == target)
        return await uow.session.scalar(query) or 0


async def say(turns: Turns, gym: Gym, session_id: UUID, text: str = "hello") -> Ending:
    return await ending_of(await turns.say(gym.member.scope, session_id, UserMessage(text=text)))


async def test_words_are_answered_and_logged(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel(["Hello there."])) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
    first, second = await events_of(home, gym.member.scope, session_id)
    assert isinstance(first.content, UserMessage)
    assert first.content.text == "hello"
    assert isinstance(second.content, AssistantMessage)
    assert second.content.text == "Hello there."
    assert second.content.usage is not None
    assert (first.sequence, second.sequence) == (1, 2)


async def test_a_tool_is_called_and_its_result_read(home: House, gym: Gym) -> None:
    script: list[Line] = [Say(calls=(call("add", {"a": 2, "b": 3}),)), "It is 5."]
    model = ScriptedModel(script)
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, model) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
    kinds = [event.type for event in await events_of(home, gym.member.scope, session_id)]
    assert kinds == ["user_message", "action", "result", "assistant_message"]
    told = model.asked[1].prompt.messages[2].message
    assert isinstance(told, ToolResult)
    assert told.text == as_data("5", "tool", label="add")


async def test_an_effect_and_its_result_are_one(home: House, gym: Gym) -> None:
    script: list[Line] = [Say(calls=(call("note", {"text": "once"}),)), "Done."]
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel(script)) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
    assert await notes(home, gym, "once") == 1


@pytest.mark.parametrize(
    ("how", "told"),
    [("fix", "Give another value."), ("fail", "It does not work today."), ("bug", "a bug on our side")],
)
async def test_a_tool_that_fails_changes_nothing_and_says_why(
    home: House, gym: Gym, how: str, told: str
) -> None:
    script: list[Line] = [Say(calls=(call("break_down", {"how": how}),)), "I see."]
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel(script)) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
    result = (await events_of(home, gym.member.scope, session_id))[2].content
    assert isinstance(result, Result)
    assert result.outcome is Outcome.ERROR
    assert told in (result.error or "")
    assert "secret" not in (result.error or "")
    assert await notes(home, gym, how) == 0


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("fly", "{}", "There is no tool 'fly' here"),
        ("add", '{"a": "x"}', "a: Input should be a valid integer"),
        ("add", "{not json", "The arguments do not fit"),
        ("add", '{"a": 1, "c": 2}', "c: Extra inputs"),
    ],
)
async def test_a_call_that_does_not_fit_is_told_to_the_model(
    home: House, gym: Gym, tool: str, arguments: str, told: str
) -> None:
    script: list[Line] = [Say(calls=(call(tool, arguments),)), "Sorry."]
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel(script)) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
    result = (await events_of(home, gym.member.scope, session_id))[2].content
    assert isinstance(result, Result)
    assert told in (result.error or "")


async def test_a_tool_can_end_the_turn(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([Say(calls=(call("idle", {"reason": "done"}),))])) as turns:
        assert await say(turns, gym, session_id) is Ending.IDLE


async def test_the_same_call_three_times_stops_the_turn(home: House, gym: Gym) -> None:
    def again(asked: Asked) -> Say:
        return Say(calls=(call("add", {"a": 1}),))

    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([again] * 10)) as turns:
        assert await say(turns, gym, session_id) is Ending.LIMIT
        last = (await events_of(home, gym.member.scope, session_id))[-1].content
        assert isinstance(last, TurnEnded)
        assert last.limit == "identical_calls"


async def test_iterations_are_limited_and_the_session_goes_on(home: House, gym: Gym) -> None:
    script: list[Line] = [*[Say(calls=(call("add", {"a": n}),)) for n in range(3)], "Back again."]
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel(script), limits=Limits(iterations=3)) as turns:
        assert await say(turns, gym, session_id) is Ending.LIMIT
        assert await say(turns, gym, session_id) is Ending.FINAL


async def test_a_model_that_fails_ends_the_turn_and_not_the_session(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([ModelUnavailable("away"), "Here I am."])) as turns:
        assert await say(turns, gym, session_id) is Ending.FAILED
        assert await say(turns, gym, session_id) is Ending.FINAL
    failure = (await events_of(home, gym.member.scope, session_id))[1].content
    assert isinstance(failure, Failure)
    assert failure.code == ModelUnavailable.code


async def test_messages_wait_their_turn_in_order(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    # The first is slow: all others have come before it ends.
    script: list[Line] = [Say(text=f"answer {number}", delay=0 if number else 1) for number in range(6)]
    async with running_turns(home, ScriptedModel(script)) as turns:
        first = await turns.say(gym.member.scope, session_id, UserMessage(text="0"))
        for number in range(1, 6):
            waiting = await turns.say(gym.member.scope, session_id, UserMessage(text=str(number)))
            assert waiting.done is None
        await ending_of(first)
        async with asyncio.timeout(60):
            while len(await events_of(home, gym.member.scope, session_id)) < 12:
                await asyncio.sleep(0.02)
    said = projections.messages(await events_of(home, gym.member.scope, session_id))
    assert [message.text for message in said] == [
        text for number in range(6) for text in (str(number), f"answer {number}")
    ]


async def test_a_caller_may_refuse_to_wait(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([Say(text="slow", delay=60)])) as turns:
        first = await turns.say(gym.member.scope, session_id, UserMessage(text="one"))
        with pytest.raises(SessionBusy):
            await turns.say(gym.member.scope, session_id, UserMessage(text="two"), wait=False)
        assert turns.cancel_here(session_id)
        await ending_of(first)
    said = projections.messages(await events_of(home, gym.member.scope, session_id))
    assert [message.text for message in said if message.role == "user"] == ["one"]


async def test_a_turn_can_be_stopped_while_the_model_speaks(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    script: list[Line] = [Say(text="one two three four five six", delay=0.2), "Next."]
    async with running_turns(home, ScriptedModel(script)) as turns:
        ticket = await turns.say(gym.member.scope, session_id, UserMessage(text="go"))
        await asyncio.sleep(0.3)
        assert turns.cancel_here(session_id)
        assert await ending_of(ticket) is Ending.CANCELLED
        assert await say(turns, gym, session_id) is Ending.FINAL


async def test_another_process_goes_on_where_one_stopped(home: House, gym: Gym) -> None:
    """The first host is stopped in the middle; the second reads the log and ends the turn."""
    session_id = await new_session(home, gym.member.scope)
    script: list[Line] = [Say(calls=(call("note", {"text": "handed over"}),)), Say(text="never", delay=5)]
    async with running_turns(home, ScriptedModel(script)) as first:
        await first.say(gym.member.scope, session_id, UserMessage(text="go"))
        async with asyncio.timeout(60):
            while len(await events_of(home, gym.member.scope, session_id)) < 3:
                await asyncio.sleep(0.02)
        await first.stop(grace=0)
    async with running_turns(home, ScriptedModel(["Taken over."])) as second:
        assert await second.take_over(gym.member.scope, session_id, 1)
        async with asyncio.timeout(60):
            while len(await events_of(home, gym.member.scope, session_id)) < 4:
                await asyncio.sleep(0.02)
    kinds = [event.type for event in await events_of(home, gym.member.scope, session_id)]
    assert kinds == ["user_message", "action", "result", "assistant_message"]
    assert await notes(home, gym, "handed over") == 1


async def test_an_unkeyed_effect_is_never_repeated(home: House, gym: Gym) -> None:
    """A mark from before a crash: nobody knows, nothing is sent again, and the log says so."""
    session_id = await new_session(home, gym.member.scope)
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        uow.session.add(
            Effect(
                org_id=gym.org_id,
                session_id=session_id,
                call_id="marked",
                user_id=gym.member.user_id,
                state="attempting",
            )
        )
    script: list[Line] = [
        Say(
            calls=(
                call("mail", {"to": "a@b.example"}, "fresh"),
                call("mail", {"to": "x@y.example"}, "marked"),
            )
        ),
        "Hm.",
    ]
    async with running_turns(home, ScriptedModel(script)) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
    assert [sent for sent in SENT if sent[0] == session_id] == [(session_id, "fresh", "a@b.example")]
    results = [
        e.content
        for e in await events_of(home, gym.member.scope, session_id)
        if isinstance(e.content, Result)
    ]
    assert [result.outcome for result in results] == [Outcome.OK, Outcome.UNCERTAIN]


async def test_a_model_that_repeats_its_ids_does_not_confuse_calls(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    same = Say(calls=(call("mail", {"to": "a@b.example"}, "call_0"),))
    async with running_turns(home, ScriptedModel([same, "One.", same, "Two."])) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
        assert await say(turns, gym, session_id) is Ending.FINAL
    assert len([sent for sent in SENT if sent[0] == session_id]) == 2


async def test_every_call_has_a_result_when_the_turn_is_over(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    calls = tuple(call("add", {"a": number}) for number in range(3))
    async with running_turns(home, ScriptedModel([Say(text="Let me see.", calls=calls), "6"])) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
    events = await events_of(home, gym.member.scope, session_id)
    assert projections.unanswered_calls(events) == []
    actions = [event.content for event in events if isinstance(event.content, Action)]
    assert len(actions) == 3
