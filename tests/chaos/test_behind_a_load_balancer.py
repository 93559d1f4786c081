"""Two instances behind a plain round-robin load balancer (B16): a conversation goes on whichever of them answers."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from spotter.ids import random_id
from spotter.store.embedded import EmbeddedPostgres
from tests.support.databases import environment_for, fresh_database, migrated_ground, settings_for
from tests.support.processes import Processes, Program, spotter
from tests.support.round_robin import RoundRobin, round_robin

pytestmark = pytest.mark.chaos

MEMBER = "member@demo.spotter"


@dataclass
class Site:
    balancer: RoundRobin
    servers: list[Program]
    http: httpx.AsyncClient
    environment: dict[str, str]

    async def chat(self, message: str, session_id: str | None = None, **more: Any) -> dict[str, Any]:
        body = {"message": message, **({"sessionId": session_id} if session_id else {}), **more}
        answer = await self.http.post("/api/agent/chat", json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


@pytest.fixture
async def site(postgres: EmbeddedPostgres, tmp_path: Path, started: Processes) -> AsyncIterator[Site]:
    async with fresh_database(postgres, f"site_{random_id().hex[:8]}") as url:
        settings = settings_for(url, tmp_path)
        environment = environment_for(settings, SPOTTER_SHUTDOWN_GRACE="0.2")
        async with migrated_ground(settings):
            servers = [started.server("serve", "--no-worker", environment=environment) for _ in range(2)]
            urls = [await server.ready() for server in servers]
            assert (await spotter("demo", environment=environment)).code == 0
            token = (await spotter("token", "--email", MEMBER, environment=environment)).line
            # A new connection for each request: so each goes to the next server.
            none_kept = httpx.Limits(max_keepalive_connections=0)
            headers = {"Authorization": f"Bearer {token}"}
            async with (
                round_robin(urls) as balancer,
                httpx.AsyncClient(
                    base_url=balancer.url, timeout=60, headers=headers, limits=none_kept
                ) as http,
            ):
                yield Site(balancer, servers, http, dict(environment))


async def test_a_trainer_conversation_goes_on_whoever_answers(site: Site) -> None:
    first = await site.chat("30 min upper body, no equipment")
    session_id = first["sessionId"]
    exercises = first["response"]["exercises"]
    assert exercises
    swapped = await site.chat("swap the second one", session_id)
    names = [[one["name"] for one in shown] for shown in (exercises, swapped["response"]["exercises"])]
    assert sum(old != new for old, new in zip(*names, strict=True)) == 1

    # Drafts, context and calls of tools: made on one instance, used on the other.
    draft = await site.http.put("/api/drafts/plan", json={"content": "mine"})
    assert draft.status_code == 201, draft.text
    context = (await site.http.post("/api/context/snapshot", json={"page": "/drafts"})).json()
    assert "draft_1: plan" in context["block"]
    called = await site.http.post(
        "/api/tools/execute",
        json={
            "tool": "set_goals",
            "arguments": {"category_goals": [{"category": "strength", "weight": 5}]},
            "session_id": session_id,
        },
    )
    assert called.json()["success"] is True, called.text
    await site.chat("I hate burpees, never again", session_id, context_id=context["context_id"])

    streamed = await site.http.post(
        "/api/agent/stream", json={"message": "log it, did everything but the last", "sessionId": session_id}
    )
    told = [json.loads(line[5:]) for line in streamed.text.splitlines() if line.startswith("data:")]
    assert told[-1] == {"type": "done", "sessionId": session_id}
    assert "log_workout" in [one["type"] for one in told]

    assert set(site.balancer.served) == {0, 1}, "one of them was never asked"
    assert min(site.balancer.served.values()) >= 3

    # One of them dies: the rest of the visit is the other's.
    site.servers[0].kill()
    last = await site.chat("how did my week go?", session_id)
    assert last["response"]["messages"]
    events = (await site.http.get(f"/api/sessions/{session_id}/events", params={"limit": 1000})).json()
    assert [event["sequence"] for event in events["items"]] == list(range(1, len(events["items"]) + 1))
    assert sum(event["type"] == "user_message" for event in events["items"]) == 5
    assert (await spotter("verify", environment=site.environment)).code == 0
