"""The few words with which people and models name joints, sides, severities and equipment in a stored value.

Understanding whole sentences is the offline model's work; this only reads a short value such as «bad left knee».
"""

import re
from typing import Final

from spotter.training.athlete import Effort, Goal
from spotter.training.limits import Condition, Injury, Severity, Side
from spotter.training.vocabulary import MUSCLE_GROUPS, Equipment, Joint, Muscle

_JOINTS: Final[dict[str, Joint]] = {
    **dict.fromkeys(
        ("knee", "knees", "acl", "mcl", "meniscus", "patella", "patellar", "kneecap"), Joint.KNEE
    ),
    **dict.fromkeys(("shoulder", "shoulders", "rotator", "cuff", "labrum", "deltoid"), Joint.SHOULDER),
    **dict.fromkeys(("wrist", "wrists", "hand", "hands", "carpal", "thumb"), Joint.WRIST),
    **dict.fromkeys(("elbow", "elbows", "epicondylitis", "tennis-elbow", "golfers-elbow"), Joint.ELBOW),
    **dict.fromkeys(
        ("back", "lumbar", "spine", "disc", "disk", "sciatica", "lower-back", "sacrum", "si"),
        Joint.LOWER_BACK,
    ),
    **dict.fromkeys(("hip", "hips", "groin", "hamstring", "hamstrings", "pelvis"), Joint.HIP),
    **dict.fromkeys(
        (
            "ankle",
            "ankles",
            "foot",
            "feet",
            "achilles",
            "heel",
            "plantar",
            "toe",
            "toes",
            "shin",
            "shins",
            "calf",
        ),
        Joint.ANKLE,
    ),
    **dict.fromkeys(("neck", "cervical", "whiplash"), Joint.NECK),
}
_SEVERE: Final = re.compile(
    r"\b(sever\w*|serious\w*|terribl\w*|torn|tear|ruptur\w*|surgery|operated|broken|fractur\w*|agony|excruciating|acute"
    r"|unbearable|dislocat\w*)\b"
)
_MILD: Final = re.compile(r"\b(mild\w*|slight\w*|little|bit|minor|stiff\w*|niggl\w*|tight)\b")
_EQUIPMENT: Final[dict[str, Equipment]] = {
    **{item.value.replace("_", " "): item for item in Equipment if item is not Equipment.OTHER},
    "dumbbells": Equipment.DUMBBELL,
    "db": Equipment.DUMBBELL,
    "kettlebells": Equipment.KETTLEBELL,
    "kb": Equipment.KETTLEBELL,
    "barbells": Equipment.BARBELL,
    "band": Equipment.BANDS,
    "resistance band": Equipment.BANDS,
    "resistance bands": Equipment.BANDS,
    "pull-up bar": Equipment.PULLUP_BAR,
    "pull up bar": Equipment.PULLUP_BAR,
    "pullup bar": Equipment.PULLUP_BAR,
    "chin-up bar": Equipment.PULLUP_BAR,
    "dip bars": Equipment.PARALLEL_BARS,
    "gymnastic rings": Equipment.RINGS,
    "trx": Equipment.SUSPENSION,
    "suspension trainer": Equipment.SUSPENSION,
    "squat rack": Equipment.RACK,
    "power rack": Equipment.RACK,
    "cables": Equipment.CABLE,
    "cable machine": Equipment.CABLE,
    "machines": Equipment.MACHINE,
    "weight machine": Equipment.MACHINE,
    "yoga mat": Equipment.MAT,
    "swiss ball": Equipment.EXERCISE_BALL,
    "med ball": Equipment.MEDICINE_BALL,
    "jump rope": Equipment.ROPE,
    "skipping rope": Equipment.ROPE,
    "exercise bike": Equipment.BIKE,
    "stationary bike": Equipment.BIKE,
    "rowing machine": Equipment.ROWER,
    "plates": Equipment.PLATE,
    "plyo box": Equipment.BOX,
    "step": Equipment.BOX,
    "bodyweight": Equipment.NONE,
    "body weight": Equipment.NONE,
    "no equipment": Equipment.NONE,
    "nothing": Equipment.NONE,
}
_FULL_GYM: Final = frozenset({"gym", "full gym", "commercial gym", "everything", "fully equipped gym"})
_GOALS: Final[dict[str, Goal]] = {
    **{goal.value.replace("_", " "): goal for goal in Goal},
    "muscle": Goal.HYPERTROPHY,
    "muscle gain": Goal.HYPERTROPHY,
    "size": Goal.HYPERTROPHY,
    "mass": Goal.HYPERTROPHY,
    "weight loss": Goal.FAT_LOSS,
    "conditioning": Goal.CARDIO,
    "flexibility": Goal.MOBILITY,
    "calisthenics": Goal.SKILL,
}


def plain(text: str) -> str:
    return re.sub(r"[\s_]+", " ", text.strip().casefold())


def joint_of(text: str) -> Joint | None:
    words = re.findall(r"[a-z][a-z-]*", plain(text))
    if "neck" not in words and {"upper", "back"} <= set(words):
        return None  # sore muscles between the shoulder blades are no joint of ours
    return next((_JOINTS[word] for word in words if word in _JOINTS), None)


def severity_of(text: str) -> Severity:
    said = plain(text)
    if scale := re.search(r"\b(10|[0-9])\s*/\s*10\b", said):
        pain = int(scale.group(1))
        return Severity.SEVERE if pain > 5 else Severity.MODERATE if pain > 3 else Severity.MILD
    if _SEVERE.search(said):
        return Severity.SEVERE
    return Severity.MILD if _MILD.search(said) else Severity.MODERATE


def side_of(text: str) -> Side:
    words = set(re.findall(r"[a-z]+", plain(text)))
    if ("left" in words) == ("right" in words):
        return Side.BOTH
    return Side.LEFT if "left" in words else Side.RIGHT


def injury_of(text: str) -> Injury | None:
    joint = joint_of(text)
    return Injury(joint, severity_of(text), side_of(text)) if joint is not None else None


def condition_of(text: str) -> Condition | None:
    said = plain(text)
    if re.search(r"\bpregnan|\btrimester\b|\bexpecting\b", said):
        return Condition.PREGNANCY
    if re.search(r"\b(high )?blood pressure\b|\bhypertension\b", said):
        return Condition.HYPERTENSION
    if re.search(r"\bheart\b|\bcardiac\b|\barrhythmia\b", said):
        return Condition.CARDIAC
    return None


def equipment_of(text: str) -> frozenset[Equipment] | None:
    """Every item of a list; None when one of them is not known."""
    found: set[Equipment] = set()
    for part in re.split(r"[,;/&+]|\band\b", plain(text)):
        name = re.sub(r"^(a|an|some|my|one|two|the|pair of|set of)\s+", "", part.strip())
        if not name:
            continue
        if name in _FULL_GYM:
            found |= FULL_GYM
        elif name in _EQUIPMENT:
            found.add(_EQUIPMENT[name])
        else:
            return None
    return frozenset(found) or None


def muscles_of(text: str) -> frozenset[Muscle]:
    said = plain(text)
    if said in MUSCLE_GROUPS:
        return MUSCLE_GROUPS[said]
    name = said.replace(" ", "_")
    return frozenset({Muscle(name)}) if name in set(Muscle) else frozenset()


def goal_of(text: str) -> Goal | None:
    return _GOALS.get(plain(text))


def effort_of(text: str) -> Effort | None:
    words = set(re.findall(r"[a-z]+", plain(text)))
    if words & {"easy", "light", "low", "gentle", "relaxed"}:
        return Effort.EASY
    if words & {"hard", "high", "intense", "heavy", "tough", "brutal"}:
        return Effort.HARD
    return Effort.NORMAL if words & {"normal", "medium", "moderate"} else None


FULL_GYM: Final = frozenset(set(Equipment) - {Equipment.OTHER, Equipment.RINGS, Equipment.AB_WHEEL})
