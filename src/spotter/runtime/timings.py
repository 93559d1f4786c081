"""How long tools and models take, told to whoever counts: nobody, unless they ask."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from spotter.llm.port import Final, Usage


@dataclass(frozen=True, slots=True)
class ToolRan:
    tool: str
    outcome: str
    seconds: float


@dataclass(frozen=True, slots=True)
class ModelAnswered:
    provider: str
    model: str
    outcome: str
    """`ok`, or the code of the error."""
    seconds: float
    first: float | None
    """Seconds to its first word; None where it came whole."""
    usage: Usage | None


Timed: TypeAlias = ToolRan | ModelAnswered
Listener: TypeAlias = Callable[[Timed], None]


class Timings:
    """One per process."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def watch(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def told(self, timed: Timed) -> None:
        for listener in self._listeners:
            listener(timed)


class Stopwatch:
    """Of one question to a model."""

    __slots__ = ("_began", "_first", "_model", "_provider", "_timings")

    def __init__(self, timings: Timings, provider: str, model: str) -> None:
        self._timings = timings
        self._provider = provider
        self._model = model
        self._began = time.perf_counter()
        self._first: float | None = None

    def heard(self) -> None:
        if self._first is None:
            self._first = time.perf_counter() - self._began

    def answered(self, answer: Final) -> None:
        """By whoever answered: it may be another than was asked first."""
        self._tell(answer.provider, answer.model, "ok", answer.usage)

    def failed(self, code: str) -> None:
        self._tell(self._provider, self._model, code, None)

    def _tell(self, provider: str, model: str, outcome: str, usage: Usage | None) -> None:
        seconds = time.perf_counter() - self._began
        self._timings.told(ModelAnswered(provider, model, outcome, seconds, self._first, usage))
