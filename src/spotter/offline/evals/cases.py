"""The utterances and the tables they are said at."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from importlib import resources
from typing import Any, Final

from spotter.offline.understanding import Intent, Item, Question, Scheduled, Table

NOW: Final = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
"""A Monday morning."""

_WORKOUT: Final = (
    Item("e1", "Push-up", "push_up"),
    Item("e2", "Goblet squat", "goblet_squat"),
    Item("e3", "Dumbbell row", "dumbbell_row"),
    Item("e4", "Reverse lunge", "reverse_lunge"),
    Item("e5", "Plank", "plank"),
)

TABLES: Final[Mapping[str, Table]] = {
    "": Table(),
    "workout": Table(workout=_WORKOUT, minutes=30, focus="e2", last=Intent.CREATE),
    "swapped": Table(workout=_WORKOUT, minutes=30, focus="e3", last=Intent.SWAP),
    "explained": Table(workout=_WORKOUT, minutes=30, focus="e5", last=Intent.EXPLAIN),
    "more": Table(workout=_WORKOUT, minutes=30, focus="e1", last=Intent.MORE_OF),
    "equipment?": Table(
        question=Question("What do you have to train with?", ("Bodyweight only", "Dumbbells", "Full gym"))
    ),
    "length?": Table(question=Question("How long do you have?", ("15 minutes", "30 minutes", "45 minutes"))),
    "sure?": Table(
        workout=_WORKOUT,
        minutes=30,
        focus="e2",
        question=Question("Shall I log the whole workout?", ("Yes", "No")),
    ),
    "scheduled": Table(
        scheduled=(
            Scheduled("s1", "Leg day", date(2026, 11, 19)),
            Scheduled("s2", "Upper body", date(2026, 11, 21)),
        )
    ),
}


@dataclass(frozen=True, slots=True)
class Case:
    text: str
    intents: tuple[str, ...]
    slots: Mapping[str, Any] = field(default_factory=dict)
    table: str = ""
    also: tuple[str, ...] = ()
    """Intents that may be found as well: the wording allows it."""
    round: int = 0
    """Written blind in this round, measured once, and built with from then on. The rules were not written by it."""


def cases(name: str) -> tuple[Case, ...]:
    """A set that ships with Spotter: `earlier` and `tuning`, which were built with, and `held_out`, which was not."""
    text = resources.files("spotter.offline.evals").joinpath(f"{name}.jsonl").read_text("utf-8")
    return tuple(_case(json.loads(line)) for line in text.splitlines() if line.strip())


def _case(row: Mapping[str, Any]) -> Case:
    return Case(
        text=row["text"],
        intents=tuple(row["intents"]),
        slots=row.get("slots", {}),
        table=row.get("table", ""),
        also=tuple(row.get("also", ())),
        round=row.get("round", 0),
    )
