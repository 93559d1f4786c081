"""Asked to stop, a worker finishes what is short and hands back what is long."""

import asyncio

from spotter.app import House
from spotter.identity import audit
from spotter.work.job import Job, JobCall
from spotter.work.selftest import count
from tests.support.jobs import Queue
from tests.support.people import Gym
from tests.support.processes import Program
from tests.work.conftest import Work, defer

SELFTEST = Job("work.selftest", count, queue="upkeep")


async def test_a_short_job_is_finished(home: House, queue: Queue, gym: Gym, work: Work) -> None:
    async with work(home, SELFTEST):
        job_id = await defer(home, gym.org_id, label="short", pause=0.3)
        await queue.reaches(job_id, "doing", "succeeded")
    assert await queue.status(job_id) == "succeeded"
    assert await queue.ran(gym.org_id) == {"short": 1}


async def test_a_long_job_is_handed_back_as_if_it_had_not_run(
    home: House, other_home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    runs = 0

    async def long_the_first_time(call: JobCall) -> None:
        nonlocal runs
        runs += 1
        async with call.unit_of_work() as uow:
            await audit.record(uow, "selftest.ran", target="long")
            if runs == 1:
                await asyncio.sleep(600)

    job = Job("test.long", long_the_first_time, attempts=1)
    async with work(home, job):
        job_id = await defer(home, gym.org_id, "test.long")
        await queue.reaches(job_id, "doing")
        while runs == 0:
            await asyncio.sleep(0.01)
    row = await queue.job(job_id)
    assert (row["status"], row["attempts"], row["worker_id"]) == ("todo", 0, None)
    assert await queue.ran(gym.org_id) == {}
    async with work(other_home, job):
        await queue.reaches(job_id, "succeeded")
    assert runs == 2
    assert await queue.ran(gym.org_id) == {"long": 1}


async def test_no_worker_is_left_behind(home: House, queue: Queue, work: Work) -> None:
    await queue.rows("DELETE FROM queue.procrastinate_workers")
    for _ in range(3):
        async with work(home, SELFTEST):
            while not await queue.rows("SELECT id FROM queue.procrastinate_workers"):
                await asyncio.sleep(0.01)
    assert await queue.rows("SELECT id FROM queue.procrastinate_workers") == []
    assert await home.workshop.bus.live_holders(7264) == set()


async def test_sigterm_ends_a_worker_process_within_its_grace(
    home: House, queue: Queue, gym: Gym, worker_process: Program
) -> None:
    job_id = await defer(home, gym.org_id, label="long", pause=600)
    await queue.reaches(job_id, "doing")
    assert await worker_process.stop() == 0
    assert "Traceback" not in worker_process.err
    row = await queue.job(job_id)
    assert (row["status"], row["attempts"]) == ("todo", 0)
