"""What somebody means who does not want «jumping», «anything overhead», «machines» or «burpees of any kind»: all of it,
not the one exercise that is called so."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

from spotter.training.exercise import Exercise
from spotter.training.vocabulary import Equipment, Flag, Pattern

_Test = Callable[[Exercise], bool]

_MACHINES: Final = frozenset(
    {Equipment.MACHINE, Equipment.CABLE, Equipment.TREADMILL, Equipment.BIKE, Equipment.ROWER}
    | {Equipment.ELLIPTICAL}
)
_AROUND: Final = re.compile(
    r"^(?:(?:please|no more|no|never|nothing|not|without|avoid|any|all|anything|with|that|involves?|involving|the"
    r"|kinds?|sorts?|of|more|doing|on)\s+)+|\s+(?:of any (?:kind|sort)|in any form|whatsoever|at all|ever|again"
    r"|exercises?|work|stuff|moves?|movements?|training|variations?|things?|please|anymore|involved)$"
)


def _flagged(*flags: Flag, patterns: Iterable[Pattern] = ()) -> _Test:
    wanted, shapes = frozenset(flags), frozenset(patterns)
    return lambda one: bool(wanted & one.flags) or one.pattern in shapes


def _needs(kit: frozenset[Equipment], one: Exercise) -> bool:
    """There is no way to do it without."""
    return bool(one.setups) and all(set(setup) & kit for setup in one.setups)


def _needing(*kit: Equipment) -> _Test:
    return partial(_needs, frozenset(kit))


_JUMPING: Final = _flagged(Flag.IMPACT, patterns=[Pattern.JUMP])
_OVERHEAD: Final = _flagged(Flag.OVERHEAD, patterns=[Pattern.VERTICAL_PUSH])
_LYING: Final = _flagged(Flag.SUPINE, Flag.PRONE)

_FAMILIES: Final[Mapping[str, _Test]] = {
    **dict.fromkeys(
        (
            "jumping",
            "jump",
            "jumps",
            "plyo",
            "plyos",
            "plyometrics",
            "plyometric",
            "hopping",
            "impact",
            "high impact",
            "bouncing",
            "leaping",
        ),
        _JUMPING,
    ),
    **dict.fromkeys(
        (
            "overhead",
            "over my head",
            "above my head",
            "above the head",
            "overhead pressing",
            "overhead lifting",
            "arms overhead",
        ),
        _OVERHEAD,
    ),
    **dict.fromkeys(("floor", "the floor", "lying down", "lying", "my back"), _LYING),
    **dict.fromkeys(("upside down", "inversion", "inversions", "inverted"), _flagged(Flag.INVERSION)),
    **dict.fromkeys(("twisting", "twists", "rotation"), _flagged(patterns=[Pattern.CORE_ROTATION])),
    **dict.fromkeys(("cardio", "conditioning"), _flagged(patterns=[Pattern.CARDIO, Pattern.JUMP])),
    **dict.fromkeys(("stretching", "stretches"), _flagged(patterns=[Pattern.MOBILITY])),
    **dict.fromkeys(("machines", "machine", "weight machines", "gym machines"), _needing(*_MACHINES)),
    **dict.fromkeys(("cables", "cable", "cable machines"), _needing(Equipment.CABLE)),
    **dict.fromkeys(("barbell", "barbells"), _needing(Equipment.BARBELL)),
    **dict.fromkeys(("dumbbell", "dumbbells"), _needing(Equipment.DUMBBELL)),
    **dict.fromkeys(("kettlebell", "kettlebells"), _needing(Equipment.KETTLEBELL)),
    **dict.fromkeys(("bands", "band", "resistance bands"), _needing(Equipment.BANDS)),
    **dict.fromkeys(("treadmill", "treadmills"), _needing(Equipment.TREADMILL)),
}


def family_of(said: str, book: Iterable[Exercise]) -> frozenset[str]:
    """Ids of all that are meant; none when the words mean no family and no name."""
    words = _core(said)
    if not words:
        return frozenset()
    if (test := _FAMILIES.get(words)) is not None:
        return frozenset(one.id for one in book if test(one))
    spoken = _folded(words)
    return frozenset(
        one.id for one in book if any(spoken <= _folded(name) for name in (one.name, *one.aliases))
    )


def of_pattern(pattern: str, book: Iterable[Exercise]) -> frozenset[str]:
    tests = {Pattern.JUMP: _JUMPING, Pattern.VERTICAL_PUSH: _OVERHEAD}
    shape = Pattern(pattern)
    test = tests.get(shape, _flagged(patterns=[shape]))
    return frozenset(one.id for one in book if test(one))


def of_equipment(item: str, book: Iterable[Exercise]) -> frozenset[str]:
    kit = _MACHINES if item == Equipment.MACHINE else frozenset({Equipment(item)})
    return frozenset(one.id for one in book if _needs(kit, one))


def _core(said: str) -> str:
    words = re.sub(r"[\s_-]+", " ", said.strip().casefold()).strip(" .!,")
    before = None
    while before != words:
        before, words = words, _AROUND.sub("", words).strip()
    return words


def _folded(text: str) -> frozenset[str]:
    return frozenset(
        word[:-1] if word.endswith("s") and len(word) >= 3 and not word.endswith(("ss", "us")) else word
        for word in re.findall(r"[a-z]+", text.casefold())
    )
