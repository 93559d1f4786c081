"""Athletes and requests of every kind, from a seed."""

from datetime import UTC, date, datetime, time, timedelta
from random import Random
from uuid import UUID

from spotter.training.athlete import Athlete, Clearance, Effort, Goal, PastSet, PastWorkout, Request
from spotter.training.catalogue import catalogue
from spotter.training.limits import Condition, Injury, Severity
from spotter.training.vocabulary import Equipment, Joint, Level, Muscle, Pattern, Region, Split, UnitType

TODAY = date(2026, 11, 16)
FULL_GYM = frozenset(set(Equipment) - {Equipment.OTHER, Equipment.RINGS, Equipment.AB_WHEEL})
_KITS: tuple[frozenset[Equipment] | None, ...] = (
    None,
    frozenset(),
    frozenset({Equipment.BANDS, Equipment.MAT}),
    frozenset({Equipment.DUMBBELL, Equipment.BENCH}),
    frozenset({Equipment.KETTLEBELL}),
    frozenset({Equipment.PULLUP_BAR, Equipment.PARALLEL_BARS, Equipment.RINGS}),
    frozenset({Equipment.BARBELL, Equipment.RACK, Equipment.BENCH, Equipment.PLATE}),
    frozenset({Equipment.CHAIR, Equipment.BANDS}),
    FULL_GYM,
)


def anyone(chance: Random) -> Athlete:
    conditions = frozenset({chance.choice(list(Condition))}) if chance.random() < 0.15 else frozenset()
    level = chance.choice(list(Level))
    return Athlete(
        user_id=UUID(int=chance.getrandbits(128)),
        age=chance.choice([None, 15, 25, 40, 68, 77]),
        weight_kg=chance.choice([None, 55.0, 82.5]),
        level=level,
        equipment=chance.choice(_KITS),
        minutes=chance.choice([None, None, 20, 45]),
        goals={chance.choice(list(Goal)): chance.randint(1, 10) for _ in range(chance.randint(0, 2))},
        muscle_goals={
            chance.choice(list(Muscle)): chance.randint(-10, 10) for _ in range(chance.randint(0, 2))
        },
        injuries=injuries(chance) if chance.random() < 0.4 else (),
        sore=frozenset({chance.choice(list(Muscle))}) if chance.random() < 0.2 else frozenset(),
        conditions=conditions,
        clearance=Clearance.CLEARED if conditions else Clearance.UNKNOWN,
        excluded=frozenset(chance.sample([each.id for each in catalogue()], chance.choice([0, 0, 3, 30]))),
        effort=chance.choice(list(Effort)),
        past=log(chance) if chance.random() < 0.4 else (),
    )


def injuries(chance: Random) -> tuple[Injury, ...]:
    joints = chance.sample(list(Joint), chance.choice([1, 1, 1, 2]))
    return tuple(Injury(joint, chance.choice(list(Severity))) for joint in joints)


def log(chance: Random, today: date = TODAY) -> tuple[PastWorkout, ...]:
    """Newest first."""
    start, every = chance.choice([0, 1, 2, 15, 30, 60]), chance.choice([2, 3, 5])
    possible = [each for each in catalogue() if each.pattern is not Pattern.MOBILITY]
    regular = chance.sample(possible, 8)
    return tuple(
        PastWorkout(
            datetime.combine(today - timedelta(days=start + number * every), time(18), UTC),
            tuple(
                PastSet(
                    each.id,
                    reps=chance.randint(max(1, each.range[0] - 1), each.range[1] + 1),
                    weight_kg=chance.choice([8.0, 22.0, 40.0, 62.5])
                    if each.unit is UnitType.WEIGHT_REPS
                    else None,
                    rpe=chance.choice([None, 7.0, 9.0]),
                )
                for each in chance.sample(regular, 4)
                for _ in range(chance.choice([1, 3]))
            ),
        )
        for number in range(chance.choice([1, 4, 12]))
    )


def any_request(chance: Random) -> Request:
    kind = chance.random()
    book = [each.id for each in catalogue()]
    return Request(
        minutes=chance.choice([8, 10, 12, 15, 20, 25, 30, 40, 45, 60, 75, 90, 120]),
        regions=frozenset({chance.choice(list(Region))}) if kind < 0.25 else frozenset(),
        splits=frozenset({chance.choice(list(Split))}) if 0.25 <= kind < 0.4 else frozenset(),
        muscles=frozenset(chance.sample(list(Muscle), chance.randint(1, 3)))
        if 0.4 <= kind < 0.6
        else frozenset(),
        patterns=frozenset({chance.choice(list(Pattern))}) if 0.6 <= kind < 0.65 else frozenset(),
        goal=chance.choice([None, *Goal]),
        effort=chance.choice([None, None, *Effort]),
        equipment=chance.choice(_KITS) if chance.random() < 0.2 else None,
        include=(chance.choice(book),) if chance.random() < 0.1 else (),
        exclude=frozenset({chance.choice(book)}) if chance.random() < 0.2 else frozenset(),
        injuries=injuries(chance) if chance.random() < 0.15 else (),
        today=TODAY,
        attempt=chance.choice([0, 0, 1]),
    )
