"""Days and months of an organisation's time zone, half-open: a period ends where the next one begins.

A day begins with its first moment on the clock there, which is not always midnight, and has 23, 24 or 25 hours
(or 23½): whoever needs its length asks for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from spotter.errors import InvalidInput

LONGEST_DAYS: Final = 400
_FIRST: Final = date(2000, 1, 1)
_LAST: Final = date(2200, 1, 1)


def start_of_day(day: date, zone: ZoneInfo) -> datetime:
    """In UTC. Where midnight does not exist, this is the moment the clock jumps over it."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


def local_day(moment: datetime, zone: ZoneInfo) -> date:
    return moment.astimezone(zone).date()


def first_of_month(day: date, months: int = 0) -> date:
    """Of the month of `day`, or so many months later or (negative) before."""
    index = day.year * 12 + day.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


@dataclass(frozen=True, slots=True)
class Period:
    """The days from `first` up to, not including, `end`."""

    first: date
    end: date
    zone: ZoneInfo

    @classmethod
    def month_of(cls, moment: datetime, zone: ZoneInfo) -> "Period":
        return cls.month(local_day(moment, zone), zone)

    @classmethod
    def month(cls, day: date, zone: ZoneInfo) -> "Period":
        return cls(first_of_month(day), first_of_month(day, 1), zone)

    @classmethod
    def chosen(cls, first: date | None, end: date | None, moment: datetime, zone: ZoneInfo) -> "Period":
        """What was asked for; the current month's first day, or the day after its last, where nothing was."""
        month = cls.month_of(moment, zone)
        first, end = first or month.first, end or month.end
        if not _FIRST <= first < end <= _LAST:
            raise InvalidInput("The period is empty: `from` is its first day, `to` the day after its last.")
        if (end - first).days > LONGEST_DAYS:
            raise InvalidInput(f"A report covers at most {LONGEST_DAYS} days. Ask for a shorter period.")
        return cls(first, end, zone)

    @property
    def start(self) -> datetime:
        return start_of_day(self.first, self.zone)

    @property
    def stop(self) -> datetime:
        return start_of_day(self.end, self.zone)

    def days(self) -> Iterator[date]:
        day = self.first
        while day < self.end:
            yield day
            day += timedelta(days=1)

    def of_day(self, day: date) -> "Period":
        return Period(day, day + timedelta(days=1), self.zone)

    @property
    def seconds(self) -> float:
        return (self.stop - self.start).total_seconds()

    def left(self, moment: datetime) -> float:
        """The part that is still to come, from 0 to 1, by the time that really passes."""
        return min(1.0, max(0.0, (self.stop - moment).total_seconds() / self.seconds))
