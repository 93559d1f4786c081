"""A turn as a script: it asks for calls, is given their outcomes, and ends with what is said.

The model keeps nothing between calls. Each time it is asked, the script runs again from the start and is fed the
outcomes the prompt already holds, until it asks for something that has not been done.
"""

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

_SAME: Final = ("exercise_id", "preference_type", "preference_id", "scheduled_id", "title", "instead_of")
"""Arguments that must agree for a call of another model to count as ours."""


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    later: Callable[[], Mapping[str, Any]] | None = field(default=None, compare=False)
    """Arguments that cost something to make, made only if the call is."""

    def written(self) -> str:
        made = self.later() if self.later is not None else {}
        return json.dumps({**self.arguments, **made}, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """A call that was made, and what came of it."""

    id: str
    tool: str
    arguments: Mapping[str, Any]
    text: str
    failed: bool = False


Script: TypeAlias = Generator[Sequence[Call], Sequence[Outcome], None]


def next_calls(script: Script, done: Sequence[Outcome], heard: Callable[[Outcome], None]) -> list[Call]:
    """What has to be done next; nothing when the script is at its end. `heard` is told each outcome in order."""
    left = list(done)
    try:
        wanted = next(script)
        while True:
            found = [_taken(call, left) for call in wanted]
            missing = [call for call, outcome in zip(wanted, found, strict=True) if outcome is None]
            if missing:
                return missing
            outcomes = [outcome for outcome in found if outcome is not None]
            for outcome in outcomes:
                heard(outcome)
            wanted = script.send(outcomes)
    except StopIteration:
        return []


def _taken(call: Call, left: list[Outcome]) -> Outcome | None:
    for at, outcome in enumerate(left):
        if outcome.tool == call.tool and all(
            outcome.arguments[name] == call.arguments[name]
            for name in _SAME
            if name in outcome.arguments and name in call.arguments
        ):
            return left.pop(at)
    return None
