"""Data files to exercises. On the way of the first turn of a process, so it does no more than it must."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from spotter.training.exercise import Exercise, LadderPlace
from spotter.training.vocabulary import (
    Equipment,
    Flag,
    Force,
    Intensity,
    Joint,
    Mechanic,
    Muscle,
    Pattern,
    Suits,
    UnitType,
)

DATA: Final = Path(__file__).with_name("data")
LADDERS_FILE: Final = "ladders.json"

_SECONDS: Final[dict[UnitType, float]] = {
    UnitType.DURATION: 1.0,
    UnitType.WEIGHT_DURATION: 1.0,
    UnitType.DISTANCE_DURATION: 1.0,
    UnitType.SHORT_DISTANCE_WEIGHT: 1.2,  # a metre, walked with a load
}
_REP_SECONDS: Final = 3.0


def read_ladders(folder: Path = DATA) -> list[dict[str, Any]]:
    content: dict[str, list[dict[str, Any]]] = json.loads((folder / LADDERS_FILE).read_bytes())
    return content["ladders"]


def read_exercises(
    places: dict[str, tuple[LadderPlace, ...]], folder: Path = DATA
) -> Iterator[tuple[str, Exercise]]:
    """Each exercise with the file it stands in. A file's name is the pattern of all that is in it."""
    for path in sorted(folder.glob("*.json")):
        name = path.name
        if name == LADDERS_FILE:
            continue
        pattern = Pattern(path.stem)
        for entry in json.loads(path.read_bytes())["exercises"]:
            try:
                yield name, exercise_from(entry, pattern, places.get(entry["id"], ()))
            except KeyError as missing:
                raise ValueError(
                    f"{name}: {entry.get('id')}: {missing} is missing or no word of ours"
                ) from None


# A table is several times quicker than calling the enum, and there are thousands of words.
_MUSCLES: Final = {each.value: each for each in Muscle}
_EQUIPMENT: Final = {each.value: each for each in Equipment}
_UNITS: Final = {each.value: each for each in UnitType}
_MECHANICS: Final = {each.value: each for each in Mechanic}
_FORCES: Final = {each.value: each for each in Force}
_INTENSITIES: Final = {each.value: each for each in Intensity}
_JOINTS: Final = {each.value: each for each in Joint}
_FLAGS: Final = {each.value: each for each in Flag}
_SUITS: Final = {each.value: each for each in Suits}


def exercise_from(entry: dict[str, Any], pattern: Pattern, places: tuple[LadderPlace, ...]) -> Exercise:
    get = entry.get
    unit = _UNITS[entry["unit"]]
    low, high = entry["range"]
    return Exercise(
        id=entry["id"],
        name=entry["name"],
        aliases=tuple(get("aliases", ())),
        pattern=pattern,
        primary=tuple([_MUSCLES[word] for word in entry["primary"]]),
        secondary=tuple([_MUSCLES[word] for word in get("secondary", ())]),
        setups=tuple([frozenset([_EQUIPMENT[word] for word in setup]) for setup in entry["equipment"]]),
        level=entry["level"],
        unit=unit,
        mechanic=_MECHANICS[entry["mechanic"]],
        force=_FORCES[entry["force"]],
        unilateral=get("unilateral", False),
        range=(low, high),
        seconds_per_unit=get("seconds", _SECONDS.get(unit, _REP_SECONDS)),
        intensity=_INTENSITIES[entry["intensity"]],
        joints={_JOINTS[joint]: load for joint, load in get("joints", {}).items()},
        flags=frozenset([_FLAGS[word] for word in get("flags", ())]),
        suits=frozenset([_SUITS[word] for word in get("suits", ())]),
        cues=tuple(entry["cues"]),
        places=places,
        unproven="joints" in get("guessed", ()),
    )
