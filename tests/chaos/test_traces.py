"""One id from the request to the model call, the tool, the job and the trace (B11). A real server sends its spans."""

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from typing_extensions import override

from spotter.app import house
from spotter.ids import random_id
from spotter.logs import correlation_id
from spotter.store.embedded import EmbeddedPostgres
from spotter.store.scope import Scope
from spotter.traces import CORRELATION, enabled, span, wanted
from tests.llm.wire_scripts import Called, Spoken, answer
from tests.llm.wire_server import NO_OBJECTION, Answer, Asked, WireServer
from tests.support.databases import environment_for, fresh_database, migrated_ground, settings_for
from tests.support.processes import Processes, spotter, until

KEY = "sk-canary-of-the-provider-0123456789abcdef"
SAID = "a sentence that belongs in no trace"
OWNER = "owner@demo.spotter"


@dataclass
class Collector:
    """As an operator's OpenTelemetry collector, over HTTP."""

    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def spans(self) -> list[dict[str, Any]]:
        found = []
        for body in list(self.bodies):
            request = ExportTraceServiceRequest.FromString(body)
            for resource in request.resource_spans:
                service = {one.key: one.value.string_value for one in resource.resource.attributes}
                for scope in resource.scope_spans:
                    for one in scope.spans:
                        attributes = {
                            a.key: a.value.string_value or a.value.int_value for a in one.attributes
                        }
                        found.append(
                            {
                                "name": one.name,
                                "trace": one.trace_id.hex(),
                                "id": one.span_id.hex(),
                                "parent": one.parent_span_id.hex(),
                                "service": service.get("service.name"),
                                **attributes,
                            }
                        )
        return found

    def named(self, beginning: str, identifier: str) -> list[dict[str, Any]]:
        return [
            one
            for one in self.spans()
            if one["name"].startswith(beginning) and one.get(CORRELATION) == identifier
        ]


@contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            collector.bodies.append(self.rfile.read(int(self.headers["content-length"])))
            collector.headers.append(dict(self.headers.items()))
            self.send_response(200)
            self.end_headers()

        @override
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def plan(asked: Asked) -> Answer:
    if asked.path.endswith("/moderations"):
        return NO_OBJECTION
    if b"get_progress_summary" in asked.body and b'"tool"' not in asked.body:
        return answer("chat", Spoken(calls=[Called("get_progress_summary", "{}", "call_1")]), asked.body)
    return answer("chat", Spoken(calls=[Called("idle", "{}", "call_2")]), asked.body)


@dataclass
class Place:
    http: httpx.AsyncClient
    wire: WireServer
    collector: Collector
    home: Any
    log: Any


@pytest.fixture
async def place(postgres: EmbeddedPostgres, tmp_path: Path, started: Processes) -> AsyncIterator[Place]:
    async with (
        WireServer(plan) as wire,
        fresh_database(postgres, f"traces_{random_id().hex[:8]}") as url,
    ):
        settings = settings_for(url, tmp_path)
        with collecting() as collector:
            environment = environment_for(
                settings,
                SPOTTER_MODEL="openai:gpt-4o",
                OPENAI_API_KEY=KEY,
                OPENAI_BASE_URL=f"{wire.url}/v1",
                OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
                OTEL_EXPORTER_OTLP_HEADERS="x-tenant=gym",
                OTEL_SERVICE_NAME="spotter-test",
                OTEL_BSP_SCHEDULE_DELAY="100",
            )
            async with migrated_ground(settings) as base:
                server = started.server("serve", environment=environment)
                address = await server.ready()
                plain = {key: value for key, value in environment.items() if not key.startswith("OTEL_")}
                assert (await spotter("demo", environment=plain)).code == 0
                token = (await spotter("token", "--email", OWNER, environment=plain)).line
                headers = {"Authorization": f"Bearer {token}"}
                async with (
                    httpx.AsyncClient(base_url=address, timeout=120, headers=headers) as http,
                    house(base) as home,
                ):
                    yield Place(http, wire, collector, home, server)
                server.kill()


async def test_one_id_from_the_request_to_everything_it_causes(place: Place) -> None:
    http, collector = place.http, place.collector
    traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    made = await http.post("/api/sessions", json={"agent": "trainer"})
    path = f"/api/sessions/{made.json()['id']}/messages"
    headers = {"X-Correlation-ID": "the-request", "traceparent": traceparent}
    said = await http.post(path, json={"text": f"How am I doing? {SAID}"}, headers=headers)
    assert said.status_code == 200, said.text
    assert said.headers["x-correlation-id"] == "the-request"

    asked = [one for one in place.wire.asked if one.path.endswith("/chat/completions")]
    names = [one.headers["x-client-request-id"] for one in asked]
    assert len(set(names)) == len(names)
    assert all(name.startswith("the-request.") for name in names)

    wanted_spans = ("POST /api/sessions/{session_id}/messages", "turn", "tool get_progress_summary", "chat ")
    await until(lambda: all(collector.named(name, "the-request") for name in wanted_spans))
    request, turn, tool, chat = (collector.named(name, "the-request")[0] for name in wanted_spans)
    assert {one["trace"] for one in (request, turn, tool, chat)} == {traceparent.split("-")[1]}
    assert request["parent"] == traceparent.split("-")[2]
    parents = {one["id"]: one["parent"] for one in collector.spans()}
    assert request["id"] in ancestors(turn, parents)
    assert turn["id"] in ancestors(tool, parents) & ancestors(chat, parents)
    assert request["http.response.status_code"] == 200
    assert {one["service"] for one in collector.spans()} == {"spotter-test"}
    assert {headers["x-tenant"] for headers in collector.headers} == {"gym"}
    everything = b"".join(collector.bodies).decode(errors="replace")
    assert KEY not in everything
    assert SAID not in everything

    lines = [json.loads(line) for line in place.log.err.splitlines() if line.startswith("{")]
    access = [
        line
        for line in lines
        if line["logger"] == "spotter.access" and line.get("route", "").endswith("/messages")
    ]
    assert [line["correlation_id"] for line in access] == ["the-request"]
    await _figures(http)


def ancestors(one: dict[str, Any], parents: dict[str, str]) -> set[str]:
    found: set[str] = set()
    parent = one["parent"]
    while parent and parent not in found:
        found.add(parent)
        parent = parents.get(parent, "")
    return found


async def _figures(http: httpx.AsyncClient) -> None:
    figures = (await http.get("/metrics")).text
    for name in (
        'spotter_tool_seconds_count{outcome="ok",tool="get_progress_summary"}',
        'spotter_model_seconds_count{model="wire-model',
        'spotter_model_first_word_seconds_count{model="wire-model',
        'spotter_http_response_seconds_count{method="POST",route="/api/sessions/{session_id}/messages"',
        'spotter_model_tokens_total{kind="output",model="wire-model',
    ):
        assert name in figures, name


async def test_a_job_belongs_to_the_request_that_caused_it(place: Place) -> None:
    database = place.home.services.database
    me = (await place.http.get("/api/me")).json()
    scope = Scope(UUID(me["organisation"]["id"]), UUID(me["user_id"]), "owner")
    token = correlation_id.set("caused-a-job")
    try:
        async with database.unit_of_work(scope) as uow:
            await uow.defer("work.selftest", queue_name="upkeep", label="traced")
    finally:
        correlation_id.reset(token)
    await until(lambda: bool(place.collector.named("job work.selftest", "caused-a-job")))


def test_off_it_costs_nothing() -> None:
    assert not enabled()
    with span("nothing", http__route="/x") as current:
        assert current is None
    assert not wanted({})
    assert not wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"})
    assert not wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_TRACES_EXPORTER": "none"})
    assert wanted({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"})
