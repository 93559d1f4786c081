"""The offline model at its port: any agent, any shape, any history, and nothing kept between calls."""

import json
from contextlib import aclosing

import pytest

from spotter.llm.faults import ModelBadRequest, ModelRefused
from spotter.llm.port import (
    Final,
    FinishReason,
    JsonSchema,
    ModelSettings,
    NamedTool,
    TextDelta,
    ToolArgsDelta,
    ToolCallStart,
)
from spotter.llm.prompt import (
    NO_TOOLS,
    AssistantMessage,
    Fragment,
    History,
    Prompt,
    ToolCall,
    ToolResult,
    Tools,
    ToolSpec,
    UserMessage,
    prompt_of,
)
from spotter.llm.structured import complete_json
from spotter.offline import OfflineModel
from spotter.offline.acting.dialogue import SUMMARY
from spotter.runtime.checkpoint import _summary_prompt
from spotter.safety.decision import Action
from spotter.safety.pipeline import moderate
from spotter.safety.policy import Policy
from tests.offline.floor import NOW, WIRE, Floor

MODEL = OfflineModel(lambda: NOW)
REQUIRED = ModelSettings(tool_choice="required")
DESK = Tools(
    [
        ToolSpec(
            "find_member",
            "Find a member of the gym by name or email.",
            {
                "type": "object",
                "properties": {
                    "email": {"type": "string", "format": "email", "description": "the member's email"}
                },
                "required": ["email"],
            },
        ),
        ToolSpec(
            "monthly_revenue",
            "Report the revenue of a month.",
            {"type": "object", "properties": {"month": {"type": "string"}}},
        ),
    ]
)


async def test_text_and_calls_come_in_pieces_that_make_the_whole() -> None:
    for prompt, tools in (
        (prompt_of(UserMessage("hello")), NO_TOOLS),
        (prompt_of(UserMessage("hello")), WIRE),
    ):
        async with aclosing(MODEL.stream(prompt, tools, REQUIRED)) as stream:
            chunks = [chunk async for chunk in stream]
        final = chunks[-1]
        assert isinstance(final, Final)
        assert final == await MODEL.complete(prompt, tools, REQUIRED)
        assert "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta)) == final.text
        starts = [(chunk.id, chunk.name) for chunk in chunks if isinstance(chunk, ToolCallStart)]
        assert starts == [(call.id, call.name) for call in final.tool_calls]
        written = [chunk.text for chunk in chunks if isinstance(chunk, ToolArgsDelta)]
        assert written == [call.arguments for call in final.tool_calls]
        assert final.finish is (FinishReason.TOOL_CALLS if final.tool_calls else FinishReason.STOP)
        assert final.provider == "offline"
        assert final.usage.reported


async def test_without_tools_it_says_what_it_is() -> None:
    final = await MODEL.complete(prompt_of(UserMessage("Explain Kant to me")))
    assert "offline model" in final.text
    assert "Explain Kant to me" in final.text


async def test_one_call_at_a_time_where_that_is_asked_for() -> None:
    settings = ModelSettings(tool_choice="required", parallel_tool_calls=False)
    final = await MODEL.complete(prompt_of(UserMessage("hello")), WIRE, settings)
    assert [call.name for call in final.tool_calls] == ["message_notify_user"]
    call = final.tool_calls[0]
    after = prompt_of(UserMessage("hello"), AssistantMessage(calls=(call,)), ToolResult(call.id, "{}"))
    final = await MODEL.complete(after, WIRE, settings)
    assert [call.name for call in final.tool_calls] == ["idle"]


async def test_any_agent_gets_the_tool_that_fits_and_its_result() -> None:
    asked = UserMessage("find the member ana@example.com")
    final = await MODEL.complete(prompt_of(asked), DESK)
    call = final.tool_calls[0]
    assert (call.name, json.loads(call.arguments)) == ("find_member", {"email": "ana@example.com"})
    after = prompt_of(
        asked, AssistantMessage(calls=(call,)), ToolResult(call.id, "Ana Sousa, member since 2024")
    )
    final = await MODEL.complete(after, DESK)
    assert not final.tool_calls
    assert "Ana Sousa, member since 2024" in final.text
    broken = prompt_of(
        asked, AssistantMessage(calls=(call,)), ToolResult(call.id, "Too slow.", is_error=True)
    )
    final = await MODEL.complete(broken, DESK)
    assert "did not work" in final.text


async def test_what_is_missing_is_asked_and_what_does_not_fit_is_not_done() -> None:
    final = await MODEL.complete(prompt_of(UserMessage("find a member")), DESK)
    assert not final.tool_calls
    assert final.text.endswith("?")
    assert "email" in final.text
    final = await MODEL.complete(prompt_of(UserMessage("write me a poem about the sea")), DESK)
    assert not final.tool_calls
    assert "offline model" in final.text


async def test_a_tool_can_be_forced() -> None:
    settings = ModelSettings(tool_choice=NamedTool("monthly_revenue"))
    final = await MODEL.complete(prompt_of(UserMessage("hello")), DESK, settings)
    assert [call.name for call in final.tool_calls] == ["monthly_revenue"]
    with pytest.raises(ModelBadRequest):
        await MODEL.complete(
            prompt_of(UserMessage("hello")), DESK, ModelSettings(tool_choice=NamedTool("none"))
        )


async def test_another_shape_is_filled_with_as_little_as_possible() -> None:
    schema = {
        "type": "object",
        "properties": {
            "topic": {"enum": ["sales", "training", "unknown"]},
            "safe": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "who": {"$ref": "#/$defs/Who"},
        },
        "required": ["topic", "safe", "tags", "note", "who"],
        "$defs": {"Who": {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}},
    }
    answer = await complete_json(MODEL, prompt_of(UserMessage("?")), JsonSchema("verdict", schema))
    assert answer.value == {"topic": "unknown", "safe": False, "tags": [], "note": None, "who": {"age": 0}}
    answer = await complete_json(
        MODEL, prompt_of(UserMessage("about training")), JsonSchema("verdict", schema)
    )
    assert answer.value["topic"] == "training"
    needs = {"type": "object", "properties": {"id": {"type": "string", "pattern": "^x"}}, "required": ["id"]}
    with pytest.raises(ModelRefused):
        await complete_json(MODEL, prompt_of(UserMessage("?")), JsonSchema("made_up", needs))


async def test_a_checkpoint_keeps_the_workout_on_the_table() -> None:
    floor = Floor()
    await floor.say("I am 41 and new to this. 30 min upper body, my left knee hurts")
    await floor.say("swap the second one")
    final = await MODEL.complete(_summary_prompt(list(floor.history)))
    assert "my left knee hurts" in final.text
    assert floor.workout is not None
    floor.history = History([Fragment(UserMessage(f"{SUMMARY}{final.text}"))])
    floor.known = {}
    second = floor.main()[1]
    await floor.say("drop the second one")
    assert second not in floor.main()
    await floor.say("make it 20 minutes")
    assert floor.main()
    again = await MODEL.complete(_summary_prompt(list(floor.history)))
    assert "On the table:" in again.text
    await floor.say("log it")
    after = await MODEL.complete(_summary_prompt(list(floor.history)))
    assert "On the table:" not in after.text


async def test_it_takes_up_a_turn_that_another_model_began() -> None:
    """The last of a chain: what was done already is not done again."""
    floor = Floor()
    await floor.say("20 minutes full body")
    assert floor.workout is not None
    second = [one for one in floor.workout.exercises if one.phase == "main"][1]
    new = {"type": "reps", "name": "Push-up", "exercise_id": "push-up", "sets": 2, "reps": 8}
    call = ToolCall(
        "toolu_1", "swap_exercise", json.dumps({"exercise_id": str(second.id), "new_exercise": new})
    )
    (result, failed), _ = floor._run(call.name, call.arguments)
    assert not failed
    floor.history.extend(
        Fragment(message)
        for message in (
            UserMessage("swap the second one"),
            AssistantMessage(calls=(call,)),
            ToolResult(call.id, result),
        )
    )
    final = await MODEL.complete(Prompt(floor.history), WIRE, REQUIRED)
    assert [call.name for call in final.tool_calls] == ["message_notify_user", "idle"]
    assert f"Swapped {second.name} for" in final.tool_calls[0].arguments


@pytest.mark.parametrize(
    "raw", ["", "[]", "{", '"x"', "null", '{"workout": 3}', '{"completed_exercises": null}']
)
async def test_no_history_breaks_it(raw: str) -> None:
    messages = [
        ToolResult("nowhere", "a result without a call"),
        AssistantMessage("text"),
        *(
            each
            for name in WIRE.names
            for each in (
                AssistantMessage(calls=(ToolCall(f"c_{name}", name, raw),)),
                ToolResult(f"c_{name}", "[x] main: y\nKept z\nScheduled never"),
            )
        ),
    ]
    for text in ("swap the second one", "", "log it", "\x00\ud800 💪" * 40, "30 min upper body"):
        prompt = prompt_of(*messages, UserMessage(text))
        final = await MODEL.complete(prompt, WIRE, REQUIRED)
        assert final.tool_calls


async def test_an_empty_prompt_gets_a_question() -> None:
    final = await MODEL.complete(Prompt(()), WIRE, REQUIRED)
    assert [call.name for call in final.tool_calls] == ["message_ask_user"]
    assert (await MODEL.complete(Prompt(()))).text


def test_it_can_be_warmed_up() -> None:
    OfflineModel.warm_up()


async def test_its_own_words_pass_the_safety_rules() -> None:
    """«I cannot talk» was once taken for a stroke."""
    texts = []
    plain = (await MODEL.complete(prompt_of(UserMessage("hello")))).text
    assert moderate(plain, "assistant", Policy()).action is Action.ALLOW
    for said in (
        "hi",
        "help",
        "my chest hurts",
        "I want to kill myself",
        "hola, quiero entrenar en mi casa",
        "xyz",
    ):
        floor = Floor()
        texts.append(await floor.say(said))
    for text in texts:
        assert moderate(text, "assistant", Policy()).action is Action.ALLOW, text
