"""Volume, time and what to do next, with the numbers the rules were written from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.training.catalogue import catalogue
from spotter.training.exercise import Exercise
from spotter.training.progression import (
    DELOAD,
    Action,
    Ease,
    Performed,
    Strain,
    advise,
    after_layoff,
    autoregulated,
    heavier_load,
    needs_deload,
)
from spotter.training.timing import RampSet, Shares, kilocalories, ramp, shares
from spotter.training.vocabulary import Level, Muscle, Region
from spotter.training.volume import TARGETS, deficits, fractional_sets, room

EXERCISES = st.sampled_from(list(catalogue()))


def test_helping_muscles_count_half() -> None:
    book = catalogue()
    done = fractional_sets(
        [(book["barbell-bench-press"], 4), (book["overhead-press"], 3), (book["cat-cow"], 9)]
    )
    assert done[Muscle.CHEST] == 4
    assert done[Muscle.FRONT_DELTS] == 4 * 0.5 + 3
    assert done[Muscle.SIDE_DELTS] == 1.5
    assert Muscle.LOWER_BACK not in done


def test_what_is_furthest_behind_comes_first() -> None:
    missing = deficits(
        {Muscle.CHEST: 6, Muscle.LATS: 2.5}, Level.BEGINNER, [Muscle.CHEST, Muscle.LATS, Muscle.QUADS]
    )
    assert list(missing.items()) == [(Muscle.QUADS, 6), (Muscle.LATS, 3.5), (Muscle.CHEST, 0)]


def test_a_session_and_a_week_have_an_end() -> None:
    assert room({}, {}, Level.ADVANCED, Muscle.CHEST) == 10
    assert room({Muscle.CHEST: 9}, {}, Level.BEGINNER, Muscle.CHEST) == 1
    assert room({}, {Muscle.CHEST: 9}, Level.ADVANCED, Muscle.CHEST) == 1
    assert room({Muscle.CHEST: 99}, {}, Level.ADVANCED, Muscle.CHEST) == 0
    assert [(TARGETS[each].low, TARGETS[each].high) for each in Level] == [(6, 10), (10, 16), (12, 20)]


@given(st.lists(st.tuples(EXERCISES, st.integers(0, 8)), max_size=8))
def test_volume_adds_up(work: list[tuple[Exercise, int]]) -> None:
    both = fractional_sets(work + work)
    assert both == {muscle: 2 * sets for muscle, sets in fractional_sets(work).items()}


def test_half_an_hour_is_four_twenty_three_and_three() -> None:
    assert shares(30) == Shares(4, 23, 3)


@given(st.integers(5, 180))
def test_shares_are_the_whole(minutes: int) -> None:
    parts = shares(minutes)
    assert parts.warm_up + parts.main + parts.cool_down == minutes
    assert parts.main > 0
    assert 2 <= parts.warm_up <= 10


def test_sets_that_lead_up_to_the_first_heavy_one() -> None:
    assert ramp(100) == [RampSet(40, 8), RampSet(60, 5), RampSet(80, 3)]
    assert ramp(2.5) == []


def test_calories_are_rough() -> None:
    assert kilocalories(3.5, 80, 45) == 220
    assert kilocalories(8.0, 60, 20) == 170


def heard(exercise_id: str, *sessions: Performed, step: float = 2.5) -> tuple[Action, int, float | None]:
    advice = advise(catalogue()[exercise_id], sessions, plate_step=step)
    return advice.action, advice.amount, advice.weight_kg


@pytest.mark.parametrize(
    ("exercise_id", "sessions", "expected"),
    [
        # dumbbell-bench-press is done for 6 to 12
        ("dumbbell-bench-press", [], (Action.REPEAT, 6, None)),
        ("dumbbell-bench-press", [Performed((9, 8, 7), 30)], (Action.ADD_AMOUNT, 8, 30)),
        ("dumbbell-bench-press", [Performed((12, 12, 12), 30, 2)], (Action.ADD_LOAD, 6, 32.5)),
        ("dumbbell-bench-press", [Performed((12, 12, 12), 30, 0)], (Action.REPEAT, 12, 30)),
        ("dumbbell-bench-press", [Performed((6, 5, 4), 30)], (Action.REPEAT, 6, 30)),
        (
            "dumbbell-bench-press",
            [Performed((6, 5), 30), Performed((6, 5), 30)],
            (Action.REDUCE_LOAD, 6, 27.5),
        ),
        (
            "dumbbell-bench-press",
            [Performed((5, 2), 60), Performed((5, 2), 60)],
            (Action.REDUCE_LOAD, 6, 52.5),
        ),
        ("barbell-back-squat", [Performed((8, 8, 8), 100, 1)], (Action.ADD_LOAD, 3, 105)),
        ("dumbbell-bench-press", [Performed((12, 12), 10)], (Action.ADD_AMOUNT, 13, 10)),
        ("push-up", [Performed((15, 15, 15))], (Action.ADD_AMOUNT, 15, None)),
        ("push-up", [Performed((15, 15)), Performed((16, 15))], (Action.NEXT_RUNG, 8, None)),
        ("push-up", [Performed((7, 6)), Performed((9, 7))], (Action.PREVIOUS_RUNG, 8, None)),
        ("plank", [Performed((30, 35))], (Action.ADD_AMOUNT, 35, None)),
        ("plank", [Performed((60, 60))], (Action.NEXT_RUNG, 20, None)),
        ("plank", [Performed((15, 20))], (Action.REPEAT, 20, None)),
    ],
)
def test_what_comes_next(
    exercise_id: str, sessions: list[Performed], expected: tuple[Action, int, float | None]
) -> None:
    assert heard(exercise_id, *sessions) == expected


@given(st.floats(2.5, 400), st.sampled_from(Region), st.sampled_from([0.5, 1.0, 1.25, 2.5, 5.0]))
def test_load_rises_by_a_tenth_at_most(weight: float, region: Region, step: float) -> None:
    heavier = heavier_load(weight, region, step)
    if heavier is not None:
        assert weight < heavier <= weight * 1.1 + 1e-9
        assert (heavier - weight) % step == pytest.approx(0, abs=1e-6) or (
            heavier - weight
        ) % step == pytest.approx(step)
    else:
        assert step > weight * 0.1


@given(
    EXERCISES,
    st.lists(
        st.builds(
            Performed,
            st.lists(st.integers(0, 60), max_size=5).map(tuple),
            st.none() | st.floats(2.5, 300),
            st.none() | st.integers(0, 5),
        ),
        max_size=4,
    ),
)
def test_advice_is_always_possible(exercise: Exercise, sessions: list[Performed]) -> None:
    advice = advise(exercise, sessions)
    assert advice.amount >= 1
    assert advice.reason
    if advice.weight_kg is not None:
        assert advice.weight_kg > 0


@pytest.mark.parametrize(
    ("reported", "wanted", "load"), [(3, 2, 102.5), (2, 2, 100), (0, 2, 95), (9, 1, 107.5), (0, 9, 92.5)]
)
def test_the_next_set_follows_the_last(reported: float, wanted: float, load: float) -> None:
    assert autoregulated(100, reported, wanted) == pytest.approx(load)


def test_when_an_easier_week_is_due() -> None:
    assert needs_deload(Strain(hard_weeks=5, lifts_down_twice=1, bad_days=2)) is None
    assert needs_deload(Strain(hard_weeks=6))
    assert needs_deload(Strain(lifts_down_twice=2))
    assert needs_deload(Strain(bad_days=3))


def test_an_easier_week() -> None:
    assert [DELOAD.sets_of(sets) for sets in (1, 2, 3, 4, 5)] == [1, 1, 2, 2, 3]
    assert (DELOAD.load, DELOAD.least_in_reserve) == (0.9, 4)


@pytest.mark.parametrize(
    ("days", "ease"),
    [
        (13, Ease()),
        (14, Ease(load=0.9, fewer_sets=1)),
        (27, Ease(load=0.9, fewer_sets=1)),
        (28, Ease(load=0.8, sets=0.5)),
        (56, Ease(load=0.8, sets=0.5)),
        (57, Ease(load=0.8, sets=0.5, rungs_down=1)),
    ],
)
def test_coming_back(days: int, ease: Ease) -> None:
    assert after_layoff(days) == ease
