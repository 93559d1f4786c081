"""Spotter itself as a subject: in-process, and as a server in a process of its own that is asked over HTTP."""

import asyncio
import gc
import json
import os
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
from pydantic import SecretStr
from sqlalchemy import select
from typing_extensions import override

from bench.fake_openai import FINAL_TEXT
from bench.peers.cpu import cpu_of
from bench.peers.loops import run
from bench.peers.worker import SYSTEM
from spotter.api.server import Listener
from spotter.app import House, build_app, conversing, ground, house, warm_up
from spotter.identity import look_ups
from spotter.identity.organisations import add_organisation, add_person
from spotter.identity.principal import Role
from spotter.llm.allowed import AllowedModels
from spotter.llm.port import DEFAULTS, Chunk, Final, Model, ModelSettings, StreamingModel
from spotter.llm.prompt import NO_TOOLS, Prompt, Tools
from spotter.llm.resolver import Credentials, Endpoint, Resolver
from spotter.offline import OfflineModel
from spotter.runtime.agent import Agent
from spotter.runtime.executor import ToolContext
from spotter.runtime.kit import Kit
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.tool import tool
from spotter.runtime.turns import Turns
from spotter.runtime.watch import Watch
from spotter.scenarios import keeping
from spotter.scenarios.agent_files import AgentFile
from spotter.scenarios.definitions import Definitions, rules_of
from spotter.scenarios.own import AGENTS
from spotter.sessions import directory
from spotter.sessions.codec import Event
from spotter.sessions.events import (
    Action,
    AssistantMessage,
    Checkpoint,
    Content,
    Result,
    UserMessage,
    ending_of,
)
from spotter.sessions.tables import AgentSession
from spotter.settings import Settings
from spotter.store.scope import UNSCOPED, Scope
from spotter.tools import TOOLS

AGENT = "calc"
MODEL = "openai:fake"
SLUG = "bench"
EMAIL = "owner@bench.example"


@tool(name="add", category="bench")
async def add(context: ToolContext, a: int, b: int) -> int:
    """Add two integers."""
    return a + b


def settings_for(url: str, data_dir: Path) -> Settings:
    values: dict[str, object] = {
        "database_url": url,
        "secret_key": "a secret that only the bench knows, long enough",
        "data_dir": data_dir,
        "host": "127.0.0.1",
        "port": 0,
        "rate_limits": False,
        "log_level": "WARNING",
    }
    return Settings.model_validate(values)


class Noted(StreamingModel):
    """A model that notes when it is asked for the first time in a turn: that is when the turn has started."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name, self.provider, self.capabilities = model.name, model.provider, model.capabilities
        self.asked: tuple[float, float] | None = None

    @override
    async def stream(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> AsyncGenerator[Chunk, None]:
        if self.asked is None:
            self.asked = (time.perf_counter(), time.process_time())
        async with aclosing(self._model.stream(prompt, tools, settings)) as chunks:
            async for chunk in chunks:
                yield chunk

    @override
    async def complete(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> Final:
        if self.asked is None:
            self.asked = (time.perf_counter(), time.process_time())
        return await self._model.complete(prompt, tools, settings)


@dataclass(frozen=True, slots=True)
class Place:
    home: House
    kit: Kit
    turns: Turns
    scope: Scope


@asynccontextmanager
async def spotter(model_url: str, store: str, *, noted: list[Noted] | None = None) -> AsyncIterator[Place]:
    """A whole house with one agent that can add; the model is asked over HTTP."""
    async with AsyncExitStack() as stack:
        base = await stack.enter_async_context(ground(settings_for(store, Path(os.environ["BENCH_DATA"]))))
        home = await stack.enter_async_context(house(base))
        services = home.services
        resolver = Resolver(offline=OfflineModel)
        stack.push_async_callback(resolver.aclose)
        owner = Credentials({"openai": Endpoint(model_url, SecretStr("none"))})
        # What a server has done before its first turn: the client is loaded, the rules of safety are read.
        resolver.resolve(MODEL, owner)
        warm_up()
        gc.collect()
        gc.freeze()  # as the server does

        async def models(scope: Scope, agent: Agent) -> Model:
            model = resolver.chain([agent.model, *agent.fallbacks], owner)
            if noted is None:
                return model
            noted.append(Noted(model))
            return noted[-1]

        registry = ToolRegistry([*TOOLS, add])
        rules = rules_of(registry, AllowedModels([MODEL]))
        definitions = Definitions(services.database, rules, MODEL)
        kit = Kit(
            database=services.database,
            bus=services.bus,
            log=services.log,
            registry=registry,
            agents=definitions.agent,
            models=models,
        )
        turns = Turns(kit)
        home = replace(
            home,
            services=replace(
                services, turns=turns, registry=registry, agents=kit.agents, definitions=definitions
            ),
        )
        await stack.enter_async_context(conversing(home))
        scope = await _somebody(home)
        await _calculator(home, scope)
        yield Place(home, kit, turns, scope)


async def _calculator(home: House, scope: Scope) -> None:
    """The organisation's own agent, stored by whoever comes first."""
    definitions = home.services.definitions
    if AGENT in (await definitions.book(scope)).agents:
        return
    file = AgentFile(name=AGENT, instructions=SYSTEM, model=MODEL, tools=("add",))
    async with home.services.database.unit_of_work(scope) as uow:
        await keeping.create(uow, definitions, AGENTS, file)


async def _somebody(home: House) -> Scope:
    """The owner of the bench's organisation, made by whoever comes first."""
    async with home.services.database.unit_of_work(UNSCOPED) as uow:
        login = await look_ups.find_login(uow, EMAIL)
        if login is None:
            user_id = await add_person(uow, EMAIL, "Owner", None)
            org_id = await add_organisation(uow, slug=SLUG, name="Bench", owner=user_id, timezone="UTC")
            return Scope(org_id, user_id, Role.OWNER.value)
    place = await home.services.sign_in.choose_place(login.user_id, SLUG)
    return Scope(place.org_id, login.user_id, place.role.value)


class SpotterInProcess:
    pids: list[int] | None = None

    async def open(self, model_url: str, store: str) -> None:
        self._stack = AsyncExitStack()
        self._noted: list[Noted] = []
        noting = self._noted if os.environ.get("BENCH_NOTED") else None
        self._place = await self._stack.enter_async_context(spotter(model_url, store, noted=noting))
        self._sessions: dict[str, UUID] = {}
        self._seen: dict[UUID, int] = {}

    async def prepare(self, session: str) -> None:
        if session in self._sessions:
            return
        async with self._place.home.services.database.unit_of_work(self._place.scope) as uow:
            found = await uow.session.scalar(select(AgentSession).where(AgentSession.title == session))
            row = found or await directory.create(uow, AGENT, title=session)
            self._sessions[session] = row.id
            self._seen[row.id] = row.last_sequence

    async def turn(self, session: str, text: str, stream: bool) -> str:
        session_id = self._sessions[session]
        if stream:
            return await self._watched(session_id, text)
        place = self._place
        ticket = await place.turns.say(place.scope, session_id, UserMessage(text=text), stream=False)
        assert ticket.done is not None
        await ticket.done
        return self._text(
            session_id, await place.kit.log.read(place.scope, session_id, after=self._seen[session_id])
        )

    async def _watched(self, session_id: UUID, text: str) -> str:
        """Followed as it is spoken; what was heard must be what was said."""
        place, kit = self._place, self._place.kit
        watch = Watch(kit.bus, kit.log, place.scope, session_id, self._seen[session_id])
        await place.turns.say(place.scope, session_id, UserMessage(text=text))
        heard: list[str] = []
        events: list[Event] = []
        async with aclosing(watch.follow()) as items:
            async for item in items:
                if not isinstance(item, Event):
                    heard.append(item.text)
                    continue
                events.append(item)
                if ending_of(item.content) is not None:
                    break
        said = self._text(session_id, events)
        if heard and "".join(heard) != said:
            raise RuntimeError(f"heard {''.join(heard)!r}, said {said!r}")
        return said

    def _text(self, session_id: UUID, events: list[Event]) -> str:
        self._seen[session_id] = events[-1].sequence
        last = events[-1].content
        if len(events) != 4 or not isinstance(last, AssistantMessage):
            raise RuntimeError(f"not a whole turn: {[event.type for event in events]}")
        return last.text

    async def special(self, request: dict[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "long log":
                await self.prepare(request["session"])
                await self._write_log(self._sessions[request["session"]], request["events"])
                return {}
            case "start":
                await self.prepare(request["session"])
                return await self._start_of_turn(request["session"])
            case _:
                raise ValueError(request["do"])

    async def _write_log(self, session_id: UUID, events: int) -> None:
        """A log as turns and checkpoints would have left it. The last 100 events are in the context."""
        place, last = self._place, 0
        while last < events:
            batch = [
                event
                for number in range(min(250, (events - last + 3) // 4))
                for event in _past_turn(last + number)
            ]
            last = (await place.kit.log.append(place.scope, session_id, batch)).last
            if last >= 1000:
                summary = "They asked for sums, again and again. " * 20
                checkpoint = Checkpoint(summary=summary, covers=last - 100)
                last = (await place.kit.log.append(place.scope, session_id, [checkpoint])).last
        self._seen[session_id] = last

    async def _start_of_turn(self, session: str) -> dict[str, Any]:
        """From the message to the first request to a model."""
        self._noted.clear()
        cpu, wall = cpu_of([os.getpid()]), time.perf_counter()
        await self.turn(session, "What is 1 + 2?", stream=False)
        asked = self._noted[0].asked
        assert asked is not None
        return {"wall_ms": (asked[0] - wall) * 1e3, "cpu_ms": (asked[1] - cpu) * 1e3}

    async def close(self) -> None:
        await self._stack.aclose()


def _past_turn(number: int) -> list[Content]:
    call_id = f"call_{number:012d}"
    return [
        UserMessage(text=f"Question {number}: what is 1 + 2?"),
        Action(tool="add", args='{"a": 1, "b": 2}', call_id=call_id),
        Result(tool="add", call_id=call_id, result=3, formatted="3"),
        AssistantMessage(text=FINAL_TEXT),
    ]


class SpotterHttp:
    """Only the server's CPU counts, not that of the client, which is this process."""

    async def open(self, model_url: str, store: str) -> None:
        self._server = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bench.spotter_subject",
            model_url,
            store,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        self.pids = [self._server.pid]
        assert self._server.stdout is not None
        ready = json.loads(await self._server.stdout.readline())
        self._client = httpx.AsyncClient(
            base_url=ready["url"],
            headers={"Authorization": f"Bearer {ready['token']}"},
            timeout=60,
            limits=httpx.Limits(max_connections=200, max_keepalive_connections=200),
        )
        self._sessions: dict[str, str] = {}

    async def prepare(self, session: str) -> None:
        if session not in self._sessions:
            answer = await self._client.post(
                "/api/sessions", json={"agent": AGENT, "title": f"http {session}"}
            )
            self._sessions[session] = answer.raise_for_status().json()["id"]

    async def turn(self, session: str, text: str, stream: bool) -> str:
        path = f"/api/sessions/{self._sessions[session]}/messages"
        accept = "text/event-stream" if stream else "application/json"
        answer = await self._client.post(path, json={"text": text}, headers={"Accept": accept})
        answer.raise_for_status()
        if not stream:
            return str(answer.json()["text"])
        data = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
        return str(next(item["content"]["text"] for item in reversed(data) if "content" in item))

    async def close(self) -> None:
        await self._client.aclose()
        assert self._server.stdin is not None
        self._server.stdin.close()
        await self._server.wait()


async def serve(model_url: str, store: str) -> None:
    """Until stdin ends."""
    async with spotter(model_url, store) as place:
        services = place.home.services
        async with services.database.unit_of_work(place.scope) as uow:
            token = (await services.sign_in.start_session(uow, device="bench")).access_token
        listener = Listener(services.settings)
        ready, stop = asyncio.Event(), asyncio.Event()
        serving = asyncio.create_task(listener.serve(build_app(services), ready, stop))
        await ready.wait()
        print(json.dumps({"url": listener.url, "token": token}), flush=True)
        await asyncio.to_thread(sys.stdin.read)
        stop.set()
        await serving
        listener.close()


if __name__ == "__main__":
    run(serve(*sys.argv[1:3]))
