"""Several servers and workers on one database, and several processes in one data folder."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from spotter.app import Ground
from spotter.ids import random_id
from spotter.runtime.speech import topic_of
from spotter.store.bus import Bus, Highest
from spotter.store.embedded import EmbeddedPostgres
from tests.support.databases import (
    database_url,
    environment_for,
    fresh_database,
    migrated_ground,
    settings_for,
)
from tests.support.jobs import Queue, queue_at
from tests.support.processes import (
    Processes,
    Program,
    plain_environment,
    postgres_of,
    spotter,
    until,
)

pytestmark = pytest.mark.chaos

OWNER = "owner@demo.spotter"


@dataclass
class Fleet:
    base: Ground
    environment: dict[str, str]
    servers: list[Program]
    workers: list[Program]
    urls: list[str]
    queue: Queue

    async def token(self) -> str:
        return (await spotter("token", "--email", OWNER, environment=self.environment)).line


@pytest.fixture
async def fleet(postgres: EmbeddedPostgres, tmp_path: Path, started: Processes) -> AsyncIterator[Fleet]:
    """Two servers and two workers on one DATABASE_URL."""
    name = f"fleet_{random_id().hex[:8]}"
    async with fresh_database(postgres, name) as url:
        settings = settings_for(url, tmp_path)
        environment = environment_for(
            settings, SPOTTER_WORKER_RESCUE_EVERY="0.3", SPOTTER_QUEUE_CONCURRENCY="2"
        )
        async with migrated_ground(settings) as base:
            servers = [started.server("serve", "--no-worker", environment=environment) for _ in range(2)]
            workers = [started.spotter("worker", environment=environment) for _ in range(2)]
            urls = [await server.ready() for server in servers]
            for worker in workers:
                await worker.says("working")
            assert (await spotter("demo", environment=environment)).code == 0
            async with queue_at(database_url(postgres.superuser_url, name)) as queue:
                yield Fleet(base, environment, servers, workers, urls, queue)
        for program in (*servers, *workers):
            if program.running:
                assert await program.stop() == 0


async def test_jobs_are_shared_and_the_rest_goes_on_when_one_is_killed(fleet: Fleet) -> None:
    queue = fleet.queue
    org_id = await queue.demo()
    for number in range(40):
        await queue.defer(org_id, str(number), 0.05)
    await queue.settles()
    assert await queue.ran(org_id) == {str(number): 1 for number in range(40)}
    took_part = await queue.rows("SELECT DISTINCT worker_id FROM queue.procrastinate_jobs")
    assert len(took_part) == 2

    for number in range(40, 60):
        await queue.defer(org_id, str(number), 0.2)
    await asyncio.sleep(0.3)
    fleet.workers[0].kill()
    fleet.servers[0].kill()
    await queue.settles()
    assert await queue.ran(org_id) == {str(number): 1 for number in range(60)}
    headers = {"Authorization": f"Bearer {await fleet.token()}"}
    async with httpx.AsyncClient(base_url=fleet.urls[1], timeout=100) as http:
        assert (await http.get("/api/me", headers=headers)).status_code == 200
        assert (await http.get("/api/health")).json()["status"] == "ok"


async def test_a_token_works_on_every_server(fleet: Fleet) -> None:
    headers = {"Authorization": f"Bearer {await fleet.token()}"}
    for url in fleet.urls:
        async with httpx.AsyncClient(base_url=url, timeout=100) as http:
            me = (await http.get("/api/me", headers=headers)).json()
        assert me["email"] == OWNER
        assert me["organisation"]["slug"] == "demo"


async def test_what_happens_on_one_server_is_heard_elsewhere(fleet: Fleet) -> None:
    """A word said to the first server wakes a reader here and a stream of the second."""
    headers = {"Authorization": f"Bearer {await fleet.token()}"}
    first = httpx.AsyncClient(base_url=fleet.urls[0], timeout=100, headers=headers)
    second = httpx.AsyncClient(base_url=fleet.urls[1], timeout=100, headers=headers)
    async with first, second, Bus(fleet.base.urls.runtime_direct, poll_interval=60) as bus:
        made = (await first.post("/api/sessions", json={})).json()
        path = f"/api/sessions/{made['id']}"
        heard = asyncio.create_task(_first_notice(bus, made["id"]))
        streamed = asyncio.create_task(_first_event(second, path))
        await asyncio.sleep(0.3)
        answer = await first.post(f"{path}/messages", json={"text": "Good morning"})
        assert answer.status_code == 200, answer.text
        assert (await asyncio.wait_for(heard, 60)).value >= 1
        assert await asyncio.wait_for(streamed, 60) == "event: user_message"


async def _first_notice(bus: Bus, session_id: str) -> Highest:
    async with bus.subscribe(topic_of(UUID(session_id))) as notices:
        async for notice in notices:
            if isinstance(notice, Highest):
                return notice
    raise AssertionError("the bus ended")


async def _first_event(http: httpx.AsyncClient, path: str) -> str:
    accept = {"Accept": "text/event-stream"}
    async with http.stream("GET", f"{path}/events", headers=accept) as response:
        async for line in response.aiter_lines():
            if line.startswith("event: "):
                return line
    raise AssertionError("the stream ended")


async def test_processes_of_one_data_folder_share_its_database(data_dir: Path, started: Processes) -> None:
    environment = plain_environment(
        SPOTTER_DATA_DIR=str(data_dir), SPOTTER_WORKER_RESCUE_EVERY="0.3", SPOTTER_SHUTDOWN_GRACE="2"
    )
    server = started.server("up", environment=environment)
    url = await server.ready()
    worker = started.spotter("worker", environment=environment)
    await worker.says("working")
    token, doctor = await asyncio.gather(
        spotter("token", "--email", OWNER, environment=environment),
        spotter("doctor", environment=environment),
    )
    assert doctor.code == 0, doctor.out
    async with httpx.AsyncClient(base_url=url, timeout=100) as http:
        headers = {"Authorization": f"Bearer {token.line}"}
        assert (await http.get("/api/me", headers=headers)).status_code == 200
        assert (await http.get("/api/health")).json()["queue"]["workers"] == 2

    assert await server.stop() == 0
    assert postgres_of(data_dir), "the worker still needs it"
    again = await spotter("token", "--email", OWNER, environment=environment)
    assert again.code == 0, again.err
    assert postgres_of(data_dir)
    assert worker.running

    assert await worker.stop() == 0
    await until(lambda: not postgres_of(data_dir), 5)
