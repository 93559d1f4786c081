"""Words of other collections in ours. Every value they use is here; a new one is reported, not guessed."""

import re
from typing import Final

from spotter.training.vocabulary import Equipment, Force, Mechanic, Muscle

M, E = Muscle, Equipment

_SHOULDERS: Final = (M.FRONT_DELTS, M.SIDE_DELTS, M.REAR_DELTS)

MUSCLES: Final[dict[str, tuple[Muscle, ...]]] = {
    # free-exercise-db, exercemus
    "abdominals": (M.ABS,),
    "abs": (M.ABS,),
    "abductors": (M.ABDUCTORS,),
    "adductors": (M.ADDUCTORS,),
    "biceps": (M.BICEPS,),
    "brachialis": (M.BRACHIALIS,),
    "calves": (M.CALVES,),
    "chest": (M.CHEST,),
    "forearms": (M.FOREARMS,),
    "glutes": (M.GLUTES,),
    "hamstrings": (M.HAMSTRINGS,),
    "lats": (M.LATS,),
    "lower back": (M.LOWER_BACK,),
    "middle back": (M.UPPER_BACK,),
    "neck": (M.NECK,),
    "obliques": (M.OBLIQUES,),
    "quadriceps": (M.QUADS,),
    "quads": (M.QUADS,),
    "serratus anterior": (M.SERRATUS,),
    "shoulders": _SHOULDERS,
    "soleus": (M.CALVES,),
    "traps": (M.TRAPS,),
    "triceps": (M.TRICEPS,),
    # wger
    "biceps brachii": (M.BICEPS,),
    "anterior deltoid": (M.FRONT_DELTS,),
    "pectoralis major": (M.CHEST,),
    "triceps brachii": (M.TRICEPS,),
    "rectus abdominis": (M.ABS,),
    "gastrocnemius": (M.CALVES,),
    "gluteus maximus": (M.GLUTES,),
    "trapezius": (M.TRAPS,),
    "quadriceps femoris": (M.QUADS,),
    "biceps femoris": (M.HAMSTRINGS,),
    "latissimus dorsi": (M.LATS,),
    "obliquus externus abdominis": (M.OBLIQUES,),
    "erector spinae": (M.LOWER_BACK,),
}

# wger numbers its muscles from 1 in this order.
WGER_MUSCLES: Final[tuple[str, ...]] = (
    "biceps brachii",
    "anterior deltoid",
    "serratus anterior",
    "pectoralis major",
    "triceps brachii",
    "rectus abdominis",
    "gastrocnemius",
    "gluteus maximus",
    "trapezius",
    "quadriceps femoris",
    "biceps femoris",
    "latissimus dorsi",
    "brachialis",
    "obliquus externus abdominis",
    "soleus",
    "erector spinae",
)

# wger's categories are regions of the body; they help where an entry names no muscle.
WGER_CATEGORIES: Final[dict[int, str]] = {
    8: "arms",
    9: "legs",
    10: "abs",
    11: "chest",
    12: "back",
    13: "shoulders",
    14: "calves",
    15: "cardio",
}
CATEGORY_MUSCLES: Final[dict[str, tuple[Muscle, ...]]] = {
    "arms": (M.BICEPS, M.TRICEPS),
    "legs": (M.QUADS, M.GLUTES),
    "abs": (M.ABS,),
    "chest": (M.CHEST,),
    "back": (M.LATS, M.UPPER_BACK),
    "shoulders": _SHOULDERS,
    "calves": (M.CALVES,),
    "cardio": (M.QUADS, M.CALVES),
}

EQUIPMENT: Final[dict[str, Equipment]] = {
    "body only": E.NONE,
    "none": E.NONE,
    "none (bodyweight exercise)": E.NONE,
    "barbell": E.BARBELL,
    "dumbbell": E.DUMBBELL,
    "cable": E.CABLE,
    "cable machine": E.CABLE,
    "machine": E.MACHINE,
    "kettlebell": E.KETTLEBELL,
    "kettlebells": E.KETTLEBELL,
    "bands": E.BANDS,
    "resistance band": E.BANDS,
    "medicine ball": E.MEDICINE_BALL,
    "exercise ball": E.EXERCISE_BALL,
    "swiss ball": E.EXERCISE_BALL,
    "foam roll": E.FOAM_ROLLER,
    "foam roller": E.FOAM_ROLLER,
    "e-z curl bar": E.EZ_BAR,
    "ez curl bar": E.EZ_BAR,
    "sz-bar": E.EZ_BAR,
    "gym mat": E.MAT,
    "mat": E.MAT,
    "pull-up bar": E.PULLUP_BAR,
    "bench": E.BENCH,
    "incline bench": E.BENCH,
    "other": E.OTHER,
}
WGER_EQUIPMENT: Final[dict[int, str]] = {
    1: "barbell",
    2: "sz-bar",
    3: "dumbbell",
    4: "gym mat",
    5: "swiss ball",
    6: "pull-up bar",
    7: "none",
    8: "bench",
    9: "incline bench",
    10: "kettlebell",
    11: "resistance band",
    12: "cable machine",
}

WGER_LICENCES: Final[dict[int, str]] = {1: "CC-BY-SA-3.0", 2: "CC-BY-SA-4.0", 3: "CC0-1.0", 4: "CC-BY-4.0"}

LEVELS: Final[dict[str, int]] = {"beginner": 2, "intermediate": 5, "expert": 8, "advanced": 8}
FORCES: Final[dict[str, Force]] = {"push": Force.PUSH, "pull": Force.PULL, "static": Force.STATIC}
MECHANICS: Final[dict[str, Mechanic]] = {
    "compound": Mechanic.COMPOUND,
    "isolation": Mechanic.ISOLATION,
}

# Collections call much "body only" that hangs from, leans on or stands on something. The first that fits is added.
NEEDS: Final[tuple[tuple[re.Pattern[str], frozenset[Equipment]], ...]] = (
    (re.compile(r"\bsmith\b|leverage|hammer strength"), frozenset({E.MACHINE})),
    (re.compile(r"\b(sled|tire|yoke|log lift|keg|atlas|stones?|prowler|battling|rope climb)\b"), frozenset({E.OTHER})),
    (re.compile(r"\b(ring|rings)\b"), frozenset({E.RINGS})),
    (re.compile(r"suspended|suspension|\btrx\b"), frozenset({E.SUSPENSION})),
    (re.compile(r"bench dips?|dips? bench"), frozenset({E.BENCH})),
    (re.compile(r"parallel bars?|\bdips?\b"), frozenset({E.PARALLEL_BARS})),
    (re.compile(r"(pull|chin|muscle).?ups?\b|\bchins?\b"), frozenset({E.PULLUP_BAR})),
    (re.compile(r"hanging|(dead|handed) hang|toes.to.bar"), frozenset({E.PULLUP_BAR})),
    (re.compile(r"inverted row"), frozenset({E.BARBELL, E.RACK})),
    (re.compile(r"glute.ham|hyperextension|roman chair"), frozenset({E.MACHINE})),
    (re.compile(r"box (jump|squat|skip)|jump.*\bbox\b|step.?ups?\b|depth jump"), frozenset({E.BOX})),
    (re.compile(r"jump rope|rope jumping|skipping rope"), frozenset({E.ROPE})),
    (re.compile(r"\b(treadmill)\b"), frozenset({E.TREADMILL})),
    (re.compile(r"elliptical"), frozenset({E.ELLIPTICAL})),
    (re.compile(r"bicycling|stationary bike|recumbent bike|\bcycling\b"), frozenset({E.BIKE})),
    (re.compile(r"rowing,? stationary|rowing machine"), frozenset({E.ROWER})),
    (re.compile(r"stair.?master|step ?mill"), frozenset({E.MACHINE})),
    (re.compile(r"ab roller|ab wheel"), frozenset({E.AB_WHEEL})),
    (re.compile(r"preacher|spider curl"), frozenset({E.BENCH})),
    (re.compile(r"feet.(elevated|on)"), frozenset({E.BENCH})),
    (re.compile(r"\b(chair)\b"), frozenset({E.CHAIR})),
    (re.compile(r"\b(wall)\b"), frozenset({E.WALL})),
    (re.compile(r"\bbench\b|\bincline\b|\bdecline\b"), frozenset({E.BENCH})),
)  # fmt: skip
RACKED: Final = re.compile(r"\b(squat|bench press|military press|shoulder press|good morning)\b")


def muscles_of(words: list[str], name: str) -> tuple[tuple[Muscle, ...], list[str]]:
    """Ours, in order, and the words we do not know."""
    found: dict[Muscle, None] = {}
    unknown = []
    for word in words:
        known = MUSCLES.get(word.strip().lower())
        if known is None:
            unknown.append(word)
        else:
            found.update(dict.fromkeys(_deltoids(name) if known is _SHOULDERS else known))
    return tuple(found), unknown


def _deltoids(name: str) -> tuple[Muscle, ...]:
    """ "Shoulders" is three muscles; the name of the exercise often says which."""
    text = name.lower()
    if re.search(r"rear|reverse|face pull|external rotation|pull.?apart", text):
        return (M.REAR_DELTS,)
    if re.search(r"lateral raise|side (raise|lateral)|upright row", text):
        return (M.SIDE_DELTS,)
    if "front raise" in text:
        return (M.FRONT_DELTS,)
    if "press" in text:
        return (M.FRONT_DELTS, M.SIDE_DELTS)
    return _SHOULDERS


def equipment_of(words: list[str], name: str) -> tuple[frozenset[Equipment], list[str]]:
    """What it takes, with what the name gives away, and the words we do not know."""
    unknown = [word for word in words if word.strip().lower() not in EQUIPMENT]
    needed = {EQUIPMENT.get(word.strip().lower(), E.OTHER) for word in words} or {E.OTHER}
    text = name.lower()
    extra = next((more for pattern, more in NEEDS if pattern.search(text)), frozenset())
    if extra:
        needed = (needed - {E.NONE} - ({E.OTHER} if not unknown else set())) | extra
    if E.BARBELL in needed and RACKED.search(text) and E.MACHINE not in needed:
        needed |= {E.RACK}
    if len(needed) > 1:
        needed -= {E.NONE}
    return frozenset(needed), unknown
