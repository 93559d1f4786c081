"""What healthy and unhealthy providers send, in each dialect, built from one neutral description."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.llm.wire_server import Answer


@dataclass(frozen=True)
class Called:
    name: str
    arguments: str
    id: str


@dataclass(frozen=True)
class Spoken:
    """An answer a provider gives. Token counts are (uncached input, output, cache read, cache write)."""

    text: str = ""
    calls: Sequence[Called] = ()
    tokens: tuple[int, int, int, int] | None = (11, 7, 0, 0)
    finish: str = "stop"
    """stop, length, refusal, or "" for none at all."""
    refusal: str = ""
    model: str = "wire-model-2026"


def pieces(text: str, size: int = 5) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def sse(event: Any, *, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()


# ---- OpenAI Chat Completions


def _chat_usage(tokens: tuple[int, int, int, int]) -> dict[str, Any]:
    uncached, output, read, written = tokens
    prompt = uncached + read + written
    details = {"cached_tokens": read, "cache_write_tokens": written}
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": details,
    }


def _chat_finish(spoken: Spoken) -> str | None:
    if spoken.calls and spoken.finish == "stop":
        return "tool_calls"
    return {"stop": "stop", "length": "length", "refusal": "content_filter", "": None}[spoken.finish]


def chat_events(spoken: Spoken) -> list[bytes]:
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": spoken.model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return sse(
            {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": None}
        )

    out = [chunk({"role": "assistant", "content": ""})]
    out += [chunk({"content": piece}) for piece in pieces(spoken.text)]
    if spoken.refusal:
        out.append(chunk({"refusal": spoken.refusal}))
    for index, call in enumerate(spoken.calls):
        start = {
            "index": index,
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": ""},
        }
        out.append(chunk({"tool_calls": [start]}))
        for piece in pieces(call.arguments):
            out.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
    if (finish := _chat_finish(spoken)) is not None:
        out.append(chunk({}, finish))
    if spoken.tokens is not None:
        out.append(sse({**base, "choices": [], "usage": _chat_usage(spoken.tokens)}))
    return [*out, sse("[DONE]")]


def chat_whole(spoken: Spoken) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": spoken.text or None,
        "refusal": spoken.refusal or None,
    }
    if spoken.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in spoken.calls
        ]
    whole: dict[str, Any] = {"id": "chatcmpl-1", "object": "chat.completion", "model": spoken.model}
    whole["choices"] = [{"index": 0, "message": message, "finish_reason": _chat_finish(spoken)}]
    if spoken.tokens is not None:
        whole["usage"] = _chat_usage(spoken.tokens)
    return whole


# ---- OpenAI Responses


def responses_whole(spoken: Spoken) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    content: list[dict[str, Any]] = []
    if spoken.text:
        content.append({"type": "output_text", "text": spoken.text, "annotations": []})
    if spoken.refusal:
        content.append({"type": "refusal", "refusal": spoken.refusal})
    if content:
        output.append({"type": "message", "id": "msg_1", "role": "assistant", "content": content})
    for call in spoken.calls:
        output.append({"type": "function_call", "id": f"fc_{call.id}", "call_id": call.id, "name": call.name,
                       "arguments": call.arguments})  # fmt: skip
    whole: dict[str, Any] = {"id": "resp_1", "object": "response", "model": spoken.model, "output": output}
    whole["status"] = {"length": "incomplete", "": "in_progress", "refusal": "incomplete"}.get(
        spoken.finish, "completed"
    )
    if whole["status"] == "incomplete":
        reason = "max_output_tokens" if spoken.finish == "length" else "content_filter"
        whole["incomplete_details"] = {"reason": reason}
    if spoken.tokens is not None:
        uncached, out, read, written = spoken.tokens
        whole["usage"] = {
            "input_tokens": uncached + read + written,
            "output_tokens": out,
            "total_tokens": uncached + read + written + out,
            "input_tokens_details": {"cached_tokens": read, "cache_write_tokens": written},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
    return whole


def responses_events(spoken: Spoken) -> list[bytes]:
    whole = responses_whole(spoken)
    started = {"id": "resp_1", "model": spoken.model, "status": "in_progress", "output": []}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": started}]
    for index, item in enumerate(whole["output"]):
        if item["type"] == "function_call":
            events.append(
                {
                    "type": "response.output_item.added",
                    "output_index": index,
                    "item": {**item, "arguments": ""},
                }
            )
            for piece in pieces(item["arguments"]):
                events.append(
                    {"type": "response.function_call_arguments.delta", "output_index": index, "delta": piece}
                )
        else:
            events.append(
                {"type": "response.output_item.added", "output_index": index, "item": {**item, "content": []}}
            )
            for part in item["content"]:
                kind = "output_text" if part["type"] == "output_text" else "refusal"
                for piece in pieces(part.get("text") or part.get("refusal") or ""):
                    events.append({"type": f"response.{kind}.delta", "output_index": index, "delta": piece})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    if spoken.finish:
        ending = "incomplete" if whole["status"] == "incomplete" else "completed"
        events.append({"type": f"response.{ending}", "response": whole})
    return [sse({**event, "sequence_number": n}, name=event["type"]) for n, event in enumerate(events)]


# ---- Anthropic Messages


def _claude_finish(spoken: Spoken) -> str | None:
    if spoken.refusal:
        return "refusal"
    if spoken.calls and spoken.finish == "stop":
        return "tool_use"
    return {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal", "": None}[spoken.finish]


def anthropic_events(spoken: Spoken) -> list[bytes]:
    message: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": spoken.model,
                               "content": [], "stop_reason": None}  # fmt: skip
    ending: dict[str, Any] = {}
    if spoken.tokens is not None:
        uncached, output, read, written = spoken.tokens
        message["usage"] = {"input_tokens": uncached, "output_tokens": 1, "cache_read_input_tokens": read,
                            "cache_creation_input_tokens": written}  # fmt: skip
        ending["usage"] = {"output_tokens": output}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}, {"type": "ping"}]
    index = 0
    if text := spoken.text + spoken.refusal:
        events.append(
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        )
        for piece in pieces(text):
            events.append(
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
            )
        events.append({"type": "content_block_stop", "index": 0})
        index = 1
    for call in spoken.calls:
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        for piece in pieces(call.arguments):
            delta = {"type": "input_json_delta", "partial_json": piece}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
        index += 1
    if (finish := _claude_finish(spoken)) is not None:
        events.append({"type": "message_delta", "delta": {"stop_reason": finish}, **ending})
        events.append({"type": "message_stop"})
    return [sse(event, name=event["type"]) for event in events]


# ---- Answers


STREAMS: dict[str, Callable[[Spoken], list[bytes]]] = {
    "chat": chat_events,
    "responses": responses_events,
    "anthropic": anthropic_events,
}
WHOLES: dict[str, Callable[[Spoken], dict[str, Any]]] = {"chat": chat_whole, "responses": responses_whole}
REQUEST_IDS = {"x-request-id": "req_1", "request-id": "req_1"}


def streamed(dialect: str, spoken: Spoken) -> Answer:
    return Answer(STREAMS[dialect](spoken), headers=REQUEST_IDS)


def whole(dialect: str, spoken: Spoken) -> Answer:
    body = json.dumps(WHOLES[dialect](spoken)).encode()
    return Answer([body], content_type="application/json", headers=REQUEST_IDS, length=len(body))


def answer(dialect: str, spoken: Spoken, body: bytes) -> Answer:
    """In the form the request asked for."""
    return streamed(dialect, spoken) if json.loads(body)["stream"] else whole(dialect, spoken)


def refusal(
    dialect: str, status: int, kind: str, message: str, headers: dict[str, str] | None = None
) -> Answer:
    """An error with a status, worded as the provider words it."""
    error: dict[str, Any] = {"message": message, "type": kind, "code": kind, "param": None}
    if dialect == "anthropic":
        body: dict[str, Any] = {"type": "error", "error": {"type": kind, "message": message}}
    else:
        body = {"error": error}
    text = json.dumps(body).encode()
    return Answer([text], status, "application/json", {**REQUEST_IDS, **(headers or {})}, length=len(text))
