"""OpenTelemetry spans for model calls, named as the GenAI semantic conventions name things.

Without the `opentelemetry-api` package, or with no SDK behind it, this costs next to nothing. What was said is only
recorded when the operator asks for it the standard way (`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true`), and
then without personal data and secrets: traces are redacted by whatever redacts the logs.
"""

import json
import os
import time
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from spotter.llm.faults import ModelError
from spotter.llm.port import Final as Answer
from spotter.llm.port import ModelSettings
from spotter.llm.prompt import AssistantMessage, Message, Prompt, ToolResult, UserMessage
from spotter.llm.text import clean
from spotter.logs import redact

if TYPE_CHECKING:
    from opentelemetry.trace import Span

try:
    trace: Any = import_module("opentelemetry.trace")
except ImportError:  # the package is optional
    trace = None

CAPTURE_VARIABLE: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

_TRACER: Final = trace.get_tracer("spotter.llm") if trace else None


class CallSpan:
    """The span of one call. It is never made current: the call may be streamed through other people's contexts."""

    __slots__ = ("_first", "_span", "_started")

    def __init__(self, span: "Span | None") -> None:
        self._span = span if span is not None and span.is_recording() else None
        self._started = time.perf_counter() if self._span else 0.0
        self._first = True

    def delta(self) -> None:
        if self._first and self._span:
            self._span.set_attribute(
                "gen_ai.response.time_to_first_chunk", time.perf_counter() - self._started
            )
        self._first = False

    def asked(self, prompt: Prompt) -> None:
        if not self._span or not captures_content():
            return
        system = [{"type": "text", "content": redact(section.text)} for section in prompt.system]
        messages = [_neutral(fragment.message) for fragment in (*prompt.messages, *prompt.trailing)]
        self._span.set_attribute("gen_ai.system_instructions", _json(system))
        self._span.set_attribute("gen_ai.input.messages", _json(messages))

    def answered(self, final: Answer) -> None:
        if not self._span:
            return
        usage = final.usage
        self._span.set_attributes(
            {
                "gen_ai.response.model": final.model,
                "gen_ai.response.id": final.response_id,
                "gen_ai.response.finish_reasons": [final.finish.value],
            }
        )
        if usage.reported:
            self._span.set_attributes(
                {
                    # The conventions count cached tokens in, unlike our own four kinds.
                    "gen_ai.usage.input_tokens": usage.prompt,
                    "gen_ai.usage.output_tokens": usage.output,
                    "gen_ai.usage.cache_read.input_tokens": usage.cache_read,
                    "gen_ai.usage.cache_creation.input_tokens": usage.cache_write,
                }
            )
        if captures_content():
            answer = {**_neutral(final.message()), "finish_reason": final.finish.value}
            self._span.set_attribute("gen_ai.output.messages", _json([answer]))
        self._span.end()

    def failed(self, error: ModelError) -> None:
        if not self._span:
            return
        self._span.set_attribute("error.type", error.code)
        self._span.set_status(trace.StatusCode.ERROR, error.code)
        self._span.end()

    def dropped(self) -> None:
        """Cancelled or no longer read. Harmless after `answered` and `failed`."""
        if self._span and self._span.is_recording():
            self._span.set_attribute("error.type", "cancelled")
            self._span.end()


NO_SPAN: Final = CallSpan(None)


def start(
    *, provider: str, model: str, settings: ModelSettings, streaming: bool, address: tuple[str, int | None]
) -> CallSpan:
    if _TRACER is None:
        return NO_SPAN
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": model,
        "gen_ai.request.stream": streaming,
        "gen_ai.output.type": "json" if settings.json_schema else "text",
    }
    optional = {
        "gen_ai.request.max_tokens": settings.max_output_tokens,
        "gen_ai.request.temperature": settings.temperature,
        "gen_ai.conversation.id": settings.cache_key,
        "server.address": address[0] or None,
        "server.port": address[1],
    }
    attributes.update({key: value for key, value in optional.items() if value is not None})
    return CallSpan(_TRACER.start_span(f"chat {model}", kind=trace.SpanKind.CLIENT, attributes=attributes))


def captures_content() -> bool:
    return os.environ.get(CAPTURE_VARIABLE, "").strip().lower() in {
        "true",
        "1",
        "span_only",
        "span_and_event",
    }


def _neutral(message: Message) -> dict[str, object]:
    parts: list[dict[str, object]] = []
    match message:
        case UserMessage(text):
            return {"role": "user", "parts": [{"type": "text", "content": redact(text)}]}
        case ToolResult(call_id, text, _):
            parts = [{"type": "tool_call_response", "id": call_id, "response": redact(text)}]
            return {"role": "tool", "parts": parts}
        case AssistantMessage(text, calls, _):
            if text:
                parts.append({"type": "text", "content": redact(text)})
            for call in calls:
                made = {"id": redact(call.id), "name": redact(call.name), "arguments": redact(call.arguments)}
                parts.append({"type": "tool_call", **made})
            return {"role": "assistant", "parts": parts}


def _json(value: Iterable[object]) -> str:
    return clean(json.dumps(value, ensure_ascii=False))
