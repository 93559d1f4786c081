"""The exact bytes that are sent."""

import json
from typing import Any

import pytest

from spotter.llm import wire_anthropic, wire_chat, wire_responses
from spotter.llm.port import DEFAULTS, JsonSchema, ModelSettings, NamedTool, ToolChoice
from spotter.llm.prompt import (
    NO_TOOLS,
    AssistantMessage,
    Fragment,
    Prompt,
    Replay,
    Section,
    ToolCall,
    ToolResult,
    Tools,
    ToolSpec,
    UserMessage,
    prompt_of,
)
from tests.llm.conftest import DIALECTS, KEY, model_at
from tests.llm.wire_scripts import Spoken, answer
from tests.llm.wire_server import WireServer

TOOLS = Tools([ToolSpec("add", "Adds.", {"type": "object"})])
PROMPT = Prompt(
    [
        Fragment(UserMessage("1+2?")),
        Fragment(AssistantMessage("Hm.", (ToolCall("call_1", "add", '{"a": 1,  "b": 2}'),))),
        Fragment(ToolResult("call_1", "3")),
    ],
    system=[Section("Be brief."), Section("It is Monday.", stable=False)],
    trailing=[Fragment(UserMessage("(07:30)"))],
)
CHAT = (
    '{"model":"m","stream":true,"stream_options":{"include_usage":true},'
    '"tools":[{"type":"function","function":{"name":"add","description":"Adds.","parameters":{"type":"object"}}}],'
    '"messages":[{"role":"system","content":"Be brief.\\n\\nIt is Monday."},{"role":"user","content":"1+2?"},'
    '{"role":"assistant","content":"Hm.","tool_calls":[{"id":"call_1","type":"function",'
    '"function":{"name":"add","arguments":"{\\"a\\": 1,  \\"b\\": 2}"}}]},'
    '{"role":"tool","tool_call_id":"call_1","content":"3"},{"role":"user","content":"(07:30)"}]}'
)
RESPONSES = (
    '{"model":"m","stream":true,"store":false,"instructions":"Be brief.\\n\\nIt is Monday.",'
    '"tools":[{"type":"function","name":"add","description":"Adds.","parameters":{"type":"object"},"strict":false}],'
    '"input":[{"role":"user","content":"1+2?"},{"role":"assistant","content":"Hm."},'
    '{"type":"function_call","call_id":"call_1","name":"add","arguments":"{\\"a\\": 1,  \\"b\\": 2}"},'
    '{"type":"function_call_output","call_id":"call_1","output":"3"},{"role":"user","content":"(07:30)"}]}'
)
ANTHROPIC = (
    '{"model":"m","stream":true,"max_tokens":8192,'
    '"tools":[{"name":"add","description":"Adds.","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],'
    '"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}},'
    '{"type":"text","text":"It is Monday."}],'
    '"messages":[{"role":"user","content":[{"type":"text","text":"1+2?"}]},'
    '{"role":"assistant","content":[{"type":"text","text":"Hm."},'
    '{"type":"tool_use","id":"call_1","name":"add","input":{"a": 1,  "b": 2}}]},'
    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"3",'
    '"cache_control":{"type":"ephemeral"}},{"type":"text","text":"(07:30)"}]}]}'
)


def body_of(
    dialect: str, prompt: Prompt = PROMPT, tools: Tools = TOOLS, settings: ModelSettings = DEFAULTS
) -> dict[str, Any]:
    if dialect == "anthropic":
        encoded = wire_anthropic.body("m", prompt, tools, settings)
    else:
        wire = wire_chat.body if dialect == "chat" else wire_responses.body
        encoded = wire("m", prompt, tools, settings, stream=True)
    body: dict[str, Any] = json.loads(encoded)
    return body


@pytest.mark.parametrize(
    ("dialect", "wanted"), list(zip(DIALECTS, (CHAT, RESPONSES, ANTHROPIC), strict=True))
)
async def test_the_bytes_on_the_wire(dialect: str, wanted: str, wire: WireServer) -> None:
    wire.plan = lambda asked: answer(dialect, Spoken("ok"), asked.body)
    async with model_at(dialect, wire.url, name="m") as model:
        async for _ in model.stream(PROMPT, TOOLS):
            pass
    (asked,) = wire.asked
    assert asked.body.decode() == wanted
    assert asked.headers["content-type"] == "application/json"
    assert asked.path == {
        "chat": "/v1/chat/completions", "responses": "/v1/responses", "anthropic": "/v1/messages"
    }[dialect]  # fmt: skip
    assert asked.headers["authorization"] == f"Bearer {KEY}"


CHOICES: list[tuple[ToolChoice, Any, Any, Any]] = [
    ("auto", None, None, None),
    ("required", "required", "required", {"type": "any"}),
    ("none", "none", "none", {"type": "none"}),
    (NamedTool("add"), {"type": "function", "function": {"name": "add"}}, {"type": "function", "name": "add"},
     {"type": "tool", "name": "add"}),
]  # fmt: skip


@pytest.mark.parametrize(("choice", "chat", "responses", "anthropic"), CHOICES)
def test_tool_choice(choice: ToolChoice, chat: Any, responses: Any, anthropic: Any) -> None:
    for dialect, wanted in zip(DIALECTS, (chat, responses, anthropic), strict=True):
        assert body_of(dialect, settings=ModelSettings(tool_choice=choice)).get("tool_choice") == wanted
    # Without tools there is nothing to choose from.
    assert "tool_choice" not in body_of("chat", tools=NO_TOOLS, settings=ModelSettings(tool_choice=choice))


def test_one_call_at_a_time() -> None:
    one = ModelSettings(parallel_tool_calls=False)
    assert body_of("chat", settings=one)["parallel_tool_calls"] is False
    assert body_of("responses", settings=one)["parallel_tool_calls"] is False
    assert body_of("anthropic", settings=one)["tool_choice"] == {
        "type": "auto",
        "disable_parallel_tool_use": True,
    }


def test_thinking_gives_way_to_a_forced_tool() -> None:
    thinking = ModelSettings(thinking_tokens=2000, temperature=0.2)
    body = body_of("anthropic", settings=thinking)
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2000}
    assert body["max_tokens"] == 8192 + 2000
    assert "temperature" not in body
    for forced in (
        ModelSettings(thinking_tokens=2000, tool_choice="required"),
        ModelSettings(thinking_tokens=2000, tool_choice=NamedTool("add")),
        ModelSettings(thinking_tokens=2000, json_schema=JsonSchema("verdict", {"type": "object"})),
    ):
        assert "thinking" not in body_of("anthropic", settings=forced)


def test_a_given_shape() -> None:
    wanted = ModelSettings(json_schema=JsonSchema("verdict", {"type": "object"}, strict=True))
    form = body_of("chat", settings=wanted)["response_format"]
    assert form == {
        "type": "json_schema",
        "json_schema": {"name": "verdict", "schema": {"type": "object"}, "strict": True},
    }
    assert body_of("responses", settings=wanted)["text"]["format"]["name"] == "verdict"
    claude = body_of("anthropic", settings=wanted)
    assert [tool["name"] for tool in claude["tools"]] == ["verdict"]
    assert claude["tool_choice"] == {"type": "tool", "name": "verdict"}


def test_a_history_with_calls_but_no_tools_stays_legal_for_anthropic() -> None:
    body = body_of("anthropic", tools=NO_TOOLS)
    assert [tool["name"] for tool in body["tools"]] == ["unavailable"]
    assert body["tool_choice"] == {"type": "none"}


def test_thoughts_go_back_only_to_where_they_came_from() -> None:
    thought = Replay("anthropic", ('{"type":"thinking","thinking":"hm","signature":"x"}',))
    call = ToolCall("c", "add", "{}")
    prompt = prompt_of(UserMessage("?"), AssistantMessage("", (call,), thought), ToolResult("c", "3"))
    kinds = [block["type"] for block in body_of("anthropic", prompt)["messages"][1]["content"]]
    assert kinds == ["thinking", "tool_use"]
    assert "signature" not in json.dumps(body_of("chat", prompt))
    assert "signature" not in json.dumps(body_of("responses", prompt))


def test_names_of_settings_that_compatible_servers_know() -> None:
    few = ModelSettings(max_output_tokens=5, cache_key="s1", temperature=0.3, stop=("X",), extra={"top_k": 3})
    ours = body_of("chat", settings=few)
    assert (ours["max_completion_tokens"], ours["prompt_cache_key"], ours["temperature"]) == (5, "s1", 0.3)
    assert (ours["stop"], ours["top_k"]) == (["X"], 3)
    theirs = json.loads(
        wire_chat.body("m", PROMPT, TOOLS, few, stream=True, compatible=True, temperature=False)
    )
    assert theirs["max_tokens"] == 5
    assert not {"max_completion_tokens", "prompt_cache_key", "temperature"} & set(theirs)


def test_a_fragment_is_encoded_once() -> None:
    fragment = Fragment(UserMessage("hi"))
    prompt = Prompt([fragment])
    for dialect in DIALECTS:
        body_of(dialect, prompt)
    kept = (fragment.chat, fragment.responses, fragment.anthropic)
    for dialect in DIALECTS:
        body_of(dialect, prompt)
    assert all(
        before is after
        for before, after in zip(kept, (fragment.chat, fragment.responses, fragment.anthropic), strict=True)
    )
