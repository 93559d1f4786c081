"""What became of what was in a file."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from spotter.errors import InvalidInput

_MOST_KEPT: Final = 200


class UnreadableFile(InvalidInput):
    code = "unreadable_file"
    title = "This file cannot be imported"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was left out."""

    where: str
    """A line or an id in the source."""
    name: str
    reason: str


@dataclass(slots=True)
class Report:
    """Counts while somebody iterates; keeps the first few hundred that were left out."""

    imported: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def note(self, item: object) -> None:
        if isinstance(item, Skipped):
            self.reasons[item.reason] += 1
            if len(self.skipped) < _MOST_KEPT:
                self.skipped.append(item)
        else:
            self.imported += 1
