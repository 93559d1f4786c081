"""What is on the table while somebody speaks: enough to understand "not that one"."""

from dataclasses import dataclass
from datetime import date

from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.references import Item


@dataclass(frozen=True, slots=True)
class Question:
    """Asked by us, not answered yet."""

    text: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scheduled:
    id: str
    title: str
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Table:
    workout: tuple[Item, ...] = ()
    minutes: int | None = None
    """How long the workout takes."""
    focus: str | None = None
    """The id of the exercise spoken of last."""
    question: Question | None = None
    last: Intent | None = None
    """What was done for the message before."""
    scheduled: tuple[Scheduled, ...] = ()


EMPTY = Table()
