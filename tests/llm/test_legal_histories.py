"""Any legal history makes a request that is legal for every provider (I9), and requests only grow at the end."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from spotter.llm import wire_anthropic, wire_chat, wire_responses
from spotter.llm.port import DEFAULTS, ModelSettings
from spotter.llm.prompt import (
    NO_TOOLS,
    AssistantMessage,
    Fragment,
    History,
    Message,
    Prompt,
    Replay,
    Section,
    ToolCall,
    ToolResult,
    Tools,
    ToolSpec,
    UserMessage,
)
from tests.llm.legality import check_anthropic, check_chat, check_responses

TOOLS = Tools([ToolSpec("add", "Adds.", {"type": "object"})])
THOUGHT = Replay("anthropic", ('{"type":"thinking","thinking":"hm","signature":"s"}',))

# Everything people and models write: signs, halves of signs, NUL, nothing at all.
texts = st.text(st.characters(exclude_categories=()), max_size=12)
arguments = st.one_of(
    texts,
    st.sampled_from(
        ["", "{}", "[1]", "null", '{"a": NaN}', '{"a": "\\ud800"}', '{"a":1,"a":2}', "[" * 5000, '{"x": {']
    ),
    st.dictionaries(texts, st.integers() | texts, max_size=2).map(json.dumps),
)
names = st.sampled_from(["add", "teleport now!", "", "ö" * 80])


@st.composite
def steps(draw: st.DrawFn, number: int) -> list[Message]:
    """What an agent does in a step: words, calls (in one event or one event each), results, perhaps an interruption."""
    calls = [
        ToolCall(
            f"{draw(st.sampled_from(['call', 'functions.add:', 'ж' * 50]))}{number}-{n}",
            draw(names),
            draw(arguments),
        )
        for n in range(draw(st.integers(0, 3)))
    ]
    replay = THOUGHT if draw(st.booleans()) else None
    if draw(st.booleans()):
        said: list[Message] = [AssistantMessage(draw(texts), tuple(calls), replay)]
    else:
        said = [
            AssistantMessage(draw(texts), (), replay),
            *(AssistantMessage(calls=(call,)) for call in calls),
        ]
    results: list[Message] = [ToolResult(call.id, draw(texts), draw(st.booleans())) for call in calls]
    results = list(draw(st.permutations(results)))
    if draw(st.booleans()):
        results.insert(draw(st.integers(0, len(results))), UserMessage(draw(texts)))
    return said + results


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    history: list[Message] = []
    for number in range(draw(st.integers(0, 4))):
        if draw(st.booleans()):
            history.append(UserMessage(draw(texts)))
        history += draw(steps(number))
    return history


sections = st.lists(
    st.builds(lambda text, stable: Section(text, stable=stable), texts, st.booleans()), max_size=3
)


@settings(max_examples=150, deadline=None)
@given(
    histories(), sections, st.sampled_from([NO_TOOLS, TOOLS]), st.lists(texts.map(UserMessage), max_size=2)
)
def test_every_legal_history_makes_legal_requests(
    history: list[Message], system: list[Section], tools: Tools, trailing: list[UserMessage]
) -> None:
    prompt = Prompt([Fragment(message) for message in history], system, [Fragment(one) for one in trailing])
    check_chat(json.loads(wire_chat.body("m", prompt, tools, DEFAULTS, stream=True)))
    check_responses(json.loads(wire_responses.body("m", prompt, tools, DEFAULTS, stream=True)))
    check_anthropic(json.loads(wire_anthropic.body("m", prompt, tools, DEFAULTS)))


@settings(max_examples=60, deadline=None)
@given(histories())
def test_requests_only_grow_at_the_end(history: list[Message]) -> None:
    """Between model calls nothing before changes, so that provider caches hit."""
    fragments = [Fragment(message) for message in history]
    turns = [
        n for n, message in enumerate(history, 1)
        if isinstance(message, UserMessage | ToolResult)
        and (n == len(history) or isinstance(history[n], AssistantMessage))
    ]  # fmt: skip
    plain = ModelSettings(cache=False)
    encoders: tuple[Callable[[Prompt], bytes], ...] = (
        lambda prompt: wire_chat.body("m", prompt, TOOLS, plain, stream=True),
        lambda prompt: wire_responses.body("m", prompt, TOOLS, plain, stream=True),
        lambda prompt: wire_anthropic.body("m", prompt, TOOLS, plain),
    )
    for encode in encoders:
        bodies = [encode(Prompt(fragments[:n])) for n in turns]
        for earlier, later in pairwise(bodies):
            # Closing brackets aside: after an empty answer the next words join the message before.
            assert later.startswith(earlier.rstrip(b"]}")), (earlier, later)


@settings(max_examples=60, deadline=None)
@given(histories(), st.data())
def test_a_history_that_grows_makes_the_same_requests(history: list[Message], data: st.DataObject) -> None:
    """What is kept joined never differs from joining anew, wherever the runtime stops to ask."""
    fragments, growing = [Fragment(message) for message in history], History()
    while len(growing) < len(fragments):
        growing.extend(fragments[len(growing) : len(growing) + data.draw(st.integers(1, 4))])
        anew = Prompt(fragments[: len(growing)], trailing=[Fragment(UserMessage("now"))])
        kept = Prompt(growing, trailing=anew.trailing)
        assert wire_chat.body("m", kept, TOOLS, DEFAULTS, stream=True) == wire_chat.body(
            "m", anew, TOOLS, DEFAULTS, stream=True
        )
        assert wire_responses.body("m", kept, TOOLS, DEFAULTS, stream=True) == wire_responses.body(
            "m", anew, TOOLS, DEFAULTS, stream=True
        )
        assert wire_anthropic.body("m", kept, NO_TOOLS, DEFAULTS) == wire_anthropic.body(
            "m", anew, NO_TOOLS, DEFAULTS
        )
        assert (kept.tokens, kept.call_ids()) == (anew.tokens, anew.call_ids())


@settings(max_examples=100, deadline=None)
@given(arguments)
def test_arguments_are_kept_as_written(raw: str) -> None:
    prompt = Prompt(
        [Fragment(AssistantMessage("", (ToolCall("c", "add", raw),))), Fragment(ToolResult("c", "ok"))]
    )
    chat = json.loads(wire_chat.body("m", prompt, TOOLS, DEFAULTS, stream=True))
    kept = chat["messages"][0]["tool_calls"][0]["function"]["arguments"]
    if _encodable(raw):
        assert kept == raw.replace("\x00", "␀")
    claude = json.loads(wire_anthropic.body("m", prompt, TOOLS, DEFAULTS))
    given_input = claude["messages"][1]["content"][0]["input"]
    parsed = _object(raw)
    if parsed is None:
        assert given_input == ({"_invalid": kept} if raw.strip() else {})
    elif _encodable(json.dumps(parsed, ensure_ascii=False)):
        assert given_input == parsed
    else:
        assert set(map(type, given_input.values())) == set(map(type, parsed.values()))


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _object(raw: str) -> Any:
    try:
        value = json.loads(raw, parse_constant=lambda name: 1 / 0)
    except (ValueError, RecursionError, ZeroDivisionError):
        return None
    return value if isinstance(value, dict) else None
