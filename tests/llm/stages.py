"""Where a model can be made to say something: on the wire, at aimock, from a script, behind a fallback chain."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import repeat
from typing import Any

from typing_extensions import override

from spotter.llm.fallback import FallbackModel
from spotter.llm.faults import ModelUnavailable
from spotter.llm.port import FinishReason, Model, Usage
from spotter.llm.prompt import ToolCall
from spotter.llm.scripted import Say, ScriptedModel
from tests.llm.conftest import PATIENT, model_at
from tests.llm.wire_scripts import Called, Spoken, answer
from tests.llm.wire_server import WireServer


class Stage(ABC):
    """A way to get at an implementation of the port. `cues` are what the user says to get each answer."""

    dialect: str
    counts = True
    """Whether it reports the tokens it was told to, cached ones among them."""

    @abstractmethod
    def saying(self, cue: str, spoken: Spoken) -> AbstractAsyncContextManager[Model]: ...


class OnTheWire(Stage):
    def __init__(self, dialect: str) -> None:
        self.dialect = dialect

    @override
    @asynccontextmanager
    async def saying(self, cue: str, spoken: Spoken) -> AsyncIterator[Model]:
        server = WireServer(lambda asked: answer(self.dialect, spoken, asked.body))
        async with server, model_at(self.dialect, server.url, PATIENT) as model:
            yield model


class AtAimock(Stage):
    counts = False

    def __init__(self, dialect: str, url: str) -> None:
        self.dialect = dialect
        self._url = url

    @override
    @asynccontextmanager
    async def saying(self, cue: str, spoken: Spoken) -> AsyncIterator[Model]:
        async with model_at(self.dialect, self._url, PATIENT, "gpt-4o") as model:
            yield model


class FromAScript(Stage):
    dialect = "script"

    @override
    @asynccontextmanager
    async def saying(self, cue: str, spoken: Spoken) -> AsyncIterator[Model]:
        yield ScriptedModel(repeat(line(spoken)))


class BehindAFailure(Stage):
    """A chain whose first model is down."""

    dialect = "script"

    @override
    @asynccontextmanager
    async def saying(self, cue: str, spoken: Spoken) -> AsyncIterator[Model]:
        down = ScriptedModel(repeat(ModelUnavailable("down")), name="down")
        yield FallbackModel([down, ScriptedModel(repeat(line(spoken)))])


def line(spoken: Spoken) -> Say:
    finish = {"length": FinishReason.LENGTH, "refusal": FinishReason.REFUSAL}.get(spoken.finish)
    calls = tuple(ToolCall(call.id, call.name, call.arguments) for call in spoken.calls)
    uncached, output, read, written = spoken.tokens or (0, 0, 0, 0)
    usage = Usage(uncached, output, read, written, reported=spoken.tokens is not None)
    return Say(text=spoken.text, calls=calls, finish=finish, usage=usage)


def fixture(cue: str, spoken: Spoken) -> dict[str, Any]:
    """The same answer in aimock's own form."""
    uncached, output, *_ = spoken.tokens or (0, 0, 0, 0)
    response: dict[str, Any] = {"usage": {"prompt_tokens": uncached, "completion_tokens": output}}
    if spoken.text or not spoken.calls:
        response["content"] = spoken.text
    if spoken.calls:
        response["toolCalls"] = [_call(call) for call in spoken.calls]
    if spoken.finish == "length":
        response["finishReason"] = "length"
    return {"match": {"userMessage": cue}, "response": response}


def _call(call: Called) -> dict[str, str]:
    return {"name": call.name, "arguments": call.arguments, "id": call.id}
