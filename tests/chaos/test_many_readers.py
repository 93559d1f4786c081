"""Many readers of one session on one server. Some lose their connection and come back, some are slow: each sees every
event once, in order, and the slow ones are nobody else's trouble."""

import asyncio
import os
import random
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import psutil
import pytest

from spotter.app import House, house
from spotter.ids import random_id
from spotter.runtime.context import SessionView
from spotter.sessions import directory
from spotter.sessions.verify import Wanted, verify
from spotter.store.embedded import EmbeddedPostgres
from tests.chaos.turn_lab import LONG
from tests.support.databases import environment_for, fresh_database, migrated_ground, settings_for
from tests.support.people import Gym, open_gym
from tests.support.processes import Processes

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(1800 if LONG else 300)]

READERS = 1_000 if LONG else 100
TURNS = 12
PAUSE = READERS * 0.006
"""Seconds between turns: what is measured is how soon readers hear, not how much can be forced through."""
DROPPED, SLOW = 0.10, 0.05
_AT = re.compile(rb'"at":"([^"]+)"')
_HANG = 1500.0 if LONG else 280.0


@dataclass
class Reader:
    """As a browser does it: remembers the last id, and asks for what came after it."""

    host: str
    port: int
    path: str
    token: str
    slow: bool
    drops: list[int]
    """After how many events of a connection it is cut."""
    seen: list[int] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    connections: int = 0
    refused: int = 0

    async def read_to(self, last: int) -> None:
        while not self.seen or self.seen[-1] < last:
            await self._read_once(last, self.drops.pop() if self.drops else None)

    async def _read_once(self, last: int, cut_after: int | None) -> None:
        reader, writer = await asyncio.open_connection(
            self.host, self.port, limit=2**12 if self.slow else 2**16
        )
        self.connections += 1
        connected, here = time.time(), 0
        try:
            writer.write(self._request())
            async for line in reader:
                if line.startswith(b"HTTP/"):
                    assert b" 200 " in line or b" 503 " in line, line
                    if b" 503 " in line:
                        self.refused += 1
                        await asyncio.sleep(1)
                        return
                elif line.startswith(b"id: "):
                    self.seen.append(int(line[4:]))
                    here += 1
                elif line.startswith(b"data: ") and (at := _AT.search(line)) is not None:
                    happened = datetime.fromisoformat(at[1].decode()).timestamp()
                    if happened > connected:
                        self.delays.append(time.time() - happened)
                    if self.seen[-1] >= last or here == cut_after:
                        return
                    if self.slow:
                        await asyncio.sleep(0.15)
        finally:
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()

    def _request(self) -> bytes:
        lines = [
            f"GET {self.path} HTTP/1.0",
            f"Host: {self.host}:{self.port}",
            f"Authorization: Bearer {self.token}",
            "Accept: text/event-stream",
            *([f"Last-Event-ID: {self.seen[-1]}"] if self.seen else []),
        ]
        return "\r\n".join([*lines, "", ""]).encode()


@dataclass
class Stage:
    home: House
    gym: Gym
    url: str
    pid: int
    session_id: UUID


@pytest.fixture
async def stage(
    postgres: EmbeddedPostgres, process_name: str, tmp_path: Path, started: Processes
) -> AsyncIterator[Stage]:
    """A real server on a database of its own."""
    async with (
        fresh_database(postgres, f"readers_{process_name}") as url,
        migrated_ground(settings_for(url, tmp_path)) as base,
        house(base) as home,
    ):
        gym = await open_gym(home)
        async with home.services.database.unit_of_work(gym.member.scope) as uow:
            session_id = (await directory.create(uow, "assistant")).id
        program = started.server("serve", environment=environment_for(base.settings))
        yield Stage(home, gym, await program.ready(), program.pid, session_id)
        program.close()


async def test_everybody_sees_everything_once(
    stage: Stage, record_property: Callable[[str, object], None]
) -> None:
    seed = int(os.environ.get("SPOTTER_CHAOS_SEED", random_id().int % 2**32))
    dice, last = random.Random(seed), 2 * TURNS
    where = urlsplit(stage.url)
    readers = [
        Reader(
            str(where.hostname),
            int(where.port or 0),
            f"/api/sessions/{stage.session_id}/events",
            stage.gym.member.token,
            slow=number < READERS * SLOW,
            drops=[dice.randint(1, last // 2) for _ in range(3)] if dice.random() < DROPPED else [],
        )
        for number in range(READERS)
    ]
    async with asyncio.timeout(_HANG), asyncio.TaskGroup() as reading:
        for reader in readers:
            reading.create_task(reader.read_to(last))
            await asyncio.sleep(0.005)  # nobody opens a thousand streams in the same instant
        await asyncio.sleep(1)
        took = await _talk(stage)
    expected = list(range(1, last + 1))
    assert [reader.seen for reader in readers if reader.seen != expected] == []
    memory = psutil.Process(stage.pid).memory_info().rss / 2**20
    fast = sorted(delay for reader in readers if not reader.slow for delay in reader.delays)
    p50, p95 = fast[len(fast) // 2], fast[int(len(fast) * 0.95)]
    tries, refused = (sum(getattr(one, name) for one in readers) for name in ("connections", "refused"))
    record_property("event_delay_ms", {"p50": round(p50 * 1000), "p95": round(p95 * 1000)})
    server, here = psutil.Process(stage.pid).cpu_times(), psutil.Process().cpu_times()
    print(
        f"\n{READERS} readers, {tries} connections, {refused} of them told to come back later, {last} events each: "
        f"seen after {p50 * 1000:.0f} ms (p95 {p95 * 1000:.0f} ms, worst {fast[-1] * 1000:.0f} ms); a turn took "
        f"{took * 1000:.0f} ms; the server has {memory:.0f} MB and used {server.user + server.system:.0f} s of CPU, "
        f"the readers {here.user + here.system:.0f} s (SPOTTER_CHAOS_SEED={seed})"
    )
    findings = await verify(stage.home.base.urls, SessionView, Wanted(session_id=stage.session_id))
    assert findings.violations == []
    assert memory < 1024


async def _talk(stage: Stage) -> float:
    """Seconds a turn took, in the middle."""
    times = []
    async with httpx.AsyncClient(base_url=stage.url, headers=stage.gym.member.headers, timeout=_HANG) as http:
        for number in range(TURNS):
            began = time.monotonic()
            said = {"text": f"message {number}"}
            answer = await http.post(f"/api/sessions/{stage.session_id}/messages", json=said)
            assert answer.status_code == 200, answer.text
            times.append(time.monotonic() - began)
            await asyncio.sleep(PAUSE)
    return sorted(times)[len(times) // 2]
