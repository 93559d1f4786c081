"""Long sessions: older turns become a summary, nothing is deleted, a cold process starts from it."""

from uuid import UUID

from spotter.app import House
from spotter.llm.prompt import UserMessage as Heard
from spotter.llm.scripted import Asked, Line, ScriptedModel
from spotter.runtime.agent import Limits
from spotter.runtime.context import SessionView
from spotter.runtime.outside import WITHHELD
from spotter.runtime.taint import UNTRUSTED
from spotter.runtime.turns import Turns
from spotter.sessions import directory
from spotter.sessions.events import Checkpoint, Ending, UserMessage
from tests.runtime.test_checked_turns import ORDER
from tests.runtime.test_turns import ending_of, events_of
from tests.support.agents import new_session, running_turns
from tests.support.people import Gym

LIMITS = Limits(checkpoint_tokens=600)


def answer(asked: Asked) -> str:
    """The same model summarises: it is told so by what it is asked."""
    first = asked.prompt.messages[0].message
    return "SUMMARY" if isinstance(first, Heard) and first.text.startswith("<record>") else "words " * 40


async def talk(turns: Turns, gym: Gym, session_id: UUID, times: int) -> None:
    for number in range(times):
        ticket = await turns.say(gym.member.scope, session_id, UserMessage(text=f"say {number} " * 10))
        assert await ending_of(ticket) is Ending.FINAL


async def test_a_long_session_is_told_in_short_and_nothing_is_deleted(home: House, gym: Gym) -> None:
    script: list[Line] = [answer] * 60
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel(script), limits=LIMITS) as turns:
        await talk(turns, gym, session_id, 20)
    events = await events_of(home, gym.member.scope, session_id)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    checkpoints = [event for event in events if event.type == "checkpoint"]
    assert len(checkpoints) >= 2
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        session = await directory.get(uow, session_id)
    assert session.context_start_sequence == checkpoints[-1].content.covers  # type: ignore[union-attr]


async def test_a_cold_process_reads_only_what_the_summary_does_not_tell(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([answer] * 60), limits=LIMITS) as turns:
        await talk(turns, gym, session_id, 12)
    cold = ScriptedModel([answer] * 5)
    async with running_turns(home, cold, limits=LIMITS) as turns:
        await talk(turns, gym, session_id, 1)
    first = cold.asked[0].prompt.messages[0].message
    assert isinstance(first, Heard)
    assert "SUMMARY" in first.text
    assert len(cold.asked[0].prompt.messages) < 16


async def test_a_fork_before_the_summary_has_the_whole_past(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([answer] * 60), limits=LIMITS) as turns:
        await talk(turns, gym, session_id, 12)
        events = await events_of(home, gym.member.scope, session_id)
        first = next(event.sequence for event in events if event.type == "checkpoint")
        async with home.services.database.unit_of_work(gym.member.scope) as uow:
            early = await directory.fork(uow, session_id, at=first - 2)
            late = await directory.fork(uow, session_id)
        assert early.context_start_sequence == 0
        assert late.context_start_sequence > 0
        await talk(turns, gym, early.id, 1)
        await talk(turns, gym, late.id, 1)


async def test_a_summary_is_checked_and_keeps_what_is_good_in_it(home: House, gym: Gym) -> None:
    def summarise(asked: Asked) -> str:
        said = answer(asked)
        return f"Ana wants to squat. {ORDER} She has a bad knee." if said == "SUMMARY" else said

    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([summarise] * 60), limits=LIMITS) as turns:
        await talk(turns, gym, session_id, 12)
    events = await events_of(home, gym.member.scope, session_id)
    summary = next(event.content for event in events if isinstance(event.content, Checkpoint))
    assert summary.summary == f"Ana wants to squat. {WITHHELD} She has a bad knee."
    assert summary.withheld is not None
    assert ORDER in summary.withheld
    assert summary.moderation is not None
    assert summary.moderation["action"] == "block"
    view = SessionView()
    view.feed(events)
    assert UNTRUSTED in view.read


async def test_a_summary_nobody_objects_to_says_so(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([answer] * 60), limits=LIMITS) as turns:
        await talk(turns, gym, session_id, 12)
    events = await events_of(home, gym.member.scope, session_id)
    summary = next(event.content for event in events if isinstance(event.content, Checkpoint))
    assert (summary.summary, summary.withheld, summary.moderation) == ("SUMMARY", None, {"action": "allow"})
