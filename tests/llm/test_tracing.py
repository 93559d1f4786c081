"""Spans as the GenAI conventions have them; what was said stays out unless asked for."""

import json
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from spotter.llm import tracing
from spotter.llm.faults import ModelRateLimited
from spotter.llm.port import ModelSettings
from spotter.llm.prompt import AssistantMessage, ToolCall, ToolResult, UserMessage, prompt_of
from tests.llm.conftest import DIALECTS, model_at
from tests.llm.wire_scripts import Spoken, answer, refusal
from tests.llm.wire_server import Act, Answer, WireServer

PROMPT = prompt_of(
    UserMessage("secret question"),
    AssistantMessage("", (ToolCall("c", "add", "{}"),)),
    ToolResult("c", "3"),
    system="be",
)
SPOKEN = Spoken("secret answer", tokens=(10, 5, 100, 20))


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "_TRACER", provider.get_tracer("test"))
    yield exporter
    provider.shutdown()


def only(spans: InMemorySpanExporter) -> ReadableSpan:
    (span,) = spans.get_finished_spans()
    return span


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_an_answer(dialect: str, spans: InMemorySpanExporter, wire: WireServer) -> None:
    wire.plan = lambda asked: answer(dialect, SPOKEN, asked.body)
    async with model_at(dialect, wire.url) as model:
        async for _ in model.stream(
            PROMPT, settings=ModelSettings(max_output_tokens=50, cache_key="session-1")
        ):
            pass
    span = only(spans)
    assert (span.name, span.kind) == ("chat wire-model", SpanKind.CLIENT)
    seen = dict(span.attributes or {})
    assert seen.pop("gen_ai.response.time_to_first_chunk")
    assert seen.pop("server.port")
    assert seen == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic" if dialect == "anthropic" else "openai",
        "gen_ai.request.model": "wire-model",
        "gen_ai.request.stream": True,
        "gen_ai.request.max_tokens": 50,
        "gen_ai.output.type": "text",
        "gen_ai.conversation.id": "session-1",
        "server.address": "127.0.0.1",
        "gen_ai.response.model": "wire-model-2026",
        "gen_ai.response.id": seen["gen_ai.response.id"],
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 130,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 100,
        "gen_ai.usage.cache_creation.input_tokens": 20,
    }
    assert "secret" not in span.to_json()


async def test_what_was_said_when_asked_for(
    spans: InMemorySpanExporter, wire: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(tracing.CAPTURE_VARIABLE, "true")
    wire.plan = lambda asked: answer("chat", SPOKEN, asked.body)
    async with model_at("chat", wire.url) as model:
        await model.complete(PROMPT)
    seen = dict(only(spans).attributes or {})
    asked = json.loads(str(seen["gen_ai.input.messages"]))
    assert [message["role"] for message in asked] == ["user", "assistant", "tool"]
    said = json.loads(str(seen["gen_ai.output.messages"]))
    assert said[0]["parts"] == [{"type": "text", "content": "secret answer"}]
    assert json.loads(str(seen["gen_ai.system_instructions"])) == [{"type": "text", "content": "be"}]


async def test_a_failure(spans: InMemorySpanExporter, wire: WireServer) -> None:
    wire.plan = lambda asked: refusal("chat", 429, "rate_limit_error", "slow down")
    async with model_at("chat", wire.url) as model:
        with pytest.raises(ModelRateLimited):
            await model.complete(PROMPT)
    span = only(spans)
    assert (span.attributes or {})["error.type"] == "model_rate_limited"
    assert not span.status.is_ok


async def test_a_call_nobody_reads_to_its_end(spans: InMemorySpanExporter, wire: WireServer) -> None:
    events = [
        piece for piece in answer("chat", SPOKEN, b'{"stream": true}').pieces if isinstance(piece, bytes)
    ]
    wire.plan = lambda asked: Answer([*events[:3], Act.HANG])
    async with model_at("chat", wire.url) as model:
        stream = model.stream(PROMPT)
        await anext(stream)
        await stream.aclose()
    assert (only(spans).attributes or {})["error.type"] == "cancelled"
