"""A database of their own for tests of the queue: workers take every job there is."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest

from spotter.app import Ground, House, house
from spotter.settings import Settings
from spotter.store.embedded import EmbeddedPostgres
from spotter.store.scope import Scope
from spotter.work.job import Job
from spotter.work.worker import Worker
from tests.support.databases import (
    database_url,
    environment_for,
    fresh_database,
    migrated_ground,
    settings_for,
)
from tests.support.jobs import Queue, queue_at
from tests.support.people import Gym, open_gym
from tests.support.processes import Program, processes

Work = Callable[..., AbstractAsyncContextManager[Worker]]


@pytest.fixture(scope="session")
async def work_settings(
    postgres: EmbeddedPostgres, process_name: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Settings]:
    async with fresh_database(postgres, f"work_{process_name}") as url:
        yield settings_for(
            url,
            tmp_path_factory.mktemp("work"),
            worker_rescue_every=0.3,
            worker_heartbeat=1,
            shutdown_grace=2,
        )


@pytest.fixture(scope="session")
async def work_base(work_settings: Settings) -> AsyncIterator[Ground]:
    async with migrated_ground(work_settings) as ready:
        yield ready


@pytest.fixture(scope="session")
async def home(work_base: Ground) -> AsyncIterator[House]:
    async with house(work_base) as ready:
        yield ready


@pytest.fixture
async def other_home(work_base: Ground) -> AsyncIterator[House]:
    """What another process would have: a pool and a bus of its own."""
    async with house(work_base) as ready:
        yield ready


@pytest.fixture
async def queue(postgres: EmbeddedPostgres, work_base: Ground, process_name: str) -> AsyncIterator[Queue]:
    async with queue_at(database_url(postgres.superuser_url, f"work_{process_name}")) as ready:
        await ready.clear()
        yield ready


@pytest.fixture
async def gym(home: House) -> Gym:
    return await open_gym(home)


@pytest.fixture
def work() -> Work:
    """`async with work(home, Job(…)) as worker:`"""
    return working


@asynccontextmanager
async def working(home: House, *jobs: Job, patience: float = 30.0) -> AsyncIterator[Worker]:
    worker = Worker(home.workshop, jobs, patience=patience)
    await worker.start()
    try:
        yield worker
    finally:
        await worker.stop()


async def defer(home: House, org: UUID | None, /, task: str = "work.selftest", **how: object) -> int:
    async with home.services.database.unit_of_work(Scope(org, None, "service")) as uow:
        job_id = await uow.defer(task, **how)  # type: ignore[arg-type]
    assert job_id is not None
    return job_id


@pytest.fixture
def worker_process(tmp_path: Path, work_settings: Settings) -> Iterator[Program]:
    """A real one, on the same database."""
    with processes(tmp_path) as started:
        environment = environment_for(
            work_settings, SPOTTER_SHUTDOWN_GRACE="1", SPOTTER_WORKER_RESCUE_EVERY="0.3"
        )
        yield started.spotter("worker", environment=environment)
