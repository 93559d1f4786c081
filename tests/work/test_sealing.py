"""A worker seals what was recorded, whoever recorded it."""

import asyncio
import time

from spotter.app import House
from spotter.identity import audit
from spotter.identity.audit_verify import verify_audit
from tests.support.jobs import Queue
from tests.support.people import Gym
from tests.work.conftest import Work

_UNSEALED = "SELECT count(*) FROM audit_log WHERE org_id = %s AND chain_number IS NULL"


async def all_sealed(queue: Queue, gym: Gym) -> None:
    deadline = time.monotonic() + 60
    while (await queue.rows(_UNSEALED, gym.org_id))[0]["count"]:
        assert time.monotonic() < deadline, "nobody seals"
        await asyncio.sleep(0.05)


async def test_workers_seal(home: House, other_home: House, gym: Gym, queue: Queue, work: Work) -> None:
    async with work(home), work(other_home):
        await all_sealed(queue, gym)
        for number in range(20):
            async with home.services.database.unit_of_work(gym.member.scope) as uow:
                await audit.record(uow, "test.done", target=str(number))
        await all_sealed(queue, gym)
    (chain,) = (await verify_audit(home.services.database, gym.org_id)).chains
    assert chain.good
    assert chain.entries > 20
    assert chain.waiting_long == 0
