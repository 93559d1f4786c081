"""Stand-ins: what can be done instead, easier, or harder."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.training.catalogue import catalogue, easier, harder, swaps
from spotter.training.exercise import Exercise
from spotter.training.limits import Injury, Limits, Severity, limits_for
from spotter.training.vocabulary import Equipment, Joint, Pattern

EXERCISES = st.sampled_from(list(catalogue()))
PLACES = st.frozensets(st.sampled_from([each for each in Equipment if each is not Equipment.OTHER]))
LIMITS = st.lists(st.builds(Injury, st.sampled_from(Joint), st.sampled_from(Severity)), max_size=3).map(
    limits_for
)


@given(EXERCISES, PLACES, LIMITS)
def test_a_stand_in_can_be_done(exercise: Exercise, available: frozenset[Equipment], limits: Limits) -> None:
    for swap in swaps(catalogue(), exercise, available=available, limits=limits, limit=10):
        assert swap.exercise.id != exercise.id
        assert swap.exercise.setup_with(available) is not None
        assert limits.allow(swap.exercise)
        assert swap.exercise.muscles & exercise.muscles
        assert swap.reasons


@pytest.mark.parametrize(
    ("exercise_id", "available", "expected"),
    [
        ("barbell-bench-press", {Equipment.DUMBBELL, Equipment.BENCH}, "dumbbell-bench-press"),
        ("barbell-back-squat", {Equipment.DUMBBELL}, "dumbbell-squat"),
        ("lat-pulldown", {Equipment.BANDS}, "band-pulldown"),
        ("seated-cable-row", {Equipment.BANDS}, "standing-band-row"),
        ("dumbbell-curl", {Equipment.BANDS}, "band-curl"),
    ],
)
def test_the_obvious_stand_in_comes_first(exercise_id: str, available: set[Equipment], expected: str) -> None:
    book = catalogue()
    assert swaps(book, book[exercise_id], available=available)[0].exercise.id == expected


def test_a_sore_knee_gets_gentler_squats() -> None:
    book = catalogue()
    found = swaps(book, book["bodyweight-squat"], limits=limits_for([Injury(Joint.KNEE)]))
    assert all(swap.exercise.load_on(Joint.KNEE) <= 1 for swap in found)
    assert "less load on the knee" in found[0].reasons


def test_what_is_in_the_session_is_not_offered_again() -> None:
    book = catalogue()
    best = swaps(book, book["plank"])[0].exercise.id
    assert best not in {swap.exercise.id for swap in swaps(book, book["plank"], exclude={best})}


def test_a_stretch_does_not_stand_in_for_a_lift() -> None:
    book = catalogue()
    for each in ("pull-up", "squat-jump", "wall-calf-stretch", "run"):
        found = {swap.exercise.pattern for swap in swaps(book, book[each], limit=200)}
        own = book[each].pattern in (Pattern.MOBILITY, Pattern.CARDIO)
        assert found <= {book[each].pattern} if own else not found & {Pattern.MOBILITY, Pattern.CARDIO}


def test_ladders_are_climbed_rung_by_rung() -> None:
    book = catalogue()
    for ladder in book.ladders.values():
        for lower, upper in zip(ladder.rungs, ladder.rungs[1:], strict=False):
            up, down = (
                harder(book, book[lower[0]], ladder=ladder.id),
                easier(book, book[upper[0]], ladder=ladder.id),
            )
            assert up is not None
            assert down is not None
            assert (up.id in upper, down.id in lower) == (True, True)


def test_a_rung_that_cannot_be_equipped_is_passed_over() -> None:
    book = catalogue()
    up = harder(book, book["wall-push-up"], available={Equipment.MAT})
    assert up is not None
    assert up.id == "knee-push-up"


def test_without_a_ladder_the_level_decides() -> None:
    book = catalogue()
    up, down = harder(book, book["goblet-squat"]), easier(book, book["barbell-front-squat"])
    assert up is not None
    assert down is not None
    assert up.level == 4
    assert down.level == 5


def test_at_the_ends_there_is_nothing_more() -> None:
    book = catalogue()
    assert easier(book, book["wall-push-up"]) is None
    assert harder(book, book["front-lever"]) is None
