"""The one narrow port to whoever thinks: a prompt and tools go in, deltas come out, then one `Final`.

A model raises only `spotter.llm.faults.ModelError` (and lets cancellation through). Close the stream you stop
reading (`contextlib.aclosing`): that is what ends the provider's work.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol, runtime_checkable

from spotter.llm.prompt import NO_TOOLS, AssistantMessage, Prompt, Replay, ToolCall, Tools


class FinishReason(StrEnum):
    """Why a model stopped. Branch on the calls, not on this: a cut or refused answer may still hold calls."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as reported. `input` excludes both cache kinds; `output` includes reasoning."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reported: bool = False
    """False when the provider said nothing, so that zero is not mistaken for free."""
    audio_input: int = 0
    audio_output: int = 0
    audio_cache_read: int = 0
    """How many of the tokens above are sound: those have rates of their own."""

    @property
    def prompt(self) -> int:
        return self.input + self.cache_read + self.cache_write

    @property
    def total(self) -> int:
        return self.prompt + self.output


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallStart:
    index: int
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolArgsDelta:
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """A model that was asked before the one that answered, and what it died of."""

    provider: str
    model: str
    code: str
    detail: str
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class Final:
    """The whole answer. Exactly one ends every stream that does not raise."""

    text: str
    tool_calls: tuple[ToolCall, ...]
    finish: FinishReason
    usage: Usage
    provider: str
    model: str
    """The name the provider reported, which may be more exact than the one asked for."""
    request_id: str = ""
    response_id: str = ""
    thinking: str = ""
    replay: Replay | None = None
    """What this provider wants to see again with this answer (signed thinking); keep it with the event."""
    failed: tuple[FailedAttempt, ...] = ()

    @property
    def empty(self) -> bool:
        return not self.tool_calls and not self.text.strip()

    def message(self) -> AssistantMessage:
        return AssistantMessage(text=self.text, calls=self.tool_calls, replay=self.replay)


Delta = TextDelta | ThinkingDelta | ToolCallStart | ToolArgsDelta
Chunk = Delta | Final


@dataclass(frozen=True, slots=True)
class NamedTool:
    """Force this tool."""

    name: str


ToolChoice = Literal["auto", "required", "none"] | NamedTool


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """What the answer has to look like. `strict` needs closed objects with every property required (OpenAI)."""

    name: str
    schema: Mapping[str, Any]
    strict: bool = False


@dataclass(frozen=True, slots=True)
class ModelSettings:
    tool_choice: ToolChoice = "auto"
    parallel_tool_calls: bool = True
    temperature: float | None = None
    max_output_tokens: int | None = None
    stop: tuple[str, ...] = ()
    json_schema: JsonSchema | None = None
    thinking_tokens: int | None = None
    """Anthropic's manual thinking budget (at least 1024). Dropped where it is not allowed."""
    effort: Literal["low", "medium", "high"] | None = None
    cache: bool = True
    """Mark the stable prefix for the provider's prompt cache where that has to be asked for."""
    cache_key: str | None = None
    """Requests that share a prefix, e.g. a session id (OpenAI routes by it)."""
    deadline: float | None = None
    """Seconds for the whole call, when less than the model's own limit."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Fields for the provider's body that the port does not know."""


DEFAULTS = ModelSettings()


@dataclass(frozen=True, slots=True)
class Capabilities:
    context_window: int = 128_000
    tools: bool = True
    json_schema: bool = True
    thinking: bool = False
    temperature: bool = True


@runtime_checkable
class Model(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def provider(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    def stream(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> AsyncGenerator[Chunk, None]:
        """Deltas, then one `Final`."""
        ...

    async def complete(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> Final: ...


class StreamingModel(ABC):
    """A model that only has to know how to stream."""

    @abstractmethod
    def stream(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> AsyncGenerator[Chunk, None]: ...

    async def complete(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> Final:
        async with aclosing(self.stream(prompt, tools, settings)) as chunks:
            async for chunk in chunks:
                if isinstance(chunk, Final):
                    return chunk
        raise AssertionError("a stream ended without a Final")
