"""A dead worker's jobs are handed back; a living one's are not, whatever happens to its connections."""

import asyncio
import signal
from dataclasses import replace
from datetime import timedelta

from spotter.app import House
from spotter.clock import now
from spotter.work.handing_back import hand_back
from spotter.work.job import Job, JobCall
from spotter.work.selftest import count
from spotter.work.worker import WORKER_LOCK
from tests.support.jobs import Queue
from tests.support.people import Gym
from tests.support.processes import Program
from tests.work.conftest import Work, defer

SELFTEST = Job("work.selftest", count, queue="upkeep")


def with_usual_rescue(home: House) -> House:
    """Looks as often as it does by default; the other tests are in a hurry."""
    settings = home.workshop.settings.model_copy(update={"worker_rescue_every": 2.0})
    return replace(home, workshop=replace(home.workshop, settings=settings))


async def cut_bus_of(queue: Queue, worker_id: int) -> None:
    """The connection that holds this worker's lock."""
    cut = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND objid = %s"
    async with asyncio.timeout(60):
        while (
            len(await queue.rows(cut, WORKER_LOCK, worker_id)) != 1
        ):  # it may still be coming back from the last cut
            await asyncio.sleep(0.02)


async def test_a_killed_workers_job_is_handed_back(
    home: House, queue: Queue, gym: Gym, work: Work, worker_process: Program
) -> None:
    job_id = await defer(home, gym.org_id, label="orphan", pause=3)
    first = await queue.reaches(job_id, "doing")
    async with work(with_usual_rescue(home), SELFTEST):
        worker_process.kill()
        while (row := await queue.job(job_id))["worker_id"] == first["worker_id"]:
            await asyncio.sleep(0.02)
        assert row["attempts"] == 1
        await queue.reaches(job_id, "succeeded")
    assert await queue.ran(gym.org_id) == {"orphan": 1}


async def test_a_living_workers_job_stays_its_own(
    home: House, other_home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    async with work(home, SELFTEST):
        job_id = await defer(home, gym.org_id, label="mine", pause=2)
        first = await queue.reaches(job_id, "doing")
        async with work(other_home, SELFTEST):
            row = await queue.reaches(job_id, "succeeded")
    assert row["worker_id"] == first["worker_id"]
    assert row["attempts"] == 1


async def test_a_cut_bus_costs_a_living_worker_nothing(
    home: House, other_home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    async with work(with_usual_rescue(home), SELFTEST), work(with_usual_rescue(other_home), SELFTEST):
        job_id = await defer(home, gym.org_id, label="cut", pause=2.5)
        first = await queue.reaches(job_id, "doing")
        for _ in range(3):
            await asyncio.sleep(0.8)
            await cut_bus_of(queue, first["worker_id"])
        row = await queue.reaches(job_id, "succeeded")
    assert row["worker_id"] == first["worker_id"]
    assert row["attempts"] == 1
    assert await queue.ran(gym.org_id) == {"cut": 1}


async def test_a_sleeping_worker_keeps_its_job(
    home: House, queue: Queue, gym: Gym, work: Work, worker_process: Program
) -> None:
    """A laptop was closed: the process does nothing, but its connections are there."""
    job_id = await defer(home, gym.org_id, label="asleep", pause=3)
    first = await queue.reaches(job_id, "doing")
    worker_process.signal(signal.SIGSTOP)
    async with work(home, SELFTEST):
        await asyncio.sleep(2)
        assert (await queue.job(job_id))["worker_id"] == first["worker_id"]
        worker_process.signal(signal.SIGCONT)
        row = await queue.reaches(job_id, "succeeded")
    assert row["attempts"] == 1
    assert await queue.ran(gym.org_id) == {"asleep": 1}


async def test_a_worker_believed_dead_that_wakes_up_changes_nothing(
    home: House, queue: Queue, gym: Gym, work: Work, worker_process: Program
) -> None:
    """Two owners of one job: it slept past the loss of its lock, another did its work, then it goes on."""
    job_id = await defer(home, gym.org_id, label="zombie", pause=3)
    first = await queue.reaches(job_id, "doing")
    worker_process.signal(signal.SIGSTOP)
    async with work(home, SELFTEST):
        await cut_bus_of(queue, first["worker_id"])
        await queue.reaches(job_id, "succeeded")
        worker_process.signal(signal.SIGCONT)
        await worker_process.says("committed by an earlier run")
        again = await defer(home, gym.org_id, label="after")
        await queue.reaches(again, "succeeded")
    assert await queue.status(job_id) == "succeeded"
    assert await queue.ran(gym.org_id) == {"zombie": 1, "after": 1}
    assert worker_process.running


async def test_what_ended_or_moved_on_meanwhile_is_left_alone(
    home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    """Two rescuers see the same orphan; the second comes when another worker has it already."""
    runs = 0

    async def slow(_: JobCall) -> None:
        nonlocal runs
        runs += 1
        await asyncio.sleep(1.5)

    async with work(home, Job("test.slow", slow)) as worker:
        job_id = await defer(home, gym.org_id, "test.slow")
        await queue.reaches(job_id, "doing")
        app, manager = worker._build()
        async with app.open_async():
            assert await hand_back(manager.connector, job_id, 1) is False
            assert await hand_back(manager.connector, job_id, None) is False
        await queue.reaches(job_id, "succeeded")
    assert runs == 1


async def test_orphans_that_share_a_queueing_lock_are_all_rescued(
    home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    ids = [await defer(home, gym.org_id, label=label) for label in ("a", "b", "c")]
    await queue.rows(
        "UPDATE queue.procrastinate_jobs SET status = 'doing', queueing_lock = 'same' WHERE id = ANY(%s)", ids
    )
    async with work(home, SELFTEST):
        assert await queue.settles() == {"succeeded": 3}
    assert await queue.ran(gym.org_id) == {"a": 1, "b": 1, "c": 1}


async def test_a_job_that_always_takes_its_worker_down_does_so_ever_more_rarely(
    home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    job_id = await defer(home, gym.org_id, label="poison")
    async with work(home, SELFTEST):
        await queue.reaches(job_id, "succeeded")
        for attempts, wait in ((1, 0), (2, 0), (3, 2), (4, 4), (20, 300)):
            before = now()
            await queue.rows(
                "UPDATE queue.procrastinate_jobs SET status = 'doing', attempts = %s, worker_id = NULL WHERE id = %s",
                attempts,
                job_id,
            )
            row = await queue.reaches(job_id, "todo", "succeeded")
            due = timedelta(seconds=wait)
            assert before + due <= row["scheduled_at"] <= now() + due
            await queue.make_due()
            await queue.reaches(job_id, "succeeded")
