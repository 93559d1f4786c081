"""kill -9 in the middle of jobs, again and again: each job takes effect exactly once, and nothing is stuck.

Two loops kill at random moments: one a server with its worker (now and then the database with it, sometimes
still while it starts), one a worker process beside it. A third keeps deferring jobs. kill -9 does not test
power loss: what the kernel has, survives.
"""

import asyncio
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import httpx
import psycopg
import pytest

from spotter.ids import random_id
from tests.support.jobs import queue_at, superuser_of
from tests.support.processes import (
    Processes,
    Program,
    kill_postgres,
    plain_environment,
    postgres_ended_in,
    processes,
    until,
)

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3600 if os.environ.get("SPOTTER_CHAOS") else 1800)]

KILLS = 500 if os.environ.get("SPOTTER_CHAOS") == "long" else 50
SLOPPY = Path(__file__).with_name("sloppy_worker.py")
FAST = {
    "SPOTTER_WORKER_RESCUE_EVERY": "0.3",
    "SPOTTER_WORKER_HEARTBEAT": "1",
    "SPOTTER_WORKER_STALLED_AFTER": "5",
    "SPOTTER_SHUTDOWN_GRACE": "2",
    "SPOTTER_RATE_LIMITS": "false",
    "SPOTTER_LOG_LEVEL": "INFO",
}


@dataclass
class Chaos:
    data_dir: Path
    started: Processes
    environment: dict[str, str]
    dice: random.Random
    kills: int = 0
    hits: int = 0
    database_kills: int = 0
    starts: list[float] = field(default_factory=list)
    promised: set[str] = field(default_factory=set)
    uncertain: set[str] = field(default_factory=set)

    def server(self) -> Program:
        return self.started.server("up", environment=self.environment)

    def worker(self) -> Program:
        return self.started.spotter("worker", environment=self.environment)

    def sloppy(self) -> Program:
        return self.started.start(sys.executable, str(SLOPPY), environment=self.environment)

    async def kill_servers(self, times: int) -> None:
        for number in range(times):
            server = self.server()
            if self.dice.random() < 0.15:
                await asyncio.sleep(self.dice.uniform(0, 2))  # perhaps before it is ready
            else:
                began = time.monotonic()
                async with httpx.AsyncClient(base_url=await server.ready(), timeout=100) as http:
                    assert (await http.get("/api/health")).status_code in (200, 503)
                self.starts.append(time.monotonic() - began)
                await asyncio.sleep(self.dice.uniform(0.2, 0.8))
            await self.count_hits()
            server.kill()
            if number % 6 == 5:
                kill_postgres(self.data_dir)
                self.database_kills += 1
            self.kills += 1

    async def kill_workers(self, times: int, start: Callable[[], Program]) -> None:
        for _ in range(times):
            worker = start()
            if self.dice.random() < 0.15:
                await asyncio.sleep(self.dice.uniform(0, 2))
            else:
                await self.works(worker)
                await asyncio.sleep(self.dice.uniform(0.2, 0.8))
            await self.count_hits()
            worker.kill()
            self.kills += 1

    async def works(self, worker: Program) -> None:
        """Or it ended, with a word for people, because the database was killed under it while it started."""
        await until(lambda: not worker.running or "working" in worker.err)
        if not worker.running:
            assert self.database_kills, worker.err
            assert worker.err.count("Error: ") == 1, worker.err
            assert "Traceback" not in worker.err, worker.err

    async def count_hits(self) -> None:
        try:
            async with queue_at(superuser_of(self.data_dir)) as queue:
                self.hits += bool((await queue.counts()).get("doing"))
        except psycopg.OperationalError:
            pass

    async def keep_deferring(self, org_id: UUID, task: str = "work.selftest") -> None:
        """A label is promised once the database said so; one whose answer was lost may or may not be there."""
        number = 0
        while True:
            try:
                async with queue_at(superuser_of(self.data_dir)) as queue:
                    while True:
                        number += 1
                        self.uncertain.add(label := f"{task}-{number}")
                        await queue.defer(org_id, label, self.dice.uniform(0, 0.2), task)
                        self.uncertain.discard(label)
                        self.promised.add(label)
                        await asyncio.sleep(self.dice.uniform(0.05, 0.3))
            except psycopg.OperationalError:
                await asyncio.sleep(0.1)


@pytest.fixture
async def chaos(run_folder: Path, tmp_path: Path) -> AsyncIterator[Chaos]:
    seed = int(os.environ.get("SPOTTER_CHAOS_SEED", random_id().int % 2**32))
    print(f"\nSPOTTER_CHAOS_SEED={seed}")
    async with postgres_ended_in(run_folder / f"chaos-{random_id().hex[:8]}") as data_dir:
        with processes(tmp_path) as started:
            environment = plain_environment(SPOTTER_DATA_DIR=str(data_dir), **FAST)
            yield Chaos(data_dir, started, environment, random.Random(seed))


async def test_killed_fifty_times_every_job_took_effect_once(chaos: Chaos) -> None:
    first = chaos.server()
    await first.ready()
    async with queue_at(superuser_of(chaos.data_dir)) as queue:
        org_id = await queue.demo()
    first.kill()
    deferring = asyncio.create_task(chaos.keep_deferring(org_id))
    began = time.monotonic()
    try:
        half = KILLS // 2
        await asyncio.gather(chaos.kill_servers(half), chaos.kill_workers(KILLS - half, chaos.worker))
    finally:
        deferring.cancel()
        await asyncio.gather(deferring, return_exceptions=True)
    last = chaos.server()
    await last.ready()
    async with queue_at(superuser_of(chaos.data_dir)) as queue:
        counts = await queue.settles()
        ran = await queue.ran(org_id)
        jobs = await queue.rows(
            "SELECT id, args ->> 'label' AS label, attempts FROM queue.procrastinate_jobs"
            " WHERE task_name = 'work.selftest'"
        )
        receipts = await queue.receipts()
    print(
        f"{chaos.kills} kills ({chaos.hits} hit running jobs) in {time.monotonic() - began:.0f} s, "
        f"{len(jobs)} jobs, {sum(job['attempts'] > 1 for job in jobs)} of them interrupted, "
        f"start to ready {sum(chaos.starts) / len(chaos.starts):.2f} s on average"
    )
    assert counts.keys() == {"succeeded"}
    assert chaos.promised <= {job["label"] for job in jobs} <= chaos.promised | chaos.uncertain
    assert ran == {job["label"]: 1 for job in jobs}
    assert receipts >= {job["id"] for job in jobs}
    assert chaos.kills == KILLS
    assert chaos.hits > KILLS / 3, "the kills did not hit anything"
    assert await last.stop() == 0


async def test_the_harness_notices_an_effect_without_its_receipt(chaos: Chaos) -> None:
    first = chaos.server()
    await first.ready()
    async with queue_at(superuser_of(chaos.data_dir)) as queue:
        org_id = await queue.demo()
    await first.stop()
    deferring: asyncio.Task[None] | None = None
    try:
        sloppy = chaos.sloppy()
        await sloppy.says("working")
        deferring = asyncio.create_task(chaos.keep_deferring(org_id, "test.sloppy"))
        sloppy.kill()
        await chaos.kill_workers(5, chaos.sloppy)
        async with queue_at(superuser_of(chaos.data_dir)) as queue:
            ran = await queue.ran(org_id)
    finally:
        if deferring is not None:
            deferring.cancel()
            await asyncio.gather(deferring, return_exceptions=True)
    print(f"{sum(times > 1 for times in ran.values())} of {len(ran)} effects happened more than once")
    assert max(ran.values()) > 1
