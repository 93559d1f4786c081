"""What providers insist on in a request. Written from their documentation, on the finished JSON: it shares no code with
what builds requests, so that it can find fault with it."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

_ID: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
Body: TypeAlias = dict[str, Any]


def chat_faults(body: Body) -> Iterator[str]:
    """OpenAI Chat Completions: every call is answered directly after the message that makes it."""
    open_calls: list[str] = []
    seen: set[str] = set()
    for place, message in enumerate(body["messages"]):
        role = message["role"]
        if role == "tool":
            if message["tool_call_id"] not in open_calls:
                yield f"message {place} is a result without its call before it"
            else:
                open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            yield f"message {place} ({role}) stands between calls and their results"
            open_calls.clear()
        if role == "assistant":
            calls = [call["id"] for call in message.get("tool_calls") or ()]
            if not calls and not message["content"]:
                yield f"message {place} is an assistant who says nothing"
            yield from _call_faults(calls, seen, place)
            open_calls.extend(calls)
        elif role not in {"system", "user"} or not isinstance(message["content"], str):
            yield f"message {place} has a role or content that is not allowed"
    if open_calls:
        yield "the last calls have no results"


def responses_faults(body: Body) -> Iterator[str]:
    """OpenAI Responses: each call once, each with one output after it."""
    called: set[str] = set()
    answered: set[str] = set()
    for place, item in enumerate(body["input"]):
        if item.get("type") == "function_call":
            yield from _call_faults([item["call_id"]], called, place)
        elif item.get("type") == "function_call_output":
            if item["call_id"] not in called - answered:
                yield f"item {place} is an output without its call before it"
            answered.add(item["call_id"])
    if called != answered:
        yield "some calls have no outputs"


def anthropic_faults(body: Body) -> Iterator[str]:
    """Anthropic Messages: roles alternate, a person begins and ends, results open the message after their calls."""
    messages = body["messages"]
    if not messages or messages[0]["role"] != "user" or messages[-1]["role"] != "user":
        yield "the first and the last message must be the user's"
    waiting: list[str] = []
    seen: set[str] = set()
    before = ""
    for place, message in enumerate(messages):
        blocks = message["content"]
        if message["role"] == before or not blocks:
            yield f"message {place} repeats a role or is empty"
        before = message["role"]
        if before == "user":
            yield from _result_faults(blocks, waiting, place)
            waiting = []
        else:
            waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
            yield from _call_faults(waiting, seen, place)
        if any(block["type"] == "text" and not block["text"].strip() for block in blocks):
            yield f"message {place} has an empty text"
    if seen and not body.get("tools"):
        yield "a history with calls needs tools"


def _result_faults(blocks: list[Body], waiting: list[str], place: int) -> Iterator[str]:
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    if sorted(results) != sorted(waiting):
        yield f"message {place} does not answer exactly the calls before it"
    if any(block["type"] != "tool_result" for block in blocks[: len(results)]):
        yield f"message {place} says something before its results"


def _call_faults(calls: list[str], seen: set[str], place: int) -> Iterator[str]:
    for call_id in calls:
        if not _ID.fullmatch(call_id):
            yield f"message {place} has a call id that is not allowed"
        if call_id in seen:
            yield f"message {place} uses a call id a second time"
        seen.add(call_id)


PROVIDERS: Final[dict[str, Callable[[Body], Iterator[str]]]] = {
    "OpenAI chat": chat_faults,
    "OpenAI responses": responses_faults,
    "Anthropic": anthropic_faults,
}
