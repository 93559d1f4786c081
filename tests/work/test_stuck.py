"""Whatever the worker waits for, it does not wait for ever."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest
from procrastinate import PsycopgConnector, sql
from procrastinate.manager import JobManager

from spotter.app import House
from spotter.store.bus import Bus
from spotter.work.job import Job, JobCall
from spotter.work.rescue import Rescue
from spotter.work.sealing import Sealer
from spotter.work.selftest import count
from spotter.work.worker import WORKER_LOCK
from tests.support.jobs import Queue
from tests.support.people import Gym
from tests.work.conftest import Work, defer

SELFTEST = Job("work.selftest", count, queue="upkeep")
STEPS = [
    pytest.param(PsycopgConnector, "open_async", id="opening the pool"),
    pytest.param(JobManager, "prune_stalled_workers", id="pruning"),
    pytest.param(JobManager, "register_worker", id="registering"),
    pytest.param(Bus, "hold", id="taking the lock"),
    pytest.param(JobManager, "listen_for_jobs", id="listening"),
]
_CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND application_name IN ('spotter worker', 'spotter bus')"
)


@pytest.fixture
def impatient(home: House) -> House:
    hurried = home.workshop.settings.model_copy(update={"shutdown_grace": 0.2, "worker_heartbeat": 0.5})
    return replace(home, workshop=replace(home.workshop, settings=hurried))


def once(
    monkeypatch: pytest.MonkeyPatch, owner: type, name: str, trouble: Callable[[], Awaitable[object]]
) -> asyncio.Event:
    """The trouble comes before the first call only. Says when it came."""
    called, original = asyncio.Event(), getattr(owner, name)

    async def troubled(*given: Any, **named: Any) -> Any:
        if not called.is_set():
            called.set()
            await trouble()
        return await original(*given, **named)

    monkeypatch.setattr(owner, name, troubled)
    return called


async def works(queue: Queue, home: House, gym: Gym) -> None:
    await queue.reaches(await defer(home, gym.org_id, label="after"), "succeeded")


@pytest.mark.parametrize(("owner", "name"), STEPS[:-1])
async def test_a_step_that_never_returns(
    impatient: House,
    queue: Queue,
    gym: Gym,
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    owner: type,
    name: str,
) -> None:
    hung = once(monkeypatch, owner, name, asyncio.Event().wait)
    async with work(impatient, SELFTEST, patience=1):
        await hung.wait()
        await works(queue, impatient, gym)
    assert "the worker was stuck" in caplog.text


@pytest.mark.parametrize(
    "name", ["prune_stalled_workers", "register_worker", "fetch_job", "update_heartbeat"]
)
async def test_a_statement_without_an_answer(
    impatient: House, queue: Queue, gym: Gym, work: Work, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Of one alone: all others are answered."""
    with monkeypatch.context() as slow:
        slow.setitem(sql.queries, name, "SELECT pg_sleep(600)")
        async with work(impatient, SELFTEST, patience=1):
            asleep = (
                "SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' AND state = 'active'"
            )
            while not await queue.rows(asleep):
                await asyncio.sleep(0.02)
            slow.undo()
            await works(queue, impatient, gym)
            while await queue.rows(asleep):
                await asyncio.sleep(0.02)


@pytest.mark.parametrize(("owner", "name"), [*STEPS, pytest.param(JobManager, "fetch_job", id="fetching")])
async def test_every_connection_cut_just_before_a_step(
    impatient: House,
    queue: Queue,
    gym: Gym,
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
    owner: type,
    name: str,
) -> None:
    cut = once(monkeypatch, owner, name, lambda: queue.rows(_CUT))
    async with work(impatient, SELFTEST):
        await cut.wait()
        await works(queue, impatient, gym)


@contextmanager
def frozen(backends: list[int]) -> Iterator[None]:
    """To their client they look like a network that swallows everything."""
    for backend in backends:
        os.kill(backend, signal.SIGSTOP)
    try:
        yield
    finally:
        for backend in backends:
            os.kill(backend, signal.SIGCONT)


async def test_a_database_that_takes_questions_and_gives_no_answers(
    impatient: House, queue: Queue, gym: Gym, work: Work
) -> None:
    async with work(impatient, SELFTEST, patience=1):
        await works(queue, impatient, gym)
        rows = await queue.rows(
            "SELECT pid FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'spotter worker'"
        )
        with frozen([row["pid"] for row in rows]):
            await works(queue, impatient, gym)


async def test_a_job_that_cannot_be_stopped_does_not_keep_the_worker_from_stopping(
    impatient: House, queue: Queue, gym: Gym, work: Work
) -> None:
    entered, let_go = asyncio.Event(), asyncio.Event()

    async def stubborn(_: JobCall) -> None:
        entered.set()
        while not let_go.is_set():
            with suppress(asyncio.CancelledError):
                await let_go.wait()

    try:
        async with work(impatient, Job("test.stubborn", stubborn), patience=0.5):
            await defer(impatient, gym.org_id, "test.stubborn")
            await entered.wait()
        assert await impatient.workshop.bus.live_holders(WORKER_LOCK) == set()
    finally:
        let_go.set()


@pytest.mark.parametrize("part", [Rescue, Sealer])
async def test_a_part_that_meets_a_bug_looks_again(
    impatient: House,
    queue: Queue,
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    part: type[Rescue | Sealer],
) -> None:
    looks, again, original = 0, asyncio.Event(), part.look

    async def first_with_a_bug(self: Any) -> None:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise ZeroDivisionError
        await original(self)
        again.set()

    monkeypatch.setattr(part, "look", first_with_a_bug)
    async with work(impatient, SELFTEST):
        await again.wait()
    assert "met a bug and is tried again" in caplog.text
