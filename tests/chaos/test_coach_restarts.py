"""A visit to the coach outlives its server: killed and started again between any two messages, it goes on; and it goes
on through two instances that take turns."""

import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from spotter.ids import random_id
from spotter.store.embedded import EmbeddedPostgres
from tests.support.databases import environment_for, fresh_database, migrated_ground, settings_for
from tests.support.processes import Processes, spotter
from tests.support.round_robin import round_robin

pytestmark = pytest.mark.chaos

VISIT = (
    ("Hello, I want to start", "intake"),
    ("I want to get stronger, never trained, two dumbbells, 3 days a week, 30 minutes", "intake"),
    ("no to all", "intake"),
    ("yes, that's right", "planning"),
    ("let's start", "workout"),
    ("ready", "workout"),
    ("10 reps", "workout"),
    ("ouch my knee 6/10", "workout"),
    ("that's enough for today", "logging"),
    ("yes", "complete"),
)


async def say(url: str, message: str, token: str | None) -> tuple[dict[str, Any], str]:
    """As a guest of the demo organisation."""
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:
        said = await http.post(
            "/api/coach", json={"message": message}, headers={"X-Guest-Token": token} if token else {}
        )
    assert said.status_code == 200, said.text
    return said.json(), said.headers["X-Guest-Token"]


@pytest.fixture
async def environment(postgres: EmbeddedPostgres, tmp_path: Path) -> AsyncIterator[dict[str, str]]:
    async with fresh_database(postgres, f"coach_{random_id().hex[:8]}") as url:
        settings = settings_for(url, tmp_path)
        found = environment_for(settings)
        async with migrated_ground(settings):
            assert (await spotter("demo", environment=found)).code == 0
            yield found


@pytest.mark.parametrize("offset", [0, 1])
async def test_killed_between_any_two_messages_it_goes_on(
    environment: dict[str, str], started: Processes, offset: int
) -> None:
    """Between every other pair; the other half in the other round."""
    token: str | None = None
    sessions = set()
    answer: dict[str, Any] = {}
    server = started.server("serve", "--no-worker", environment=environment)
    url = await server.ready()
    for place, (message, state) in enumerate(VISIT):
        if place and place % 2 == offset:
            server.signal(signal.SIGKILL)
            await server.ended()
            server = started.server("serve", "--no-worker", environment=environment)
            url = await server.ready()
        answer, token = await say(url, message, token)
        assert answer["sessionState"] == state, (message, answer["message"])
        sessions.add(answer["sessionId"])
    assert len(sessions) == 1
    assert answer["data"]["xp"] > 0
    assert [entry["reps"] for entry in answer["data"]["log"]] == [10]


async def test_a_visit_behind_a_load_balancer(environment: dict[str, str], started: Processes) -> None:
    """Each message is a connection of its own, and goes to the next instance."""
    servers = [started.server("serve", "--no-worker", environment=environment) for _ in range(2)]
    async with round_robin([await server.ready() for server in servers]) as proxy:
        token: str | None = None
        for message, state in VISIT:
            answer, token = await say(proxy.url, message, token)
            assert answer["sessionState"] == state, message
    assert min(proxy.served[0], proxy.served[1]) >= len(VISIT) // 2
