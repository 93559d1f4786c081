"""What a job promises: once, in its organisation, again after an error, in order, on time."""

import asyncio
import json
import logging
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from procrastinate.jobs import Job as QueuedJob
from sqlalchemy import select
from typing_extensions import override

from spotter.app import House
from spotter.clock import now
from spotter.identity import audit
from spotter.identity.tables import AuditEntry, Membership
from spotter.logs import JsonFormatter, correlation_id
from spotter.store.scope import UNSCOPED
from spotter.work.job import AlreadyDone, Job, JobCall
from spotter.work.jobs import JOBS
from spotter.work.selftest import count
from spotter.work.worker import MOST_OUTAGES, Attempts
from tests.support.jobs import Queue
from tests.support.people import Gym
from tests.work.conftest import Work, defer

SELFTEST = Job("work.selftest", count, queue="upkeep")


async def test_a_job_runs_and_leaves_a_receipt(home: House, queue: Queue, gym: Gym, work: Work) -> None:
    async with work(home, SELFTEST):
        job_id = await defer(home, gym.org_id, label="one")
        row = await queue.reaches(job_id, "succeeded")
    assert row["attempts"] == 1
    assert await queue.ran(gym.org_id) == {"one": 1}
    assert await queue.receipts() == {job_id}


async def test_a_job_of_a_transaction_that_does_not_commit_never_was(
    home: House, queue: Queue, gym: Gym
) -> None:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        assert await uow.defer("work.selftest", label="x") is not None
        uow.give_up()
    assert await queue.counts() == {}


async def test_effect_and_receipt_come_and_go_together(
    home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    async def writes_and_fails(call: JobCall) -> None:
        async with call.unit_of_work() as uow:
            await audit.record(uow, "selftest.ran", target="lost")
            raise RuntimeError("after the writes")

    async with work(home, Job("test.fails", writes_and_fails, attempts=1)):
        job_id = await defer(home, gym.org_id, "test.fails")
        await queue.reaches(job_id, "failed")
    assert await queue.ran(gym.org_id) == {}
    assert await queue.receipts() == set()


async def test_run_again_after_its_commit_it_finds_its_receipt(
    home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    """The worker died between the effect's commit and saying so."""
    async with work(home, SELFTEST):
        job_id = await defer(home, gym.org_id, label="again")
        await queue.reaches(job_id, "succeeded")
        await queue.rows("UPDATE queue.procrastinate_jobs SET status = 'todo' WHERE id = %s", job_id)
        await queue.make_due()
        await queue.reaches(job_id, "succeeded")
    assert (await queue.job(job_id))["attempts"] == 2
    assert await queue.ran(gym.org_id) == {"again": 1}


async def test_two_workers_at_the_same_job_give_one_effect(
    home: House, other_home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    """The first is believed dead, wakes up, and both go on."""
    async with work(home, SELFTEST):
        job_id = await defer(home, gym.org_id, label="both", pause=1)
        await queue.reaches(job_id, "doing")
        async with work(other_home, SELFTEST):
            await queue.rows("UPDATE queue.procrastinate_jobs SET status = 'todo' WHERE id = %s", job_id)
            await queue.make_due()
            await queue.reaches(job_id, "doing")
            await queue.reaches(job_id, "succeeded")
            await asyncio.sleep(1.5)
            assert await queue.status(job_id) == "succeeded"
    assert await queue.ran(gym.org_id) == {"both": 1}


async def test_of_ten_runs_at_once_nine_find_it_done(home: House, queue: Queue, gym: Gym) -> None:
    job_id = await defer(home, gym.org_id, at=now() + timedelta(days=1))
    call = JobCall(job_id, 1, gym.org_id, {"label": "ten", "pause": 0.05}, home.workshop)
    outcomes = await asyncio.gather(*(count(call) for _ in range(10)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [AlreadyDone] * 9
    assert await queue.ran(gym.org_id) == {"ten": 1}


async def test_three_attempts_with_growing_waits_then_failed(
    home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    runs: list[int] = []
    failed_at: list[datetime] = []

    async def fails(call: JobCall) -> None:
        runs.append(call.attempt)
        failed_at.append(now())
        raise RuntimeError("no luck")

    async with work(home, Job("test.fails", fails)):
        job_id = await defer(home, gym.org_id, "test.fails")
        for attempts, wait in ((1, 2), (2, 4)):
            row = await queue.reaches(job_id, "todo")
            while row["attempts"] < attempts:
                await asyncio.sleep(0.02)
                row = await queue.reaches(job_id, "todo")
            assert failed_at[-1] + timedelta(seconds=wait) <= row["scheduled_at"]
            assert row["scheduled_at"] <= now() + timedelta(seconds=wait)
            await queue.make_due()
        row = await queue.reaches(job_id, "failed")
    assert runs == [1, 2, 3]
    assert row["attempts"] == 3


def test_waits_double_and_interruptions_do_not_count() -> None:
    def decide(attempts: int, error: BaseException) -> float | None:
        interrupted: set[int] = set()
        job = QueuedJob(
            id=1, queue="q", task_name="t", lock=None, queueing_lock=None, attempts=attempts, task_kwargs={}
        )
        before = now()
        decision = Attempts(3, interrupted).get_retry_decision(exception=error, job=job)
        if decision is None or decision.retry_at is None:
            return None
        assert interrupted == ({1} if isinstance(error, asyncio.CancelledError) else set())
        least, most = (
            (decision.retry_at - now()).total_seconds(),
            (decision.retry_at - before).total_seconds(),
        )
        # Whole seconds after a moment between the two.
        return next((wait for wait in (0, 2, 4, 8) if least <= wait <= most), most)

    assert [decide(n, RuntimeError()) for n in range(3)] == [2, 4, None]
    assert decide(2, asyncio.CancelledError()) == 0
    assert decide(2, psycopg.OperationalError("the connection was cut")) == 8
    assert decide(MOST_OUTAGES - 1, psycopg.OperationalError("the connection was cut")) is None


async def test_urgent_jobs_first_then_in_order(home: House, queue: Queue, gym: Gym, work: Work) -> None:
    order: list[str] = []

    async def note(call: JobCall) -> None:
        order.append(str(call.args["label"]))
        await asyncio.sleep(0.01)

    for label, priority in (("a", 0), ("b", 0), ("urgent", 10), ("later", -5)):
        await defer(home, gym.org_id, "test.note", priority=priority, label=label)
    one_at_a_time = home.workshop.settings.model_copy(update={"queue_concurrency": 1})
    alone = replace(home, workshop=replace(home.workshop, settings=one_at_a_time))
    async with work(alone, Job("test.note", note)):
        await queue.settles()
    assert order == ["urgent", "a", "b", "later"]


async def test_a_scheduled_job_waits_for_its_time(home: House, queue: Queue, gym: Gym, work: Work) -> None:
    due = now() + timedelta(seconds=1.5)
    job_id = await defer(home, gym.org_id, at=due, label="later")
    async with work(home, SELFTEST):
        while (status := await queue.status(job_id)) and now() < due:
            assert status == "todo"
            await asyncio.sleep(0.1)
        await queue.reaches(job_id, "succeeded")


async def test_one_waiting_job_per_queueing_lock(home: House, queue: Queue, gym: Gym, work: Work) -> None:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        first = await uow.defer("work.selftest", queueing_lock=f"{gym.slug}/sync", label="1")
        second = await uow.defer("work.selftest", queueing_lock=f"{gym.slug}/sync", label="2")
    assert first is not None
    assert second is None
    async with work(home, SELFTEST):
        await queue.settles()
    assert await queue.ran(gym.org_id) == {"1": 1}


async def test_jobs_with_the_same_lock_run_one_after_the_other(
    home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    running = most = 0

    async def watch(_: JobCall) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.05)
        running -= 1

    async with work(home, Job("test.watch", watch)):
        for _ in range(4):
            await defer(home, gym.org_id, "test.watch", lock=gym.slug)
        assert await queue.settles() == {"succeeded": 4}
    assert most == 1


async def test_an_error_while_the_same_job_waits_again_loses_neither(
    home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    """Only one job may wait with a queueing lock, and now two want to."""
    go, runs = asyncio.Event(), 0

    async def fails_once(_: JobCall) -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            await go.wait()
            raise RuntimeError("the first time")

    async with work(home, Job("test.once", fails_once)):
        first = await defer(home, gym.org_id, "test.once", queueing_lock="again")
        await queue.reaches(first, "doing")
        later = now() + timedelta(hours=1)
        second = await defer(home, gym.org_id, "test.once", queueing_lock="again", at=later)
        go.set()
        await queue.reaches(first, "todo")
        await queue.make_due()
        await queue.reaches(first, "succeeded")
        await queue.reaches(second, "succeeded")
    assert runs == 3


async def test_the_organisation_is_the_transactions_whatever_the_caller_says(
    home: House, queue: Queue, gym: Gym
) -> None:
    forged = str(uuid4())
    job_id = await defer(home, gym.org_id, org_id=forged, label="forged")
    assert (await queue.job(job_id))["args"]["org_id"] == str(gym.org_id)
    nobodys = await defer(home, None, org_id=forged)
    assert (await queue.job(nobodys))["args"]["org_id"] is None


async def test_a_job_sees_its_own_organisation_only(home: House, queue: Queue, gym: Gym, work: Work) -> None:
    seen: dict[UUID | None, set[UUID]] = {}

    async def look(call: JobCall) -> None:
        async with call.unit_of_work() as uow:
            seen[call.org_id] = set(await uow.session.scalars(select(Membership.org_id)))

    async def trespass(call: JobCall) -> None:
        async with call.unit_of_work() as uow:
            uow.session.add(
                AuditEntry(org_id=uuid4(), id=uuid4(), at=now(), actor_kind="service", action="x", detail={})
            )

    async with work(home, Job("test.look", look), Job("test.trespass", trespass, attempts=1)):
        await defer(home, gym.org_id, "test.look")
        await defer(home, None, "test.look")
        refused = await defer(home, gym.org_id, "test.trespass")
        await queue.settles()
    assert seen == {gym.org_id: {gym.org_id}, None: set()}
    assert await queue.status(refused) == "failed"


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM queue.procrastinate_jobs",
        "SELECT * FROM queue.procrastinate_events",
        "SELECT * FROM queue.procrastinate_workers",
        "SELECT * FROM queue.procrastinate_periodic_defers",
        "SELECT * FROM queue.spotter_receipts",
        "UPDATE queue.procrastinate_jobs SET status = 'failed'",
        "DELETE FROM queue.procrastinate_jobs",
        "DELETE FROM queue.spotter_receipts",
        "INSERT INTO queue.procrastinate_jobs (queue_name, task_name) VALUES ('q', 't')",
        "INSERT INTO queue.spotter_receipts (job_id) VALUES (1)",
        "SELECT queue.procrastinate_fetch_job_v2(NULL, 1)",
        "SELECT queue.procrastinate_retry_job_v2(1, now(), NULL, NULL, NULL)",
        "SELECT queue.procrastinate_finish_job_v1(1, 'succeeded', true)",
        "SELECT queue.procrastinate_cancel_job_v1(1, true, true)",
        "SELECT nextval('queue.procrastinate_jobs_id_seq')",
        "TRUNCATE queue.procrastinate_jobs CASCADE",
        "SET ROLE spotter_job",
    ],
)
async def test_runtime_can_neither_read_nor_change_the_queue(home: House, statement: str) -> None:
    async with await psycopg.AsyncConnection.connect(home.base.urls.runtime) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await connection.execute(statement.encode())


async def test_a_job_carries_the_correlation_id_into_its_log_lines(
    home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    lines: list[dict[str, object]] = []

    class Keep(logging.Handler):
        @override
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(json.loads(JsonFormatter().format(record)))

    async def say(_: JobCall) -> None:
        logging.getLogger("tests.work").warning("from inside the job")

    keep = Keep()
    logging.getLogger("tests.work").addHandler(keep)
    try:
        async with work(home, Job("test.say", say)):
            token = correlation_id.set("the-request")
            try:
                job_id = await defer(home, gym.org_id, "test.say")
            finally:
                correlation_id.reset(token)
            await queue.reaches(job_id, "succeeded")
    finally:
        logging.getLogger("tests.work").removeHandler(keep)
    (line,) = lines
    assert line["correlation_id"] == "the-request"
    assert line["job"] == "test.say"
    assert line["job_id"] == job_id
    assert line["org_id"] == str(gym.org_id)


async def test_an_unknown_job_fails_and_the_worker_goes_on(
    home: House, queue: Queue, gym: Gym, work: Work
) -> None:
    async with work(home, SELFTEST):
        unknown = await defer(home, gym.org_id, "nobody.knows")
        known = await defer(home, gym.org_id, label="known")
        await queue.reaches(unknown, "failed")
        await queue.reaches(known, "succeeded")


async def test_live_workers_are_counted(home: House, queue: Queue, work: Work) -> None:
    async def live() -> int:
        async with home.services.database.unit_of_work(UNSCOPED) as uow:
            cursor = await (await uow.driver()).execute("SELECT queue.spotter_live_workers()")
            row = await cursor.fetchone()
        assert row is not None
        return int(row[0])

    await queue.rows("DELETE FROM queue.procrastinate_workers")
    async with work(home, SELFTEST):
        while await live() != 1:
            await asyncio.sleep(0.02)
    assert await live() == 0


def test_every_job_has_a_name_of_its_own() -> None:
    names = [job.name for job in JOBS]
    assert len(names) == len(set(names))
