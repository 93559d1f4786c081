"""The places of a workout, the most important first: which movements, for which muscles, big ones or small ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Final

from spotter.training.athlete import Goal, Request
from spotter.training.vocabulary import CORE_MUSCLES, LOWER_MUSCLES, Muscle, Pattern, Region, Split

_P = Pattern
_M = Muscle

PULLS: Final = frozenset({_P.HORIZONTAL_PULL, _P.VERTICAL_PULL, _P.ELBOW_FLEXION})
PUSHES: Final = frozenset({_P.HORIZONTAL_PUSH, _P.VERTICAL_PUSH, _P.ELBOW_EXTENSION})
CORES: Final = frozenset({_P.CORE_ANTI_EXTENSION, _P.CORE_FLEXION, _P.CORE_ROTATION})
CARDIO: Final = frozenset({_P.CARDIO, _P.LOCOMOTION})


@dataclass(frozen=True, slots=True)
class Slot:
    patterns: tuple[Pattern, ...]
    """The first is the one meant, the others will do."""
    muscles: frozenset[Muscle]
    """The muscle an exercise is done for must be one of these."""
    big: bool = False
    """A movement of several joints, if there is one."""
    small: bool = False
    """A movement of one joint, for what the big ones only help with; left empty when there is none."""


def _slot(patterns: tuple[Pattern, ...], *muscles: Muscle, big: bool = False, small: bool = False) -> Slot:
    return Slot(patterns, frozenset(muscles), big, small)


_SQUAT: Final = _slot((_P.SQUAT, _P.LUNGE), _M.QUADS, _M.GLUTES, big=True)
_LUNGE: Final = _slot((_P.LUNGE, _P.SQUAT), _M.QUADS, _M.GLUTES, _M.ADDUCTORS, big=True)
_HINGE: Final = _slot((_P.HINGE, _P.HIP_EXTENSION), _M.GLUTES, _M.HAMSTRINGS)
_BRIDGE: Final = _slot((_P.HIP_EXTENSION, _P.KNEE_FLEXION), _M.GLUTES, _M.HAMSTRINGS)
_LEG_CURL: Final = _slot((_P.KNEE_FLEXION, _P.HINGE), _M.HAMSTRINGS, small=True)
_LEG_EXTENSION: Final = _slot((_P.KNEE_EXTENSION, _P.LUNGE), _M.QUADS, small=True)
_CALVES: Final = _slot((_P.CALF,), _M.CALVES)
_HIP_SIDE: Final = _slot((_P.HIP_EXTENSION, _P.LUNGE), _M.ABDUCTORS, _M.ADDUCTORS)
ROW: Final = _slot((_P.HORIZONTAL_PULL,), _M.UPPER_BACK, _M.LATS, big=True)
_PRESS: Final = _slot((_P.HORIZONTAL_PUSH,), _M.CHEST, _M.TRICEPS, big=True)
PULL_DOWN: Final = _slot((_P.VERTICAL_PULL, _P.HORIZONTAL_PULL), _M.LATS, _M.UPPER_BACK, big=True)
_OVERHEAD: Final = _slot((_P.VERTICAL_PUSH, _P.HORIZONTAL_PUSH), _M.FRONT_DELTS, _M.CHEST, big=True)
_CURL: Final = _slot((_P.ELBOW_FLEXION,), _M.BICEPS, _M.BRACHIALIS, small=True)
_EXTENSION: Final = _slot((_P.ELBOW_EXTENSION,), _M.TRICEPS, small=True)
_REAR: Final = _slot((_P.HORIZONTAL_PULL,), _M.REAR_DELTS, _M.TRAPS, small=True)
_RAISE: Final = _slot((_P.VERTICAL_PUSH,), _M.SIDE_DELTS, small=True)
_FLY: Final = _slot((_P.HORIZONTAL_PUSH,), _M.CHEST, small=True)
_PLANK: Final = _slot((_P.CORE_ANTI_EXTENSION, _P.CORE_FLEXION), _M.ABS, _M.OBLIQUES)
_TURN: Final = _slot((_P.CORE_ROTATION,), _M.OBLIQUES, _M.ABS, _M.LOWER_BACK)
_CRUNCH: Final = _slot((_P.CORE_FLEXION, _P.CORE_ANTI_EXTENSION), _M.ABS)
_CARRY: Final = _slot((_P.CARRY,), *Muscle)
_JUMP: Final = _slot((_P.JUMP,), *Muscle, big=True)
_THROW: Final = _slot((_P.HINGE, _P.CARDIO, _P.HORIZONTAL_PUSH), *Muscle, big=True)
_SKILL: Final = _slot((_P.HOLD_SKILL,), *Muscle)

_UPPER: Final = (ROW, _PRESS, PULL_DOWN, _OVERHEAD, _CURL, _EXTENSION, _REAR, _RAISE, ROW, _FLY)
_LOWER: Final = (_SQUAT, _HINGE, _LUNGE, _LEG_CURL, _BRIDGE, _CALVES, _LEG_EXTENSION, _HIP_SIDE, _TURN)
_CORE: Final = (_PLANK, _TURN, _CRUNCH, _TURN, _PLANK)
FULL: Final = (
    *(_SQUAT, ROW, _PRESS, _HINGE, _PLANK, PULL_DOWN, _OVERHEAD, _LUNGE, _BRIDGE, _TURN),
    *(_REAR, _CURL, _EXTENSION, _CALVES, _RAISE, _CARRY),
)
_REGIONS: Final = {Region.FULL_BODY: FULL, Region.UPPER: _UPPER, Region.LOWER: _LOWER, Region.CORE: _CORE}
_SPLITS: Final = {
    Split.PULL: (ROW, PULL_DOWN, _CURL, _REAR, ROW, _CURL),
    Split.PUSH: (_PRESS, _OVERHEAD, _PRESS, _RAISE, _EXTENSION, _FLY, _EXTENSION),
    Split.LEGS: _LOWER,
}
_GOALS: Final[dict[Goal, tuple[Slot, ...]]] = {
    Goal.POWER: (_JUMP, _THROW, *FULL),
    Goal.SKILL: (_SKILL, _SKILL, *FULL),
}
_OF_MUSCLE: Final[dict[Muscle, tuple[tuple[Pattern, ...], ...]]] = {
    _M.CHEST: ((_P.HORIZONTAL_PUSH,), (_P.HORIZONTAL_PUSH,)),
    _M.FRONT_DELTS: ((_P.VERTICAL_PUSH,), (_P.VERTICAL_PUSH,)),
    _M.SIDE_DELTS: ((_P.VERTICAL_PUSH,), (_P.VERTICAL_PUSH,)),
    _M.REAR_DELTS: ((_P.HORIZONTAL_PULL,), (_P.HORIZONTAL_PULL,)),
    _M.TRICEPS: ((_P.ELBOW_EXTENSION, _P.HORIZONTAL_PUSH), (_P.ELBOW_EXTENSION,)),
    _M.BICEPS: ((_P.ELBOW_FLEXION,), (_P.ELBOW_FLEXION, _P.VERTICAL_PULL)),
    _M.BRACHIALIS: ((_P.ELBOW_FLEXION,), (_P.ELBOW_FLEXION, _P.VERTICAL_PULL)),
    _M.FOREARMS: ((_P.ELBOW_FLEXION,), (_P.CARRY, _P.VERTICAL_PULL)),
    _M.LATS: ((_P.VERTICAL_PULL,), (_P.HORIZONTAL_PULL,)),
    _M.UPPER_BACK: ((_P.HORIZONTAL_PULL,), (_P.HORIZONTAL_PULL,)),
    _M.TRAPS: ((_P.CARRY, _P.HORIZONTAL_PULL), (_P.CARRY, _P.VERTICAL_PULL)),
    _M.LOWER_BACK: ((_P.HINGE, _P.CORE_ROTATION), (_P.HINGE, _P.CORE_ROTATION)),
    _M.ABS: ((_P.CORE_ANTI_EXTENSION,), (_P.CORE_FLEXION,)),
    _M.OBLIQUES: ((_P.CORE_ROTATION,), (_P.CORE_ROTATION, _P.CARRY)),
    _M.SERRATUS: ((_P.VERTICAL_PUSH, _P.HORIZONTAL_PUSH), (_P.HORIZONTAL_PUSH, _P.VERTICAL_PUSH)),
    _M.GLUTES: ((_P.HIP_EXTENSION,), (_P.HINGE, _P.HIP_EXTENSION), (_P.LUNGE, _P.SQUAT)),
    _M.QUADS: ((_P.SQUAT,), (_P.LUNGE, _P.KNEE_EXTENSION)),
    _M.HAMSTRINGS: ((_P.HINGE,), (_P.KNEE_FLEXION,)),
    _M.ADDUCTORS: ((_P.LUNGE, _P.HIP_EXTENSION), (_P.HIP_EXTENSION,)),
    _M.ABDUCTORS: ((_P.HIP_EXTENSION,), (_P.HIP_EXTENSION, _P.LUNGE)),
    _M.CALVES: ((_P.CALF,), (_P.CALF,)),
    _M.NECK: ((_P.MOBILITY,), (_P.MOBILITY,)),
}
_LEGS: Final = frozenset(
    {_P.SQUAT, _P.LUNGE, _P.HINGE, _P.HIP_EXTENSION, _P.KNEE_FLEXION, _P.KNEE_EXTENSION, _P.CALF}
)
_KINDS: Final = (PUSHES, PULLS, _LEGS)
_OPPOSITES: Final = ((PUSHES, PULLS), (PULLS, PUSHES))


_TRUNK_LAST: Final = [Region.FULL_BODY, Region.UPPER, Region.LOWER, Region.CORE].index


def slots_for(request: Request, goal: Goal) -> tuple[Slot, ...]:
    """In order of importance; a place that comes twice is for a second exercise of its kind."""
    if request.patterns:
        wanted = sorted(request.patterns, key=list(Pattern).index)
        return tuple(_slot((pattern,), *Muscle) for _ in range(4) for pattern in wanted)
    if request.muscles:
        wanted_muscles = [_of(muscle) for muscle in sorted(request.muscles)]
        return tuple(_in_turns(wanted_muscles)) * 2
    if request.splits:
        return tuple(_in_turns([_SPLITS[split] for split in sorted(request.splits, reverse=True)]))
    if request.regions:
        return tuple(_in_turns([_REGIONS[region] for region in sorted(request.regions, key=_TRUNK_LAST)]))
    return _GOALS.get(goal, FULL)


def others_for(request: Request) -> tuple[Slot, ...]:
    """For the time left when what was asked for has had its share: more of its kind (the rest of the legs on a day for
    the glutes), the trunk, the other side of it, and only then the rest."""
    asked = {slot.patterns[0] for slot in slots_for(request, Goal.HYPERTROPHY)}
    kin = {pattern for kind in _KINDS if asked & kind for pattern in kind}
    other_side = {other for one, others in _OPPOSITES if asked & one for other in others}
    near = [
        *(slot for slot in (*_LOWER, *_UPPER) if slot.patterns[0] in kin),
        *(slot for slot in _CORE if slot.patterns[0] not in asked),
        *(slot for slot in FULL if slot.patterns[0] in other_side - kin),
    ]
    return (*near, *(slot for slot in FULL if slot not in near))


def about(request: Request) -> bool:
    """Whether something narrower than the whole body was asked for."""
    return bool(request.patterns or request.muscles or request.splits or request.regions - {Region.FULL_BODY})


def balanced(request: Request) -> bool:
    """Whether pull must not be less than push: always, but for who asked for pushing or for certain muscles."""
    return not (request.patterns or request.muscles or Split.PUSH in request.splits)


def muscles_meant(request: Request) -> frozenset[Muscle]:
    """Those the workout is for; empty when for all."""
    if request.muscles:
        return request.muscles
    found: set[Muscle] = set()
    for region in request.regions:
        match region:
            case Region.LOWER:
                found |= LOWER_MUSCLES
            case Region.CORE:
                found |= CORE_MUSCLES
            case Region.UPPER:
                found |= set(Muscle) - LOWER_MUSCLES - CORE_MUSCLES
            case Region.FULL_BODY:
                return frozenset()
    return frozenset(found)


def muscle_slots(muscles: Iterable[Muscle]) -> list[Slot]:
    """One more place for each."""
    return [Slot(_OF_MUSCLE[muscle][1], frozenset({muscle})) for muscle in muscles]


def _of(muscle: Muscle) -> tuple[Slot, ...]:
    first, *others = _OF_MUSCLE[muscle]
    small = muscle in _SMALL
    big = not small and first[0] is not Pattern.HIP_EXTENSION  # a thrust moves one joint and is the big one
    only = frozenset({muscle})
    return (Slot(first, only, big, small), *(Slot(each, only, small=small) for each in others))


# Whoever asks for these means them, not the big movements they help with.
_SMALL: Final = frozenset(
    {_M.BICEPS, _M.TRICEPS, _M.BRACHIALIS, _M.FOREARMS, _M.SIDE_DELTS, _M.REAR_DELTS, _M.CALVES}
)


def _in_turns(lists: Iterable[tuple[Slot, ...]]) -> list[Slot]:
    """The first of each, then the second of each: two regions share the time."""
    found = list(lists)
    longest = max(map(len, found), default=0)
    return list(chain.from_iterable([each[n] for each in found if n < len(each)] for n in range(longest)))
