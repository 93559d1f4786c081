"""What the providers insist on, written from their documentation and knowing nothing of how our bodies are made."""

import json
import re
from typing import Any

ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def check_chat(body: dict[str, Any]) -> None:
    open_calls: list[str] = []
    seen: set[str] = set()
    for position, message in enumerate(body["messages"]):
        role = message["role"]
        if role == "tool":
            assert message["tool_call_id"] in open_calls, "a result without its call before it"
            open_calls.remove(message["tool_call_id"])
            assert isinstance(message["content"], str)
            continue
        assert not open_calls, f"{role} speaks while calls are unanswered"
        if role == "system":
            assert position == 0
        if role == "assistant":
            calls = message.get("tool_calls")
            assert calls is None or calls, "an empty list of calls"
            assert message["content"] or calls, "an assistant who says nothing"
            for call in calls or ():
                assert call["type"] == "function"
                assert ID.fullmatch(call["id"])
                assert ID.fullmatch(call["function"]["name"])
                assert isinstance(call["function"]["arguments"], str)
                assert call["id"] not in seen
                seen.add(call["id"])
                open_calls.append(call["id"])
        else:
            assert role in {"system", "user"}
            assert isinstance(message["content"], str)
    assert not open_calls, "calls without results"


def check_responses(body: dict[str, Any]) -> None:
    called: set[str] = set()
    answered: set[str] = set()
    for item in body["input"]:
        if item.get("type") == "function_call":
            assert item["call_id"] not in called
            assert ID.fullmatch(item["call_id"])
            assert ID.fullmatch(item["name"])
            assert isinstance(item["arguments"], str)
            called.add(item["call_id"])
        elif item.get("type") == "function_call_output":
            assert item["call_id"] in called - answered
            answered.add(item["call_id"])
        else:
            assert item["role"] in {"user", "assistant"}
            assert isinstance(item["content"], str)
            assert item["content"] or item["role"] == "user"
    assert called == answered


def check_anthropic(body: dict[str, Any]) -> None:
    messages = body["messages"]
    assert messages
    assert messages[0]["role"] == "user"
    assert messages[-1]["role"] == "user"
    assert json.dumps(body).count('"cache_control"') <= 4
    assert body["max_tokens"] > 0
    waiting: list[str] = []
    seen: set[str] = set()
    uses_tools = False
    for before, message in zip([None, *messages], messages, strict=False):
        assert before is None or before["role"] != message["role"], "roles do not alternate"
        blocks = message["content"]
        assert blocks
        if message["role"] == "user":
            results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
            assert [block["type"] for block in blocks[: len(results)]] == ["tool_result"] * len(results), (
                "results first"
            )
            assert sorted(results) == sorted(waiting), "each call is answered in the next message"
            waiting = []
        else:
            for block in blocks:
                if block["type"] == "tool_use":
                    uses_tools = True
                    assert ID.fullmatch(block["id"])
                    assert ID.fullmatch(block["name"])
                    assert isinstance(block["input"], dict)
                    assert block["id"] not in seen
                    seen.add(block["id"])
                    waiting.append(block["id"])
                else:
                    assert not waiting, "words after calls"
        for block in blocks:
            assert block["type"] != "text" or block["text"].strip(), "an empty text"
    assert not waiting
    assert not uses_tools or body.get("tools"), "a history with calls needs tools"
