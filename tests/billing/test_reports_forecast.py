"""The forecast, against sums on paper."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from spotter.billing.forecast import Method, forecast, window_start
from spotter.billing.periods import Period

UTC = ZoneInfo("UTC")
LOS_ANGELES = ZoneInfo("America/Los_Angeles")
NOVEMBER = Period.month(date(2026, 11, 1), UTC)


def days(first: date, amounts: list[int]) -> dict[date, int]:
    return {first + timedelta(days=index): amount for index, amount in enumerate(amounts)}


def test_no_data_and_too_little_data() -> None:
    moment = datetime(2026, 11, 3, 12, tzinfo=UTC)
    nothing = forecast(NOVEMBER, {}, None, moment)
    assert (nothing.spent, nothing.low, nothing.expected, nothing.method) == (
        0,
        0,
        None,
        Method.TOO_LITTLE_DATA,
    )
    little = forecast(NOVEMBER, {date(2026, 11, 1): 50, date(2026, 11, 3): 7}, date(2026, 11, 1), moment)
    assert (little.spent, little.low, little.expected, little.high) == (57, 57, None, None)
    assert little.days_of_data == 2


def test_a_few_days_are_drawn_out() -> None:
    """1–4 November cost 100, 0 (no call), 200, 100: a day costs 100. On the 5th at noon 30 were spent: 430 so far,
    25.5 days left. Days differ from 100 by 0, −100, 100, 0: a standard deviation of √(20,000 / 3) = 81.65.
    1.28 × 81.65 × √25.5 = 527.76."""
    costs = days(date(2026, 11, 1), [100, 0, 200, 100, 30])
    found = forecast(NOVEMBER, costs, date(2026, 11, 1), datetime(2026, 11, 5, 12, tzinfo=UTC))
    assert found.method is Method.LINEAR
    assert (found.spent, found.days_left, found.expected) == (430, 25.5, 430 + 2550)
    assert (found.low, found.high) == (2980 - 528, 2980 + 528)


def test_weekdays_count_from_14_days_on() -> None:
    """Four weeks of 100 on weekdays and 10 at weekends, no noise: the rest of November (Monday the 16th at midnight
    on: 11 weekdays, 4 weekend days) costs 11 × 100 + 4 × 10."""
    first = date(2026, 10, 19)
    costs = {day: 10 if day.weekday() > 4 else 100 for day in (first + timedelta(days=n) for n in range(28))}
    found = forecast(NOVEMBER, costs, first, datetime(2026, 11, 16, tzinfo=UTC))
    spent = sum(amount for day, amount in costs.items() if day >= date(2026, 11, 1))
    assert found.method is Method.WEEKDAYS
    assert (found.spent, found.expected) == (spent, spent + 1140)
    assert found.low == found.expected == found.high
    assert found.days_of_data == 28


def test_a_day_of_25_hours_is_half_over_after_12_and_a_half() -> None:
    """In Los Angeles on 1 November 2026; the whole month is ahead but half a day."""
    month = Period.month(date(2026, 11, 1), LOS_ANGELES)
    costs = days(date(2026, 10, 25), [100] * 7)
    moment = month.start + timedelta(hours=12.5)
    found = forecast(month, costs, date(2026, 10, 25), moment)
    assert found.days_left == 29.5
    assert found.expected == 2950


def test_the_last_moment_of_a_month_leaves_nothing_to_guess() -> None:
    costs = days(date(2026, 11, 1), [100] * 30)
    moment = datetime(2026, 11, 30, 23, 59, 59, 999999, tzinfo=UTC)
    found = forecast(NOVEMBER, costs, date(2026, 11, 1), moment)
    assert (found.spent, found.low, found.expected, found.high) == (3000, 3000, 3000, 3000)


def test_only_the_last_eight_weeks_count() -> None:
    moment = datetime(2026, 11, 16, tzinfo=UTC)
    assert window_start(NOVEMBER, moment) == date(2026, 9, 21)
    old = {date(2026, 9, 20): 10**9}
    recent = days(date(2026, 9, 21), [7] * 56)
    found = forecast(NOVEMBER, {**old, **recent}, date(2020, 1, 1), moment)
    assert found.days_of_data == 56
    assert found.expected == 7 * 30


@given(
    st.lists(st.integers(0, 10**9), max_size=70),
    st.integers(0, 29),
    st.integers(0, 24 * 3600 - 1),
)
def test_the_range_holds_what_is_spent_and_what_is_expected(
    amounts: list[int], day: int, seconds: int
) -> None:
    moment = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days=day, seconds=seconds)
    first = moment.date() - timedelta(days=max(0, len(amounts) - 1))
    found = forecast(NOVEMBER, days(first, amounts), first if amounts else None, moment)
    assert found.spent <= found.low
    if found.expected is not None and found.high is not None:
        assert found.low <= found.expected <= found.high
        assert found.spent <= found.expected
    else:
        assert found.method is Method.TOO_LITTLE_DATA
