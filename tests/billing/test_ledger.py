"""Each model call is billed once, with the event that records it, whatever kind of event that is."""

import asyncio

import psycopg
import pytest

from spotter.app import House
from spotter.llm.fallback import FallbackModel
from spotter.llm.faults import ModelUnavailable
from spotter.llm.port import Usage
from spotter.llm.scripted import Line, Say, ScriptedModel, call
from spotter.money import dollars, half_up, in_credits, with_markup
from spotter.runtime.agent import Limits
from spotter.sessions import directory
from spotter.sessions.events import AssistantMessage, Ending, Failure, UsageRecord, UserMessage
from spotter.sessions.log import Lease, SessionLog, Turn
from spotter.sessions.transfer import exported, imported
from tests.runtime.test_turns import ending_of, say
from tests.support.agents import new_session, running_turns
from tests.support.money import account, entries, money_is_right, rows, set_price
from tests.support.people import Gym

USED = Usage(input=1001, output=50, cache_read=105, cache_write=33, reported=True)
# 1001 x 1 + 50 x 10 + 105 x 0.1 + 33 x 1.25 = 1552.75, half up 1553; a fifth more 1863.6, half up 1864.
COST, CHARGE = 1553, 1864


def test_the_rules_of_rounding() -> None:
    assert [half_up(n, 2) for n in (0, 1, 2, 3)] == [0, 1, 1, 2]
    assert with_markup(1553, 2000) == 1864
    assert with_markup(2, 2500) == 3  # 2.5
    assert with_markup(1, 0) == 1
    assert in_credits(1864, 10_000) == 186_400
    assert in_credits(1, 3) == 333_333
    assert dollars(20_500) == "0.0205"
    assert dollars(-1_000_000) == "-1.00"


async def test_a_call_is_one_entry_with_all_four_kinds(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    session_id = await new_session(home, gym.member.scope)
    script: list[Line] = [Say(calls=(call("add", {"a": 1}),), usage=USED), Say("Two.", usage=USED)]
    async with running_turns(home, ScriptedModel(script)) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
    columns = "session_id, sequence_number, kind, user_id, agent, input, output, cache_read, cache_write, cost, charge"
    assert await entries(home, gym, columns) == [
        (session_id, 2, "action", gym.member.user_id, "tester", 1001, 50, 105, 33, COST, CHARGE),
        (session_id, 4, "assistant_message", gym.member.user_id, "tester", 1001, 50, 105, 33, COST, CHARGE),
    ]
    assert await entries(home, gym, "counted, counted_tokens, reported") == [(CHARGE, 1189, True)] * 2
    bill = "SELECT model, calls, input, cost, charge, unpriced_calls FROM ai_usage_billing"
    assert await rows(home, gym, bill) == [("scripted", 2, 2002, 2 * COST, 2 * CHARGE, 0)]
    await money_is_right(home, gym)


async def test_an_unknown_model_is_recorded_and_flagged(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([Say("Hi.", usage=USED)])) as turns:
        await say(turns, gym, session_id)
    assert await entries(home, gym, "charge, price, input") == [(0, None, 1001)]
    assert await rows(home, gym, "SELECT unpriced_calls FROM ai_usage_billing") == [(1,)]
    await money_is_right(home, gym)


async def test_the_markup_is_the_organisation_s(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    await account(home, gym, markup=0)
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([Say("Hi.", usage=USED)])) as turns:
        await say(turns, gym, session_id)
    assert await entries(home, gym, "cost, charge, markup") == [(COST, COST, 0)]


async def test_models_that_failed_on_the_way_are_billed(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    await set_price(home, gym, "second")
    broken = ModelUnavailable("Gone.", usage=USED)
    chain = FallbackModel(
        [ScriptedModel([broken, broken]), ScriptedModel([Say("Here.", usage=USED), broken], name="second")]
    )
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, chain) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
        assert await say(turns, gym, session_id) is Ending.FAILED
    assert await entries(home, gym, "model, kind, charge") == [
        ("scripted", "error", CHARGE),
        ("second", "assistant_message", CHARGE),
        ("scripted", "error", CHARGE),
        ("second", "error", CHARGE),
    ]
    await money_is_right(home, gym)


async def test_a_checkpoint_is_billed(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    session_id = await new_session(home, gym.member.scope)
    lines: list[Line] = [Say(f"{number} " + "word " * 200, usage=USED) for number in range(8)]
    async with running_turns(home, ScriptedModel(lines), limits=Limits(checkpoint_tokens=300)) as turns:
        for _ in range(4):
            await say(turns, gym, session_id, "word " * 200)
    kinds = [kind for (kind,) in await entries(home, gym, "kind")]
    assert "checkpoint" in kinds
    await money_is_right(home, gym)


async def test_what_was_cut_off_is_an_entry_too(home: House, gym: Gym) -> None:
    """Nobody told us what it cost: so it says."""
    await set_price(home, gym)
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([Say("One. " * 100, delay=0.05)])) as turns:
        ticket = await turns.say(gym.member.scope, session_id, UserMessage(text="go"))
        async with asyncio.timeout(60):
            while not (run := turns._running[session_id].run) or not run.speech or not run.speech.text:
                await asyncio.sleep(0.01)
        assert turns.cancel_here(session_id)
        assert await ending_of(ticket) is Ending.CANCELLED
    assert await entries(home, gym, "charge, reported, price IS NULL") == [(0, False, False)]
    await money_is_right(home, gym)


async def test_history_from_elsewhere_is_not_billed_again(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([Say("Hi.", usage=USED)])) as turns:
        await say(turns, gym, session_id)
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        session = await directory.get(uow, session_id)
        events = await home.services.log.read(gym.member.scope, session_id)
        await imported(uow, home.services.log, exported(session, events), lambda one: one)
        await directory.fork(uow, session_id)
    assert len(await entries(home, gym)) == 1
    await money_is_right(home, gym)


async def test_an_entry_comes_with_its_event_or_not_at_all(home: House, gym: Gym) -> None:
    """A writer that lost its turn writes neither; the same event cannot be billed twice."""
    await set_price(home, gym)
    scope, log = gym.member.scope, home.services.log
    session_id = await new_session(home, scope)
    turn = await log.open_turn(scope, session_id, UserMessage(text="hi"), Lease(1))
    assert isinstance(turn, Turn)
    spoken = AssistantMessage(text="x", usage=UsageRecord(model="scripted", provider="scripted", input=10))
    with pytest.raises(Exception, match="taken over"):
        await log.append(scope, session_id, [spoken], fence=turn.fence - 1)
    assert await entries(home, gym) == []
    await log.append(scope, session_id, [spoken, Failure(code="x", detail="x")], fence=turn.fence)
    again = (
        "INSERT INTO usage_entries SELECT * FROM usage_entries WHERE session_id = %s",
        "UPDATE usage_entries SET charge = 0 WHERE session_id = %s",
        "DELETE FROM usage_entries WHERE session_id = %s",
    )
    for statement in again:
        with pytest.raises((psycopg.errors.UniqueViolation, psycopg.errors.InsufficientPrivilege)):
            await rows(home, gym, statement, session_id)
    await money_is_right(home, gym)
    with pytest.raises(AssertionError, match="not billed"):
        await SessionLog(home.services.database.hot).append(scope, session_id, [spoken], fence=turn.fence)


async def test_a_bill_stays_when_the_organisation_moves(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    session_id = await new_session(home, gym.member.scope)
    model = ScriptedModel([Say("Hi.", usage=USED), Say("Ho.", usage=USED)])
    zone = "UPDATE organisations SET timezone = %s RETURNING (now() AT TIME ZONE timezone)::date"
    async with running_turns(home, model) as turns:
        first = await rows(home, gym, zone, "Pacific/Kiritimati")
        await say(turns, gym, session_id)
        before = await entries(home, gym, "billing_day")
        second = await rows(home, gym, zone, "Pacific/Niue")
        await say(turns, gym, session_id)
    assert before == first
    assert await entries(home, gym, "billing_day") == [*first, *second]
    assert first != second  # 25 hours lie between them
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        await rows(home, gym, zone, "Mars/Olympus")
