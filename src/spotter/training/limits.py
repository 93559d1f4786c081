"""What someone should not do now: joints that hurt, conditions, and how hard it may be.

A filter, not a diagnosis: it decides what is offered, and says why something is not.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from spotter.training.exercise import Exercise
from spotter.training.vocabulary import Flag, Joint


class Severity(StrEnum):
    MILD = "mild"
    MODERATE = "moderate"
    """What "it hurts" means when nothing else is said."""
    SEVERE = "severe"


class Condition(StrEnum):
    PREGNANCY = "pregnancy"
    HYPERTENSION = "hypertension"
    CARDIAC = "cardiac"


class Side(StrEnum):
    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"
    """Also when nobody said which."""


# The highest load on a joint that is still offered.
ALLOWED_LOAD: Final[dict[Severity, int]] = {Severity.MILD: 2, Severity.MODERATE: 1, Severity.SEVERE: 0}

# On a joint that is only stiff, no hard variations; what does not load it is not affected.
CAREFUL_LEVEL: Final = 6

EXCLUDED_FLAGS: Final[dict[Condition, frozenset[Flag]]] = {
    Condition.PREGNANCY: frozenset(
        {Flag.SUPINE, Flag.PRONE, Flag.FALL_RISK, Flag.IMPACT, Flag.BREATH_HOLD, Flag.INVERSION}
    ),
    Condition.HYPERTENSION: frozenset({Flag.BREATH_HOLD, Flag.INVERSION}),
    Condition.CARDIAC: frozenset({Flag.BREATH_HOLD, Flag.INVERSION}),
}

_WORDS: Final = {0: "none", 1: "low", 2: "moderate", 3: "high"}


@dataclass(frozen=True, slots=True)
class Injury:
    joint: Joint
    severity: Severity = Severity.MODERATE
    side: Side = Side.BOTH


@dataclass(frozen=True, slots=True)
class Limits:
    joints: Mapping[Joint, int] = field(default_factory=dict)
    """The highest load allowed on each; joints not named have none."""
    careful: frozenset[Joint] = frozenset()
    """What loads one of these at all must not be advanced."""
    flags: frozenset[Flag] = frozenset()
    max_level: int = 10

    def allow(self, exercise: Exercise) -> bool:
        return (
            exercise.level <= self._highest(exercise)
            and self.flags.isdisjoint(exercise.flags)
            and all(exercise.joints.get(joint, 0) <= most for joint, most in self.joints.items())
        )

    def reasons(self, exercise: Exercise) -> list[str]:
        """Why it is not offered; nothing if it is."""
        found = [
            f"{_WORDS[exercise.load_on(joint)]} load on the {joint.value.replace('_', ' ')}"
            for joint, most in self.joints.items()
            if exercise.load_on(joint) > most
        ]
        found += [flag.value.replace("_", " ") for flag in sorted(self.flags & exercise.flags)]
        if exercise.level > (highest := self._highest(exercise)):
            found.append(f"level {exercise.level}, above {highest}")
        return found

    def _highest(self, exercise: Exercise) -> int:
        loaded = self.careful and any(exercise.joints.get(joint) for joint in self.careful)
        return min(self.max_level, CAREFUL_LEVEL) if loaded else self.max_level


NO_LIMITS: Final = Limits()


def limits_for(
    injuries: Iterable[Injury] = (), conditions: Iterable[Condition] = (), max_level: int = 10
) -> Limits:
    """The strictest of all that is given. The side of an injury does not matter: most moves load both."""
    joints: dict[Joint, int] = {}
    hurt = list(injuries)
    for injury in hurt:
        allowed = ALLOWED_LOAD[injury.severity]
        joints[injury.joint] = min(allowed, joints.get(injury.joint, allowed))
    careful = frozenset(injury.joint for injury in hurt if injury.severity is Severity.MILD)
    flags = frozenset(flag for each in conditions for flag in EXCLUDED_FLAGS[each])
    return Limits(joints=joints, careful=careful, flags=flags, max_level=max_level)
