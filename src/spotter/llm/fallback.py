"""Several models in a row: the next is asked when one fails before it said anything.

Once a delta has been handed out there is no way back: two models' words would be joined.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from typing_extensions import override

from spotter.errors import InvalidInput
from spotter.llm.faults import ModelError
from spotter.llm.port import (
    DEFAULTS,
    Capabilities,
    Chunk,
    FailedAttempt,
    Final,
    Model,
    ModelSettings,
    StreamingModel,
)
from spotter.llm.prompt import NO_TOOLS, Prompt, Tools


class FallbackModel(StreamingModel):
    """Known by its first model's name. The `Final` says who answered and who failed before; `passed_over` are those
    that could not even be asked."""

    def __init__(self, models: Sequence[Model], passed_over: Sequence[FailedAttempt] = ()) -> None:
        if not models:
            raise InvalidInput("A chain of models needs at least one.")
        self.models = tuple(models)
        self._passed_over = tuple(passed_over)
        self.name = models[0].name
        self.provider = models[0].provider

    @property
    def capabilities(self) -> Capabilities:
        """What every one of them can do, since any may have to."""
        each = [model.capabilities for model in self.models]
        return Capabilities(
            context_window=min(one.context_window for one in each),
            tools=all(one.tools for one in each),
            json_schema=all(one.json_schema for one in each),
            thinking=all(one.thinking for one in each),
            temperature=all(one.temperature for one in each),
        )

    @override
    async def stream(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> AsyncGenerator[Chunk, None]:
        failures: tuple[FailedAttempt, ...] = ()
        left = _clock(settings)
        for model in self.models:
            shown = False
            try:
                async with aclosing(model.stream(prompt, tools, left())) as chunks:
                    async for chunk in chunks:
                        shown = True
                        yield self._with(failures, chunk) if isinstance(chunk, Final) else chunk
                return
            except ModelError as error:
                failures = self._note(model, error, failures, final=shown)

    @override
    async def complete(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> Final:
        failures: tuple[FailedAttempt, ...] = ()
        left = _clock(settings)
        for model in self.models:
            try:
                return self._with(failures, await model.complete(prompt, tools, left()))
            except ModelError as error:
                failures = self._note(model, error, failures)
        raise AssertionError("the last model's failure is raised")

    def _note(
        self, model: Model, error: ModelError, failures: tuple[FailedAttempt, ...], *, final: bool = False
    ) -> tuple[FailedAttempt, ...]:
        """The failures so far, or the error again when nobody else may be asked."""
        attempt = FailedAttempt(model.provider, model.name, error.code, error.detail, error.usage)
        if final or not error.may_fallback or model is self.models[-1]:
            error.failed = failures
            raise error
        return (*failures, attempt)

    def _with(self, failures: tuple[FailedAttempt, ...], final: Final) -> Final:
        return replace(final, failed=self._passed_over + failures + final.failed)


def _clock(settings: ModelSettings) -> Callable[[], ModelSettings]:
    """The settings with what is left of their deadline: a chain has one, not one for each of its models."""
    if settings.deadline is None:
        return lambda: settings
    now = asyncio.get_running_loop().time
    end = now() + settings.deadline
    return lambda: replace(settings, deadline=max(0.0, end - now()))
