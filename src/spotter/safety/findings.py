"""What the rules find, before the policy turns it into an action."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from spotter.safety.decision import CategoryName

SURE: Final = 0.6
"""From here on a finding may stop a text; below it only warns."""


@dataclass(frozen=True, slots=True)
class Finding:
    category: CategoryName
    score: float
    spans: tuple[tuple[int, int], ...]
    why: str
    """A few words for people who review decisions. Never the text itself."""


def merged(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """In order, overlapping ones joined."""
    result: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return tuple(result)
