"""New jobs are announced: a worker starts them at once, whatever happened to the connection it listens on."""

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest
from procrastinate.connector import Notify
from procrastinate.jobs import Job as QueuedJob
from procrastinate.manager import JobManager
from psycopg import AsyncConnection

from spotter.app import House
from spotter.work import worker
from spotter.work.connector import QueueConnector
from spotter.work.job import Job
from spotter.work.selftest import count
from tests.support.jobs import Queue
from tests.support.people import Gym
from tests.work.conftest import Work, defer

SELFTEST = Job("work.selftest", count, queue="upkeep")
_LISTENS = "SELECT pid FROM pg_stat_activity WHERE application_name = 'spotter worker' AND query = 'SELECT 1'"


async def _listener(queue: Queue, *, besides: int = 0) -> int:
    while True:
        rows = [row["pid"] for row in await queue.rows(_LISTENS) if row["pid"] != besides]
        if rows:
            return int(rows[0])
        await asyncio.sleep(0.02)


@pytest.fixture(autouse=True)
def without_polling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_LOOK_EVERY", 3600.0)


async def test_a_job_is_announced_and_starts_at_once(home: House, queue: Queue, gym: Gym, work: Work) -> None:
    async with work(home, SELFTEST):
        await _listener(queue)
        for label in ("one", "two", "three"):
            job_id = await defer(home, gym.org_id, label=label)
            await queue.reaches(job_id, "succeeded", timeout=30)


async def test_a_job_announced_while_another_look_finds_nothing_starts_at_once(
    home: House, queue: Queue, gym: Gym, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch, jobs = JobManager.fetch_job, list[int]()

    async def slowly(self: JobManager, queues: Iterable[str] | None, worker_id: int) -> QueuedJob | None:
        found = await fetch(self, queues, worker_id)
        if found is None and not jobs:
            jobs.append(await defer(home, gym.org_id, label="meanwhile"))
            await asyncio.sleep(0.5)
        return found

    async with work(home, SELFTEST):
        await _listener(queue)
        first = await defer(home, gym.org_id, label="first")
        await queue.reaches(first, "succeeded", timeout=30)
        monkeypatch.setattr(JobManager, "fetch_job", slowly)
        await queue.reaches(await defer(home, gym.org_id, label="second"), "succeeded", timeout=30)
        while not jobs:
            await asyncio.sleep(0.02)
        await queue.reaches(jobs[0], "succeeded", timeout=10)


async def test_a_cut_listener_listens_again(home: House, queue: Queue, gym: Gym, work: Work) -> None:
    async with work(home, SELFTEST):
        first = await _listener(queue)
        await queue.rows("SELECT pg_terminate_backend(%s)", first)
        await _listener(queue, besides=first)
        job_id = await defer(home, gym.org_id, label="after the cut")
        await queue.reaches(job_id, "succeeded", timeout=30)


async def test_a_notice_that_comes_with_the_reply_to_listen_is_not_lost(
    home: House, queue: Queue, gym: Gym, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[int] = []
    listen = QueueConnector._loop_notify

    async def listen_again(
        self: QueueConnector, on_notification: Notify, connection: AsyncConnection[Any]
    ) -> None:
        jobs.append(await defer(home, gym.org_id, label="with the reply"))
        await connection.execute("SELECT 'reads the notice while nobody is told of notices yet'")
        await listen(self, on_notification, connection)

    async with work(home, SELFTEST):
        first = await _listener(queue)
        # Only now: a worker that starts asks the queue by itself.
        monkeypatch.setattr(QueueConnector, "_loop_notify", listen_again)
        await queue.rows("SELECT pg_terminate_backend(%s)", first)
        await _listener(queue, besides=first)
        await queue.reaches(jobs[0], "succeeded", timeout=30)
