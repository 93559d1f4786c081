"""The movement pattern and joint loads of an exercise that comes without them.

Guessed from its name first and its muscles second, and always to the careful side: a load guessed too high hides an
exercise from somebody with a sore joint; one guessed too low may hurt them.
"""

import re
from typing import Final

from spotter.training.vocabulary import Flag, Force, Joint, Mechanic, Muscle, Pattern

P, J, M = Pattern, Joint, Muscle

_NAMES: Final[tuple[tuple[re.Pattern[str], Pattern], ...]] = tuple(
    (re.compile(pattern), result)
    for pattern, result in (
        (r"stretch|\bsmr\b|foam roll|mobility|circles?\b|\bpose\b", P.MOBILITY),
        (r"jump|hop\b|bound|plyo|leap|skip", P.JUMP),
        (r"l-sit|v-sit|lever|planche|frog stand|handstand(?! push)", P.HOLD_SKILL),
        (r"walk|carry|carries|shrug|yoke", P.CARRY),
        (r"crawl|shuffle", P.LOCOMOTION),
        (r"calf|calves|heel raise", P.CALF),
        (r"leg curl|hamstring curl|nordic|glute.ham", P.KNEE_FLEXION),
        (r"leg extension|sissy", P.KNEE_EXTENSION),
        (r"hip thrust|bridge|kickback.*glute|glute kickback|abduct|adduct|hip extension", P.HIP_EXTENSION),
        (r"deadlift|good morning|swing|clean|snatch|rack pull|pull.through|hyperextension|back extension", P.HINGE),
        (r"lunge|split squat|step.?up", P.LUNGE),
        (r"squat|leg press|thruster", P.SQUAT),
        (r"skull|triceps? (extension|push.?down|press)|push.?down|kickback|close.grip bench", P.ELBOW_EXTENSION),
        (r"curl(?!.*crunch)", P.ELBOW_FLEXION),
        (r"pull.?down|pull.?up|chin.?up|pull-?over|upright row|muscle.?up", P.VERTICAL_PULL),
        (r"\brows?\b|face pull|reverse fl|rear delt|pull.?apart|rear lateral|external rotation", P.HORIZONTAL_PULL),
        (r"(overhead|shoulder|push|arnold|military) press|jerk|(lateral|front) raise|side lateral", P.VERTICAL_PUSH),
        (r"(handstand|pike) push", P.VERTICAL_PUSH),
        (r"(bench|chest|floor) press|push.?up|\bfl(y|ye|yes|ies)\b|\bdips?\b|crossover", P.HORIZONTAL_PUSH),
        (r"plank|rollout|roll-?out|ab roller|ab wheel|dead bug|hollow", P.CORE_ANTI_EXTENSION),
        (r"twist|rotation|wood ?chop|pallof|side bend|oblique|windmill|russian", P.CORE_ROTATION),
        (r"crunch|sit.?up|leg raise|knee raise|v-?up|jackknife", P.CORE_FLEXION),
        (r"running|sprint|treadmill|cycling|bicycl|elliptical|rowing,|stair|jogging|burpee", P.CARDIO),
    )
)  # fmt: skip

_MUSCLES: Final[dict[Muscle, Pattern]] = {
    M.CHEST: P.HORIZONTAL_PUSH,
    M.SERRATUS: P.HORIZONTAL_PUSH,
    M.FRONT_DELTS: P.VERTICAL_PUSH,
    M.SIDE_DELTS: P.VERTICAL_PUSH,
    M.REAR_DELTS: P.HORIZONTAL_PULL,
    M.TRICEPS: P.ELBOW_EXTENSION,
    M.BICEPS: P.ELBOW_FLEXION,
    M.BRACHIALIS: P.ELBOW_FLEXION,
    M.FOREARMS: P.ELBOW_FLEXION,
    M.LATS: P.VERTICAL_PULL,
    M.UPPER_BACK: P.HORIZONTAL_PULL,
    M.TRAPS: P.CARRY,
    M.LOWER_BACK: P.HINGE,
    M.ABS: P.CORE_FLEXION,
    M.OBLIQUES: P.CORE_ROTATION,
    M.GLUTES: P.HIP_EXTENSION,
    M.QUADS: P.SQUAT,
    M.HAMSTRINGS: P.HINGE,
    M.ADDUCTORS: P.HIP_EXTENSION,
    M.ABDUCTORS: P.HIP_EXTENSION,
    M.CALVES: P.CALF,
    M.NECK: P.MOBILITY,
}

_LOADS: Final[dict[Pattern, dict[Joint, int]]] = {
    P.SQUAT: {J.KNEE: 3, J.HIP: 2, J.LOWER_BACK: 2, J.ANKLE: 1},
    P.LUNGE: {J.KNEE: 3, J.HIP: 2, J.ANKLE: 2, J.LOWER_BACK: 1},
    P.HINGE: {J.LOWER_BACK: 3, J.HIP: 2, J.KNEE: 1, J.SHOULDER: 1},
    P.HIP_EXTENSION: {J.HIP: 2, J.KNEE: 1, J.LOWER_BACK: 1},
    P.KNEE_FLEXION: {J.KNEE: 2, J.LOWER_BACK: 1},
    P.KNEE_EXTENSION: {J.KNEE: 3},
    P.HORIZONTAL_PUSH: {J.SHOULDER: 2, J.ELBOW: 2, J.WRIST: 2},
    P.VERTICAL_PUSH: {J.SHOULDER: 3, J.ELBOW: 2, J.WRIST: 1, J.LOWER_BACK: 2, J.NECK: 2},
    P.HORIZONTAL_PULL: {J.SHOULDER: 1, J.ELBOW: 1, J.LOWER_BACK: 2},
    P.VERTICAL_PULL: {J.SHOULDER: 2, J.ELBOW: 2},
    P.ELBOW_FLEXION: {J.ELBOW: 2, J.WRIST: 2},
    P.ELBOW_EXTENSION: {J.ELBOW: 3, J.SHOULDER: 2, J.WRIST: 1},
    P.CORE_ANTI_EXTENSION: {J.LOWER_BACK: 2, J.SHOULDER: 2, J.WRIST: 2},
    P.CORE_FLEXION: {J.LOWER_BACK: 2, J.NECK: 2, J.HIP: 1},
    P.CORE_ROTATION: {J.LOWER_BACK: 2, J.SHOULDER: 1},
    P.CARRY: {J.LOWER_BACK: 2, J.SHOULDER: 1, J.NECK: 2, J.HIP: 1, J.ANKLE: 1},
    P.CALF: {J.ANKLE: 2},
    P.LOCOMOTION: {J.KNEE: 2, J.ANKLE: 2, J.SHOULDER: 2, J.WRIST: 2, J.HIP: 1},
    P.JUMP: {J.KNEE: 3, J.ANKLE: 3, J.HIP: 2, J.LOWER_BACK: 1},
    P.HOLD_SKILL: {J.SHOULDER: 3, J.WRIST: 3, J.ELBOW: 2, J.NECK: 2, J.LOWER_BACK: 2},
    P.MOBILITY: {J.HIP: 1, J.SHOULDER: 1, J.LOWER_BACK: 1, J.KNEE: 2, J.NECK: 1, J.WRIST: 1, J.ANKLE: 1},
    P.CARDIO: {J.KNEE: 2, J.ANKLE: 2, J.HIP: 2},
}

# What a word adds to its pattern.
_EXTRA: Final[tuple[tuple[re.Pattern[str], dict[Joint, int]], ...]] = (
    (re.compile(r"snatch|overhead|get.?up|windmill|jerk|toes.to.bar|behind.*neck|upright"), {J.SHOULDER: 3}),
    (re.compile(r"handstand"), {J.WRIST: 3, J.NECK: 2}),
    (re.compile(r"l-sit|v-sit"), {J.HIP: 3}),
    (re.compile(r"pistol|shrimp|one.leg|single.leg"), {J.ANKLE: 3}),
    (re.compile(r"sprint"), {J.KNEE: 3, J.ANKLE: 3, J.HIP: 3}),
    (re.compile(r"neck"), {J.NECK: 3}),
    (re.compile(r"front squat|clean|wrist"), {J.WRIST: 3}),
)

_FLAGS: Final[dict[Pattern, frozenset[Flag]]] = {
    P.VERTICAL_PUSH: frozenset({Flag.OVERHEAD}),
    P.VERTICAL_PULL: frozenset({Flag.OVERHEAD}),
    P.JUMP: frozenset({Flag.IMPACT, Flag.FALL_RISK}),
    P.CARDIO: frozenset({Flag.IMPACT}),
    P.SQUAT: frozenset({Flag.DEEP_KNEE_FLEXION}),
    P.LUNGE: frozenset({Flag.FALL_RISK}),
    P.CORE_FLEXION: frozenset({Flag.SUPINE, Flag.SPINAL_FLEXION_LOADED}),
    P.HOLD_SKILL: frozenset({Flag.FALL_RISK, Flag.BREATH_HOLD, Flag.INVERSION}),
}
_LYING: Final = re.compile(r"\b(lying|bench press|floor press|supine|bridge|skull)\b")
_FACE_DOWN: Final = re.compile(r"\b(prone|superman|face.down|hyperextension)\b")

_COMPOUND: Final = frozenset(
    {P.SQUAT, P.LUNGE, P.HINGE, P.HORIZONTAL_PUSH, P.VERTICAL_PUSH, P.HORIZONTAL_PULL, P.VERTICAL_PULL}
    | {P.CARRY, P.LOCOMOTION, P.JUMP, P.CARDIO, P.HOLD_SKILL}
)
_PUSHES: Final = frozenset(
    {P.SQUAT, P.LUNGE, P.HIP_EXTENSION, P.KNEE_EXTENSION, P.CALF, P.JUMP}
    | {P.HORIZONTAL_PUSH, P.VERTICAL_PUSH, P.ELBOW_EXTENSION}
)
_PULLS: Final = frozenset({P.HINGE, P.KNEE_FLEXION, P.HORIZONTAL_PULL, P.VERTICAL_PULL, P.ELBOW_FLEXION})


def pattern_of(name: str, category: str, primary: tuple[Muscle, ...]) -> Pattern:
    if category == "stretching":
        return P.MOBILITY
    if category == "cardio":
        return P.CARDIO
    text = name.lower()
    for expression, pattern in _NAMES:
        if expression.search(text):
            return pattern
    if category == "plyometrics":
        return P.JUMP
    return _MUSCLES[primary[0]]


def loads_of(pattern: Pattern, name: str) -> dict[Joint, int]:
    loads = dict(_LOADS[pattern])
    text = name.lower()
    for expression, more in _EXTRA:
        if expression.search(text):
            loads |= {joint: max(load, loads.get(joint, 0)) for joint, load in more.items()}
    return loads


def flags_of(pattern: Pattern, name: str) -> frozenset[Flag]:
    flags = _FLAGS.get(pattern, frozenset())
    text = name.lower()
    if _FACE_DOWN.search(text):
        return flags - {Flag.SUPINE} | {Flag.PRONE}
    return flags | {Flag.SUPINE} if _LYING.search(text) else flags


def mechanic_of(pattern: Pattern) -> Mechanic:
    return Mechanic.COMPOUND if pattern in _COMPOUND else Mechanic.ISOLATION


def force_of(pattern: Pattern) -> Force:
    if pattern in _PUSHES:
        return Force.PUSH
    return Force.PULL if pattern in _PULLS else Force.DYNAMIC
