"""Has everybody something to do? Common places and what stands in them, against muscles, regions and needs."""

from collections.abc import Iterator
from typing import Final

from spotter.training.catalogue.book import Catalogue
from spotter.training.limits import Condition, Injury, Severity, limits_for
from spotter.training.vocabulary import Equipment, Joint, Level, Muscle, MuscleGroup, Region, Suits

E = Equipment

PLACES: Final[dict[str, frozenset[Equipment]]] = {
    "nothing": frozenset(),
    "a mat": frozenset({E.MAT}),
    "bands": frozenset({E.BANDS}),
    "dumbbells": frozenset({E.DUMBBELL}),
    "a kettlebell": frozenset({E.KETTLEBELL}),
    "dumbbells and a bench": frozenset({E.DUMBBELL, E.BENCH}),
    "a barbell corner": frozenset({E.BARBELL, E.PLATE, E.RACK, E.BENCH}),
    "a full gym": frozenset(E) - {E.OTHER},
    "a hotel room": frozenset({E.CHAIR, E.WALL}),
    "a pull-up bar": frozenset({E.PULLUP_BAR}),
}

MAJOR: Final[dict[str, MuscleGroup]] = {
    "chest": frozenset({Muscle.CHEST}),
    "back": frozenset({Muscle.LATS, Muscle.UPPER_BACK}),
    "shoulders": frozenset({Muscle.FRONT_DELTS, Muscle.SIDE_DELTS, Muscle.REAR_DELTS}),
    "biceps": frozenset({Muscle.BICEPS, Muscle.BRACHIALIS}),
    "triceps": frozenset({Muscle.TRICEPS}),
    "abs": frozenset({Muscle.ABS}),
    "obliques": frozenset({Muscle.OBLIQUES}),
    "lower back": frozenset({Muscle.LOWER_BACK}),
    "glutes": frozenset({Muscle.GLUTES}),
    "quads": frozenset({Muscle.QUADS}),
    "hamstrings": frozenset({Muscle.HAMSTRINGS}),
    "calves": frozenset({Muscle.CALVES}),
}

BEGINNER_LEVEL: Final = 3
LEAST_IN_A_REGION: Final = 3
LEAST_FOR_A_NEED: Final = 6


def gaps(book: Catalogue) -> Iterator[str]:
    for place, available in PLACES.items():
        yield from _muscles_without_work(book, place, available)
        for region in Region:
            choices = book.where(regions={region}, available=available, max_level=BEGINNER_LEVEL)
            if len(choices) < LEAST_IN_A_REGION:
                yield f"with {place}, a beginner has {len(choices)} choices for {region}"
        for suits in (Suits.WARM_UP, Suits.COOL_DOWN):
            if len(book.where(suits=suits, available=available)) < LEAST_FOR_A_NEED:
                yield f"with {place}, there is too little for {suits}"
    yield from _needs(book)
    yield from _injuries(book)


def _muscles_without_work(book: Catalogue, place: str, available: frozenset[Equipment]) -> Iterator[str]:
    """Stretching a muscle is no training of it, so what only suits the ends of a session does not count."""
    strength = [
        each
        for each in book.where(available=available, max_level=BEGINNER_LEVEL)
        if each.pattern not in ("mobility", "cardio", "locomotion")
    ]
    for group, muscles in MAJOR.items():
        if all(muscles.isdisjoint(each.primary) for each in strength):
            yield f"with {place}, a beginner has nothing for {group}"


def _needs(book: Catalogue) -> Iterator[str]:
    for suits in (Suits.WHEELCHAIR, Suits.SENIOR, Suits.PREGNANCY):
        for band in (Level.BEGINNER,):
            if len([each for each in book.where(suits=suits) if each.band is band]) < LEAST_FOR_A_NEED:
                yield f"too little for {suits} at {band} level"
    allowed = limits_for(conditions=[Condition.PREGNANCY])
    for region in Region:
        if len(book.where(regions={region}, suits=Suits.PREGNANCY, limits=allowed)) < LEAST_IN_A_REGION:
            yield f"too little for pregnancy in {region}"


def _injuries(book: Catalogue) -> Iterator[str]:
    """Whatever hurts, moderately and at home, something is left for every other region."""
    for joint in Joint:
        limits = limits_for([Injury(joint, Severity.MODERATE)])
        for region in Region:
            if len(book.where(regions={region}, available=frozenset(), limits=limits)) < LEAST_IN_A_REGION:
                yield f"with a sore {joint} and no equipment, there is too little for {region}"
