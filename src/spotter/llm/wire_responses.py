"""OpenAI Responses: request bodies from cached pieces, and the stream's fold. Nothing is stored at the provider."""

from collections.abc import Iterable
from itertools import chain
from typing import Any, assert_never

from typing_extensions import override

from spotter.llm.faults import Refusal, refused
from spotter.llm.folding import Fold, count
from spotter.llm.joining import Joining
from spotter.llm.port import Delta, FinishReason, ModelSettings, NamedTool, Usage
from spotter.llm.prompt import (
    AssistantMessage,
    Fragment,
    Kind,
    Prompt,
    Replay,
    ToolResult,
    Tools,
    UserMessage,
)
from spotter.llm.text import json_bytes, json_text, wire_id, wire_name
from spotter.llm.wire_chat import joined_sections

DIALECT = "openai-responses"


def encode(fragment: Fragment) -> tuple[bytes, bytes]:
    match fragment.message:
        case UserMessage(text):
            parts = (b'{"role":"user","content":' + json_text(text) + b"}", b"")
        case ToolResult(call_id, text, _):
            head = b'{"type":"function_call_output","call_id":' + json_text(wire_id(call_id))
            parts = (head + b',"output":' + json_text(text) + b"}", b"")
        case AssistantMessage(text, calls, replay):
            leading = (
                [block.encode() for block in replay.blocks] if replay and replay.dialect == DIALECT else []
            )
            if text:
                leading.append(b'{"role":"assistant","content":' + json_text(text) + b"}")
            encoded = [
                b'{"type":"function_call","call_id":' + json_text(wire_id(call.id)) + b',"name":'
                + json_text(wire_name(call.name)) + b',"arguments":' + json_text(call.arguments) + b"}"
                for call in calls
            ]  # fmt: skip
            parts = (b",".join(leading), b",".join(encoded))
        case _:
            assert_never(fragment.message)
    fragment.responses = parts
    return parts


def items(prompt: Prompt) -> list[bytes]:
    """Each item's bytes; results before what was said while the tools ran."""
    joining = Joining(prompt, DIALECT)
    out = joining.out
    waiting: list[bytes] = []
    last, before = len(joining.fragments), Kind.USER
    for position, fragment in enumerate(chain(joining.fragments, prompt.trailing)):
        leading, calls = fragment.responses or encode(fragment)
        kind = fragment.kind
        if kind is Kind.ASSISTANT:
            if waiting:
                out += waiting
                waiting.clear()
            if before is not kind and position < last:
                joining.settle(position)
        before = kind
        if kind is Kind.USER:
            waiting.append(leading)
            continue
        if leading:
            out.append(leading)
        if calls:
            out.append(calls)
    joining.keep()
    return out + waiting


def body(
    model: str,
    prompt: Prompt,
    tools: Tools,
    settings: ModelSettings,
    *,
    stream: bool,
    temperature: bool = True,
) -> bytes:
    head: dict[str, Any] = {"model": model, "stream": stream, "store": False}
    if settings.temperature is not None and temperature:
        head["temperature"] = settings.temperature
    if settings.max_output_tokens is not None:
        head["max_output_tokens"] = settings.max_output_tokens
    if settings.effort is not None:
        head["reasoning"] = {"effort": settings.effort}
        # Without storage the model's reasoning survives a tool call only if we carry it, sealed.
        head["include"] = ["reasoning.encrypted_content"]
    if settings.cache_key:
        head["prompt_cache_key"] = settings.cache_key
    if (wanted := settings.json_schema) is not None:
        form = {"type": "json_schema", "name": wanted.name, "schema": wanted.schema, "strict": wanted.strict}
        head["text"] = {"format": form}
    if tools:
        if isinstance(settings.tool_choice, NamedTool):
            head["tool_choice"] = {"type": "function", "name": settings.tool_choice.name}
        elif settings.tool_choice != "auto":
            head["tool_choice"] = settings.tool_choice
        if not settings.parallel_tool_calls:
            head["parallel_tool_calls"] = False
    head.update(settings.extra)
    pieces = items(prompt)
    instructions = b',"instructions":' + joined_sections(prompt.system) if prompt.system else b""
    defined = b',"tools":' + tools.responses if tools else b""
    return b"".join((json_bytes(head)[:-1], instructions, defined, b',"input":[', b",".join(pieces), b"]}"))


def usage_of(reported: Any) -> Usage:
    details = reported.get("input_tokens_details") or {}
    read, written = count(details.get("cached_tokens")), count(details.get("cache_write_tokens"))
    return Usage(
        input=max(0, count(reported.get("input_tokens")) - read - written),
        output=count(reported.get("output_tokens")),
        cache_read=read,
        cache_write=written,
        reported=True,
    )


_TALK = frozenset(
    {
        "response.output_text.delta",
        "response.refusal.delta",
        "response.reasoning_summary_text.delta",
        "response.reasoning_text.delta",
    }
)


class ResponsesFold(Fold):
    _refused = False
    _last: Any = None
    _sealed: tuple[str, ...] = ()

    @override
    def feed(self, event: Any) -> Iterable[Delta]:
        # Events are numbered, so one that came twice can be told from a model repeating itself.
        if event.get("sequence_number") is not None and event == self._last:
            return ()
        self._last = event
        if event.get("type") in _TALK:
            return self._talk(event["type"], event)
        match event.get("type"):
            case "response.function_call_arguments.delta":
                return self._argue(event["output_index"], event["delta"])
            case "response.output_item.added":
                return self._item_added(event["output_index"], event["item"])
            case "response.output_item.done":
                return self._item_done(event["output_index"], event["item"])
            case kind:
                self._milestone(kind, event)
                return ()

    def _talk(self, kind: str, event: Any) -> Iterable[Delta]:
        if kind.startswith("response.reasoning"):
            return self._think(event["delta"])
        self._refused = self._refused or kind == "response.refusal.delta"
        return self._say(event["delta"])

    @override
    def whole(self, answer: Any) -> None:
        for index, item in enumerate(answer.get("output") or ()):
            self._item_added(index, {**item, "arguments": ""})
            self._item_done(index, item)
            for part in (item.get("content") or ()) if item.get("type") == "message" else ():
                self._refused = self._refused or part.get("type") == "refusal"
                self._say(part.get("text") or part.get("refusal") or "")
        self._ended(answer)

    def _item_added(self, index: int, item: Any) -> Iterable[Delta]:
        if item.get("type") != "function_call":
            return ()
        deltas = list(self._start(index, item.get("call_id") or "", item.get("name") or ""))
        if arguments := item.get("arguments"):
            deltas += self._argue(index, arguments)
        return deltas

    def _item_done(self, index: int, item: Any) -> Iterable[Delta]:
        if item.get("type") == "reasoning" and item.get("encrypted_content"):
            self._sealed += (json_bytes(item).decode(),)
        if item.get("type") != "function_call":
            return ()
        deltas = [] if index in self._calls else list(self._item_added(index, {**item, "arguments": ""}))
        # Servers that do not stream arguments give them here.
        if not self._calls[index].arguments and (arguments := item.get("arguments")):
            deltas += self._argue(index, arguments)
        return deltas

    def _milestone(self, kind: object, event: Any) -> None:
        match kind:
            case "response.created" | "response.in_progress":
                self._model = event["response"].get("model") or self._model
                self._response_id = event["response"].get("id") or self._response_id
            case "response.completed" | "response.incomplete" | "response.failed":
                self._ended(event["response"])
            case "error":
                raise refused(_refusal(event), self.origin, self.usage)
            case _:
                pass  # new kinds of events are added all the time; none of them can change what was said

    def _ended(self, response: Any) -> None:
        self._model = response.get("model") or self._model
        self._response_id = response.get("id") or self._response_id
        if usage := response.get("usage"):
            self.usage = usage_of(usage)
        if response.get("status") == "failed" or response.get("error"):
            raise refused(_refusal(response.get("error") or {}), self.origin, self.usage)
        why = (response.get("incomplete_details") or {}).get("reason")
        if self._refused or why == "content_filter":
            self.finish = FinishReason.REFUSAL
        elif response.get("status") == "incomplete":
            self.finish = FinishReason.LENGTH
        elif response.get("status") in {"completed", None}:
            self.finish = FinishReason.STOP

    @override
    def _replay(self) -> Replay | None:
        return Replay(DIALECT, self._sealed) if self._sealed else None


def _refusal(error: Any) -> Refusal:
    codes = frozenset(str(error[key]).lower() for key in ("code", "type") if error.get(key))
    return Refusal(status=0, codes=codes, message=str(error.get("message") or "it failed without saying why"))
