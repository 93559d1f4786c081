"""One exercise of another collection, brought into our form."""

import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from spotter.training.catalogue import Catalogue, Match
from spotter.training.exercise import Exercise
from spotter.training.importers import patterns
from spotter.training.importers.outcome import Skipped
from spotter.training.importers.translation import (
    CATEGORY_MUSCLES,
    FORCES,
    LEVELS,
    MECHANICS,
    equipment_of,
    muscles_of,
)
from spotter.training.vocabulary import Equipment, Force, Intensity, Pattern, UnitType

# Over this, two names mean the same exercise and ours is kept: it has joint loads and ladders a guess has not.
SAME: Final = 0.93
LONGEST_NAME: Final = 120
MOST_ALIASES: Final = 20
_NOT_SLUG: Final = re.compile(r"[^a-z0-9]+")
_LOADED: Final = frozenset(
    {Equipment.BARBELL, Equipment.DUMBBELL, Equipment.KETTLEBELL, Equipment.CABLE, Equipment.MACHINE}
    | {Equipment.EZ_BAR, Equipment.PLATE, Equipment.BANDS, Equipment.MEDICINE_BALL}
)


@dataclass(frozen=True, slots=True)
class Record:
    """What a collection says about an exercise, in its own words."""

    source: str
    source_id: str
    name: str
    category: str = ""
    primary: list[str] = field(default_factory=list)
    secondary: list[str] = field(default_factory=list)
    equipment: list[str] = field(default_factory=list)
    level: str = ""
    force: str = ""
    mechanic: str = ""
    aliases: list[str] = field(default_factory=list)
    instructions: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    licence: str = "unstated"
    licence_author: str = ""


@dataclass(frozen=True, slots=True)
class ImportedExercise:
    exercise: Exercise
    source: str
    source_id: str
    licence: str
    licence_author: str
    instructions: tuple[str, ...] = ()
    """Theirs, under their licence; never mixed with our cues."""
    images: tuple[str, ...] = ()
    """Empty unless the operator asked for them: of most, nobody knows to whom they belong."""
    guessed: tuple[str, ...] = ()
    """Which fields the source did not state."""


def imported(record: Record, book: Catalogue, *, images: bool = False) -> ImportedExercise | Skipped:
    name = " ".join(record.name.split())[:LONGEST_NAME]
    if not name:
        return Skipped(record.source_id, "", "it has no name")
    if (known := _ours(name, book)) is not None:
        return Skipped(record.source_id, name, f"the catalogue has it: {known.exercise.id}")
    primary, strange = muscles_of(record.primary, name)
    secondary, more = muscles_of(record.secondary, name)
    setup, odd = equipment_of(record.equipment, name)
    if strange or more or odd:
        return Skipped(record.source_id, name, f"words we do not know: {', '.join((*strange, *more, *odd))}")
    primary = primary or CATEGORY_MUSCLES.get(record.category, ())
    if not primary:
        return Skipped(record.source_id, name, "no muscle is named")
    if Equipment.OTHER in setup and record.category == "stretching":
        setup = frozenset({Equipment.NONE})
    pattern = patterns.pattern_of(name, record.category, primary)
    exercise = Exercise(
        id=f"{record.source}-{_slug(record.source_id)}",
        name=name,
        aliases=tuple(alias[:LONGEST_NAME] for alias in record.aliases[:MOST_ALIASES]),
        pattern=pattern,
        primary=primary,
        secondary=tuple(each for each in secondary if each not in primary),
        setups=(setup,),
        level=LEVELS.get(record.level, 5),
        unit=_unit(pattern, record.force, setup),
        mechanic=MECHANICS.get(record.mechanic) or patterns.mechanic_of(pattern),
        force=FORCES.get(record.force) or patterns.force_of(pattern),
        range=_range(pattern, record.force),
        joints=patterns.loads_of(pattern, name),
        flags=patterns.flags_of(pattern, name),
        seconds_per_unit=1.0 if _timed(pattern, record.force) else 3.0,
        intensity=_intensity(pattern),
    )
    return ImportedExercise(
        exercise=exercise,
        source=record.source,
        source_id=record.source_id,
        licence=record.licence,
        licence_author=record.licence_author,
        instructions=tuple(record.instructions),
        images=tuple(record.images) if images else (),
        guessed=_guessed(record),
    )


def _slug(source_id: str) -> str:
    slug = _NOT_SLUG.sub("-", source_id.lower()).strip("-")[:LONGEST_NAME]
    # Names in other scripts leave nothing of a slug.
    return slug or sha256(source_id.encode(errors="replace")).hexdigest()[:12]


def _ours(name: str, book: Catalogue) -> Match | None:
    return book.find(name, least=SAME)


def _timed(pattern: Pattern, force: str) -> bool:
    return pattern in (Pattern.MOBILITY, Pattern.CARDIO, Pattern.HOLD_SKILL) or force == Force.STATIC


def _unit(pattern: Pattern, force: str, setup: frozenset[Equipment]) -> UnitType:
    if _timed(pattern, force):
        return UnitType.DURATION
    return UnitType.WEIGHT_REPS if setup & _LOADED else UnitType.BODYWEIGHT_REPS


def _range(pattern: Pattern, force: str) -> tuple[int, int]:
    if pattern is Pattern.CARDIO:
        return (60, 300)
    return (15, 40) if _timed(pattern, force) else (8, 12)


def _intensity(pattern: Pattern) -> Intensity:
    if pattern is Pattern.MOBILITY:
        return Intensity.STRETCHING
    return Intensity.VIGOROUS if pattern in (Pattern.CARDIO, Pattern.JUMP) else Intensity.RESISTANCE


def _guessed(record: Record) -> tuple[str, ...]:
    stated = {
        "level": record.level in LEVELS,
        "force": record.force in FORCES,
        "mechanic": record.mechanic in MECHANICS,
        "primary": bool(record.primary),
    }
    return ("pattern", "joints", "flags", "range", *(each for each, known in stated.items() if not known))
