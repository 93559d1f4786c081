"""PostgreSQL stopped and started under load: clear refusals, nothing promised and lost, then as before."""

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psycopg
import pytest

from spotter.app import house
from spotter.ids import random_id
from spotter.settings import Settings
from spotter.store.embedded import EmbeddedPostgres
from tests.support.databases import environment_for, migrated_ground, settings_for
from tests.support.jobs import queue_at
from tests.support.people import Person, open_gym
from tests.support.processes import Processes, Program, postgres_of, until

pytestmark = pytest.mark.chaos

CLIENTS = 20
CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
_HANG = 120.0
"""Seconds until something counts as stuck; none of this takes that long on any machine."""


@dataclass
class Scene:
    data_dir: Path
    superuser_url: str
    server: Program
    url: str
    owner: Person
    settings: Settings


@pytest.fixture
async def scene(data_dir: Path, tmp_path: Path, started: Processes) -> AsyncIterator[Scene]:
    """A server process on a PostgreSQL of the test's own."""
    async with EmbeddedPostgres(data_dir) as postgres:
        settings = settings_for(postgres.owner_url, tmp_path, worker_rescue_every=0.3)
        async with migrated_ground(settings) as base, house(base) as home:
            gym = await open_gym(home)
        server = started.server(
            "serve", environment=environment_for(settings, SPOTTER_WORKER_RESCUE_EVERY="0.3")
        )
        yield Scene(data_dir, postgres.superuser_url, server, await server.ready(), gym.owner, settings)
        assert await server.stop() == 0
        assert '"status": 500' not in server.err


async def stop_postgres(data_dir: Path) -> None:
    """At once, without asking anybody to leave: what a crash of the server looks like."""
    pid_file = data_dir / "postgres" / "18" / "postmaster.pid"
    os.kill(int(pid_file.read_text().split()[0]), signal.SIGQUIT)
    await until(lambda: not postgres_of(data_dir))


@dataclass
class Journal:
    """What the clients saw; the server is not asked."""

    answers: Counter[int] = field(default_factory=Counter)
    written: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def note(self, answer: httpx.Response) -> None:
        self.answers[answer.status_code] += 1
        if answer.is_success:
            return
        problem = answer.headers.get("content-type") == "application/problem+json"
        if answer.status_code != 503 or not problem or not int(answer.headers.get("retry-after", 0)):
            self.wrong.append(f"{answer.status_code} {dict(answer.headers)} {answer.text[:300]}")


async def use(scene: Scene, journal: Journal, stop: asyncio.Event) -> None:
    """One client: writes and reads in turn."""
    async with httpx.AsyncClient(base_url=scene.url, timeout=_HANG, headers=scene.owner.headers) as http:
        while not stop.is_set():
            slug = f"org-{random_id().hex}"
            answer = await http.post("/api/organisations", json={"name": slug, "slug": slug})
            journal.note(answer)
            if answer.status_code == 201:
                journal.written.add(slug)
            journal.note(await http.get("/api/me"))
            await asyncio.sleep(0.02)


async def recovered(scene: Scene) -> float:
    """Seconds until it answers as if nothing had been."""
    began = time.monotonic()
    async with httpx.AsyncClient(base_url=scene.url, timeout=_HANG, headers=scene.owner.headers) as http:
        async with asyncio.timeout(_HANG):
            while (await http.get("/api/me")).status_code != 200:
                await asyncio.sleep(0.05)
            while (await http.get("/api/health")).json()["status"] != "ok":
                await asyncio.sleep(0.05)
    return time.monotonic() - began


async def worker_and_bus_are_back(scene: Scene, label: str) -> float:
    began = time.monotonic()
    async with queue_at(scene.superuser_url) as queue:
        job_id = await queue.defer(scene.owner.org_id, label, 0)
        await queue.reaches(job_id, "succeeded", timeout=_HANG)
        bus = "SELECT pid FROM pg_stat_activity WHERE application_name = 'spotter bus'"
        async with asyncio.timeout(_HANG):
            while not await queue.rows(bus):
                await asyncio.sleep(0.05)
    return time.monotonic() - began


async def more(journal: Journal, status: int) -> None:
    before = journal.answers[status]
    await until(lambda: journal.answers[status] > before, _HANG)


async def test_stopped_and_started_under_load(scene: Scene) -> None:
    journal, stop = Journal(), asyncio.Event()
    clients = [asyncio.create_task(use(scene, journal, stop)) for _ in range(CLIENTS)]
    try:
        for number in range(3):
            await more(journal, 201)
            await asyncio.sleep(1)
            await stop_postgres(scene.data_dir)
            await more(journal, 503)
            await asyncio.sleep(0.7)
            again = EmbeddedPostgres(scene.data_dir)
            await again.start()
            took = await recovered(scene)
            worked = await worker_and_bus_are_back(scene, f"after {number}")
            await again.stop()
            print(f"answers again after {took:.2f} s, works again after {took + worked:.2f} s")
    finally:
        stop.set()
        await asyncio.gather(*clients)
    print(f"{dict(journal.answers)}")
    assert journal.wrong == []
    async with await psycopg.AsyncConnection.connect(scene.superuser_url) as connection:
        there = {row[0] async for row in await connection.execute("SELECT slug FROM organisations")}
    assert journal.written <= there, "something was promised and is not there"
    assert scene.server.running


async def test_the_losses_and_new_callers_are_noticed_at_the_same_moment(scene: Scene) -> None:
    """Callers get the file descriptors of the lost connections before anything else is done about the loss."""
    async with AsyncExitStack() as open_until_the_end:
        queue = await open_until_the_end.enter_async_context(queue_at(scene.superuser_url))
        for number in range(2):
            scene.server.signal(signal.SIGSTOP)
            await queue.rows(CUT)
            for _ in range(8):
                caller = await asyncio.open_connection("127.0.0.1", httpx.URL(scene.url).port)
                open_until_the_end.callback(caller[1].close)
            scene.server.signal(signal.SIGCONT)
            await recovered(scene)
            await worker_and_bus_are_back(scene, f"thawed {number}")


async def refused_and_back(scene: Scene, break_it: list[str], mend_it: list[str]) -> None:
    async with (
        queue_at(scene.superuser_url) as queue,
        httpx.AsyncClient(base_url=scene.url, timeout=_HANG, headers=scene.owner.headers) as http,
    ):
        await queue.rows("SET default_transaction_read_only = off")

        async def write() -> httpx.Response:
            slug = f"org-{random_id().hex}"
            return await http.post("/api/organisations", json={"name": slug, "slug": slug})

        async def answers(status: int) -> None:
            async with asyncio.timeout(_HANG):
                while (await write()).status_code != status:
                    await asyncio.sleep(0.1)

        for statement in break_it:
            await queue.rows(statement)
        await queue.rows(CUT)
        await answers(503)
        for _ in range(3):
            answer = await write()
            assert answer.status_code == 503, answer.text
            assert answer.headers["content-type"] == "application/problem+json"
            assert int(answer.headers["retry-after"]) > 0
        assert (await http.get("/api/me")).status_code == 200
        for statement in mend_it:
            await queue.rows(statement)
        await queue.rows(CUT)
        await answers(201)
    await worker_and_bus_are_back(scene, "mended")


async def test_a_read_only_database(scene: Scene) -> None:
    """As after a failover to a replica."""
    await refused_and_back(
        scene,
        ["ALTER DATABASE spotter SET default_transaction_read_only = on"],
        ["ALTER DATABASE spotter RESET default_transaction_read_only"],
    )


async def test_a_full_disk(scene: Scene) -> None:
    """The server's own error for it, raised where it would be."""
    await refused_and_back(
        scene,
        [
            "CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$",
            "CREATE TRIGGER disk_is_full BEFORE INSERT ON organisations"
            " FOR EACH ROW EXECUTE FUNCTION disk_is_full()",
        ],
        ["DROP TRIGGER disk_is_full ON organisations"],
    )
