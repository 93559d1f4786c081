"""Logs exported by the app Hevy."""

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
from spotter.training.importers.reading import NO_DATE, moment, number, rows, whole
from spotter.training.vocabulary import SetType

SOURCE: Final = "hevy"
COLUMNS: Final = frozenset({"title", "start_time", "exercise_title"})

_SET_TYPES: Final = {each.value: each for each in SetType} | {
    "drop_set": SetType.DROPSET,
    "warm_up": SetType.WARMUP,
}
_WEIGHTS: Final = {"weight_kg": 1.0, "weight_lbs": KILOGRAMS_IN_A_POUND, "weight_lb": KILOGRAMS_IN_A_POUND}
_DISTANCES: Final = {"distance_km": 1000.0, "distance_miles": METRES_IN_A_MILE, "distance_meters": 1.0}


def read(lines: Iterable[str], book: Catalogue, *, zone: tzinfo) -> Iterator[LoggedWorkout | Skipped]:
    assembler = Assembler(SOURCE, book)
    for line, row in rows(lines):
        read_row = row if isinstance(row, str) else _row(row, zone)
        if isinstance(read_row, SetRow):
            assembler.add(read_row)
        else:
            name = "" if isinstance(row, str) else row.get("exercise_title", "")
            yield Skipped(f"line {line}", name, read_row)
    yield from assembler.workouts()


def _row(row: Mapping[str, str], zone: tzinfo) -> SetRow | str:
    name = row.get("exercise_title", "")
    if not name:
        return "no exercise"
    started = moment(row.get("start_time", ""), zone)
    if started is None:
        return NO_DATE
    ended = moment(row.get("end_time", ""), zone)
    done = LoggedSet(
        type=_SET_TYPES.get(row.get("set_type", "").lower(), SetType.NORMAL),
        reps=whole(row.get("reps", "")),
        weight_kg=_converted(row, _WEIGHTS),
        seconds=number(row.get("duration_seconds", "")),
        distance_m=_converted(row, _DISTANCES),
        rpe=number(row.get("rpe", "")),
    )
    if trouble := doubt(done):
        return trouble
    return SetRow(
        started=started,
        ended=ended if ended is not None and ended > started else None,
        title=row.get("title", "") or "Workout",
        exercise=name,
        set=done,
        superset=row.get("superset_id") or None,
        exercise_notes=row.get("exercise_notes", ""),
        workout_notes=row.get("description", ""),
    )


def _converted(row: Mapping[str, str], factors: Mapping[str, float]) -> float | None:
    for column, factor in factors.items():
        value = number(row.get(column, ""))
        if value is not None:
            return round(value * factor, 3)
    return None
