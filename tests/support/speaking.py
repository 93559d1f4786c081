"""A server whose model speaks a provider's wire format and can be held in the middle of an answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from spotter.api.server import Listener
from spotter.app import Ground, House, build_app, conversing, house
from tests.llm.wire_scripts import Spoken, answer
from tests.llm.wire_server import NO_OBJECTION, Answer, Asked, WireServer


class Speaker:
    """Says two thirds, then waits until it may go on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.may_go_on = asyncio.Event()

    def plan(self, asked: Asked) -> Answer:
        if asked.path.endswith("/moderations"):
            return NO_OBJECTION
        spoken = answer("chat", Spoken(self.text, tokens=(1000, 200, 0, 0), model="gpt-4o"), asked.body)
        pieces = list(spoken.pieces)
        held = len(pieces) * 2 // 3
        return replace(spoken, pieces=[*pieces[:held], self.may_go_on, *pieces[held:]])


@asynccontextmanager
async def speaking_server(
    base: Ground, monkeypatch: pytest.MonkeyPatch, speaker: Speaker
) -> AsyncIterator[tuple[House, str]]:
    """The house and its address."""
    async with WireServer(speaker.plan) as wire:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{wire.url}/v1")
        settings = base.settings.model_copy(update={"model": "openai:gpt-4o"})
        async with house(replace(base, settings=settings)) as home, conversing(home):
            listener = Listener(settings)
            ready, stop = asyncio.Event(), asyncio.Event()
            serving = asyncio.create_task(listener.serve(build_app(home.services), ready, stop))
            await ready.wait()
            try:
                yield home, listener.url
            finally:
                speaker.may_go_on.set()
                stop.set()
                await serving
                listener.close()
