"""A server with canaries in its environment and database, and a net around it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from psycopg.conninfo import conninfo_to_dict
from pydantic import SecretStr

from spotter.api.server import Listener
from spotter.app import Ground, House, build_app, conversing, house
from spotter.llm import tracing
from tests.http.actions import PASSWORD
from tests.llm.conftest import KEY as WIRE_KEY
from tests.llm.wire_server import WireServer
from tests.support.canaries import PERSONAL, Net, debug_logs, secret
from tests.support.databases import SECRET

WRONG_PASSWORD = "canary-password-nobody-has-0815"


@dataclass(frozen=True, slots=True)
class Place:
    home: House
    http: httpx.AsyncClient
    wire: WireServer
    net: Net
    spans: InMemorySpanExporter

    async def ask(self, method: str, path: str, **how: Any) -> httpx.Response:
        """Of answers only refusals are kept: what somebody is shown is theirs."""
        answered = await self.http.request(method, path, **how)
        if answered.is_error:
            self.net.collect("problems", f"{answered.headers} {answered.text}")
        return answered

    def caught(self) -> list[tuple[str, str, str]]:
        for span in self.spans.get_finished_spans():
            self.net.collect("traces", span.to_json())
        return self.net.caught()


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "_TRACER", provider.get_tracer("test"))
    yield exporter
    provider.shutdown()


@pytest.fixture
async def place(
    base: Ground, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Place]:
    net = Net({**PERSONAL, **_secrets_of(base)})
    settings = base.settings.model_copy(
        update={"model": "openai:wire-model", "metrics_token": SecretStr(net.canaries["the metrics token"])}
    )
    with debug_logs() as net.written:
        async with WireServer() as wire:
            monkeypatch.setenv("OPENAI_API_KEY", net.canaries["OpenAI's key"])
            monkeypatch.setenv("OPENAI_BASE_URL", f"{wire.url}/v1")
            monkeypatch.setenv("ANTHROPIC_API_KEY", net.canaries["Anthropic's key"])
            async with house(replace(base, settings=settings)) as home, _served(home) as http:
                yield Place(home, http, wire, net, spans)


def _secrets_of(base: Ground) -> dict[str, str]:
    logins = {"owner": base.urls.owner, "runtime": base.urls.runtime, "job": base.urls.job}
    return {
        "OpenAI's key": secret("sk-"),
        "Anthropic's key": secret("sk-ant-api03-"),
        "the key of the wire": WIRE_KEY,
        "the metrics token": secret("metrics-"),
        "the installation's secret": SECRET,
        "a password": PASSWORD,
        "a wrong password": WRONG_PASSWORD,
        **{f"the {name}'s login": str(conninfo_to_dict(url)["password"]) for name, url in logins.items()},
    }


@asynccontextmanager
async def _served(home: House) -> AsyncIterator[httpx.AsyncClient]:
    listener = Listener(home.services.settings)
    ready, stop = asyncio.Event(), asyncio.Event()
    async with conversing(home):
        serving = asyncio.create_task(listener.serve(build_app(home.services), ready, stop))
        await ready.wait()
        async with httpx.AsyncClient(base_url=listener.url, timeout=60) as client:
            yield client
        stop.set()
        await serving
    listener.close()
