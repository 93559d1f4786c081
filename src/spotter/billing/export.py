"""Entries as CSV, for spreadsheets: made page by page, so that a year of them takes no more memory than an hour.

What people can name (agents, models) may begin with what a spreadsheet takes for a formula; an apostrophe before it
makes it text there.
"""

import csv
import io
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Row

from spotter.billing import reports
from spotter.billing.periods import Period
from spotter.money import dollars
from spotter.store.database import Database
from spotter.store.scope import NOBODY, Scope

COLUMNS: Final = (
    "day",
    "at",
    "session_id",
    "sequence",
    "n",
    "user_id",
    "kind",
    "agent",
    "task_id",
    "run_id",
    "provider",
    "model",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reported",
    "cost_usd",
    "charge_usd",
    "price",
)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def cell(value: object) -> str:
    """Text that a spreadsheet shows and does not run."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


async def as_csv(
    database: Database, scope: Scope, period: Period, as_of: datetime, *, page: int = reports.PAGE
) -> AsyncIterator[str]:
    yield _lines([COLUMNS])
    async for rows in reports.entries(database, scope, period, as_of, page=page):
        yield _lines([_row(row, period) for row in rows])


def _row(row: Row[Any], period: Period) -> Sequence[str]:
    shown = dict(zip(COLUMNS, row, strict=True))
    shown["at"] = row.at.astimezone(period.zone).isoformat()
    shown["user_id"] = None if row.user_id == NOBODY else row.user_id
    shown["reported"] = "yes" if row.reported else "no"
    shown["price"] = row.price or "unpriced"
    for name, amount in (("cost_usd", row.cost), ("charge_usd", row.charge)):
        # Nothing, rather than nought, for a call whose price nobody knows.
        shown[name] = dollars(amount) if row.price is not None else None
    return [cell(value) for value in shown.values()]


def _lines(rows: Sequence[Sequence[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue()
