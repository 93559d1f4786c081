"""What is due is deleted, and nothing else."""

from spotter.app import House
from spotter.ids import random_id
from spotter.work.job import Job
from spotter.work.jobs import JOBS
from spotter.work.retention import sweep
from tests.support.jobs import Queue
from tests.support.people import Gym
from tests.work.conftest import Work, defer

SWEEP = Job("work.sweep", sweep, queue="upkeep")


async def old_job(queue: Queue, status: str, hours: float, *, receipt: bool = False) -> int:
    """In this state since then."""
    (row,) = await queue.rows(
        "INSERT INTO queue.procrastinate_jobs (queue_name, task_name, status, scheduled_at)"
        " VALUES ('old', 'old', %s, now() + interval '1 year') RETURNING id",
        status,
    )
    await queue.rows("DELETE FROM queue.procrastinate_events WHERE job_id = %s", row["id"])
    for more in (0, 48):
        await queue.rows(
            "INSERT INTO queue.procrastinate_events (job_id, type, at)"
            " VALUES (%s, 'deferred', now() - make_interval(secs => %s))",
            row["id"],
            (hours + more) * 3600,
        )
    if receipt:
        await add_receipt(queue, row["id"], hours)
    return int(row["id"])


async def add_receipt(queue: Queue, job_id: int, hours: float) -> None:
    await queue.rows(
        "INSERT INTO queue.spotter_receipts VALUES (%s, now() - make_interval(secs => %s))",
        job_id,
        hours * 3600,
    )


async def test_the_sweep_deletes_exactly_what_is_due(home: House, queue: Queue, gym: Gym, work: Work) -> None:
    gone = {
        await old_job(queue, status, hours)
        for status, hours in (("succeeded", 24.1), ("cancelled", 24.1), ("aborted", 24.1), ("failed", 168.1))
    }
    kept = {
        await old_job(queue, status, hours)
        for status, hours in (
            ("succeeded", 23.9),
            ("cancelled", 23.9),
            ("aborted", 23.9),
            ("failed", 24.1),
            ("failed", 167.9),
            ("todo", 1000),
        )
    }
    of_living = await old_job(queue, "failed", 30, receipt=True)
    of_swept = await old_job(queue, "succeeded", 30, receipt=True)
    await add_receipt(queue, 999_999_001, 24.1)
    await add_receipt(queue, 999_999_002, 23.9)
    await queue.rows("DELETE FROM idempotent_answers")
    for key, hours in (("due", 24.1), ("not yet", 23.9)):
        await queue.rows(
            "INSERT INTO idempotent_answers"
            " (org_id, user_id, caller, key, request_hash, claimed_until, created_at)"
            " VALUES (%s, %s, 'test', %s, '', now(), now() - make_interval(secs => %s))",
            gym.org_id,
            random_id(),
            key,
            hours * 3600,
        )

    async with work(home, SWEEP):
        job_id = await defer(home, None, "work.sweep")
        await queue.reaches(job_id, "succeeded")

    left = {row["id"] for row in await queue.rows("SELECT id FROM queue.procrastinate_jobs")}
    assert left == {*kept, of_living, job_id}
    assert not left & {*gone, of_swept}
    assert await queue.receipts() == {of_living, 999_999_002}
    answers = await queue.rows("SELECT key FROM idempotent_answers")
    assert [row["key"] for row in answers] == ["not yet"]


async def test_a_periodic_jobs_traces_do_not_stop_the_sweep(home: House, queue: Queue, work: Work) -> None:
    job_id = await old_job(queue, "succeeded", 25)
    await queue.rows(
        "INSERT INTO queue.procrastinate_periodic_defers (task_name, defer_timestamp, job_id)"
        " VALUES ('old', 1, %s)",
        job_id,
    )
    async with work(home, SWEEP):
        await queue.reaches(await defer(home, None, "work.sweep"), "succeeded")
    assert await queue.rows("SELECT id FROM queue.procrastinate_jobs WHERE id = %s", job_id) == []


def test_the_sweep_is_periodic() -> None:
    (job,) = (job for job in JOBS if job.name == "work.sweep")
    assert job.cron == "17 * * * *"
