"""What a tool leaves in the outbox reaches the outside though workers die: before, while and after it is told.

The outside may hear it again; it always hears it under the same key, so it can tell. Nothing is given up in silence.
"""

import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import select

from spotter.app import House, house
from spotter.ids import new_id, random_id
from spotter.runtime.agent import Agent
from spotter.runtime.executor import ToolContext
from spotter.sessions.tables import OutboxMessage
from spotter.store.embedded import EmbeddedPostgres
from tests.llm.wire_server import Act, Answer, Asked, WireServer
from tests.support.agents import new_session
from tests.support.databases import environment_for, fresh_database, migrated_ground, settings_for
from tests.support.people import Gym, open_gym
from tests.support.processes import Processes, Program, until

pytestmark = pytest.mark.chaos

WORKER = Path(__file__).with_name("delivering_worker.py")


class Outside:
    """Keeps what it hears, by key. The first listener is left hanging: it was told, and never gets to say so."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def plan(self, asked: Asked) -> Answer:
        self.heard.append(asked.headers["idempotency-key"])
        if len(self.heard) == 1:
            return Answer([Act.HANG], silent=True)
        return Answer([b"{}"], content_type="application/json")


@dataclass
class Scene:
    home: House
    gym: Gym
    outside: Outside
    url: str
    environment: dict[str, str]
    started: Processes

    def worker(self) -> Program:
        return self.started.start(sys.executable, str(WORKER), environment=self.environment)

    async def leave(self) -> str:
        """As a tool does, with its result."""
        scope = self.gym.member.scope
        session_id = await new_session(self.home, scope)
        agent = Agent(name="tester", model="offline", instructions="")
        context = ToolContext(scope, session_id, new_id().hex, agent, self.home.services.database)
        message_id = await context.outbox("post", {"url": self.url, "text": "Your class moved to 18:00."})
        await (await context.transaction()).__aexit__(None, None, None)
        return str(message_id)

    async def message(self) -> OutboxMessage:
        async with self.home.services.database.unit_of_work(self.gym.owner.scope) as uow:
            return (await uow.session.scalars(select(OutboxMessage))).one()

    async def delivered(self) -> bool:
        return (await self.message()).delivered_at is not None


@pytest.fixture
async def scene(postgres: EmbeddedPostgres, tmp_path: Path, started: Processes) -> AsyncIterator[Scene]:
    outside = Outside()
    async with (
        WireServer(outside.plan) as wire,
        fresh_database(postgres, f"outbox_{random_id().hex[:8]}") as url,
    ):
        settings = settings_for(url, tmp_path)
        environment = environment_for(settings, SPOTTER_WORKER_RESCUE_EVERY="0.3")
        async with migrated_ground(settings) as base, house(base) as home:
            yield Scene(home, await open_gym(home), outside, f"{wire.url}/hook", environment, started)


async def test_killed_between_telling_and_noting_it_down(scene: Scene) -> None:
    message_id = await scene.leave()
    first = scene.worker()
    await until(lambda: scene.outside.heard)
    assert not await scene.delivered()
    first.kill()
    second = scene.worker()
    while not await scene.delivered():
        assert second.running, second.err
    assert set(scene.outside.heard) == {message_id}
    assert len(scene.outside.heard) == 2


async def test_killed_before_anything_was_told(scene: Scene) -> None:
    scene.outside.heard.append("somebody else's")
    first = scene.worker()
    await first.says("working")
    first.kill()
    message_id = await scene.leave()
    second = scene.worker()
    while not await scene.delivered():
        assert second.running, second.err
    assert scene.outside.heard == ["somebody else's", message_id]
    assert (await scene.message()).attempts == 1
