"""Anthropic Messages: request bodies from cached pieces with cache marks, and the stream's fold."""

from collections.abc import Iterable, Sequence
from typing import Any, assert_never

from spotter.llm.joining import Joining
from spotter.llm.port import JsonSchema, ModelSettings, NamedTool
from spotter.llm.prompt import (
    AssistantMessage,
    Fragment,
    Kind,
    Prompt,
    Section,
    ToolResult,
    Tools,
    ToolSpec,
    UserMessage,
)
from spotter.llm.text import json_bytes, json_object, json_text, wire_id, wire_name

DIALECT = "anthropic"
DEFAULT_MAX_TOKENS = 8192

_ASSISTANT, _USER = Kind.ASSISTANT, Kind.USER

_CACHED = b',"cache_control":{"type":"ephemeral"}}'
_OPENING = b'{"type":"text","text":"(The conversation starts here.)"}'
_GO_ON = b'{"type":"text","text":"Continue."}'
_NO_TOOL = Tools([ToolSpec("unavailable", "No tool can be used now.", {"type": "object"})])


def encode(fragment: Fragment) -> tuple[bytes, bytes]:
    match fragment.message:
        case UserMessage(text):
            parts = (_text(text if text.strip() else "(empty message)"), b"")
        case ToolResult(call_id, text, is_error):
            head = b'{"type":"tool_result","tool_use_id":' + json_text(wire_id(call_id))
            content = b',"content":' + json_text(text) if text else b""
            parts = (head + content + (b',"is_error":true}' if is_error else b"}"), b"")
        case AssistantMessage(text, calls, replay):
            said = [_text(text)] if text.strip() else []
            thoughts = replay.blocks if replay and replay.dialect == DIALECT and (said or calls) else ()
            leading = [block.encode() for block in thoughts] + said
            encoded = [
                b'{"type":"tool_use","id":' + json_text(wire_id(call.id)) + b',"name":'
                + json_text(wire_name(call.name)) + b',"input":' + json_object(call.arguments) + b"}"
                for call in calls
            ]  # fmt: skip
            parts = (b",".join(leading), b",".join(encoded))
        case _:
            assert_never(fragment.message)
    fragment.anthropic = parts
    return parts


def _text(text: str) -> bytes:
    return b'{"type":"text","text":' + json_text(text) + b"}"


class _Turns:
    """Blocks gathered into messages whose roles alternate: results first, then words; thoughts and text, then calls."""

    __slots__ = ("_first", "_joining", "_role", "_then")

    def __init__(self, joining: Joining) -> None:
        self._joining = joining
        self._role = _USER
        # An assistant must not speak first.
        self._first: list[bytes] = [] if joining.out else [_OPENING]
        self._then: list[bytes] = []

    def add(self, fragments: Iterable[Fragment], *, stable: bool = False) -> None:
        for position, fragment in enumerate(fragments):
            leading, calls = fragment.anthropic or encode(fragment)
            kind = fragment.kind
            if kind is _ASSISTANT:
                if not leading and not calls:
                    continue
                if self._role is not _ASSISTANT:
                    self._flush(_ASSISTANT)
                    if stable:
                        self._joining.settle(position)
                if leading:
                    self._first.append(leading)
                if calls:
                    self._then.append(calls)
                continue
            if self._role is _ASSISTANT:
                self._flush(_USER)
            elif self._first and self._first[0] is _OPENING:
                self._first.clear()  # they speak first, as it should be
            (self._then if kind is _USER else self._first).append(leading)

    def mark_cached(self) -> None:
        """Everything up to here is stable. Marks the last block gathered so far."""
        last = self._then or self._first
        if last and last[-1] is not _OPENING:
            last[-1] = last[-1][:-1] + _CACHED

    def close(self) -> list[bytes]:
        if self._role is _ASSISTANT:
            # Newer models refuse to continue their own words.
            self._flush(_USER)
            self._then.append(_GO_ON)
        self._flush(_USER)
        return self._joining.out

    def _flush(self, then: Kind) -> None:
        """Finish the message at hand; the next one is spoken by `then`."""
        role, self._role = self._role, then
        blocks = b",".join(self._first + self._then)
        if not blocks:
            return
        head = b'{"role":"assistant","content":[' if role is _ASSISTANT else b'{"role":"user","content":['
        self._joining.out.append(head + blocks + b"]}")
        self._first, self._then = [], []


def _system(sections: Sequence[Section], *, cache: bool) -> bytes:
    blocks = [
        b'{"type":"text","text":' + section.encoded + b"}" for section in sections if section.text.strip()
    ]
    stable = [section.stable for section in sections if section.text.strip()]
    if cache and True in stable:
        last = len(stable) - 1 - stable[::-1].index(True)
        blocks[last] = blocks[last][:-1] + _CACHED
    return b",".join(blocks)


def _choice(settings: ModelSettings) -> dict[str, Any] | None:
    choice = settings.tool_choice
    if isinstance(choice, NamedTool):
        chosen: dict[str, Any] = {"type": "tool", "name": choice.name}
    elif choice == "none":
        return {"type": "none"}
    elif choice == "auto" and settings.parallel_tool_calls:
        return None
    else:
        chosen = {"type": "any" if choice == "required" else "auto"}
    if not settings.parallel_tool_calls:
        chosen["disable_parallel_tool_use"] = True
    return chosen


def json_tool(wanted: JsonSchema) -> Tools:
    """The tool whose arguments are the answer: Anthropic's way to a given shape."""
    return Tools([ToolSpec(wire_name(wanted.name), "Give the answer in this form.", wanted.schema)])


def _head(
    model: str, prompt: Prompt, tools: Tools, settings: ModelSettings, temperature: bool
) -> dict[str, Any]:
    forced = settings.json_schema is not None or (
        settings.tool_choice not in {"auto", "none"} and bool(tools)
    )
    head: dict[str, Any] = {"model": model, "stream": True}
    head["max_tokens"] = settings.max_output_tokens or DEFAULT_MAX_TOKENS
    # A forced tool and thinking exclude each other; which tool is called matters more.
    if settings.thinking_tokens and not forced:
        head["thinking"] = {"type": "enabled", "budget_tokens": settings.thinking_tokens}
        head["max_tokens"] += settings.thinking_tokens
    elif settings.temperature is not None and temperature:
        head["temperature"] = min(settings.temperature, 1.0)
    if settings.effort is not None:
        head["output_config"] = {"effort": settings.effort}
    if settings.stop:
        head["stop_sequences"] = list(settings.stop)
    if settings.json_schema is not None:
        head["tool_choice"] = {"type": "tool", "name": wire_name(settings.json_schema.name)}
    elif tools and (choice := _choice(settings)):
        head["tool_choice"] = choice
    elif not tools and prompt.has_calls:
        head["tool_choice"] = {"type": "none"}
    head.update(settings.extra)
    return head


def body(
    model: str, prompt: Prompt, tools: Tools, settings: ModelSettings, *, temperature: bool = True
) -> bytes:
    head = _head(model, prompt, tools, settings, temperature)
    if settings.json_schema is not None:
        tools = json_tool(settings.json_schema)
    elif not tools and prompt.has_calls:
        tools = _NO_TOOL  # a history with calls is refused unless some tool is defined
    joining = Joining(prompt, DIALECT)
    turns = _Turns(joining)
    turns.add(joining.fragments, stable=True)
    joining.keep()
    if settings.cache:
        turns.mark_cached()
    turns.add(prompt.trailing)
    defined = system = b""
    if tools:
        encoded = tools.anthropic
        defined = b',"tools":' + (encoded[:-2] + _CACHED + b"]" if settings.cache else encoded)
    if blocks := _system(prompt.system, cache=settings.cache):
        system = b',"system":[' + blocks + b"]"
    messages = b",".join(turns.close())
    return b"".join((json_bytes(head)[:-1], defined, system, b',"messages":[', messages, b"]}"))
