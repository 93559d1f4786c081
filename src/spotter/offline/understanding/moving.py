"""A plan moved by days: "push it back a day"."""

import re
from datetime import timedelta
from typing import Final

from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.slots import When

_DAYS_ON: Final = re.compile(
    r"\b(?P<way>back|later|on|forward|earlier)? ?(?:by )?(?P<many>an?|one|\d+) (?P<unit>day|week)s?\b"
    r"(?: (?P<end>\w+))?"
)
_WAYS: Final = frozenset({"back", "later", "forward", "earlier"})
_LONGEST: Final = 60


def shifted_by(line: Line, meant: tuple[str, ...], table: Table) -> When | None:
    days = {plan.day for plan in table.scheduled if plan.id in meant and plan.day is not None}
    match = _DAYS_ON.search(" ".join(unit.word for unit in line.units))
    ways = {match["way"], match["end"]} & _WAYS if match else set()
    if match is None or len(days) != 1 or not ways:
        return None
    count = int(match["many"]) if match["many"].isdigit() else 1
    step = timedelta(days=min(count, _LONGEST) * (7 if match["unit"] == "week" else 1))
    return When(day=days.pop() + (-step if ways & {"forward", "earlier"} else step))
