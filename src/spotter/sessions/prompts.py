"""I9: the prompt rebuilt from any prefix of a log is legal for every provider, also after checkpoints and in forks."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from spotter.llm import wire_anthropic, wire_chat, wire_responses
from spotter.llm.port import DEFAULTS
from spotter.llm.prompt import NO_TOOLS, Fragment, Prompt
from spotter.sessions.codec import Event
from spotter.sessions.events import Checkpoint, Content
from spotter.sessions.invariants import Found, SessionRow
from spotter.sessions.legality import PROVIDERS


class View(Protocol):
    """The log as a model sees it."""

    last_sequence: int

    def feed(self, events: Iterable[Event]) -> None: ...

    def take(self, content: Content, sequence: int) -> None: ...

    def prompt_messages(self) -> Sequence[Fragment]: ...


NewView = Callable[[], View]


@dataclass(slots=True)
class Prompts:
    session: SessionRow
    new_view: NewView
    most: int
    """Prefixes to try. A longer log is sampled: its beginning, its end, around checkpoints, and in between."""
    tried: int = 0
    _view: View = field(init=False)
    _covers: int = 0
    _near_checkpoint: int = 0

    def __post_init__(self) -> None:
        self._view = self.new_view()

    def take(self, sequence: int, content: Content) -> Iterator[Found]:
        self._view.take(content, sequence)
        if isinstance(content, Checkpoint):
            self._covers, self._near_checkpoint = content.covers, 3
        if self._wanted(sequence):
            yield from self._check(self._view, sequence)

    def _wanted(self, sequence: int) -> bool:
        if self._near_checkpoint:
            self._near_checkpoint -= 1
            return True
        total, third = self.session.last_sequence, self.most // 3
        if total <= self.most or sequence <= third or sequence > total - third:
            return True
        return sequence % (total // max(third, 1) + 1) == 0

    def end(self, cold: View) -> Iterator[Found]:
        """`cold` has read only what a new process reads: from where the context starts."""
        last = self.session.last_sequence
        if last == 0:
            return
        yield from self._check(cold, last)
        if self.session.context_start == self._covers and _bodies(cold) != _bodies(self._view):
            yield Found(
                "I8", last, "a new process would send another prompt than one that was there all along"
            )

    def _check(self, view: View, sequence: int) -> Iterator[Found]:
        self.tried += 1
        for (provider, faults), body in zip(PROVIDERS.items(), _bodies(view), strict=True):
            for fault in faults(json.loads(body)):
                yield Found("I9", sequence, f"the prompt up to here is not legal for {provider}: {fault}")


def _bodies(view: View) -> tuple[bytes, bytes, bytes]:
    prompt = Prompt(messages=view.prompt_messages())
    return (
        wire_chat.body("m", prompt, NO_TOOLS, DEFAULTS, stream=True),
        wire_responses.body("m", prompt, NO_TOOLS, DEFAULTS, stream=True),
        wire_anthropic.body("m", prompt, NO_TOOLS, DEFAULTS),
    )
