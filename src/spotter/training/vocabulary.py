"""The words in which exercises are described. Everything imported is translated into these.

Values are stored and sent, so they are never renamed; members may be added.
"""

from enum import StrEnum
from typing import Final, TypeAlias


class Muscle(StrEnum):
    CHEST = "chest"
    FRONT_DELTS = "front_delts"
    SIDE_DELTS = "side_delts"
    REAR_DELTS = "rear_delts"
    TRICEPS = "triceps"
    BICEPS = "biceps"
    BRACHIALIS = "brachialis"
    FOREARMS = "forearms"
    LATS = "lats"
    UPPER_BACK = "upper_back"
    TRAPS = "traps"
    LOWER_BACK = "lower_back"
    ABS = "abs"
    OBLIQUES = "obliques"
    SERRATUS = "serratus"
    GLUTES = "glutes"
    QUADS = "quads"
    HAMSTRINGS = "hamstrings"
    ADDUCTORS = "adductors"
    ABDUCTORS = "abductors"
    CALVES = "calves"
    NECK = "neck"


class Region(StrEnum):
    UPPER = "upper"
    LOWER = "lower"
    CORE = "core"
    FULL_BODY = "full_body"


class Split(StrEnum):
    PUSH = "push"
    PULL = "pull"
    LEGS = "legs"


class Pattern(StrEnum):
    """How the body moves. Single-joint work goes with the pattern it supports: flyes and raises with the
    presses, reverse flyes with the rows, pull-overs with the pull-downs, shrugs with the carries, wrist work
    with elbow flexion, hip abduction and adduction with hip extension, the neck with mobility."""

    SQUAT = "squat"
    LUNGE = "lunge"
    HINGE = "hinge"
    HIP_EXTENSION = "hip_extension"
    KNEE_FLEXION = "knee_flexion"
    KNEE_EXTENSION = "knee_extension"
    HORIZONTAL_PUSH = "horizontal_push"
    VERTICAL_PUSH = "vertical_push"
    HORIZONTAL_PULL = "horizontal_pull"
    VERTICAL_PULL = "vertical_pull"
    ELBOW_FLEXION = "elbow_flexion"
    ELBOW_EXTENSION = "elbow_extension"
    CORE_ANTI_EXTENSION = "core_anti_extension"
    CORE_FLEXION = "core_flexion"
    CORE_ROTATION = "core_rotation"
    """Turning, resisting a turn, and resisting a bend to the side."""
    CARRY = "carry"
    CALF = "calf"
    LOCOMOTION = "locomotion"
    JUMP = "jump"
    HOLD_SKILL = "hold_skill"
    MOBILITY = "mobility"
    CARDIO = "cardio"


class Equipment(StrEnum):
    NONE = "none"
    MAT = "mat"
    PULLUP_BAR = "pullup_bar"
    PARALLEL_BARS = "parallel_bars"
    RINGS = "rings"
    BENCH = "bench"
    BOX = "box"
    WALL = "wall"
    CHAIR = "chair"
    BANDS = "bands"
    DUMBBELL = "dumbbell"
    KETTLEBELL = "kettlebell"
    BARBELL = "barbell"
    EZ_BAR = "ez_bar"
    PLATE = "plate"
    RACK = "rack"
    CABLE = "cable"
    MACHINE = "machine"
    MEDICINE_BALL = "medicine_ball"
    EXERCISE_BALL = "exercise_ball"
    SUSPENSION = "suspension"
    FOAM_ROLLER = "foam_roller"
    AB_WHEEL = "ab_wheel"
    ROPE = "rope"
    TREADMILL = "treadmill"
    BIKE = "bike"
    ROWER = "rower"
    ELLIPTICAL = "elliptical"
    OTHER = "other"
    """Only in imports: something we have no word for, so it is never taken as available."""


class UnitType(StrEnum):
    """What is written down for a set."""

    WEIGHT_REPS = "weight_reps"
    REPS_ONLY = "reps_only"
    BODYWEIGHT_REPS = "bodyweight_reps"
    BODYWEIGHT_ASSISTED_REPS = "bodyweight_assisted_reps"
    DURATION = "duration"
    WEIGHT_DURATION = "weight_duration"
    DISTANCE_DURATION = "distance_duration"
    SHORT_DISTANCE_WEIGHT = "short_distance_weight"


class SetType(StrEnum):
    NORMAL = "normal"
    WARMUP = "warmup"
    DROPSET = "dropset"
    FAILURE = "failure"
    MYO = "myo"
    PARTIAL = "partial"
    FORCED = "forced"
    TUT = "tut"
    ISO = "iso"
    JUMP = "jump"
    COOLDOWN = "cooldown"


class Level(StrEnum):
    """A band of the ranks 1–10."""

    BEGINNER = "beginner"
    INTERMEDIATE = "intermediate"
    ADVANCED = "advanced"


class Mechanic(StrEnum):
    COMPOUND = "compound"
    ISOLATION = "isolation"


class Force(StrEnum):
    PUSH = "push"
    PULL = "pull"
    STATIC = "static"
    DYNAMIC = "dynamic"
    """Neither a push nor a pull: running, rolling, turning."""


class Kind(StrEnum):
    """How an exercise is counted in a workout."""

    REPS = "reps"
    HOLD = "hold"
    DURATION = "duration"


class Joint(StrEnum):
    KNEE = "knee"
    SHOULDER = "shoulder"
    WRIST = "wrist"
    ELBOW = "elbow"
    LOWER_BACK = "lower_back"
    HIP = "hip"
    ANKLE = "ankle"
    NECK = "neck"


class Flag(StrEnum):
    IMPACT = "impact"
    OVERHEAD = "overhead"
    INVERSION = "inversion"
    SUPINE = "supine"
    PRONE = "prone"
    SPINAL_FLEXION_LOADED = "spinal_flexion_loaded"
    AXIAL_LOAD = "axial_load"
    DEEP_KNEE_FLEXION = "deep_knee_flexion"
    WRIST_EXTENSION = "wrist_extension"
    FALL_RISK = "fall_risk"
    BREATH_HOLD = "breath_hold"


class Suits(StrEnum):
    """Said of an exercise only when a coach would pick it for this on purpose."""

    WARM_UP = "warm_up"
    COOL_DOWN = "cool_down"
    WHEELCHAIR = "wheelchair"
    SENIOR = "senior"
    PREGNANCY = "pregnancy"


class Intensity(StrEnum):
    """Classes of energy use; the numbers are the 2011 Compendium's, see `METS`."""

    STRETCHING = "stretching"
    LIGHT = "light"
    RESISTANCE = "resistance"
    WALKING = "walking"
    CALISTHENICS = "calisthenics"
    BRISK_WALKING = "brisk_walking"
    ROWING = "rowing"
    SQUATTING = "squatting"
    ELLIPTICAL = "elliptical"
    BOXING = "boxing"
    HEAVY = "heavy"
    CYCLING = "cycling"
    VIGOROUS = "vigorous"
    RUNNING = "running"
    STAIRS = "stairs"
    SKIPPING = "skipping"


METS: Final[dict[Intensity, float]] = {
    Intensity.STRETCHING: 2.3,
    Intensity.LIGHT: 2.8,
    Intensity.RESISTANCE: 3.5,
    Intensity.WALKING: 3.5,
    Intensity.CALISTHENICS: 3.8,
    Intensity.BRISK_WALKING: 4.3,
    Intensity.ROWING: 4.8,
    Intensity.SQUATTING: 5.0,
    Intensity.ELLIPTICAL: 5.0,
    Intensity.BOXING: 5.5,
    Intensity.HEAVY: 6.0,
    Intensity.CYCLING: 7.0,
    Intensity.VIGOROUS: 8.0,
    Intensity.RUNNING: 8.3,
    Intensity.STAIRS: 9.0,
    Intensity.SKIPPING: 11.8,
}

MuscleGroup: TypeAlias = frozenset[Muscle]

# What people and other data sets call several of ours at once.
MUSCLE_GROUPS: Final[dict[str, MuscleGroup]] = {
    "shoulders": frozenset({Muscle.FRONT_DELTS, Muscle.SIDE_DELTS, Muscle.REAR_DELTS}),
    "delts": frozenset({Muscle.FRONT_DELTS, Muscle.SIDE_DELTS, Muscle.REAR_DELTS}),
    "middle back": frozenset({Muscle.UPPER_BACK}),
    "back": frozenset({Muscle.LATS, Muscle.UPPER_BACK, Muscle.LOWER_BACK}),
    "arms": frozenset({Muscle.BICEPS, Muscle.TRICEPS, Muscle.BRACHIALIS, Muscle.FOREARMS}),
    "legs": frozenset({Muscle.QUADS, Muscle.HAMSTRINGS, Muscle.GLUTES, Muscle.CALVES}),
    "core": frozenset({Muscle.ABS, Muscle.OBLIQUES, Muscle.LOWER_BACK}),
    "soleus": frozenset({Muscle.CALVES}),
    "abdominals": frozenset({Muscle.ABS}),
    "quadriceps": frozenset({Muscle.QUADS}),
}

CORE_MUSCLES: Final = MUSCLE_GROUPS["core"]
LOWER_MUSCLES: Final = frozenset(
    {
        Muscle.GLUTES,
        Muscle.QUADS,
        Muscle.HAMSTRINGS,
        Muscle.ADDUCTORS,
        Muscle.ABDUCTORS,
        Muscle.CALVES,
    }
)


def region_of_muscle(muscle: Muscle) -> Region:
    if muscle in CORE_MUSCLES:
        return Region.CORE
    return Region.LOWER if muscle in LOWER_MUSCLES else Region.UPPER


def level_of(rank: int) -> Level:
    if rank <= 3:
        return Level.BEGINNER
    return Level.INTERMEDIATE if rank <= 6 else Level.ADVANCED
