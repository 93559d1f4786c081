"""One exercise of the catalogue, as a value."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Final

from spotter.training.vocabulary import (
    METS,
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
    Split,
    Suits,
    UnitType,
    level_of,
    region_of_muscle,
)

_NO_LOADS: Final[Mapping[Joint, int]] = {}

_REGIONS: Final[dict[Pattern, Region]] = {
    **dict.fromkeys(
        (
            Pattern.SQUAT,
            Pattern.LUNGE,
            Pattern.HINGE,
            Pattern.HIP_EXTENSION,
            Pattern.KNEE_FLEXION,
            Pattern.KNEE_EXTENSION,
            Pattern.CALF,
            Pattern.JUMP,
        ),
        Region.LOWER,
    ),
    **dict.fromkeys(
        (
            Pattern.HORIZONTAL_PUSH,
            Pattern.VERTICAL_PUSH,
            Pattern.HORIZONTAL_PULL,
            Pattern.VERTICAL_PULL,
            Pattern.ELBOW_FLEXION,
            Pattern.ELBOW_EXTENSION,
        ),
        Region.UPPER,
    ),
    **dict.fromkeys((Pattern.CORE_ANTI_EXTENSION, Pattern.CORE_FLEXION, Pattern.CORE_ROTATION), Region.CORE),
    **dict.fromkeys((Pattern.CARRY, Pattern.LOCOMOTION, Pattern.CARDIO), Region.FULL_BODY),
}

_ALWAYS_THERE: Final = frozenset({Equipment.NONE})
_NAMED: Final = frozenset(Equipment) - {Equipment.OTHER}

_REP_UNITS: Final = frozenset(
    {
        UnitType.WEIGHT_REPS,
        UnitType.REPS_ONLY,
        UnitType.BODYWEIGHT_REPS,
        UnitType.BODYWEIGHT_ASSISTED_REPS,
    }
)


@dataclass(frozen=True, slots=True)
class LadderPlace:
    """Where an exercise stands on a ladder; rungs count from 1, the easiest."""

    ladder: str
    rung: int


@dataclass(frozen=True, slots=True)
class Exercise:
    id: str
    name: str
    pattern: Pattern
    primary: tuple[Muscle, ...]
    """What it is done for; the first one leads."""
    level: int
    """1 (anyone) to 10 (years of practice)."""
    unit: UnitType
    mechanic: Mechanic
    force: Force
    range: tuple[int, int]
    """Of repetitions, seconds or metres, as the unit says; for one side when unilateral."""
    aliases: tuple[str, ...] = ()
    secondary: tuple[Muscle, ...] = ()
    setups: tuple[frozenset[Equipment], ...] = (frozenset({Equipment.NONE}),)
    """Ways to equip it, the usual one first. Everything in one of them must be there."""
    unilateral: bool = False
    joints: Mapping[Joint, int] = field(default_factory=lambda: _NO_LOADS, hash=False)
    """0 none (not listed), 1 low, 2 moderate, 3 high. Kneeling on a knee counts as 2 for it."""
    flags: frozenset[Flag] = frozenset()
    suits: frozenset[Suits] = frozenset()
    seconds_per_unit: float = 3.0
    """Of one repetition, or of one metre; 1 for what is timed."""
    intensity: Intensity = Intensity.RESISTANCE
    cues: tuple[str, ...] = ()
    unproven: bool = False
    """Of one's own or imported, and nobody has said which joints it loads: what stands there is a guess."""
    places: tuple[LadderPlace, ...] = ()
    """On ladders; the first is the one that counts for progress."""

    @property
    def band(self) -> Level:
        return level_of(self.level)

    @property
    def region(self) -> Region:
        return _REGIONS.get(self.pattern) or region_of_muscle(self.primary[0])

    @property
    def kind(self) -> Kind:
        if self.unit in _REP_UNITS:
            return Kind.REPS
        return Kind.HOLD if self.force is Force.STATIC else Kind.DURATION

    @property
    def splits(self) -> frozenset[Split]:
        if self.region is Region.LOWER:
            return frozenset({Split.LEGS})
        if self.region is Region.UPPER and self.force in (Force.PUSH, Force.PULL):
            return frozenset({Split(self.force.value)})
        return frozenset()

    @property
    def muscles(self) -> frozenset[Muscle]:
        return frozenset((*self.primary, *self.secondary))

    @property
    def equipment(self) -> frozenset[Equipment]:
        """What it is usually done with."""
        return self.setups[0]

    @property
    def ladder(self) -> str | None:
        return self.places[0].ladder if self.places else None

    @property
    def rung(self) -> int | None:
        return self.places[0].rung if self.places else None

    @property
    def met(self) -> float:
        return METS[self.intensity]

    def load_on(self, joint: Joint) -> int:
        return self.joints.get(joint, 0)

    def setup_with(self, available: Set[Equipment]) -> frozenset[Equipment] | None:
        """The first way to equip it from what is there, or nothing."""
        for setup in self.setups:
            if all(item in _ALWAYS_THERE or (item in available and item in _NAMED) for item in setup):
                return setup
        return None

    def work_seconds(self, amount: float) -> float:
        """How long one set of so many repetitions, seconds or metres keeps someone busy, both sides."""
        return amount * self.seconds_per_unit * (2 if self.unilateral else 1)
