"""Settings are kept while their organisation's stamp is the same, and every change of them raises it."""

import time
from collections.abc import Awaitable, Callable
from typing import Final

import pytest
from sqlalchemy import text

from spotter.app import House
from spotter.billing.accounts import AccountChange, change_account
from spotter.billing.price import Rates
from spotter.ids import new_id
from spotter.runtime import approval_policies
from spotter.runtime.approval_policy import Mode, Policy, Rule
from spotter.safety import service
from spotter.safety.policy import Policy as SafetyPolicy
from spotter.scenarios import keeping
from spotter.scenarios.agent_files import AgentFile
from spotter.scenarios.own import AGENTS
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork
from tests.support.people import Gym

Change = Callable[[House, UnitOfWork], Awaitable[object]]

CHANGES: Final[dict[str, Change]] = {
    "an agent": lambda home, uow: keeping.create(
        uow, home.services.definitions, AGENTS, AgentFile(name="desk", instructions="Help.", model="offline")
    ),
    "a price": lambda home, uow: home.services.prices.set_own(uow, "openai", "x", Rates.of(1, 1), None),
    "how it is billed": lambda _, uow: change_account(uow, AccountChange(markup=100)),
    "what is approved": lambda _, uow: approval_policies.put(uow, Policy(Rule(Mode.ALWAYS), "add", "", "")),
    "what is safe": lambda _, uow: service.put_policy(uow, SafetyPolicy()),
    "a model's key": lambda home, uow: home.services.secrets.put(uow, "model:openai", "{}"),
}


async def stamp_of(home: House, gym: Gym) -> int:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        found = await uow.session.scalar(text("SELECT settings_stamp FROM organisations"))
    assert isinstance(found, int)
    return found


@pytest.mark.parametrize("what", CHANGES)
async def test_every_change_raises_the_stamp(home: House, gym: Gym, what: str) -> None:
    before, stamps = await stamp_of(home, gym), home.services.database.stamps
    assert await stamps.of(gym.org_id) == before
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        await CHANGES[what](home, uow)
    after = await stamp_of(home, gym)
    assert after > before
    assert await stamps.of(gym.org_id) == after, "whoever changed it sees it at once"


async def test_what_is_taken_back_raises_nothing(home: House, gym: Gym) -> None:
    before = await stamp_of(home, gym)
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        await change_account(uow, AccountChange(markup=100))
        uow.give_up()
    assert await stamp_of(home, gym) == before


async def test_the_stamp_is_its_own_organisations(home: House, gym: Gym, other_gym: Gym) -> None:
    before = await stamp_of(home, other_gym)
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        await change_account(uow, AccountChange(markup=100))
    assert await stamp_of(home, other_gym) == before


async def test_nobody_raises_it_by_hand(home: House, gym: Gym) -> None:
    raising = text("UPDATE organisations SET settings_stamp = settings_stamp + 1")
    with pytest.raises(Exception, match="permission denied"):
        async with home.services.database.unit_of_work(gym.owner.scope) as uow:
            await uow.session.execute(raising)


async def test_read_once_for_each_stamp(home: House, gym: Gym) -> None:
    reads: list[UnitOfWork] = []

    async def read(uow: UnitOfWork) -> int:
        reads.append(uow)
        return len(reads)

    kept = home.services.database.kept(read)
    assert [await kept.of(gym.org_id), await kept.of(gym.org_id)] == [1, 1]
    assert reads[0].scope == Scope(gym.org_id, None, "service")
    stamps = home.services.database.stamps
    stamps.told(gym.org_id, await stamp_of(home, gym) + 1, time.monotonic())
    assert await kept.of(gym.org_id) == 2


async def test_an_answer_that_was_overtaken_counts_for_nothing(home: House) -> None:
    stamps, org_id = home.services.database.stamps, new_id()
    early = time.monotonic()
    stamps.told(org_id, 7, time.monotonic())
    stamps.told(org_id, 6, early)
    assert await stamps.of(org_id) == 7
    stamps.changed(org_id)
    stamps.told(org_id, 7, early)
    assert await stamps.of(org_id) == 0, "asked for anew: there is no such organisation"
