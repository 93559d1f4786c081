"""Two servers, a client on each, one session: both see every event in order. One server is killed; its client goes on
at the other, from the last event it saw, and misses nothing."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets
from websockets.asyncio.client import ClientConnection

from spotter.ids import random_id
from spotter.store.embedded import EmbeddedPostgres
from tests.support.databases import environment_for, fresh_database, migrated_ground, settings_for
from tests.support.processes import Processes, Program, spotter

pytestmark = pytest.mark.chaos

OWNER = "owner@demo.spotter"


class Follower:
    """A client as the Dock has one: it remembers the last event it has seen, and asks for a ticket each time."""

    def __init__(self, session_id: str, headers: dict[str, str]) -> None:
        self._path = f"/api/sessions/{session_id}/ws"
        self._session_id = session_id
        self._headers = headers
        self.seen: list[dict[str, Any]] = []
        self._arrived = asyncio.Event()

    @property
    def last(self) -> int:
        return self.seen[-1]["sequence"] if self.seen else 0

    @asynccontextmanager
    async def at(self, url: str) -> AsyncIterator[None]:
        async with httpx.AsyncClient(base_url=url, timeout=60, headers=self._headers) as http:
            made = await http.post("/api/me/tickets", json={"session_id": self._session_id})
        assert made.status_code == 201, made.text
        address = (
            url.replace("http", "ws", 1) + f"{self._path}?after={self.last}&ticket={made.json()['ticket']}"
        )
        async with websockets.connect(address, proxy=None, max_size=None) as socket:
            reading = asyncio.create_task(self._read(socket))
            try:
                yield
            finally:
                reading.cancel()
                await asyncio.wait({reading})

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for text in socket:
                message = json.loads(text)
                if "sequence" in message:
                    self.seen.append(message)
                    self._arrived.set()
        except websockets.ConnectionClosed:
            return

    async def has(self, sequence: int) -> None:
        async with asyncio.timeout(120):
            while self.last < sequence:
                self._arrived.clear()
                await self._arrived.wait()


@pytest.fixture
async def pair(
    postgres: EmbeddedPostgres, tmp_path: Path, started: Processes
) -> AsyncIterator[tuple[list[Program], list[str], dict[str, str]]]:
    async with fresh_database(postgres, f"push_{random_id().hex[:8]}") as url:
        settings = settings_for(url, tmp_path)
        environment = environment_for(settings, SPOTTER_SHUTDOWN_GRACE="0.2")
        async with migrated_ground(settings):
            servers = [started.server("serve", "--no-worker", environment=environment) for _ in range(2)]
            urls = [await server.ready() for server in servers]
            assert (await spotter("demo", environment=environment)).code == 0
            token = (await spotter("token", "--email", OWNER, environment=environment)).line
            yield servers, urls, {"Authorization": f"Bearer {token}"}


async def test_both_see_everything_and_nothing_is_missed(
    pair: tuple[list[Program], list[str], dict[str, str]],
) -> None:
    servers, urls, headers = pair
    async with (
        httpx.AsyncClient(base_url=urls[0], timeout=60, headers=headers) as first,
        httpx.AsyncClient(base_url=urls[1], timeout=60, headers=headers) as second,
    ):
        session_id = (await first.post("/api/sessions", json={"agent": "trainer"})).json()["id"]
        path = f"/api/sessions/{session_id}"

        async def say(http: httpx.AsyncClient, text: str) -> int:
            said = await http.post(f"{path}/messages", json={"text": text})
            assert said.status_code == 200, said.text
            last: int = said.json()["events"][-1]["sequence"]
            return last

        one, other = Follower(session_id, headers), Follower(session_id, headers)
        async with other.at(urls[1]):
            async with one.at(urls[0]):
                await say(first, "Plan a short workout for me.")
                last = await say(second, "I only have dumbbells.")
                await one.has(last)
                await other.has(last)
                assert [event["sequence"] for event in one.seen] == list(range(1, last + 1))
                servers[0].kill()
            last = await say(second, "Make it 20 minutes.")
            async with one.at(urls[1]):
                last = await say(second, "Thanks.")
                await one.has(last)
                await other.has(last)
        log = (await second.get(f"{path}/events?limit=1000")).json()["items"]
    numbers = [event["sequence"] for event in log]
    assert [event["sequence"] for event in one.seen] == numbers
    assert [event["sequence"] for event in other.seen] == numbers
    assert [event["content"] for event in one.seen] == [event["content"] for event in log]
    assert one.seen == other.seen
    told = {push["type"] for event in one.seen for push in event.get("push", ())}
    assert {"tool_result", "workout_changed"} <= told
