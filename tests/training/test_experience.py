"""Points, levels, streaks, badges."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.training.badges import BADGES, earned
from spotter.training.experience import (
    MOST_A_DAY,
    Entry,
    Rule,
    Trained,
    award,
    level_at,
    points_to_reach,
    total,
    undo,
    weekly_streak,
)

MONDAY = date(2026, 1, 5)


def trained(name: str = "a", day: date = MONDAY, **facts: object) -> Trained:
    at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    return Trained(**({"session_id": name, "at": at, "working_sets": 12, "planned_sets": 12} | facts))  # type: ignore[arg-type]


def points(session: Trained, *, last: date | None = None, weeks: int = 0) -> dict[str, int]:
    return {entry.rule.value: entry.points for entry in award(session, [], last=last, streak_weeks=weeks)}


def test_what_a_session_is_worth() -> None:
    full = trained(records=2, all_planned=True, mobility=True)
    assert points(full) == {"completed": 50, "sets": 24, "records": 20, "plan_kept": 10, "mobility": 5}


@pytest.mark.parametrize(
    ("session", "rule", "worth"),
    [
        (trained(working_sets=40, planned_sets=40), "sets", 50),
        (trained(working_sets=20, planned_sets=10), "sets", 20),
        (trained(records=9), "records", 30),
    ],
)
def test_more_than_planned_is_worth_nothing_more(session: Trained, rule: str, worth: int) -> None:
    assert points(session)[rule] == worth


def test_coming_back_is_worth_something() -> None:
    assert points(trained(), last=MONDAY - timedelta(days=7))["comeback"] == 20
    assert "comeback" not in points(trained(), last=MONDAY - timedelta(days=6))


def test_a_streak_adds_a_quarter_at_most() -> None:
    assert points(trained(), weeks=2)["streak"] == 7
    assert points(trained(), weeks=50)["streak"] == 18


def test_training_through_pain_is_worth_nothing() -> None:
    assert points(trained(through_pain=True)) == {}


def test_a_day_has_a_limit() -> None:
    ledger: list[Entry] = []
    for name in "abcde":
        session = trained(name, working_sets=25, planned_sets=25, records=3, all_planned=True)
        ledger += award(session, ledger, last=None, streak_weeks=9)
    assert total(ledger) == MOST_A_DAY


def test_a_session_counts_once_and_can_be_taken_back_once() -> None:
    ledger = award(trained(), [], last=None, streak_weeks=0)
    assert award(trained(), ledger, last=None, streak_weeks=0) == []
    ledger += undo("a", ledger)
    assert total(ledger) == 0
    assert undo("a", ledger) == []
    assert len({entry.key for entry in ledger}) == len(ledger)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 3), st.booleans()), max_size=20))
def test_the_total_is_never_negative_and_keys_are_unique(steps: list[tuple[str, int, bool]]) -> None:
    ledger: list[Entry] = []
    for name, days, back in steps:
        ledger += (
            undo(name, ledger)
            if back
            else award(trained(name, MONDAY + timedelta(days=days)), ledger, last=None, streak_weeks=days)
        )
        assert total(ledger) >= 0
    assert len({entry.key for entry in ledger}) == len(ledger)
    assert {entry.rule for entry in ledger} <= set(Rule)


@pytest.mark.parametrize(("level", "needed"), [(1, 0), (2, 100), (5, 1000), (10, 4500), (20, 19000)])
def test_levels(level: int, needed: int) -> None:
    assert points_to_reach(level) == needed
    assert level_at(needed) == level
    assert needed == 0 or level_at(needed - 1) == level - 1


@given(st.integers(0, 10**9))
def test_a_level_is_the_highest_that_is_reached(have: int) -> None:
    level = level_at(have)
    assert points_to_reach(level) <= have < points_to_reach(level + 1)


def weeks(*counts: int) -> list[date]:
    return [
        MONDAY + timedelta(weeks=week, days=day) for week, count in enumerate(counts) for day in range(count)
    ]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((), (0, 0, 0)),
        ((3, 3, 3), (3, 3, 0)),
        ((3, 3, 0, 3), (1, 2, 0)),
        ((3, 3, 3, 3), (4, 4, 1)),
        ((3, 3, 3, 3, 0, 3), (5, 5, 0)),
        ((3, 3, 3, 3, 0, 0, 3), (1, 4, 0)),
        ((3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3), (12, 12, 2)),
        ((3, 3, 1), (2, 2, 0)),
        ((3, 2, 3), (1, 1, 0)),
    ],
)
def test_weekly_streaks(counts: tuple[int, ...], expected: tuple[int, int, int]) -> None:
    today = MONDAY + timedelta(weeks=max(len(counts) - 1, 0), days=6)
    streak = weekly_streak(weeks(*counts), 3, today)
    assert (streak.weeks, streak.best, streak.freezes) == expected


def test_the_running_week_breaks_nothing() -> None:
    assert weekly_streak(weeks(3, 3), 3, MONDAY + timedelta(weeks=2)).weeks == 2


def test_a_pause_is_free() -> None:
    paused = [MONDAY + timedelta(weeks=2, days=1), MONDAY + timedelta(weeks=3)]
    streak = weekly_streak(weeks(3, 3, 0, 0, 3), 3, MONDAY + timedelta(weeks=4, days=6), paused)
    assert (streak.weeks, streak.best) == (3, 3)


@given(st.lists(st.integers(0, 5), max_size=60))
def test_a_streak_is_never_longer_than_the_best(counts: list[int]) -> None:
    streak = weekly_streak(weeks(*counts), 3, MONDAY + timedelta(weeks=len(counts)))
    assert 0 <= streak.weeks <= streak.best <= sum(count >= 3 for count in counts)
    assert 0 <= streak.freezes <= 2


def badge_ids(*sessions: Trained) -> list[str]:
    return [each.badge.id for each in earned(sessions)]


def test_badges_come_once_and_in_order() -> None:
    sessions = [trained(str(number), MONDAY + timedelta(days=number), volume_kg=600) for number in range(12)]
    found = {each.badge.id: each.day for each in earned(list(reversed(sessions)))}
    assert found == {
        "workouts-1": MONDAY,
        "volume-5t": MONDAY + timedelta(days=8),
        "workouts-10": MONDAY + timedelta(days=9),
    }


def at(day: date, hour: int) -> Trained:
    return trained(f"{day}{hour}", at=datetime(day.year, day.month, day.day, hour, tzinfo=UTC))


def test_badges_for_times_and_returns() -> None:
    assert "early" in badge_ids(at(MONDAY, 5))
    assert "early" not in badge_ids(at(MONDAY, 6))
    assert "late" in badge_ids(at(MONDAY, 23))
    assert "new-year" in badge_ids(at(date(2026, 1, 1), 10))
    assert "phoenix" in badge_ids(at(MONDAY, 10), at(MONDAY + timedelta(days=30), 10))
    assert "phoenix" not in badge_ids(at(MONDAY, 10), at(MONDAY + timedelta(days=29), 10))
    assert "record" in badge_ids(trained(records=1))
    assert "rungs-1" in badge_ids(trained(rungs=1))
    saturdays = [at(MONDAY + timedelta(days=5, weeks=week), 10) for week in range(4)]
    assert "weekends" in badge_ids(*saturdays)
    assert "weekends" not in badge_ids(*saturdays[:2], saturdays[3])


def test_badges_have_names_of_their_own() -> None:
    assert len({badge.id for badge, _ in BADGES}) == len({badge.name for badge, _ in BADGES}) == len(BADGES)
