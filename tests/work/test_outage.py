"""The worker outlives its connections and the database itself."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest

from spotter.app import House, house
from spotter.identity import audit
from spotter.ids import random_id
from spotter.store.embedded import EmbeddedPostgres
from spotter.work.job import Job, JobCall
from spotter.work.selftest import count
from tests.support.databases import migrated_ground, settings_for
from tests.support.jobs import queue_at
from tests.support.people import Gym, open_gym
from tests.support.processes import kill_postgres, postgres_ended_in
from tests.work.conftest import Work, defer

SELFTEST = Job("work.selftest", count, queue="upkeep")


class OwnServer(NamedTuple):
    home: House
    gym: Gym
    data_dir: Path
    superuser_url: str


@pytest.fixture
async def own(run_folder: Path, tmp_path: Path) -> AsyncIterator[OwnServer]:
    """A PostgreSQL of the test's own, to be ill-treated."""
    async with (
        postgres_ended_in(run_folder / f"own-{random_id().hex[:8]}") as data_dir,
        EmbeddedPostgres(data_dir) as server,
    ):
        settings = settings_for(server.owner_url, tmp_path, worker_rescue_every=0.3, shutdown_grace=2)
        async with migrated_ground(settings) as base, house(base) as home:
            yield OwnServer(home, await open_gym(home), data_dir, server.superuser_url)


async def start_again(data_dir: Path) -> EmbeddedPostgres:
    server = EmbeddedPostgres(data_dir)
    await server.start()
    return server


async def test_all_its_connections_cut_again_and_again(own: OwnServer, work: Work) -> None:
    async with queue_at(own.superuser_url) as queue, work(own.home, SELFTEST):
        for number in range(5):
            await defer(own.home, own.gym.org_id, label=str(number), pause=0.1)
            await asyncio.sleep(0.15)
            await queue.rows(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        assert await queue.settles() == {"succeeded": 5}
        assert await queue.ran(own.gym.org_id) == {str(number): 1 for number in range(5)}
        assert len(await queue.receipts()) == 5


async def test_the_server_killed_and_started_again(own: OwnServer, work: Work) -> None:
    async with work(own.home, SELFTEST):
        for number in range(3):
            await defer(own.home, own.gym.org_id, label=str(number), pause=0.2)
            await asyncio.sleep(0.25)
            kill_postgres(own.data_dir)
            await asyncio.sleep(0.3 * number)
            server = await start_again(own.data_dir)
            async with queue_at(own.superuser_url) as queue:
                last = await defer(own.home, own.gym.org_id, label=f"after {number}")
                await queue.reaches(last, "succeeded")
            await server.stop()
        async with queue_at(own.superuser_url) as queue:
            assert await queue.settles() == {"succeeded": 6}
            ran = await queue.ran(own.gym.org_id)
    assert ran == {label: 1 for n in range(3) for label in (str(n), f"after {n}")}


async def test_a_job_that_ended_while_the_server_was_away_is_not_stuck(own: OwnServer, work: Work) -> None:
    """Its effect is committed, but its end could not be written; the worker lives on."""
    committed, go = asyncio.Event(), asyncio.Event()

    async def effect_then_wait(call: JobCall) -> None:
        async with call.unit_of_work() as uow:
            await audit.record(uow, "selftest.ran", target="unwritten")
        committed.set()
        await go.wait()

    async with work(own.home, Job("test.unwritten", effect_then_wait)):
        job_id = await defer(own.home, own.gym.org_id, "test.unwritten")
        await committed.wait()
        kill_postgres(own.data_dir)
        go.set()
        await asyncio.sleep(0.5)
        server = await start_again(own.data_dir)
        async with queue_at(own.superuser_url) as queue:
            await queue.reaches(job_id, "succeeded")
            assert await queue.ran(own.gym.org_id) == {"unwritten": 1}
        await server.stop()


async def test_only_the_writing_of_the_end_fails(own: OwnServer, work: Work) -> None:
    """Nothing else notices: no side task dies, the worker keeps its lock."""
    entered, go = asyncio.Event(), asyncio.Event()

    async def wait(call: JobCall) -> None:
        async with call.unit_of_work() as uow:
            await audit.record(uow, "selftest.ran", target="once")
        entered.set()
        await go.wait()

    async with queue_at(own.superuser_url) as queue, work(own.home, Job("test.wait", wait)):
        job_id = await defer(own.home, own.gym.org_id, "test.wait")
        await entered.wait()
        await queue.rows(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$"
        )
        await queue.rows(
            "CREATE TRIGGER refuse BEFORE UPDATE OF status ON queue.procrastinate_jobs"
            " FOR EACH ROW WHEN (new.status = 'succeeded') EXECUTE FUNCTION refuse()"
        )
        await queue.rows("GRANT pg_signal_backend TO spotter_job")
        go.set()
        await asyncio.sleep(0.3)
        await queue.rows("DROP TRIGGER refuse ON queue.procrastinate_jobs")
        await queue.reaches(job_id, "succeeded")
        assert await queue.ran(own.gym.org_id) == {"once": 1}
