"""What all stream folds share: events of one dialect go in, deltas come out, and the whole is kept for the `Final`."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from spotter.ids import new_id
from spotter.llm.faults import ModelProtocolError, Origin, failed
from spotter.llm.port import (
    NO_USAGE,
    Delta,
    Final,
    FinishReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallStart,
    Usage,
)
from spotter.llm.prompt import Prompt, Replay, ToolCall
from spotter.llm.text import Mender, clean


class _Call:
    __slots__ = ("arguments", "id", "mender", "name")

    def __init__(self, call_id: str, name: str) -> None:
        self.id = call_id
        self.name = name
        self.arguments: list[str] = []
        self.mender = Mender()


class Fold(ABC):
    """The state of one answer while it arrives."""

    def __init__(self, prompt: Prompt, origin: Origin) -> None:
        self.origin = origin
        self.finish: FinishReason | None = None
        self.usage: Usage = NO_USAGE
        self.request_id = ""
        self.unsaid = False
        """The answer came whole to somebody who reads a stream: its deltas are still to be given out."""
        self._prompt = prompt
        self._model = ""
        self._response_id = ""
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._mender = Mender()
        self._calls: dict[int, _Call] = {}
        self._taken: set[str] | None = None

    @abstractmethod
    def feed(self, event: Any) -> Iterable[Delta]:
        """Take one event of the provider's stream."""

    @abstractmethod
    def whole(self, answer: Any) -> None:
        """Take an answer that was not streamed."""

    def rest(self) -> Iterator[Delta]:
        """What was held back, once no more events come."""
        if half := self._mender.rest():
            self._text.append(half)
            if not self.unsaid:
                yield TextDelta(half)
        if self.unsaid:
            yield from self._spoken()

    def _spoken(self) -> Iterator[Delta]:
        if self._text:
            yield TextDelta("".join(self._text))
        for index, call in self._calls.items():
            yield ToolCallStart(index=index, id=call.id, name=call.name)
            yield ToolArgsDelta(index=index, text="".join(call.arguments))

    def final(self) -> Final:
        if self.finish is None:
            raise failed(ModelProtocolError, "stopped in the middle of its answer", self.origin, self.usage)
        calls = tuple(
            # A call without arguments may come as nothing at all; that is an empty object, not a mistake.
            ToolCall(
                id=call.id, name=call.name, arguments="".join(call.arguments) + call.mender.rest() or "{}"
            )
            for call in self._calls.values()
        )
        finish = self.finish
        if finish in {FinishReason.STOP, FinishReason.TOOL_CALLS}:
            finish = FinishReason.TOOL_CALLS if calls else FinishReason.STOP
        return Final(
            text="".join(self._text),
            tool_calls=calls,
            finish=finish,
            usage=self.usage,
            provider=self.origin.provider,
            model=self._model or self.origin.model,
            request_id=self.request_id,
            response_id=self._response_id,
            thinking="".join(self._thinking),
            replay=self._replay(),
        )

    def _replay(self) -> Replay | None:
        return None

    def _say(self, text: str) -> Iterable[Delta]:
        text = self._mender.feed(text)
        if not text:
            return ()
        self._text.append(text)
        return (TextDelta(text),)

    def _think(self, text: str) -> Iterable[Delta]:
        text = clean(text)
        self._thinking.append(text)
        return (ThinkingDelta(text),) if text else ()

    def _start(self, index: int, call_id: str, name: str) -> Iterable[Delta]:
        """Open a call. Its id is made unique in prompt and answer: a repeated one would make the next call illegal."""
        if index in self._calls:
            return ()
        if self._taken is None:
            self._taken = self._prompt.call_ids()
        name = clean(name) or "unnamed"
        if not call_id or call_id in self._taken:
            call_id = f"call_{new_id().hex}"
        self._taken.add(call_id)
        self._calls[index] = _Call(call_id, name)
        return (ToolCallStart(index=index, id=call_id, name=name),)

    def _argue(self, index: int, text: str) -> Iterable[Delta]:
        call = self._calls.get(index)
        if call is None:
            raise failed(
                ModelProtocolError, "sent arguments for a call it did not make", self.origin, self.usage
            )
        text = call.mender.feed(text)
        if not text:
            return ()
        call.arguments.append(text)
        return (ToolArgsDelta(index=index, text=text),)


def count(value: object) -> int:
    """A token count as reported; anything but a positive number counts nothing."""
    return value if isinstance(value, int) and value > 0 else 0
