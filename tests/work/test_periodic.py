"""Jobs that come by the clock."""

import asyncio

from spotter.app import House
from spotter.work.job import Job, JobCall
from tests.support.jobs import Queue
from tests.work.conftest import Work

EVERY_SECOND = "* * * * * *"


async def test_a_periodic_job_fires_once_per_instant_however_many_workers(
    home: House, other_home: House, queue: Queue, work: Work
) -> None:
    runs: list[int] = []

    async def tick(call: JobCall) -> None:
        async with call.unit_of_work():
            assert call.org_id is None
        runs.append(call.id)

    job = Job("test.tick", tick, cron=EVERY_SECOND)
    async with work(home, job), work(other_home, job):
        while len(runs) < 3:
            await asyncio.sleep(0.05)
    instants = [
        row["instant"]
        for row in await queue.rows(
            "SELECT args ->> 'timestamp' AS instant FROM queue.procrastinate_jobs WHERE task_name = 'test.tick'"
        )
    ]
    assert len(instants) == len(set(instants)) >= 3
    assert len(runs) == len(set(runs))
