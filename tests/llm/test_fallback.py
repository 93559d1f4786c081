"""The next model is asked only before anything was said, and the answer tells who failed."""

import pytest

from spotter.errors import InvalidInput
from spotter.llm.fallback import FallbackModel
from spotter.llm.faults import (
    ContextTooLong,
    ModelAuthFailed,
    ModelError,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
)
from spotter.llm.port import Capabilities, Chunk, Final, ModelSettings, TextDelta, Usage
from spotter.llm.prompt import UserMessage, prompt_of
from spotter.llm.scripted import Say, ScriptedModel

PROMPT = prompt_of(UserMessage("hi"))


async def streamed(model: FallbackModel) -> list[Chunk]:
    return [chunk async for chunk in model.stream(PROMPT)]


def chain(*failures: ModelError | Say, last: str = "here") -> FallbackModel:
    down = [ScriptedModel([line, line], name=f"m{n}", provider=f"p{n}") for n, line in enumerate(failures)]
    return FallbackModel([*down, ScriptedModel([last, last], name="last")])


@pytest.mark.parametrize("way", ["stream", "complete"])
async def test_the_next_model_answers_and_the_failures_are_recorded(way: str) -> None:
    spent = Usage(input=7, reported=True)
    model = chain(ModelTimeout("too slow", usage=spent), ModelAuthFailed("no key"))
    if way == "stream":
        *deltas, final = await streamed(model)
        assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "here"
    else:
        final = await model.complete(PROMPT)
    assert isinstance(final, Final)
    assert (final.text, final.model) == ("here", "last")
    assert [(one.provider, one.model, one.code) for one in final.failed] == [
        ("p0", "m0", "model_timeout"),
        ("p1", "m1", "model_auth_failed"),
    ]
    assert final.failed[0].usage == spent


async def test_two_models_words_are_never_joined() -> None:
    model = chain(Say("I was about to", breaks=ModelUnavailable("gone")))
    got: list[Chunk] = []

    async def read() -> None:
        async for chunk in model.stream(PROMPT):
            got.append(chunk)

    with pytest.raises(ModelUnavailable):
        await read()
    assert got
    assert all(isinstance(chunk, TextDelta) for chunk in got)


@pytest.mark.parametrize("error", [ContextTooLong("long"), ModelRefused("no")], ids=["too long", "refused"])
async def test_some_failures_are_nobody_elses_business(error: ModelError) -> None:
    with pytest.raises(type(error)):
        await chain(error).complete(PROMPT)
    with pytest.raises(type(error)):
        await streamed(chain(error))


async def test_when_all_fail_the_last_failure_is_raised_with_the_others() -> None:
    down = [ScriptedModel([ModelUnavailable(f"down {n}")], name=f"m{n}") for n in range(3)]
    with pytest.raises(ModelUnavailable, match="down 2") as caught:
        await FallbackModel(down).complete(PROMPT)
    assert [one.model for one in caught.value.failed] == ["m0", "m1"]


def test_a_chain_can_do_what_all_can() -> None:
    small = ScriptedModel([], capabilities=Capabilities(context_window=8_000, thinking=True))
    assert FallbackModel([small, ScriptedModel([])]).capabilities.context_window == 8_000
    with pytest.raises(InvalidInput):
        FallbackModel([])


async def test_a_chain_has_one_deadline() -> None:
    second = ScriptedModel(["here"])
    slow = ScriptedModel([Say("", delay=0.0, breaks=ModelTimeout("too slow"))])
    await FallbackModel([slow, second]).complete(PROMPT, settings=ModelSettings(deadline=5.0))
    given = [asked.settings.deadline for model in (slow, second) for asked in model.asked]
    assert given[0] is not None
    assert given[1] is not None
    assert 5.0 >= given[0] >= given[1] > 0.0
