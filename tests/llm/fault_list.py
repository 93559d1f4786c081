"""The provider faults of the test plan, as answers a server gives, each with the outcome it must end in."""

from collections.abc import Callable
from dataclasses import dataclass, field

from spotter.llm.faults import (
    ContextTooLong,
    ModelAuthFailed,
    ModelError,
    ModelProtocolError,
    ModelRateLimited,
    ModelTimeout,
    ModelUnavailable,
)
from spotter.llm.port import Final, FinishReason, Usage
from spotter.llm.prompt import (
    AssistantMessage,
    Prompt,
    ToolCall,
    ToolResult,
    Tools,
    ToolSpec,
    UserMessage,
    prompt_of,
)
from tests.llm.conftest import KEY
from tests.llm.wire_scripts import Called, Spoken, answer, refusal, sse
from tests.llm.wire_server import Act, Answer

HELLO = Spoken(text="Hello, lifter!", tokens=(20, 5, 30, 4))
COUNTED = Usage(20, 5, 30, 4, reported=True)
BOOK = Tools(
    [ToolSpec("book", "Books a class.", {"type": "object", "properties": {"day": {"type": "string"}}})]
)
FIRST = prompt_of(UserMessage("Book yoga."), system="You book classes.")
MID_TURN = prompt_of(
    UserMessage("Book yoga."),
    AssistantMessage(
        "Let me see.", (ToolCall("call_a", "book", '{"day": "mon"}'), ToolCall("call_b", "book", "{}"))
    ),
    ToolResult("call_a", "booked"),
    ToolResult("call_b", "no such class", is_error=True),
)
STREAM_ONLY = ("anthropic",)
"""Dialects whose `complete()` streams on the wire too."""


@dataclass(frozen=True)
class Fault:
    """A way to fail. `plan` gives the answer for (dialect, whether the request asked for a stream)."""

    name: str
    plan: Callable[[str, bool], Answer]
    error: type[ModelError] | None = None
    check: Callable[[Final], bool] = field(default=lambda final: True)
    usage: Usage | None = None
    prompt: Prompt | None = None


def spoken(said: Spoken) -> Callable[[str, bool], Answer]:
    return lambda dialect, stream: answer(
        dialect, said, b'{"stream": %s}' % (b"true" if stream else b"false")
    )


def bytes_of(dialect: str, stream: bool, said: Spoken = HELLO) -> list[bytes]:
    return [piece for piece in spoken(said)(dialect, stream).pieces if isinstance(piece, bytes)]


def at_half(act: Act) -> Callable[[str, bool], Answer]:
    """Half of a good answer, then trouble."""

    def plan(dialect: str, stream: bool) -> Answer:
        if stream:
            events = bytes_of(dialect, stream)
            return Answer([*events[: len(events) // 2], b'data: {"ty', act])
        body = bytes_of(dialect, stream)[0]
        return Answer([body[:40], act], content_type="application/json", length=len(body))

    return plan


def twice(dialect: str, stream: bool) -> Answer:
    if not stream:
        return spoken(HELLO)(dialect, stream)
    events = bytes_of(dialect, stream)
    return Answer([*events[:3], events[2], *events[3:]])


def unknown_event(dialect: str, stream: bool) -> Answer:
    if not stream:
        return spoken(HELLO)(dialect, stream)
    events = bytes_of(dialect, stream)
    novelty = sse(
        {"type": "hologram.delta", "object": "hologram", "choices": [], "x": 1}, name="hologram.delta"
    )
    return Answer([*events[:2], novelty, b": a comment\n\n", *events[2:]])


def fixed(body: bytes, kind: str) -> Callable[[str, bool], Answer]:
    return lambda dialect, stream: Answer([body], content_type=kind)


def malformed(dialect: str, stream: bool) -> Answer:
    if stream:
        events = bytes_of(dialect, stream)
        return Answer([events[0], sse("{oops", name="message_start"), *events[1:]])
    return Answer([b'{"id": "x", oops'], content_type="application/json")


def called(*calls: Called) -> Callable[[str, bool], Answer]:
    return spoken(Spoken(calls=calls, tokens=(9, 3, 0, 0)))


def no(status: int, kind: str, message: str = "no", **headers: str) -> Callable[[str, bool], Answer]:
    return lambda dialect, stream: refusal(
        dialect, status, kind, message, {name.replace("_", "-"): value for name, value in headers.items()}
    )


SILENT = Answer([Act.HANG], silent=True)
ONE = Called("book", '{"day": "mon"}', "call_1")
HUGE = prompt_of(
    UserMessage("Read it."),
    AssistantMessage("", (ToolCall("c", "book", "{}"),)),
    ToolResult("c", "ab€\n" * 2_000_000),
)
TOO_LONG = "This model's maximum context length is 128000 tokens. Please reduce the length of the messages."

FAULTS = (
    Fault("time-out before headers", lambda dialect, stream: SILENT, ModelTimeout),
    Fault("time-out in the middle", at_half(Act.HANG), ModelTimeout),
    Fault("429 with Retry-After", no(429, "rate_limit_error", retry_after="7"), ModelRateLimited),
    Fault("429 without Retry-After", no(429, "rate_limit_error"), ModelRateLimited),
    Fault("500", no(500, "server_error"), ModelUnavailable),
    Fault("overloaded", lambda d, s: refusal(d, 529 if d == "anthropic" else 503, "overloaded_error", "busy"),
          ModelUnavailable),
    Fault("401", no(401, "authentication_error", f"Incorrect API key provided: {KEY}"), ModelAuthFailed),
    Fault("context too long", no(400, "invalid_request_error", TOO_LONG), ContextTooLong),
    Fault("empty body", fixed(b"", "text/event-stream"), ModelProtocolError),
    Fault("HTML body", fixed(b"<!doctype html><h1>It works!</h1>", "text/html"), ModelProtocolError),
    Fault("malformed JSON", malformed, ModelProtocolError),
    Fault("truncated stream", at_half(Act.CUT), ModelProtocolError),
    Fault("no stop event", spoken(Spoken(text="Hello", finish="")), ModelProtocolError),
    Fault("duplicated chunk", twice, check=lambda final: final.text.endswith(", lifter!"), usage=COUNTED),
    Fault("unknown event", unknown_event, check=lambda final: final.text == HELLO.text, usage=COUNTED),
    Fault("arguments are no JSON", called(Called("book", '{"day": mon', "call_1")), usage=Usage(9, 3, reported=True),
          check=lambda final: final.tool_calls[0].arguments == '{"day": mon'),
    Fault("arguments of another schema", called(Called("book", '{"hour": [1]}', "call_1")),
          check=lambda final: final.tool_calls[0].arguments == '{"hour": [1]}'),
    Fault("unknown tool", called(Called("teleport now!", "{}", "call_1")),
          check=lambda final: final.tool_calls[0].name == "teleport now!"),
    Fault("same call id twice", called(ONE, Called("book", "{}", "call_1")),
          check=lambda final: len({call.id for call in final.tool_calls}) == 2),
    Fault("parallel calls, one failed", spoken(HELLO), prompt=MID_TURN, check=lambda final: final.text == HELLO.text),
    Fault("the same call again", called(Called("book", '{"day": "mon"}', "call_a")), prompt=MID_TURN,
          check=lambda final: final.tool_calls[0].id not in {"call_a", "call_b"}),
    Fault("refusal", spoken(Spoken(refusal="I can't help with that.", tokens=(3, 2, 0, 0))),
          usage=Usage(3, 2, reported=True),
          check=lambda final: final.finish is FinishReason.REFUSAL and "can't help" in final.text),
    Fault("empty answer", spoken(Spoken(text="")), check=lambda final: final.empty and final.finish == "stop"),
    Fault("lone surrogate", spoken(Spoken(text="four\ud800 and \x00nul")),
          check=lambda final: final.text == "four\ufffd and ␀nul"),
    Fault("10 MB tool result", spoken(HELLO), prompt=HUGE, check=lambda final: final.text == HELLO.text),
    Fault("usage missing", spoken(Spoken(text="Hi", tokens=None)), check=lambda final: not final.usage.reported),
)  # fmt: skip
