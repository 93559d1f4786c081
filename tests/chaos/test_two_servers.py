"""A turn outlives its server: the process that answers is killed in the middle, the other one ends the answer."""

import asyncio
import json
import signal
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from spotter.ids import random_id
from spotter.store.embedded import EmbeddedPostgres
from tests.llm.fault_list import bytes_of
from tests.llm.wire_scripts import Spoken, answer
from tests.llm.wire_server import NO_OBJECTION, Act, Answer, Asked, WireServer
from tests.support.databases import environment_for, fresh_database, migrated_ground, settings_for
from tests.support.processes import Processes, Program, spotter, until

pytestmark = pytest.mark.chaos

OWNER = "owner@demo.spotter"
WHOLE = Spoken("Here is your answer, from the other machine.")


class Provider:
    """Says the beginning of an answer and then nothing, to whoever asks first; everybody else gets a whole one."""

    def __init__(self) -> None:
        self.asked = 0

    def plan(self, asked: Asked) -> Answer:
        if asked.path.endswith("/moderations"):
            return NO_OBJECTION
        self.asked += 1
        if self.asked == 1:
            return Answer([*bytes_of("chat", True, Spoken("Half of it."))[:3], Act.HANG])
        return answer("chat", WHOLE, asked.body)


@dataclass
class Pair:
    servers: list[Program]
    urls: list[str]
    headers: dict[str, str]
    provider: Provider

    def http(self, number: int) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.urls[number], timeout=60, headers=self.headers)


@pytest.fixture
async def pair(postgres: EmbeddedPostgres, tmp_path: Path, started: Processes) -> AsyncIterator[Pair]:
    provider = Provider()
    async with (
        WireServer(provider.plan) as wire,
        fresh_database(postgres, f"pair_{random_id().hex[:8]}") as url,
    ):
        settings = settings_for(url, tmp_path)
        environment = environment_for(
            settings,
            SPOTTER_MODEL="openai:gpt-4o",
            OPENAI_API_KEY="sk-nobody",
            OPENAI_BASE_URL=f"{wire.url}/v1",
            SPOTTER_SHUTDOWN_GRACE="0.2",
        )
        async with migrated_ground(settings):
            servers = [started.server("serve", "--no-worker", environment=environment) for _ in range(2)]
            urls = [await server.ready() for server in servers]
            assert (await spotter("demo", environment=environment)).code == 0
            token = (await spotter("token", "--email", OWNER, environment=environment)).line
            yield Pair(servers, urls, {"Authorization": f"Bearer {token}"}, provider)


@asynccontextmanager
async def following(http: httpx.AsyncClient, path: str) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    """The session's events, as a browser gets them."""

    async def events(response: httpx.Response) -> AsyncGenerator[dict[str, Any], None]:
        name = ""
        async for line in response.aiter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield {"event": name, **json.loads(line.removeprefix("data: "))}

    async with http.stream("GET", path, headers={"Accept": "text/event-stream"}) as response:
        assert response.status_code == 200
        async with aclosing(events(response)) as items:
            yield items


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_the_other_server_ends_the_answer(pair: Pair, how: signal.Signals) -> None:
    async with pair.http(0) as first, pair.http(1) as second:
        session_id = (await first.post("/api/sessions", json={})).json()["id"]
        path = f"/api/sessions/{session_id}"
        async with following(second, f"{path}/events") as events:
            asking = asyncio.create_task(first.post(f"{path}/messages", json={"text": "Are you there?"}))
            await until(lambda: pair.provider.asked == 1)
            pair.servers[0].signal(how)
            await asyncio.wait([asking])
            if asking.exception() is None:  # asked to stop, it says so, or passes on what the other one says
                said = asking.result()
                assert said.status_code == 503 or WHOLE.text in said.text
            seen: list[dict[str, Any]] = []
            async with asyncio.timeout(60):
                async for event in events:
                    if "sequence" in event:
                        seen.append(event)
                        if event["event"] == "assistant_message":
                            break
        assert [event["event"] for event in seen] == ["user_message", "assistant_message"]
        assert [event["sequence"] for event in seen] == [1, 2]
        assert WHOLE.text in json.dumps(seen[-1])
        answer_again = await second.post(f"{path}/messages", json={"text": "And now?"})
        assert answer_again.status_code == 200, answer_again.text
        assert pair.provider.asked == 3
