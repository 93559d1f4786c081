"""What a month will cost, by a method simple enough to check with pencil and paper.

What was spent so far, plus for each day that is left what such a day has cost. With 14 complete days or more a day
costs the mean of its weekday (a gym is not the same on Sunday), with fewer the mean of all days; days without a call
count as nothing. Of the last 56 days at most, from the first call on. With fewer than 3 complete days there is no
forecast, and that is said. The range is where four months in five end, if days differ from each other as they did
and independently: 1.28 standard deviations of a day from its mean, times the root of the days left; never less
than what was already spent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from math import sqrt
from typing import Final

from spotter.billing.periods import Period, local_day

WINDOW_DAYS: Final = 56
WEEKDAYS_FROM: Final = 14
LINEAR_FROM: Final = 3
_FOUR_IN_FIVE: Final = 1.28


class Method(StrEnum):
    WEEKDAYS = "weekdays"
    LINEAR = "linear"
    TOO_LITTLE_DATA = "too_little_data"


@dataclass(frozen=True, slots=True)
class Forecast:
    """Micro-dollars. Without enough data only what is spent is known, which is then also `low`."""

    spent: int
    low: int
    expected: int | None
    high: int | None
    method: Method
    days_of_data: int
    days_left: float


def window_start(month: Period, moment: datetime) -> date:
    """The first day that matters: of the month, or of the window."""
    return min(month.first, local_day(moment, month.zone) - timedelta(days=WINDOW_DAYS))


def forecast(month: Period, daily: Mapping[date, int], first_day: date | None, moment: datetime) -> Forecast:
    """`daily` is what each day since `window_start` cost, `first_day` the first with a call (ever)."""
    today = local_day(moment, month.zone)
    spent = sum(amount for day, amount in daily.items() if month.first <= day < month.end)
    complete = _complete_days(first_day, today)
    left = {day: month.of_day(day).left(moment) for day in month.days() if day >= today}
    days_left = sum(left.values())
    if len(complete) < LINEAR_FROM:
        return Forecast(spent, spent, None, None, Method.TOO_LITTLE_DATA, len(complete), days_left)
    method = Method.WEEKDAYS if len(complete) >= WEEKDAYS_FROM else Method.LINEAR
    costs = {day: daily.get(day, 0) for day in complete}
    means = _means(costs, method)
    ahead = sum(part * means[day.weekday()] for day, part in left.items())
    free = 7 if method is Method.WEEKDAYS else 1
    off = sum((cost - means[day.weekday()]) ** 2 for day, cost in costs.items())
    spread = _FOUR_IN_FIVE * sqrt(off / (len(costs) - free)) * sqrt(days_left)
    expected = spent + round(ahead)
    return Forecast(
        spent,
        max(spent, expected - round(spread)),
        expected,
        expected + round(spread),
        method,
        len(complete),
        days_left,
    )


def _complete_days(first_day: date | None, today: date) -> list[date]:
    """Those that are over, from the one with the first call on."""
    if first_day is None:
        return []
    begin = max(first_day, today - timedelta(days=WINDOW_DAYS))
    return [begin + timedelta(days=index) for index in range((today - begin).days)]


def _means(costs: Mapping[date, int], method: Method) -> dict[int, float]:
    """By weekday."""
    if method is Method.LINEAR:
        return dict.fromkeys(range(7), sum(costs.values()) / len(costs))
    found = {}
    for weekday in range(7):
        same = [cost for day, cost in costs.items() if day.weekday() == weekday]
        found[weekday] = sum(same) / len(same)
    return found
