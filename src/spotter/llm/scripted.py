"""A model that says what it was told to say, behind the same port. For tests and demonstrations."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from typing_extensions import override

from spotter.ids import new_id
from spotter.llm.faults import ModelBadRequest, ModelError
from spotter.llm.port import (
    DEFAULTS,
    Capabilities,
    Chunk,
    Final,
    FinishReason,
    ModelSettings,
    StreamingModel,
    TextDelta,
    ToolArgsDelta,
    ToolCallStart,
    Usage,
)
from spotter.llm.prompt import NO_TOOLS, Prompt, ToolCall, Tools
from spotter.llm.text import clean, json_bytes


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as the model saw it."""

    prompt: Prompt
    tools: Tools
    settings: ModelSettings


@dataclass(frozen=True, slots=True)
class Say:
    """An answer. `breaks` is raised after the text and calls were streamed, instead of the `Final`."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: FinishReason | None = None
    usage: Usage | None = None
    delay: float = 0.0
    """Seconds before each delta."""
    breaks: ModelError | None = None


Line = str | Say | ModelError | Callable[[Asked], "str | Say | ModelError"]


def call(name: str, arguments: Mapping[str, Any] | str | None = None, call_id: str = "") -> ToolCall:
    raw = arguments if isinstance(arguments, str) else json_bytes(dict(arguments or {})).decode()
    return ToolCall(id=call_id or f"call_{new_id().hex}", name=name, arguments=raw)


class ScriptedModel(StreamingModel):
    """Answers with one line of the script per call; `asked` keeps what it was sent."""

    def __init__(
        self,
        script: Iterable[Line],
        *,
        name: str = "scripted",
        provider: str = "scripted",
        capabilities: Capabilities = Capabilities(),
    ) -> None:
        self.name = name
        self.provider = provider
        self.capabilities = capabilities
        self.asked: list[Asked] = []
        self._script: Iterator[Line] = iter(script)

    @override
    async def stream(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> AsyncGenerator[Chunk, None]:
        line = self._next(Asked(prompt, tools, settings))
        if isinstance(line, ModelError):
            raise line
        said = Say(line) if isinstance(line, str) else line
        for delta in _deltas(said):
            await asyncio.sleep(said.delay)
            yield delta
        if said.breaks is not None:
            raise said.breaks
        yield self._final(said, prompt)

    def _next(self, asked: Asked) -> "str | Say | ModelError":
        self.asked.append(asked)
        line = next(self._script, None)
        if line is None:
            raise ModelBadRequest(f"The script of {self.name} has no answer number {len(self.asked)}.")
        return line(asked) if callable(line) else line

    def _final(self, said: Say, prompt: Prompt) -> Final:
        text = clean(said.text)
        finish = said.finish or (FinishReason.TOOL_CALLS if said.calls else FinishReason.STOP)
        counted = Usage(input=prompt.tokens, output=max(1, len(text) // 4), reported=True)
        return Final(
            text=text,
            tool_calls=tuple(replace(one, arguments=clean(one.arguments)) for one in said.calls),
            finish=finish,
            usage=counted if said.usage is None else said.usage,
            provider=self.provider,
            model=self.name,
        )


def _deltas(said: Say) -> Iterator[Chunk]:
    text = clean(said.text)
    for start in range(0, len(text), 8):
        yield TextDelta(text[start : start + 8])
    for index, one in enumerate(said.calls):
        yield ToolCallStart(index=index, id=one.id, name=one.name)
        yield ToolArgsDelta(index=index, text=clean(one.arguments))
