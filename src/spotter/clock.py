"""The one clock. Times are always aware and in UTC; tests replace `now`."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)
