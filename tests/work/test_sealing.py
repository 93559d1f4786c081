"""A worker seals what was recorded, whoever recorded it."""

import asyncio
import time
from uuid import UUID

import pytest

from spotter.app import House
from spotter.errors import Conflict
from spotter.identity import audit, audit_chain
from spotter.identity.audit_verify import verify_audit
from spotter.store.database import Database
from tests.support.jobs import Queue
from tests.support.people import Gym, open_gym
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


async def test_one_chain_that_cannot_be_sealed_keeps_no_other_waiting(
    home: House, queue: Queue, work: Work, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    gyms = [await open_gym(home) for _ in range(2)]
    seal, broken = audit_chain.seal, set[UUID]()

    async def seal_others(database: Database, org_id: UUID) -> int:
        if org_id in {gym.org_id for gym in gyms} and (not broken or org_id in broken):
            broken.add(org_id)
            raise Conflict("Something with the same identity exists already.")
        return await seal(database, org_id)

    monkeypatch.setattr(audit_chain, "seal", seal_others)
    async with work(home):
        while not broken:
            await asyncio.sleep(0.01)
        (other,) = (gym for gym in gyms if gym.org_id not in broken)
        await all_sealed(queue, other)
    assert f"what organisation {next(iter(broken))} has to be sealed" in caplog.text
