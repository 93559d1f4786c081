"""An organisation whose model costs something, with limits on what may be spent."""

from typing import Any
from uuid import UUID

from spotter.app import House
from spotter.billing.accounts import AccountChange, change_account
from spotter.billing.caps import CapPeriod, CapScope, CapUnit, NewCap, create_cap
from spotter.billing.credit_ledger import balance, give
from spotter.billing.price import Rates
from spotter.billing.verify import verify_money
from spotter.money import CREDIT
from tests.support.people import Gym

INPUT, OUTPUT = 1_000_000, 10_000_000
"""Micro-dollars per million tokens of the scripted model: one for each token read, ten for each one said."""


async def set_price(home: House, gym: Gym, model: str = "scripted", *, output: int = OUTPUT) -> None:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        rates = Rates.of(INPUT, output, INPUT // 10, INPUT * 5 // 4)
        await home.services.prices.set_own(uow, "scripted", model, rates, None)


async def cap(
    home: House,
    gym: Gym,
    hard: int | None,
    *,
    scope: CapScope = CapScope.ORGANISATION,
    period: CapPeriod = CapPeriod.DAY,
    unit: CapUnit = CapUnit.MONEY,
    subject: str = "",
    soft: int | None = None,
) -> UUID:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        return (await create_cap(uow, NewCap(scope, period, unit, subject, soft, hard))).id


async def account(home: House, gym: Gym, **change: Any) -> None:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        await change_account(uow, AccountChange(**change))


async def give_credits(home: House, gym: Gym, amount: int) -> None:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        await give(uow, "grant", amount * CREDIT, reference=None, note="")


async def credits_left(home: House, gym: Gym) -> int:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        return await balance(uow)


async def rows(home: House, gym: Gym, query: str, *values: object) -> list[Any]:
    """As the owner sees them."""
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        cursor = await (await uow.driver()).execute(query.encode(), values)
        return await cursor.fetchall()


async def entries(home: House, gym: Gym, columns: str = "charge") -> list[Any]:
    """Of all model calls, in the order they were recorded."""
    return await rows(
        home, gym, f"SELECT {columns} FROM usage_entries ORDER BY at, session_id, sequence_number"
    )


async def money_is_right(home: House, gym: Gym) -> None:
    found = await verify_money(home.base.urls, org_id=gym.org_id)
    assert found.violations == []
