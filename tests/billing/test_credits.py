"""Credits: a sum that nobody can bring below nothing, booked once whatever is repeated; and what tiers allow."""

import asyncio
from datetime import datetime
from uuid import UUID

import psycopg
import pytest

from spotter.app import House
from spotter.billing.credit_ledger import give, give_monthly, movements, spend
from spotter.billing.tiers import default_tier, tier, tiers
from spotter.billing.verify import verify_money
from spotter.errors import Conflict, InvalidInput, PaymentRequired
from spotter.llm.port import Usage
from spotter.llm.scripted import Say, ScriptedModel
from spotter.money import CREDIT
from spotter.sessions.events import Ending, UserMessage
from spotter.sessions.log import TooManyTurns
from spotter.store.scope import Scope
from tests.runtime.test_turns import ending_of, say
from tests.support.agents import new_session, running_turns
from tests.support.money import account, credits_left, entries, give_credits, money_is_right, rows, set_price
from tests.support.people import Gym


async def take(home: House, gym: Gym, amount: int, reference: str) -> bool:
    async with home.services.database.unit_of_work(Scope(gym.org_id, None, "service")) as uow:
        return await spend(uow, amount, reference=reference)


async def test_a_hundred_spend_what_is_there_for_three(home: House, gym: Gym) -> None:
    await give_credits(home, gym, 3)
    done = await asyncio.gather(
        *(take(home, gym, CREDIT, f"tool {number}") for number in range(100)), return_exceptions=True
    )
    assert done.count(True) == 3
    refused = [error for error in done if isinstance(error, PaymentRequired)]
    assert len(refused) == 97
    assert refused[0].extra["left"] == 0
    assert await credits_left(home, gym) == 0
    await money_is_right(home, gym)


async def test_the_database_itself_refuses_a_debt(home: House, gym: Gym) -> None:
    await give_credits(home, gym, 1)
    debt = (
        "INSERT INTO credit_entries (org_id, id, kind, amount, reference)"
        " VALUES (%s, gen_random_uuid(), 'spend', %s, 'x') RETURNING 1"
    )
    with pytest.raises(psycopg.errors.CheckViolation):
        await rows(home, gym, debt, gym.org_id, -CREDIT - 1)
    for change in ("UPDATE credit_entries SET amount = 1", "DELETE FROM credit_entries"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await rows(home, gym, change)
    assert await credits_left(home, gym) == CREDIT


async def test_the_same_thing_is_booked_once(home: House, gym: Gym) -> None:
    async def buy(amount: int) -> UUID:
        async with home.services.database.unit_of_work(gym.owner.scope) as uow:
            return (await give(uow, "purchase", amount, reference="invoice 7", note="")).id

    bought = await asyncio.gather(*(buy(5 * CREDIT) for _ in range(20)))
    assert len(set(bought)) == 1
    with pytest.raises(Conflict):
        await buy(6 * CREDIT)
    assert await take(home, gym, CREDIT, "run 1")
    assert not await take(home, gym, CREDIT, "run 1")
    assert await credits_left(home, gym) == 4 * CREDIT
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        assert [(row.kind, row.amount) for row in await movements(uow, limit=9)] == [
            ("spend", -CREDIT),
            ("purchase", 5 * CREDIT),
        ]
    await money_is_right(home, gym)


async def test_a_month_s_credits_come_once(home: House, gym: Gym) -> None:
    async def try_it() -> bool:
        async with home.services.database.unit_of_work(Scope(gym.org_id, None, "service")) as uow:
            return await give_monthly(uow)

    assert not await try_it()
    await account(home, gym, tier="free")
    given = await asyncio.gather(*(try_it() for _ in range(20)))
    assert given.count(True) == 1
    assert await credits_left(home, gym) == tier("free").credits_a_month * CREDIT
    await money_is_right(home, gym)


async def test_a_call_takes_as_many_credits_as_it_is_charged(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    await account(home, gym, prepaid=True, credit_rate=7000)
    await give_credits(home, gym, 10)
    session_id = await new_session(home, gym.member.scope)
    usage = Usage(input=20, output=250, reported=True)
    async with running_turns(home, ScriptedModel([Say("So.", usage=usage)] * 2)) as turns:
        await say(turns, gym, session_id)
        await account(home, gym, credit_rate=3000)
        await say(turns, gym, session_id)
    # (20 x 1 + 250 x 10) x 1.2 = 3,024 micro-dollars: 0.432 credits, and 1.008 where a credit is worth less.
    taken = "SELECT reference, amount FROM credit_entries WHERE kind = 'spend' ORDER BY reference"
    assert await rows(home, gym, taken) == [
        (f"call:{session_id}:2:0", -432_000),
        (f"call:{session_id}:4:0", -1_008_000),
    ]
    assert await credits_left(home, gym) == 10 * CREDIT - 432_000 - 1_008_000
    await money_is_right(home, gym)


async def test_what_is_not_charged_takes_no_credits(home: House, gym: Gym) -> None:
    """An answer that was stopped, and a model nobody knows a price of: both count against caps all the same."""
    await account(home, gym, prepaid=True, unpriced_rate=100_000_000)
    await give_credits(home, gym, 100)
    scope = gym.member.scope
    session_id = await new_session(home, scope)
    model = ScriptedModel(["Yes.", Say("One. " * 100, delay=0.05)])
    async with running_turns(home, model) as turns:
        await say(turns, gym, session_id)
        await set_price(home, gym)
        ticket = await turns.say(scope, session_id, UserMessage(text="go"))
        async with asyncio.timeout(60):
            while not (run := turns._running[session_id].run) or not run.speech or not run.speech.text:
                await asyncio.sleep(0.01)
        assert turns.cancel_here(session_id)
        assert await ending_of(ticket) is Ending.CANCELLED
    unpriced, stopped = await entries(home, gym, "charge, reported, counted > 0")
    assert (unpriced, stopped) == ((0, True, True), (0, False, True))
    assert await credits_left(home, gym) == 100 * CREDIT
    await money_is_right(home, gym)


async def test_credits_that_are_not_the_charge_are_found(home: House, gym: Gym) -> None:
    await account(home, gym, prepaid=True)
    await give_credits(home, gym, 10)
    await take(home, gym, CREDIT, f"call:{gym.org_id}:7:0")
    entry = (
        "INSERT INTO usage_entries (org_id, session_id, sequence_number, n, user_id, billing_day, billing_month, kind,"
        " agent, provider, model, input, output, cache_read, cache_write, reported, cost, charge, markup, price,"
        " counted, counted_tokens, credit_rate) VALUES (%s, %s, 0, 0, %s, now(), now(), 'x', 'x', 'x', 'x',"
        " 0, 0, 0, 0, true, 10000, 12000, 2000, 'x', 12000, 0, 10000) RETURNING session_id"
    )
    ((call,),) = await rows(home, gym, entry, gym.org_id, gym.org_id, gym.owner.user_id)
    found = [one.what for one in (await verify_money(home.base.urls, org_id=gym.org_id)).violations]
    assert found == [
        f"call:{call}:0:0: its charge comes to 1200000 millionths of a credit, and none were taken",
        f"call:{gym.org_id}:7:0: its charge comes to no millionths of a credit, and 1000000 were taken",
    ]


async def test_who_has_too_few_hears_when_more_come(home: House, gym: Gym) -> None:
    with pytest.raises(PaymentRequired) as without_a_plan:
        await take(home, gym, CREDIT, "tool")
    assert "resets_at" not in without_a_plan.value.extra
    await account(home, gym, tier="free")
    with pytest.raises(PaymentRequired, match="More come with your plan") as refused:
        await take(home, gym, CREDIT, "tool")
    assert datetime.fromisoformat(str(refused.value.extra["resets_at"])).day == 1


def test_tiers_are_data() -> None:
    assert list(tiers()) == ["free", "pro", "business"]
    assert default_tier().concurrent_turns is None
    assert (tier("free").concurrent_turns or 0) < (tier("pro").concurrent_turns or 0)
    with pytest.raises(InvalidInput, match="free, pro, business"):
        tier("platinum")


async def test_a_tier_limits_turns_at_once(home: House, gym: Gym) -> None:
    await account(home, gym, tier="free")
    most = tier("free").concurrent_turns
    assert most is not None
    scope = gym.member.scope
    sessions = [await new_session(home, scope) for _ in range(20)]
    model = ScriptedModel([Say("So. " * 20, delay=0.05)] * 40)
    async with running_turns(home, model) as turns:
        said = await asyncio.gather(
            *(turns.say(scope, session_id, UserMessage(text="go")) for session_id in sessions),
            return_exceptions=True,
        )
        going = [ticket for ticket in said if not isinstance(ticket, BaseException)]
        refused = [error for error in said if isinstance(error, TooManyTurns)]
        assert (len(going), len(refused)) == (most, 20 - most)
        assert "allows 3 turns at once" in refused[0].detail
        for ticket in going:
            assert await ending_of(ticket) is Ending.FINAL
        again = await turns.say(scope, sessions[-1], UserMessage(text="go"))
        assert await ending_of(again) is Ending.FINAL
