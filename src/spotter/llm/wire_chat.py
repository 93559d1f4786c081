"""OpenAI Chat Completions, the dialect most servers speak: request bodies from cached pieces, and the stream's fold."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, assert_never

from typing_extensions import override

from spotter.llm.faults import ModelUnavailable, failed
from spotter.llm.folding import Fold, count
from spotter.llm.joining import Joining
from spotter.llm.port import Delta, FinishReason, ModelSettings, NamedTool, ToolChoice, Usage
from spotter.llm.prompt import (
    AssistantMessage,
    Fragment,
    Kind,
    Prompt,
    Section,
    ToolResult,
    Tools,
    UserMessage,
)
from spotter.llm.text import json_bytes, json_text, wire_id, wire_name

DIALECT = "openai"
_ASSISTANT, _RESULT = Kind.ASSISTANT, Kind.RESULT

PARAGRAPH = rb"\n\n"
"""Between sections inside a JSON string."""


def encode(fragment: Fragment) -> tuple[bytes, bytes]:
    match fragment.message:
        case UserMessage(text):
            parts = (b'{"role":"user","content":' + json_text(text) + b"}", b"")
        case ToolResult(call_id, text, _):
            head = b'{"role":"tool","tool_call_id":' + json_text(wire_id(call_id))
            parts = (head + b',"content":' + json_text(text) + b"}", b"")
        case AssistantMessage(text, calls, _):
            encoded = [
                b'{"id":' + json_text(wire_id(call.id)) + b',"type":"function","function":{"name":'
                + json_text(wire_name(call.name)) + b',"arguments":' + json_text(call.arguments) + b"}}"
                for call in calls
            ]  # fmt: skip
            parts = (json_text(text)[1:-1], b",".join(encoded))
        case _:
            assert_never(fragment.message)
    fragment.chat = parts
    return parts


def _assistant(run: Sequence[tuple[bytes, bytes]]) -> bytes:
    """One message of neighbouring assistant pieces; nothing when they say nothing."""
    texts = [text for text, _ in run if text]
    calls = [call for _, call in run if call]
    if calls:
        content = b'"' + PARAGRAPH.join(texts) + b'"' if texts else b"null"
        return b'{"role":"assistant","content":' + content + b',"tool_calls":[' + b",".join(calls) + b"]}"
    return b'{"role":"assistant","content":"' + PARAGRAPH.join(texts) + b'"}' if texts else b""


def messages(prompt: Prompt) -> list[bytes]:
    """Each message's bytes. Results directly follow their calls, also when somebody spoke in between."""
    joining = Joining(prompt, DIALECT)
    out = joining.out
    run: list[tuple[bytes, bytes]] = []
    waiting: list[bytes] = []
    last = len(joining.fragments)
    for position, fragment in enumerate(chain(joining.fragments, prompt.trailing)):
        parts = fragment.chat or encode(fragment)
        kind = fragment.kind
        if kind is _ASSISTANT:
            if waiting:
                out += waiting
                waiting.clear()
            if not run and position < last:
                joining.settle(position)
            run.append(parts)
            continue
        if run:
            if message := _assistant(run):
                out.append(message)
            run.clear()
        if kind is _RESULT:
            out.append(parts[0])
        else:
            waiting.append(parts[0])
    if run and (message := _assistant(run)):
        out.append(message)
    joining.keep()
    return out + waiting


def joined_sections(sections: Sequence[Section]) -> bytes:
    return b'"' + PARAGRAPH.join([section.encoded[1:-1] for section in sections]) + b'"'


def tool_choice(choice: ToolChoice) -> object:
    if isinstance(choice, NamedTool):
        return {"type": "function", "function": {"name": choice.name}}
    return choice


def _head(settings: ModelSettings, *, compatible: bool, temperature: bool) -> dict[str, Any]:
    named: dict[str, Any] = {
        "temperature": settings.temperature if temperature else None,
        "max_tokens" if compatible else "max_completion_tokens": settings.max_output_tokens,
        "stop": list(settings.stop) or None,
        "reasoning_effort": settings.effort,
        "prompt_cache_key": None if compatible else settings.cache_key,
    }
    head = {key: value for key, value in named.items() if value is not None}
    if (wanted := settings.json_schema) is not None:
        schema = {"name": wanted.name, "schema": wanted.schema, "strict": wanted.strict}
        head["response_format"] = {"type": "json_schema", "json_schema": schema}
    return head


def body(
    model: str,
    prompt: Prompt,
    tools: Tools,
    settings: ModelSettings,
    *,
    stream: bool,
    compatible: bool = False,
    temperature: bool = True,
) -> bytes:
    """The request. Everything that grows comes last. `compatible` is for servers that only know the older names."""
    head: dict[str, Any] = {"model": model, "stream": stream}
    if stream:
        head["stream_options"] = {"include_usage": True}
    head |= _head(settings, compatible=compatible, temperature=temperature)
    if tools:
        if settings.tool_choice != "auto":
            head["tool_choice"] = tool_choice(settings.tool_choice)
        if not settings.parallel_tool_calls:
            head["parallel_tool_calls"] = False
    head |= settings.extra
    pieces = messages(prompt)
    if prompt.system:
        pieces.insert(0, b'{"role":"system","content":' + joined_sections(prompt.system) + b"}")
    defined = b',"tools":' + tools.chat if tools else b""
    return b"".join((json_bytes(head)[:-1], defined, b',"messages":[', b",".join(pieces), b"]}"))


_FINISH = {
    "stop": FinishReason.STOP,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.REFUSAL,
}


def usage_of(reported: Any) -> Usage:
    """OpenAI counts cached tokens within the prompt's; we keep the four kinds apart."""
    details = reported.get("prompt_tokens_details") or {}
    read, written = count(details.get("cached_tokens")), count(details.get("cache_write_tokens"))
    return Usage(
        input=max(0, count(reported.get("prompt_tokens")) - read - written),
        output=count(reported.get("completion_tokens")),
        cache_read=read,
        cache_write=written,
        reported=True,
    )


class ChatFold(Fold):
    _refused = False

    @override
    def feed(self, event: Any) -> Iterable[Delta]:
        if usage := event.get("usage"):
            self.usage = usage_of(usage)
        choices = event.get("choices")
        if not choices:
            return ()
        self._model = event.get("model") or self._model
        self._response_id = event.get("id") or self._response_id
        choice = choices[0]
        deltas = self._message(choice.get("delta") or {})
        if reason := choice.get("finish_reason"):
            self._end(reason)
        return deltas

    @override
    def whole(self, answer: Any) -> None:
        self.feed({**answer, "choices": [
            {**choice, "delta": choice.get("message")} for choice in answer.get("choices") or ()
        ]})  # fmt: skip

    def _end(self, reason: str) -> None:
        if reason == "error":
            raise failed(ModelUnavailable, "gave up in the middle of its answer", self.origin, self.usage)
        self.finish = FinishReason.REFUSAL if self._refused else _FINISH.get(reason, FinishReason.STOP)

    def _message(self, delta: Any) -> Iterable[Delta]:
        deltas: list[Delta] = []
        if thought := delta.get("reasoning_content") or delta.get("reasoning"):
            deltas += self._think(str(thought))
        if text := delta.get("content"):
            deltas += self._say(text)
        if refusal := delta.get("refusal"):
            self._refused = True
            deltas += self._say(refusal)
        for position, call in enumerate(delta.get("tool_calls") or ()):
            deltas += self._tool_call(call, position)
        return deltas

    def _tool_call(self, call: Any, position: int) -> Iterable[Delta]:
        function = call.get("function") or {}
        index = call.get("index")
        if index is None:
            # Some servers send whole calls without numbering them, one or several per chunk.
            index = (
                len(self._calls)
                if call.get("id") or function.get("name")
                else max(self._calls, default=position)
            )
        deltas: list[Delta] = []
        if index not in self._calls:
            deltas += self._start(index, call.get("id") or "", function.get("name") or "")
        if arguments := function.get("arguments"):
            deltas += self._argue(
                index, arguments if isinstance(arguments, str) else json_bytes(arguments).decode()
            )
        return deltas
