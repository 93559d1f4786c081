"""Estimates against the table they come from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.training.one_rep_max import FORMULAS, load_for, one_rep_max

REPS = (1, 3, 5, 8, 10, 12, 15)
# For 100 kg.
TABLE = {
    "epley": (103.3, 110.0, 116.7, 126.7, 133.3, 140.0, 150.0),
    "brzycki": (100, 105.9, 112.5, 124.1, 133.3, 144.0, 163.6),
    "lander": (101.4, 107.2, 113.7, 125.1, 134.1, 144.4, 163.3),
    "lombardi": (100, 111.6, 117.5, 123.1, 125.9, 128.2, 131.1),
    "oconner": (102.5, 107.5, 112.5, 120.0, 125.0, 130.0, 137.5),
    "mayhew": (108.9, 114.0, 119.0, 126.3, 130.9, 135.4, 141.7),
    "wathan": (101.3, 109.0, 116.6, 127.7, 134.7, 141.5, 150.9),
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_formulas_give_the_numbers_of_the_table(formula: str) -> None:
    assert tuple(round(FORMULAS[formula](100, reps), 1) for reps in REPS) == pytest.approx(
        TABLE[formula], abs=0.051
    )


@pytest.mark.parametrize(
    ("reps", "in_reserve", "kilograms", "reliable"),
    [
        (1, 0, 100.0, True),
        (5, 0, 114.6, True),
        (3, 2, 114.6, True),
        (10, 0, 133.3, True),
        (12, 0, 142.0, False),
    ],
)
def test_the_mean_at_possible_repetitions(
    reps: int, in_reserve: int, kilograms: float, reliable: bool
) -> None:
    estimate = one_rep_max(100, reps, in_reserve)
    assert estimate is not None
    assert (estimate.kilograms, estimate.reliable) == (kilograms, reliable)


@pytest.mark.parametrize(
    ("weight", "reps", "in_reserve"), [(100, 16, 0), (100, 10, 6), (0, 5, 0), (100, 0, 0)]
)
def test_no_estimate_from_what_says_nothing(weight: float, reps: int, in_reserve: int) -> None:
    assert one_rep_max(weight, reps, in_reserve) is None


@given(st.floats(1, 500), st.integers(1, 15))
def test_load_and_maximum_are_inverse(weight: float, reps: int) -> None:
    estimate = one_rep_max(weight, reps)
    assert estimate is not None
    assert load_for(estimate.kilograms, reps) == pytest.approx(weight, abs=0.06)
    assert estimate.kilograms >= round(weight, 1)
