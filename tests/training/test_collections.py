"""Open exercise collections in our words."""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spotter.training.catalogue import catalogue
from spotter.training.importers import ImportedExercise, Skipped, UnreadableFile, read_exercises
from spotter.training.importers.patterns import flags_of, loads_of, pattern_of
from spotter.training.importers.translation import EQUIPMENT, MUSCLES, WGER_MUSCLES, equipment_of, muscles_of
from spotter.training.vocabulary import Equipment, Flag, Muscle, Pattern, UnitType

SAMPLES = Path(__file__).parent / "samples"

FREE_EXERCISE_DB_MUSCLES = [
    *("abdominals", "abductors", "adductors", "biceps", "calves", "chest", "forearms", "glutes"),
    *(
        "hamstrings",
        "lats",
        "lower back",
        "middle back",
        "neck",
        "quadriceps",
        "shoulders",
        "traps",
        "triceps",
    ),
]
FREE_EXERCISE_DB_EQUIPMENT = [
    *("medicine ball", "dumbbell", "body only", "bands", "kettlebells", "foam roll", "cable", "machine"),
    *("barbell", "exercise ball", "e-z curl bar", "other"),
]


def read(name: str, *, images: bool = False) -> tuple[dict[str, ImportedExercise], dict[str, str]]:
    found = list(read_exercises((SAMPLES / name).read_text(), catalogue(), images=images))
    return {each.source_id: each for each in found if isinstance(each, ImportedExercise)}, {
        each.where: each.reason for each in found if isinstance(each, Skipped)
    }


def test_free_exercise_db() -> None:
    taken, skipped = read("free_exercise_db.json")
    squat = taken["Jefferson_Squats"]
    assert squat.exercise.id == "free-exercise-db-jefferson-squats"
    assert squat.exercise.pattern is Pattern.SQUAT
    assert squat.exercise.level == 5
    assert squat.exercise.unit is UnitType.WEIGHT_REPS
    assert (squat.source, squat.licence, squat.images) == ("free-exercise-db", "Unlicense", ())
    assert "joints" in squat.guessed
    assert skipped["Pullups"] == "the catalogue has it: pull-up"
    assert skipped["Mystery"] == "words we do not know: sartorius, trampoline"
    assert skipped["Nameless"] == "it has no name"
    assert skipped["Jefferson_Squats"] == "it is in the file twice"


def test_what_hangs_from_a_bar_is_not_body_only() -> None:
    taken, _ = read("free_exercise_db.json")
    assert taken["Rocky_Pull-Ups_Pulldowns"].exercise.equipment == frozenset({Equipment.PULLUP_BAR})
    assert taken["Dips_-_Chest_Version"].exercise.equipment == frozenset({Equipment.PARALLEL_BARS})


def test_something_else_is_never_available() -> None:
    taken, _ = read("free_exercise_db.json")
    assert taken["Tire_Flip"].exercise.setup_with(frozenset(Equipment)) is None
    assert taken["Knee_Circles"].exercise.setup_with(frozenset()) is not None


def test_pictures_come_only_when_asked_for() -> None:
    taken, _ = read("free_exercise_db.json", images=True)
    assert taken["Jefferson_Squats"].images == ("Jefferson_Squats/0.jpg",)


def test_exercemus() -> None:
    taken, skipped = read("exercemus.json")
    row = taken["Meadows Row"]
    assert row.exercise.pattern is Pattern.HORIZONTAL_PULL
    assert row.exercise.aliases == ("Landmine Single Row",)
    assert (row.licence, row.licence_author) == ("CC-BY-SA 4", "someone")
    assert skipped["Push-Up"] == "the catalogue has it: push-up"


def test_wger_from_its_api() -> None:
    taken, skipped = read("wger_api.json")
    row = taken["11111111-2222-4333-8444-555555555555"]
    assert row.exercise.name == "Yates Row"
    assert row.exercise.primary == (Muscle.LATS,)
    assert row.instructions == ("First, & second.", "Third.")
    assert (row.licence, row.licence_author) == ("CC-BY-SA-4.0", "translator")
    lift = taken["21111111-2222-4333-8444-555555555555"]
    assert (lift.exercise.primary, lift.licence) == ((Muscle.CALVES,), "CC0-1.0")
    assert "primary" in lift.guessed
    assert skipped == {"31111111-2222-4333-8444-555555555555": "it has no name"}


def test_wger_from_its_fixtures() -> None:
    taken, skipped = read("wger_fixtures.json")
    (swing,) = taken.values()
    assert swing.exercise.name == "Outside Leg Kick Swing"
    assert swing.exercise.primary == (Muscle.HAMSTRINGS, Muscle.GLUTES)
    assert swing.exercise.secondary == (Muscle.LOWER_BACK,)
    assert swing.exercise.equipment == frozenset({Equipment.KETTLEBELL})
    assert not skipped


def test_reading_twice_gives_the_same() -> None:
    assert read("free_exercise_db.json") == read("free_exercise_db.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        *("id", "uuid", "name", "category", "muscles", "muscles_secondary", "equipment", "translations"),
        *("primaryMuscles", "primary_muscles", "secondaryMuscles", "level", "images", "aliases"),
        *("pk", "model", "fields", "license"),
    ]
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.dictionaries(FIELDS, JSON, max_size=9), max_size=4))
def test_no_content_breaks_the_reader(entries: list[dict[str, object]]) -> None:
    with contextlib.suppress(UnreadableFile):
        for each in read_exercises(json.dumps(entries), catalogue()):
            assert isinstance(each, ImportedExercise | Skipped)


def test_names_in_other_scripts_get_ids_of_their_own() -> None:
    entries = [
        {"name": name, "primary_muscles": ["quads"], "equipment": ["none"]} for name in ("深蹲", "硬拉")
    ]
    ids = {
        each.exercise.id
        for each in read_exercises(json.dumps(entries), catalogue())
        if isinstance(each, ImportedExercise)
    }
    assert len(ids) == 2


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{", "[]", "{}", '"x"', "[1, 2]", '[{"a": 1}]', '{"results": 3}']
)
def test_another_file_says_so(text: str) -> None:
    with pytest.raises(UnreadableFile, match="Nothing was imported"):
        list(read_exercises(text, catalogue()))


def test_every_word_of_the_collections_is_known() -> None:
    assert [word for word in FREE_EXERCISE_DB_MUSCLES if word not in MUSCLES] == []
    assert [word for word in FREE_EXERCISE_DB_EQUIPMENT if word not in EQUIPMENT] == []
    assert [word for word in WGER_MUSCLES if word not in MUSCLES] == []
    assert {muscle for known in MUSCLES.values() for muscle in known} == set(Muscle) - {Muscle.ABS} | {
        Muscle.ABS
    }


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("Chin-Up", ["body only"], {Equipment.PULLUP_BAR}),
        ("Hanging Leg Raise", ["body only"], {Equipment.PULLUP_BAR}),
        ("Side To Side Chins", ["other"], {Equipment.PULLUP_BAR}),
        ("Push-Ups With Feet Elevated", ["body only"], {Equipment.BENCH}),
        ("Hang Clean", ["barbell"], {Equipment.BARBELL}),
        ("Bench Dips", ["body only"], {Equipment.BENCH}),
        ("Ring Dips", ["other"], {Equipment.RINGS}),
        ("Inverted Row", ["body only"], {Equipment.BARBELL, Equipment.RACK}),
        ("Barbell Squat", ["barbell"], {Equipment.BARBELL, Equipment.RACK}),
        ("Incline Dumbbell Press", ["dumbbell"], {Equipment.DUMBBELL, Equipment.BENCH}),
        ("Smith Machine Squat", ["machine"], {Equipment.MACHINE}),
        ("Push-Ups", ["body only"], {Equipment.NONE}),
        ("Unheard-of Move", [], {Equipment.OTHER}),
    ],
)
def test_names_give_equipment_away(name: str, words: list[str], expected: set[Equipment]) -> None:
    assert set(equipment_of(words, name)[0]) == expected


@pytest.mark.parametrize(
    ("name", "muscle"),
    [
        ("Rear Delt Swing", Muscle.REAR_DELTS),
        ("Cable Lateral Raise", Muscle.SIDE_DELTS),
        ("Bradford Press", Muscle.FRONT_DELTS),
    ],
)
def test_shoulders_are_told_apart(name: str, muscle: Muscle) -> None:
    assert muscles_of(["shoulders"], name)[0][0] is muscle


def test_guesses_are_careful() -> None:
    """What loads a joint highly would be kept from a sore one also if it came from elsewhere, under its name alone."""
    careless = []
    for each in catalogue():
        pattern = pattern_of(each.name, "", each.primary)
        guess = loads_of(pattern, each.name)
        careless += [
            (each.id, joint, load, pattern)
            for joint, load in each.joints.items()
            if load == 3 and guess.get(joint, 0) < 2
        ]
        if Flag.IMPACT in each.flags and each.pattern is Pattern.JUMP:
            assert Flag.IMPACT in flags_of(pattern, each.name), each.id
    assert careless == []


def test_most_patterns_are_guessed_from_the_name() -> None:
    """Measured on our own catalogue, where the answer is known."""
    strength = [each for each in catalogue() if each.pattern not in (Pattern.MOBILITY, Pattern.CARDIO)]
    right = [each for each in strength if pattern_of(each.name, "", each.primary) is each.pattern]
    assert len(right) / len(strength) > 0.85
