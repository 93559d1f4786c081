"""Days and months as they are on the clock of a place: 23, 24 or 25 hours, and no gap or overlap between them."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.billing.periods import Period, first_of_month, local_day, start_of_day
from spotter.errors import InvalidInput

AUCKLAND = ZoneInfo("Pacific/Auckland")
LOS_ANGELES = ZoneInfo("America/Los_Angeles")
# Midnight does not exist on some days here: clocks jump from 24:00 to 1:00.
CAIRO = ZoneInfo("Africa/Cairo")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")
ZONES = (AUCKLAND, LOS_ANGELES, CAIRO, LORD_HOWE, ZoneInfo("UTC"), ZoneInfo("Asia/Kathmandu"))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        (LOS_ANGELES, "2026-03-08", 23),
        (LOS_ANGELES, "2026-11-01", 25),
        (LOS_ANGELES, "2026-11-16", 24),
        (AUCKLAND, "2026-04-05", 25),
        (AUCKLAND, "2026-09-27", 23),
        (CAIRO, "2026-04-24", 23),
        (LORD_HOWE, "2026-10-04", 23.5),
    ],
)
def test_how_long_days_are(zone: ZoneInfo, day: str, hours: float) -> None:
    only = Period(date.fromisoformat(day), date.fromisoformat(day) + timedelta(days=1), zone)
    assert only.seconds == hours * 3600
    assert only.left(only.start) == 1.0
    assert only.left(only.start + timedelta(hours=hours / 2)) == 0.5
    assert only.left(only.stop) == 0.0


def test_a_day_that_does_not_begin_at_midnight() -> None:
    begins = start_of_day(date(2026, 4, 24), CAIRO)
    assert begins == at("2026-04-23T22:00:00+00:00")
    assert begins.astimezone(CAIRO).hour == 1
    assert local_day(begins, CAIRO) == date(2026, 4, 24)
    assert local_day(begins - timedelta(microseconds=1), CAIRO) == date(2026, 4, 23)


def test_the_same_moment_is_in_two_months() -> None:
    """New Year in Auckland while Los Angeles has breakfast on the last day of the old year."""
    moment = at("2026-12-31T15:00:00+00:00")
    there = Period.month_of(moment, AUCKLAND)
    here = Period.month_of(moment, LOS_ANGELES)
    assert (there.first, there.end) == (date(2027, 1, 1), date(2027, 2, 1))
    assert (here.first, here.end) == (date(2026, 12, 1), date(2027, 1, 1))
    assert there.start == at("2026-12-31T11:00:00+00:00")
    assert here.start == at("2026-12-01T08:00:00+00:00")
    assert here.stop == at("2027-01-01T08:00:00+00:00")


def test_a_month_with_a_change_of_clocks_is_an_hour_longer_or_shorter() -> None:
    assert Period.month(date(2026, 11, 5), LOS_ANGELES).seconds == (30 * 24 + 1) * 3600
    assert Period.month(date(2026, 3, 5), LOS_ANGELES).seconds == (31 * 24 - 1) * 3600
    assert Period.month(date(2028, 2, 29), AUCKLAND).seconds == 29 * 24 * 3600


@given(
    st.sampled_from(ZONES),
    st.integers(978_307_200, 2_208_988_800).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
)
def test_every_moment_is_in_exactly_one_day_and_month(zone: ZoneInfo, moment: datetime) -> None:
    today = local_day(moment, zone)
    around = [Period(day, day + timedelta(days=1), zone) for day in
              (today - timedelta(days=1), today, today + timedelta(days=1))]  # fmt: skip
    assert [day.start <= moment < day.stop for day in around] == [False, True, False]
    for before, after in pairwise(around):
        assert before.stop == after.start
    month = Period.month_of(moment, zone)
    assert month.start <= moment < month.stop
    assert Period.month(month.end, zone).start == month.stop
    assert sum(month.of_day(day).seconds for day in month.days()) == month.seconds


def test_months_before_and_after() -> None:
    assert first_of_month(date(2026, 1, 31), -1) == date(2025, 12, 1)
    assert first_of_month(date(2026, 12, 31), 1) == date(2027, 1, 1)
    assert first_of_month(date(2026, 11, 16), -23) == date(2024, 12, 1)


@pytest.mark.parametrize(
    ("first", "end"),
    [
        (date(2026, 11, 16), date(2026, 11, 16)),
        (date(2026, 11, 17), date(2026, 11, 16)),
        (date(2025, 1, 1), date(2026, 11, 16)),
        (date(1, 1, 1), date(1, 2, 1)),
        (date(9999, 12, 1), date(9999, 12, 31)),
        (date(2027, 5, 1), None),
    ],
)
def test_periods_that_are_refused(first: date, end: date | None) -> None:
    with pytest.raises(InvalidInput):
        Period.chosen(first, end, at("2026-11-16T12:00:00+00:00"), AUCKLAND)
