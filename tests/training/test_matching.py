"""What people type, and what they mean by it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.training.catalogue import catalogue
from spotter.training.catalogue.matching import edit_distance, normal

NAMES = st.sampled_from([name for each in catalogue() for name in (each.name, *each.aliases)])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Bench Press (Barbell)", "barbell-bench-press"),
        ("Squat (Barbell)", "barbell-back-squat"),
        ("Lat Pulldown (Cable)", "lat-pulldown"),
        ("Overhead Press (Barbell)", "overhead-press"),
        ("Shoulder Press (Dumbbell)", "dumbbell-shoulder-press"),
        ("Bicep Curl (Dumbbell)", "dumbbell-curl"),
        ("Romanian Deadlift (Dumbbell)", "dumbbell-romanian-deadlift"),
        ("Deadlift (Barbell)", "deadlift"),
        ("Hip Thrust (Barbell)", "barbell-hip-thrust"),
        ("Leg Extension (Machine)", "leg-extension"),
        ("Chest Fly (Machine)", "pec-deck"),
        ("Incline Bench Press (Dumbbell)", "incline-dumbbell-press"),
        ("Bulgarian Split Squat", "bulgarian-split-squat"),
        ("TRX row", "incline-row"),
        ("Bicep Curl (Barbell)", "barbell-curl"),
        ("Bench Press - Close Grip (Barbell)", "close-grip-bench-press"),
        ("Cable Fly Crossovers", "cable-fly"),
        ("Chest Dip (Assisted)", "assisted-dip"),
        ("Iso-Lateral Row (Machine)", "machine-row"),
        ("Pull Up (Weighted)", "weighted-pull-up"),
        ("Wide Pull Up", "pull-up"),
        ("Rear Delt Reverse Fly (Machine)", "reverse-pec-deck"),
        ("Seated Cable Row - V Grip (Cable)", "seated-cable-row"),
        ("Skullcrusher (Barbell)", "skull-crusher"),
        ("Standing Calf Raise (Dumbbell)", "dumbbell-calf-raise"),
        ("Strict Military Press (Barbell)", "overhead-press"),
        ("Triceps Rope Pushdown", "cable-pushdown"),
        ("puhs ups", "push-up"),
        ("burpies", "burpee"),
        ("kettle bell swings", "kettlebell-swing"),
        ("bulgarian splitsquat", "bulgarian-split-squat"),
        ("DB RDL", "dumbbell-romanian-deadlift"),
        ("worlds greatest stretch", "worlds-greatest-stretch"),
        ("dead-bug", "dead-bug"),
        ("farmers walk", "farmers-carry"),
        ("romainian deadlift", "barbell-romanian-deadlift"),
        ("one-arm db row", "one-arm-dumbbell-row"),
    ],
)
def test_what_is_typed_is_understood(typed: str, meant: str) -> None:
    found = catalogue().find(typed)
    assert found is not None
    assert found.exercise.id == meant


@pytest.mark.parametrize(
    "typed", ["", "   ", "🏋️", "underwater basket weaving", "the", "x" * 5000, "curl", "row"]
)
def test_what_is_unclear_is_not_guessed(typed: str) -> None:
    assert catalogue().find(typed) is None


def test_an_unclear_word_gets_choices() -> None:
    assert {match.exercise.pattern for match in catalogue().search("curl", limit=3)} == {"elbow_flexion"}


def test_the_tool_is_not_overlooked() -> None:
    """With the same words around it, another tool is another exercise."""
    best = catalogue().search("goblet squat (kettlebell)", limit=1)[0]
    assert best.exercise.id == "goblet-squat"
    found = catalogue().find("Hip Thrust (Cable)")
    assert found is None


@given(NAMES)
def test_every_name_finds_its_exercise_for_certain(name: str) -> None:
    found = catalogue().find(name)
    assert found is not None
    assert found.confidence == 1.0
    assert found.exercise is catalogue().named(name.upper())


@given(st.text(max_size=60))
def test_no_text_is_too_odd_and_answers_repeat(text: str) -> None:
    first = catalogue().search(text)
    assert first == catalogue().search(text)
    assert all(0 < match.confidence <= 1 for match in first)
    assert [each.confidence for each in first] == sorted((each.confidence for each in first), reverse=True)


@given(st.text("abcd", max_size=7), st.text("abcd", max_size=7))
def test_edit_distance_is_a_distance(one: str, other: str) -> None:
    distance = edit_distance(one, other, 10)
    assert distance == edit_distance(other, one, 10)
    assert (distance == 0) == (one == other)
    assert abs(len(one) - len(other)) <= distance <= max(len(one), len(other))


def test_word_order_and_form_do_not_count() -> None:
    assert normal("Press-Ups, Dumbbell") == normal("db press up")
    assert edit_distance("curl", "crul") == 1
    assert edit_distance("squat", "plank", 3) == 4
