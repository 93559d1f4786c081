"""The model that needs no key: it sees what any model sees, and answers with calls or text."""

import json
from collections.abc import AsyncGenerator, Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from spotter import clock
from spotter.llm.port import (
    DEFAULTS,
    Capabilities,
    Chunk,
    FinishReason,
    ModelSettings,
    StreamingModel,
    TextDelta,
    ToolArgsDelta,
    ToolCallStart,
    Usage,
)
from spotter.llm.port import Final as Answer
from spotter.llm.prompt import NO_TOOLS, Prompt, Tools
from spotter.llm.tokens import estimate

if TYPE_CHECKING:
    from spotter.offline.acting import Step

_WORDS_AT_ONCE: Final = 1


class OfflineModel(StreamingModel):
    """Same prompt, same minute, same answer, always."""

    name = "offline"
    provider = "offline"
    capabilities = Capabilities(context_window=200_000)

    def __init__(self, now: Callable[[], datetime] | None = None) -> None:
        self._now = now

    @staticmethod
    def warm_up() -> None:
        """Loads what is loaded once, so that the first person does not wait for it."""
        from spotter.offline.acting import mind  # noqa: PLC0415 - a second of rules, read while a server starts

        mind()

    @override
    async def stream(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> AsyncGenerator[Chunk, None]:
        step = self._step(prompt, tools, settings)
        for piece in _pieces(step.text):
            yield TextDelta(piece)
        for index, call in enumerate(step.calls):
            yield ToolCallStart(index, call.id, call.name)
            yield ToolArgsDelta(index, call.arguments)
        spent = estimate(step.text) + sum(estimate(call.name + call.arguments) for call in step.calls)
        yield Answer(
            text=step.text,
            tool_calls=step.calls,
            finish=FinishReason.TOOL_CALLS if step.calls else FinishReason.STOP,
            usage=Usage(input=prompt.tokens, output=spent, reported=True),
            provider=self.provider,
            model=self.name,
        )

    def _step(self, prompt: Prompt, tools: Tools, settings: ModelSettings) -> "Step":
        from spotter.offline.acting import Step, next_step  # noqa: PLC0415 - commands that ask nobody do without
        from spotter.offline.shaping import record_of, shaped, summary  # noqa: PLC0415

        now = (self._now or clock.now)()
        if settings.json_schema is not None:
            return Step(json.dumps(shaped(prompt, settings.json_schema, now), ensure_ascii=False))
        if not tools and (record := record_of(prompt)) is not None:
            return Step(summary(record, now))
        return next_step(prompt, tools, settings, now)


def _pieces(text: str) -> Iterator[str]:
    """Word by word; together they are the text."""
    start = 0
    while start < len(text):
        end = text.find(" ", start)
        end = len(text) if end < 0 else end + _WORDS_AT_ONCE
        yield text[start:end]
        start = end
