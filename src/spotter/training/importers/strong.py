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
from spotter.training.importers.reading import duration, moment, number, rows, whole
from spotter.training.vocabulary import SetType

SOURCE: Final = "strong"
COLUMNS: Final = frozenset({"date", "workout name", "exercise name", "set order"})

_SET_TYPES: Final = {"w": SetType.WARMUP, "d": SetType.DROPSET, "f": SetType.FAILURE}
_REST: Final = frozenset({"rest timer", "rest"})
_POUNDS: Final = frozenset({"lb", "lbs", "pound", "pounds"})
_METRES: Final = {
    "m": 1.0,
    "meters": 1.0,
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
        read_row = _row(row, zone, pounds)
        if isinstance(read_row, SetRow):
            assembler.add(read_row)
        else:
            yield Skipped(f"line {line}", row.get("exercise name", ""), read_row)
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
        return "the date cannot be read"
    done = LoggedSet(
        type=_SET_TYPES.get(order, SetType.NORMAL),
        reps=whole(row.get("reps", "")),
        weight_kg=_weight(row, pounds),
        seconds=number(row.get("seconds", "")),
        distance_m=_distance(row, pounds),
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


def _weight(row: Mapping[str, str], pounds: bool) -> float | None:
    for column in row:
        if column.startswith("weight") and column != "weight unit":
            value = number(row[column])
            unit = row.get("weight unit", "") or column.removeprefix("weight").strip(" ()")
            heavy = unit.lower() in _POUNDS if unit else pounds
            return None if value is None else round(value * KILOGRAMS_IN_A_POUND, 3) if heavy else value
    return None


def _distance(row: Mapping[str, str], pounds: bool) -> float | None:
    for column in row:
        if column.startswith("distance") and column != "distance unit":
            value = number(row[column])
            unit = row.get("distance unit", "") or column.removeprefix("distance").strip(" ()")
            # Who counts in pounds counts in miles; the app has one setting for both.
            factor = _METRES.get(unit.lower() or ("mi" if pounds else "km"), 1.0)
            return None if value is None else round(value * factor, 1)
    return None


def _text(text: str) -> str:
    return "" if text == "-" else text
