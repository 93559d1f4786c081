"""Logs exported by the app Strong.

It has written several tables over the years: separated by commas or semicolons, the unit in a column, in the header or
nowhere, the length of the workout as words, a clock or seconds. Columns are found by name, whatever their order.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import tzinfo
from typing import Final

from spotter.training.catalogue import Catalogue
from spotter.training.importers.logged import (
    KILOGRAMS_IN_A_POUND,
    METRES_IN_A_MILE,
    Assembler,
    LoggedSet,
    LoggedWorkout,
    SetRow,
)
from spotter.training.importers.outcome import Skipped
from spotter.training.importers.plausible import doubt
from spotter.training.importers.reading import NO_DATE, duration, moment, number, rows, whole
from spotter.training.vocabulary import SetType

SOURCE: Final = "strong"
COLUMNS: Final = frozenset({"date", "workout name", "exercise name", "set order"})

_SET_TYPES: Final = {"w": SetType.WARMUP, "d": SetType.DROPSET, "f": SetType.FAILURE}
_REST: Final = frozenset({"rest timer", "rest"})
_KILOGRAMS: Final = {
    **dict.fromkeys(("kg", "kgs", "kilogram", "kilograms"), 1.0),
    **dict.fromkeys(("lb", "lbs", "pound", "pounds"), KILOGRAMS_IN_A_POUND),
    **dict.fromkeys(("st", "stone", "stones"), 14 * KILOGRAMS_IN_A_POUND),
}
_METRES: Final = {
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("yd", "yard", "yards"), METRES_IN_A_MILE / 1760),
    **dict.fromkeys(("ft", "foot", "feet"), METRES_IN_A_MILE / 5280),
    "km": 1000.0,
    "mi": METRES_IN_A_MILE,
    "mile": METRES_IN_A_MILE,
    "miles": METRES_IN_A_MILE,
}


def read(
    lines: Iterable[str], book: Catalogue, *, zone: tzinfo, pounds: bool = False
) -> Iterator[LoggedWorkout | Skipped]:
    """`pounds` says what weights without a unit are in; a unit in the file is believed first."""
    assembler = Assembler(SOURCE, book)
    for line, row in rows(lines):
        read_row = row if isinstance(row, str) else _row(row, zone, pounds)
        if isinstance(read_row, SetRow):
            assembler.add(read_row)
        else:
            name = "" if isinstance(row, str) else row.get("exercise name", "")
            yield Skipped(f"line {line}", name, read_row)
    yield from assembler.workouts()


def _row(row: Mapping[str, str], zone: tzinfo, pounds: bool) -> SetRow | str:
    """What the row says, or why it says nothing."""
    name, order = row.get("exercise name", ""), row.get("set order", "").lower()
    if order in _REST or name.lower() in _REST:
        return "a rest timer, no set"
    if not name:
        return "no exercise"
    started = moment(row.get("date", ""), zone)
    if started is None:
        return NO_DATE
    try:
        weight = _measured(row, "weight", _KILOGRAMS, "lb" if pounds else "kg")
        # Who counts in pounds counts in miles; the app has one setting for both.
        distance = _measured(row, "distance", _METRES, "mi" if pounds else "km")
    except _UnknownUnit as unknown:
        return f"the unit {unknown} is not known"
    done = LoggedSet(
        type=_SET_TYPES.get(order, SetType.NORMAL),
        reps=whole(row.get("reps", "")),
        weight_kg=weight,
        seconds=number(row.get("seconds", "")),
        distance_m=distance,
        rpe=number(row.get("rpe", "")),
        notes=_text(row.get("notes", "")),
    )
    if trouble := doubt(done):
        return trouble
    length = duration(next((row[key] for key in row if "duration" in key), ""))
    return SetRow(
        started=started,
        ended=started + length if length else None,
        title=row.get("workout name", "") or "Workout",
        exercise=name,
        set=done,
        workout_notes=_text(row.get("workout notes", "")),
    )


class _UnknownUnit(Exception):
    """A number in a unit we cannot convert would be a wrong number."""


def _measured(row: Mapping[str, str], what: str, factors: Mapping[str, float], usual: str) -> float | None:
    """The number of a column, in our unit: its own is beside it, in the header, or nowhere."""
    for column in row:
        if column.startswith(what) and column != f"{what} unit":
            value = number(row[column])
            if value is None:
                return None
            unit = row.get(f"{what} unit", "") or column.removeprefix(what).strip(" ()") or usual
            if (factor := factors.get(unit.lower())) is None:
                raise _UnknownUnit(unit[:12])
            return value if factor == 1.0 else round(value * factor, 3)
    return None


def _text(text: str) -> str:
    return "" if text == "-" else text
