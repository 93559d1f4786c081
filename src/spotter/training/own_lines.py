"""An exercise of one's own as a line for models, and back. Pure; `sources.py` writes it, `recall.py` reads it."""

import re
from collections.abc import Iterable
from typing import Final

from spotter.training.exercise import Exercise
from spotter.training.vocabulary import (
    Equipment,
    Flag,
    Force,
    Intensity,
    Joint,
    Mechanic,
    Muscle,
    Pattern,
    UnitType,
)

TITLE: Final = "Own exercises:"
UNPROVEN: Final = "loads not stated"
_LONGEST_NAME: Final = 60
# Other people's names: what is not a plain word stays out of a prompt.
_ODD: Final = re.compile(r"[^\w '()+&/.-]+")
_LINE: Final = re.compile(
    r"- (?P<name>[^\[\]]{1,60}) \[(?P<id>[^\]\s]{1,200})\] (?P<pattern>\w+) (?P<force>\w+) (?P<mechanic>\w+)"
    r" for (?P<primary>[\w+]+)(?:/(?P<secondary>[\w+]+))? with (?P<setups>[\w+|]+) level (?P<level>\d+)"
    r" (?P<unit>\w+) (?P<low>\d+)-(?P<high>\d+)(?P<each> each side)? (?P<intensity>\w+) x(?P<seconds>[\d.]+)"
    r"(?: joints (?P<joints>[\w:+]+))?(?: flags (?P<flags>[\w+]+))?(?P<unproven> loads not stated)?"
)


def line_of(exercise: Exercise) -> str:
    secondary = f"/{_plus(exercise.secondary)}" if exercise.secondary else ""
    setups = "|".join(_plus(sorted(setup)) for setup in exercise.setups)
    loads = "+".join(f"{joint.value}:{load}" for joint, load in sorted(exercise.joints.items()))
    low, high = exercise.range
    parts = [
        f"- {name_of(exercise)} [{exercise.id}] {exercise.pattern.value} {exercise.force.value}",
        f"{exercise.mechanic.value} for {_plus(exercise.primary)}{secondary} with {setups} level {exercise.level}",
        f"{exercise.unit.value} {low}-{high}{' each side' if exercise.unilateral else ''}",
        f"{exercise.intensity.value} x{exercise.seconds_per_unit:g}",
        f"joints {loads}" if loads else "",
        f"flags {_plus(sorted(exercise.flags))}" if exercise.flags else "",
        UNPROVEN if exercise.unproven else "",
    ]
    return " ".join(part for part in parts if part)


def name_of(exercise: Exercise) -> str:
    return " ".join(_ODD.sub(" ", exercise.name).split())[:_LONGEST_NAME].strip() or "Own exercise"


def exercises_in(text: str) -> list[Exercise]:
    """What cannot be read is passed over."""
    _, title, listed = text.partition(TITLE)
    return [known for line in listed.splitlines() if title and (known := exercise_of(line)) is not None]


def exercise_of(line: str) -> Exercise | None:
    found = _LINE.fullmatch(line.strip())
    if found is None:
        return None
    try:
        return Exercise(
            id=found["id"],
            name=found["name"],
            pattern=Pattern(found["pattern"]),
            force=Force(found["force"]),
            mechanic=Mechanic(found["mechanic"]),
            primary=tuple(Muscle(each) for each in found["primary"].split("+")),
            secondary=tuple(Muscle(each) for each in (found["secondary"] or "").split("+") if each),
            setups=tuple(
                frozenset(Equipment(item) for item in setup.split("+"))
                for setup in found["setups"].split("|")
            ),
            level=int(found["level"]),
            unit=UnitType(found["unit"]),
            range=(int(found["low"]), int(found["high"])),
            unilateral=found["each"] is not None,
            intensity=Intensity(found["intensity"]),
            seconds_per_unit=float(found["seconds"]),
            joints={Joint(j): int(load) for j, load in _pairs(found["joints"])},
            flags=frozenset(Flag(each) for each in (found["flags"] or "").split("+") if each),
            unproven=found["unproven"] is not None,
        )
    except ValueError:
        return None


def _plus(values: Iterable[str]) -> str:
    return "+".join(str(value) for value in values)


def _pairs(text: str | None) -> list[tuple[str, str]]:
    return [
        (joint, load) for each in (text or "").split("+") if each for joint, _, load in [each.partition(":")]
    ]
