"""Is the catalogue right? Finds contradictions a reader would miss; whether a cue is good, people must judge.

python -m spotter.training.catalogue.check
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Final

from spotter.training.catalogue.book import Catalogue, catalogue
from spotter.training.catalogue.coverage import gaps
from spotter.training.catalogue.matching import normal
from spotter.training.exercise import Exercise
from spotter.training.limits import EXCLUDED_FLAGS, Condition
from spotter.training.vocabulary import (
    LOWER_MUSCLES,
    Equipment,
    Flag,
    Force,
    Intensity,
    Joint,
    Kind,
    Level,
    Mechanic,
    Muscle,
    Pattern,
    Region,
    Suits,
    UnitType,
)

LEAST_EXERCISES: Final = 240
CUES: Final = (2, 4)
CUE_LENGTH: Final = (12, 130)
_SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_BRANDS: Final = re.compile(
    r"\b(trx|bosu|nautilus|peloton|gravitron|stairmaster|theraband|hammer strength|concept ?2|crossfit|technogym)\b",
    re.IGNORECASE,
)

# Whoever sets the flag must also say that the joint bears something.
FLAG_LOADS: Final[dict[Flag, dict[Joint, int]]] = {
    Flag.OVERHEAD: {Joint.SHOULDER: 1},
    Flag.IMPACT: {Joint.KNEE: 1, Joint.ANKLE: 2},
    Flag.WRIST_EXTENSION: {Joint.WRIST: 1},
    Flag.DEEP_KNEE_FLEXION: {Joint.KNEE: 2},
    Flag.AXIAL_LOAD: {},
    Flag.SPINAL_FLEXION_LOADED: {Joint.LOWER_BACK: 1},
}

# What may be written down at all: seconds, metres or repetitions.
_RANGES: Final[dict[UnitType, tuple[int, int]]] = {
    UnitType.DURATION: (3, 300),
    UnitType.WEIGHT_DURATION: (5, 120),
    UnitType.DISTANCE_DURATION: (10, 3600),
    UnitType.SHORT_DISTANCE_WEIGHT: (10, 100),
}
_REP_RANGE: Final = (1, 30)


def faults(book: Catalogue) -> list[str]:
    """Everything that is wrong, in words; empty when all is well."""
    found = [f"{exercise.id}: {text}" for exercise in book for rule in _RULES for text in rule(exercise)]
    found += _names(book)
    found += _cues_said_twice(book)
    found += _unused(book)
    found += _ladders(book)
    found += gaps(book)
    if len(book) < LEAST_EXERCISES:
        found.append(f"only {len(book)} exercises; at least {LEAST_EXERCISES} are promised")
    return found


def _shape(exercise: Exercise) -> Iterator[str]:
    if not _SLUG.fullmatch(exercise.id):
        yield "the id is no slug"
    if not 1 <= exercise.level <= 10:
        yield "the level is not between 1 and 10"
    if not exercise.primary or set(exercise.primary) & set(exercise.secondary):
        yield "muscles are missing or named twice"
    if len(set(exercise.primary)) < len(exercise.primary) or len(exercise.muscles) > 8:
        yield "muscles are doubled or too many to mean anything"
    if any(not 1 <= load <= 3 for load in exercise.joints.values()):
        yield "a joint load is not 1, 2 or 3 (leave out what is 0)"
    low, high = exercise.range
    least, most = _RANGES.get(exercise.unit, _REP_RANGE)
    if not least <= low <= high <= most:
        yield f"the range {low}–{high} makes no sense for {exercise.unit}"
    if exercise.kind is not Kind.REPS and exercise.unit is not UnitType.SHORT_DISTANCE_WEIGHT:
        if exercise.seconds_per_unit != 1:
            yield "what is timed takes one second for each second"
    elif not 0.5 <= exercise.seconds_per_unit <= 40:
        yield "the seconds for one repetition make no sense"


def _equipment(exercise: Exercise) -> Iterator[str]:
    for setup in exercise.setups:
        if not setup or (Equipment.NONE in setup and len(setup) > 1):
            yield "`none` stands alone, and nothing is written as `none`"
        if Equipment.OTHER in setup:
            yield "`other` is for imports only"
    if len(set(exercise.setups)) < len(exercise.setups):
        yield "the same equipment is listed twice"


def _joints(exercise: Exercise) -> Iterator[str]:
    for flag in exercise.flags:
        for joint, least in FLAG_LOADS.get(flag, {}).items():
            if exercise.load_on(joint) < least:
                yield f"{flag} without a load of {least} on the {joint}"
    if {Flag.SUPINE, Flag.PRONE} <= exercise.flags:
        yield "cannot lie on the back and the front at once"
    if Flag.AXIAL_LOAD in exercise.flags and not (
        exercise.load_on(Joint.LOWER_BACK) or exercise.load_on(Joint.SHOULDER)
    ):
        yield "an axial load passes through shoulders or lower back"
    if exercise.pattern is Pattern.JUMP and Flag.IMPACT not in exercise.flags:
        yield "a jump without impact"
    if exercise.pattern is Pattern.VERTICAL_PUSH and exercise.load_on(Joint.SHOULDER) == 0:
        yield "a vertical push that loads no shoulder"


def _suits(exercise: Exercise) -> Iterator[str]:
    suits, flags = exercise.suits, exercise.flags
    if Suits.PREGNANCY in suits and (wrong := flags & EXCLUDED_FLAGS[Condition.PREGNANCY]):
        yield f"suits pregnancy, yet {', '.join(sorted(wrong))}"
    unsteady = flags & {Flag.FALL_RISK, Flag.IMPACT, Flag.INVERSION, Flag.BREATH_HOLD}
    if Suits.SENIOR in suits and (unsteady or exercise.level > 3):
        yield "suits seniors, yet it is hard or unsteady"
    lying = flags & {Flag.SUPINE, Flag.PRONE, Flag.FALL_RISK, Flag.IMPACT, Flag.INVERSION}
    if Suits.WHEELCHAIR in suits and (lying or LOWER_MUSCLES & set(exercise.primary)):
        yield "suits a wheelchair, yet it needs the legs or the floor"
    if Suits.WARM_UP in suits and (exercise.level > 4 or Flag.BREATH_HOLD in flags):
        yield "too hard to warm up with"
    if Suits.COOL_DOWN in suits and (Flag.IMPACT in flags or exercise.met > 7):
        yield "too hard to cool down with"


def _cues(exercise: Exercise) -> Iterator[str]:
    if not CUES[0] <= len(exercise.cues) <= CUES[1]:
        yield f"{len(exercise.cues)} cues"
    for cue in exercise.cues:
        if not CUE_LENGTH[0] <= len(cue) <= CUE_LENGTH[1]:
            yield f"a cue of {len(cue)} characters: {cue!r}"
        if not cue.endswith(".") or not cue[0].isupper():
            yield f"a cue is no sentence: {cue!r}"
    for text in (exercise.name, *exercise.aliases, *exercise.cues):
        if _BRANDS.search(text):
            yield f"names a brand: {text!r}"


_RULES: Final[tuple[Callable[[Exercise], Iterator[str]], ...]] = (
    _shape,
    _equipment,
    _joints,
    _suits,
    _cues,
)


def _names(book: Catalogue) -> Iterator[str]:
    owners: dict[str, str] = {}
    for exercise in book:
        for name in {normal(each) for each in (exercise.name, *exercise.aliases)}:
            owner = owners.setdefault(name, exercise.id)
            if owner != exercise.id:
                yield f"{exercise.id}: {name!r} is also a name of {owner}"


def _cues_said_twice(book: Catalogue) -> Iterator[str]:
    said = Counter(cue.lower() for exercise in book for cue in exercise.cues)
    yield from (f"said {times} times: {cue!r}" for cue, times in said.items() if times > 1)


def _unused(book: Catalogue) -> Iterator[str]:
    words: list[StrEnum] = [Equipment.OTHER]
    for exercise in book:
        words += (*exercise.muscles, *exercise.joints, *exercise.flags, *exercise.suits)
        words += (item for setup in exercise.setups for item in setup)
        words += (exercise.pattern, exercise.unit, exercise.mechanic, exercise.force, exercise.kind)
        words += (exercise.intensity, exercise.region, exercise.band)
    # By type as well: the lower back is a muscle and a joint, and as text they are equal.
    used = {(type(word), word) for word in words}
    vocabularies: tuple[type[StrEnum], ...] = (
        *(Muscle, Pattern, Equipment, UnitType, Mechanic, Force, Kind),
        *(Intensity, Region, Level, Joint, Flag, Suits),
    )
    for vocabulary in vocabularies:
        for word in vocabulary:
            if (vocabulary, word) not in used:
                yield f"no exercise has {vocabulary.__name__} {word}"


def _ladders(book: Catalogue) -> Iterator[str]:
    for ladder in book.ladders.values():
        members = [each for rung in ladder.rungs for each in rung]
        if len(set(members)) < len(members):
            yield f"ladder {ladder.id}: an exercise stands on two rungs"
        if missing := [each for each in members if each not in book]:
            yield f"ladder {ladder.id}: no such exercise: {', '.join(missing)}"
            continue
        levels = [max(book[each].level for each in rung) for rung in ladder.rungs]
        if levels != sorted(levels):
            yield f"ladder {ladder.id}: it gets easier on the way up: {levels}"


def main() -> int:
    found = faults(catalogue())
    sys.stdout.writelines(f"{fault}\n" for fault in found)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
