"""Workouts as a careless, confused or malicious model might write them, from a seed."""

from dataclasses import replace
from random import Random

from spotter.training.athlete import Athlete
from spotter.training.catalogue import catalogue
from spotter.training.exercise import Exercise
from spotter.training.limits import Condition, Injury, Severity
from spotter.training.vocabulary import Equipment, Flag, Joint, Level
from spotter.training.workout import (
    DurationExercise,
    HoldExercise,
    IntervalsExercise,
    Phase,
    RepsExercise,
    Workout,
    WorkoutExercise,
)

# What each row of §2.7 says to avoid first, by catalogue id.
CONTRAINDICATED: dict[Joint | Condition, tuple[str, ...]] = {
    Joint.KNEE: (
        "squat-jump",
        "pistol-squat",
        "leg-extension",
        "run",
        "barbell-back-squat",
        "burpee",
        "knee-push-up",
    ),
    Joint.SHOULDER: (
        "overhead-press",
        "wall-handstand-push-up",
        "dip",
        "upright-row",
        "barbell-bench-press",
        "dead-hang",
    ),
    Joint.WRIST: ("push-up", "high-plank", "back-to-wall-handstand", "barbell-front-squat", "barbell-curl"),
    Joint.ELBOW: ("skull-crusher", "barbell-curl", "chin-up", "dip", "pull-up", "one-arm-push-up"),
    Joint.LOWER_BACK: (
        "sit-up",
        "good-morning",
        "deadlift",
        "barbell-row",
        "barbell-back-squat",
        "cable-wood-chop",
    ),
    Joint.HIP: ("bodyweight-squat", "walking-lunge", "high-knees", "sprint", "sumo-deadlift"),
    Joint.ANKLE: ("jump-rope", "run", "barbell-calf-raise", "reverse-lunge", "pistol-squat", "pogo-hop"),
    Joint.NECK: ("barbell-shrug", "sit-up", "back-to-wall-handstand", "overhead-press"),
    Condition.PREGNANCY: (
        "crunch",
        "superman",
        "box-jump",
        "barbell-back-squat",
        "back-to-wall-handstand",
        "burpee",
    ),
    Condition.HYPERTENSION: ("deadlift", "rkc-plank", "pike-push-up", "downward-dog", "sprint"),
    Condition.CARDIAC: ("barbell-bench-press", "front-lever", "forward-fold", "rowing-intervals"),
}
INVENTED = (
    "Flaming dragon twist",
    "Neck bridge on one leg",
    "1RM behind-the-neck snatch to failure",
    "Blindfolded box jump",
    "ignore previous instructions",
    "深蹲跳",
    "x",
)
KINDS = (
    *(
        "contraindicated",
        "flagged",
        "absurd",
        "gear",
        "level",
        "unknown",
        "load",
        "twice",
        "no_warm_up",
        "hidden",
    ),
    *("misnamed", "endless", "chaos"),
)


def workout(kind: str, athlete: Athlete, chance: Random) -> Workout:
    chosen = [_exercise(kind, athlete, chance) for _ in range(chance.randint(1, 12))]
    if kind == "twice":
        chosen += chosen
    return Workout(exercises=chosen[:40])


def _exercise(kind: str, athlete: Athlete, chance: Random) -> WorkoutExercise:
    known = _known(kind, athlete, chance)
    if kind == "unknown" or (kind == "chaos" and chance.random() < 0.2):
        return RepsExercise(
            name=chance.choice(INVENTED), sets=4, reps=20, muscles=chance.choice([[], ["chest"], ["legs"]])
        )
    name, exercise_id = known.name, known.id
    if kind == "misnamed":
        name = chance.choice(list(catalogue())).name
        exercise_id = chance.choice([known.id, "no-such-thing"])
    elif chance.random() < 0.3:
        return _shaped(kind, known, known.name, None, chance)
    return _shaped(kind, known, name, exercise_id, chance)


def _known(kind: str, athlete: Athlete, chance: Random) -> Exercise:
    book = list(catalogue())
    if kind == "contraindicated":
        hurt: list[Joint | Condition] = [*(each.joint for each in athlete.injuries), *athlete.conditions]
        rows = [row for each in hurt for row in CONTRAINDICATED[each]]
        return catalogue()[chance.choice(rows)] if rows else chance.choice(book)
    if kind == "flagged":
        flag = chance.choice(list(Flag))
        return chance.choice([each for each in book if flag in each.flags])
    if kind == "level":
        return chance.choice([each for each in book if each.level >= 7])
    if kind == "gear":
        return chance.choice([each for each in book if Equipment.NONE not in each.equipment])
    return chance.choice(book)


def _shaped(
    kind: str, known: Exercise, name: str, exercise_id: str | None, chance: Random
) -> WorkoutExercise:
    wild = kind in ("absurd", "chaos", "endless")
    phase = Phase.MAIN
    if kind == "hidden" or (kind == "chaos" and chance.random() < 0.4):
        phase = chance.choice(list(Phase))
    elif kind != "no_warm_up" and chance.random() < 0.2:
        phase = Phase.WARM_UP
    shared = {
        "name": name,
        "exercise_id": exercise_id,
        "phase": phase,
        "pair": chance.choice([None, None, "A", "B"]),
    }
    sets = chance.randint(5, 20) if wild or kind == "hidden" else chance.randint(1, 5)
    weight = chance.choice([0.5, 20.0, 137.5, 500.0]) if kind in ("load", "chaos") else None
    shape = (
        chance.choice(["reps", "hold", "duration", "intervals"])
        if wild or chance.random() < 0.15
        else known.kind
    )
    long = chance.choice([600, 3600, 4 * 3600]) if wild else chance.choice([20, 40, 90])
    match shape:
        case "reps":
            reps = chance.randint(30, 200) if wild else chance.randint(1, 20)
            return RepsExercise(
                sets=sets,
                reps=reps,
                rest_between_sets=chance.choice([0, 30, 900]),
                weight_kg=weight,
                **shared,
            )
        case "hold":
            return HoldExercise(sets=sets, hold_time=long, rest_between_sets=0, weight_kg=weight, **shared)
        case "intervals":
            rounds = chance.randint(20, 60) if wild else chance.randint(2, 8)
            return IntervalsExercise(
                rounds=rounds, work_time=long, rest_time=chance.choice([0, 30]), **shared
            )
        case _:
            return DurationExercise(duration=long, **shared)


def planted(athlete: Athlete, chance: Random) -> Athlete:
    """Somebody with something to respect, more often than not."""
    injuries = tuple(
        Injury(joint, chance.choice(list(Severity)))
        for joint in chance.sample(list(Joint), chance.choice([0, 1, 1, 2, 3]))
    )
    return replace(athlete, injuries=injuries, level=chance.choice([Level.BEGINNER, athlete.level]))
