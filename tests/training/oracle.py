"""A second opinion on workouts, written from DOMAIN.md §2.6–2.8 alone.

It shares no rule with the code it judges: of `spotter.training` it knows data types and the catalogue's data, nothing
that decides. Every finding is a sentence; no findings means that a workout is fine.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from spotter.training.athlete import Athlete, Clearance, Request
from spotter.training.catalogue import Catalogue
from spotter.training.exercise import Exercise
from spotter.training.limits import Condition, Injury, Severity
from spotter.training.vocabulary import Equipment, Flag, Kind, Level, Muscle, Pattern, Split, UnitType
from spotter.training.workout import (
    DurationExercise,
    HoldExercise,
    IntervalsExercise,
    Phase,
    RepsExercise,
    Workout,
    WorkoutExercise,
)

# §2.7: severe drops a joint load of 1 and more, moderate 2 and more, mild 3, and caps the level of what loads it.
FORBIDDEN_FROM = {Severity.SEVERE: 1, Severity.MODERATE: 2, Severity.MILD: 3}
MILD_LEVEL = 6

# §2.7, last rows.
FORBIDDEN_FLAGS = {
    Condition.PREGNANCY: {
        Flag.SUPINE,
        Flag.PRONE,
        Flag.FALL_RISK,
        Flag.IMPACT,
        Flag.BREATH_HOLD,
        Flag.INVERSION,
    },
    Condition.HYPERTENSION: {Flag.BREATH_HOLD, Flag.INVERSION},
    Condition.CARDIAC: {Flag.BREATH_HOLD, Flag.INVERSION},
}

# Hard filter of §2.10: the own level and one more; the bands are 1–3, 4–6 and 7–10.
HIGHEST = {Level.BEGINNER: 4, Level.INTERMEDIATE: 7, Level.ADVANCED: 10}

# §2.1: about 8–10 fractional sets for a muscle in a session.
MUSCLE_SETS = {Level.BEGINNER: 8.0, Level.INTERMEDIATE: 10.0, Level.ADVANCED: 10.0}
SESSION_SETS = 32
EXERCISE_SETS = 6

PULLS = {Pattern.HORIZONTAL_PULL, Pattern.VERTICAL_PULL, Pattern.ELBOW_FLEXION}
PUSHES = {Pattern.HORIZONTAL_PUSH, Pattern.VERTICAL_PUSH, Pattern.ELBOW_EXTENSION}

FREE = {Equipment.NONE, Equipment.WALL}
UNSAID = FREE | {Equipment.CHAIR}


def unsafe(workout: Workout, athlete: Athlete, book: Catalogue) -> list[str]:
    """What no workout may have, whoever wrote it."""
    return list(_unsafe(workout, athlete, book))


def unfit(
    workout: Workout,
    athlete: Athlete,
    request: Request,
    book: Catalogue,
    minutes: int,
    reasons: Sequence[str],
) -> list[str]:
    """What a designed workout may not have either: the wrong length, an imbalance, what is not there."""
    return [*_unsafe(workout, athlete, book), *_unfit(workout, athlete, request, book, minutes, reasons)]


def possible(exercise: Exercise, athlete: Athlete) -> bool:
    """Whether somebody may do an exercise and has what it takes."""
    return not list(_exercise(exercise, athlete)) and _equipped(exercise, athlete, UNSAID)


def minutes_of(workout: Workout, book: Catalogue) -> float:
    """Warm-up + sets × (work + rest) + a change for each exercise + cool-down, as §2.6 has it."""
    total = 0.0
    open_letter: tuple[Phase, str] | None = None
    rounds: list[tuple[int, float, float]] = []
    for each in workout.exercises:
        letter = (each.phase, each.pair) if each.pair else None
        if rounds and letter != open_letter:
            total += _round_time(rounds)
            rounds = []
        total += 38.0 if each.phase is Phase.MAIN else 10.0
        rounds.append((_sets(each), _work(each, book), _rest(each)))
        if letter is None:
            total += _round_time(rounds)
            rounds = []
        open_letter = letter
    return (total + _round_time(rounds)) / 60


def _round_time(rounds: Sequence[tuple[int, float, float]]) -> float:
    if not rounds:
        return 0.0
    if len(rounds) == 1:
        ((sets, work, rest),) = rounds
        return sets * (work + rest)
    worked = sum(sets * work for sets, work, _ in rounds)
    longest = max(sets for sets, _, _ in rounds)
    return worked + longest * (15 * (len(rounds) - 1) + max(rest for _, _, rest in rounds))


def _work(each: WorkoutExercise, book: Catalogue) -> float:
    known = book.get(each.exercise_id or "")
    sides = 2 if known is not None and known.unilateral else 1
    if isinstance(each, RepsExercise):
        return each.reps * (known.seconds_per_unit if known is not None else 3.5) * sides
    if isinstance(each, HoldExercise):
        return each.hold_time * sides
    return each.duration if isinstance(each, DurationExercise) else each.work_time


def _sets(each: WorkoutExercise) -> int:
    if isinstance(each, RepsExercise | HoldExercise):
        return each.sets
    return each.rounds if isinstance(each, IntervalsExercise) else 1


def _rest(each: WorkoutExercise) -> float:
    if isinstance(each, RepsExercise | HoldExercise):
        return each.rest_between_sets
    return each.rest_time if isinstance(each, IntervalsExercise) else 0


def _unsafe(workout: Workout, athlete: Athlete, book: Catalogue) -> Iterator[str]:
    if athlete.clearance is Clearance.SEE_CLINICIAN:
        yield "given to somebody who should see a clinician first"
    if Condition.CARDIAC in athlete.conditions and athlete.clearance is not Clearance.CLEARED:
        yield "given to somebody with a heart condition that nobody has cleared"
    mains = [each for each in workout.exercises if each.phase is Phase.MAIN]
    if not mains:
        yield "no main part"
    for each in workout.exercises:
        known = book.get(each.exercise_id or "")
        if known is None:
            yield f"{each.name} is unknown"
            continue
        if each.name != known.name:
            yield f"{each.name} is called {known.name}"
        for finding in (*_exercise(known, athlete), *_amounts(each, known, athlete)):
            yield f"{known.id}: {finding}"
        if not _equipped(known, athlete, set(Equipment) - {Equipment.OTHER}):
            yield f"{known.id}: not equipped for it"
    yield from _volume(mains, athlete, book)
    for phase in Phase:
        names = [each.exercise_id for each in workout.exercises if each.phase is phase]
        if len(names) != len(set(names)):
            yield f"something twice in the {phase.value}"


def _exercise(known: Exercise, athlete: Athlete) -> Iterator[str]:
    for injury in athlete.injuries:
        yield from _hurts(known, injury)
    for condition in athlete.conditions:
        if FORBIDDEN_FLAGS[condition] & known.flags:
            yield f"not with {condition.value}"
        if known.met >= 8:
            yield f"vigorous, with {condition.value}"
    if known.level > HIGHEST[athlete.level]:
        yield f"level {known.level} for a {athlete.level.value}"
    if known.id in athlete.excluded:
        yield "not wanted"


def _hurts(known: Exercise, injury: Injury) -> Iterator[str]:
    load = known.joints.get(injury.joint, 0)
    if load >= FORBIDDEN_FROM[injury.severity]:
        yield f"load {load} on a {injury.severity.value} {injury.joint.value}"
    if injury.severity is Severity.MILD and load and known.level > MILD_LEVEL:
        yield f"advanced, on a stiff {injury.joint.value}"


def _equipped(known: Exercise, athlete: Athlete, unsaid: set[Equipment]) -> bool:
    has = unsaid if athlete.equipment is None else FREE | athlete.equipment
    return any(setup <= has for setup in known.setups)


def _amounts(each: WorkoutExercise, known: Exercise, athlete: Athlete) -> Iterator[str]:
    if isinstance(each, RepsExercise | HoldExercise):
        if each.sets > EXERCISE_SETS:
            yield f"{each.sets} sets"
        yield from _load(each, known, athlete)
        yield from _conditions(each, known, athlete)
    if isinstance(each, RepsExercise) and each.reps > 2 * known.range[1]:
        yield f"{each.reps} repetitions of what is done for {known.range[1]}"
    if isinstance(each, HoldExercise) and each.hold_time > 180:
        yield f"held for {each.hold_time} s"
    if isinstance(each, IntervalsExercise) and each.rounds * (each.work_time + each.rest_time) > 20 * 60:
        yield "intervals for more than twenty minutes"
    if isinstance(each, DurationExercise):
        longest = 3600 if known.kind is Kind.DURATION else 600
        if each.duration > longest:
            yield f"for {each.duration} s"


def _conditions(each: RepsExercise | HoldExercise, known: Exercise, athlete: Athlete) -> Iterator[str]:
    if each.phase is not Phase.MAIN or known.pattern is Pattern.MOBILITY:
        return
    if athlete.conditions and each.rest_between_sets < 60:
        yield "too little rest for a condition"
    if not {Condition.HYPERTENSION, Condition.CARDIAC} & athlete.conditions:
        return
    if isinstance(each, HoldExercise) and each.hold_time > 30:
        yield "a long hold, with high blood pressure"
    if isinstance(each, RepsExercise) and known.unit is UnitType.WEIGHT_REPS and each.reps < 8:
        yield "heavy, with high blood pressure"


def _load(each: RepsExercise | HoldExercise, known: Exercise, athlete: Athlete) -> Iterator[str]:
    if not each.weight_kg:
        return
    done = [done for past in athlete.past for done in past.sets if done.exercise_id == known.id]
    lifted = [each.weight_kg for each in done if each.weight_kg]
    if not lifted:
        yield f"{each.weight_kg} kg out of nowhere"
    elif each.weight_kg > max(lifted) * 1.1 + 1e-6:
        yield f"{each.weight_kg} kg after {max(lifted)} kg"


def _volume(mains: Sequence[WorkoutExercise], athlete: Athlete, book: Catalogue) -> Iterator[str]:
    muscles: defaultdict[Muscle, float] = defaultdict(float)
    total = 0
    for each in mains:
        known = book.get(each.exercise_id or "")
        if known is None or known.pattern in (Pattern.MOBILITY, Pattern.CARDIO, Pattern.LOCOMOTION):
            continue
        sets = _sets(each)
        total += sets
        for muscle in known.primary:
            muscles[muscle] += sets
        for muscle in known.secondary:
            muscles[muscle] += sets / 2
    for muscle, sets_done in muscles.items():
        if sets_done > MUSCLE_SETS[athlete.level]:
            yield f"{sets_done} sets for {muscle.value}"
    if total > SESSION_SETS:
        yield f"{total} sets"


def _unfit(
    workout: Workout,
    athlete: Athlete,
    request: Request,
    book: Catalogue,
    minutes: int,
    reasons: Sequence[str],
) -> Iterator[str]:
    phases = [each.phase for each in workout.exercises]
    if phases != sorted(phases, key=[Phase.WARM_UP, Phase.MAIN, Phase.COOL_DOWN].index):
        yield "out of order"
    if Phase.WARM_UP not in phases:
        yield "no warm-up"
    taken = minutes_of(workout, book)
    honest = any(f"not {minutes}" in reason for reason in reasons)
    if taken > minutes * 1.1 or (taken < minutes * 0.9 and not honest):
        yield f"{taken:.1f} minutes instead of {minutes}"
    known = [(each, book[each.exercise_id or ""]) for each in workout.exercises]
    for each, exercise in known:
        if not possible(exercise, athlete):
            yield f"{exercise.id}: not possible for them"
        if isinstance(each, RepsExercise | HoldExercise) and each.per_side is not exercise.unilateral:
            yield f"{exercise.id}: sides"
    yield from _balance(known, athlete, request, book)


def _balance(
    known: Sequence[tuple[WorkoutExercise, Exercise]], athlete: Athlete, request: Request, book: Catalogue
) -> Iterator[str]:
    if request.muscles or request.patterns or request.include or Split.PUSH in request.splits:
        return
    if not any(each.pattern in PULLS and possible(each, athlete) for each in book):
        return
    mains = [(each, exercise) for each, exercise in known if each.phase is Phase.MAIN]
    pulls = sum(_sets(each) for each, exercise in mains if exercise.pattern in PULLS)
    pushes = sum(_sets(each) for each, exercise in mains if exercise.pattern in PUSHES)
    if pushes > pulls:
        yield f"{pushes} sets of pushing, {pulls} of pulling"
