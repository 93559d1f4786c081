"""A server of ours before a model that says what a test wants, in OpenAI's own format."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from spotter.api.server import Listener
from spotter.app import Ground, build_app, conversing, house
from tests.llm.wire_server import NO_OBJECTION, Answer, Asked, Plan, WireServer


@asynccontextmanager
async def served_with(base: Ground, monkeypatch: pytest.MonkeyPatch, says: Plan) -> AsyncIterator[str]:
    """The address. The second opinion on what is said never objects."""

    def plan(asked: Asked) -> Answer:
        return NO_OBJECTION if asked.path.endswith("/moderations") else says(asked)

    async with WireServer(plan) as wire:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{wire.url}/v1")
        settings = base.settings.model_copy(update={"model": "gpt-4o-mini"})
        async with house(replace(base, settings=settings)) as home, conversing(home):
            listener = Listener(settings)
            ready, stop = asyncio.Event(), asyncio.Event()
            serving = asyncio.create_task(listener.serve(build_app(home.services), ready, stop))
            await ready.wait()
            try:
                yield listener.url
            finally:
                stop.set()
                await serving
                listener.close()
