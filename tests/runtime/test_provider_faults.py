"""Every provider fault in a real turn: it ends in a named way, the bill is what was reported, the session goes on."""

from uuid import UUID

import pytest

from spotter.app import House
from spotter.llm.faults import ModelTimeout
from spotter.llm.port import Usage
from spotter.sessions import projections
from spotter.sessions.codec import Event
from spotter.sessions.events import Ending, Failure, UserMessage
from tests.llm.conftest import DIALECTS, PATIENT, QUICK, model_at
from tests.llm.fault_list import COUNTED, FAULTS, HELLO, Fault
from tests.llm.wire_scripts import answer
from tests.llm.wire_server import WireServer
from tests.runtime.test_turns import ending_of, events_of
from tests.support.agents import new_session, running_turns
from tests.support.people import Gym

_NAMED = {Ending.FINAL, Ending.FAILED, Ending.LIMIT}


def billed(events: list[Event]) -> Usage:
    total = projections.totals(events)
    return Usage(total.input, total.output, total.cache_read, total.cache_write, reported=True)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_a_turn_survives(fault: Fault, dialect: str, home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with (
        WireServer(lambda asked: fault.plan(dialect, True)) as wire,
        model_at(dialect, wire.url, QUICK if fault.error is ModelTimeout else PATIENT) as model,
        running_turns(home, model) as turns,
    ):

        async def turn() -> tuple[Ending, list[Event]]:
            before = len(await events_of(home, gym.member.scope, session_id))
            ticket = await turns.say(gym.member.scope, session_id, UserMessage(text="Book yoga."))
            ending = await ending_of(ticket)
            return ending, (await events_of(home, gym.member.scope, session_id))[before:]

        ending, events = await turn()
        assert ending in _NAMED
        assert projections.unanswered_calls(events) == []
        check_named(fault, events)
        wire.plan = lambda asked: answer(dialect, HELLO, asked.body)
        ending, events = await turn()
    assert ending is Ending.FINAL
    assert billed(events) == COUNTED
    assert_gap_free(await events_of(home, gym.member.scope, session_id), session_id)


def check_named(fault: Fault, events: list[Event]) -> None:
    last = events[-1].content
    if fault.error is not None:
        assert isinstance(last, Failure)
        assert last.code == fault.error.code
    elif fault.usage is not None and not any(event.type == "action" for event in events):
        assert billed(events) == fault.usage


def assert_gap_free(events: list[Event], session_id: UUID) -> None:
    assert [event.sequence for event in events] == list(range(1, len(events) + 1)), session_id
