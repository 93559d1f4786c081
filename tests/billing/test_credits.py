"""Credits: a sum that nobody can bring below nothing, booked once whatever is repeated; and what tiers allow."""

import asyncio
from datetime import datetime
from uuid import UUID

import psycopg
import pytest

from spotter.app import House
from spotter.billing.credit_ledger import give, give_monthly, movements, spend
from spotter.billing.tiers import default_tier, tier, tiers
from spotter.errors import Conflict, InvalidInput, PaymentRequired
from spotter.llm.scripted import Say, ScriptedModel
from spotter.money import CREDIT
from spotter.sessions.events import Ending, UserMessage
from spotter.sessions.log import TooManyTurns
from spotter.store.scope import Scope
from tests.runtime.test_turns import ending_of
from tests.support.agents import new_session, running_turns
from tests.support.money import account, credits_left, give_credits, money_is_right, rows
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
