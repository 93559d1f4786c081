"""What was used, added up from the entries. Each report is one query, so its parts agree with its total.

Who sees what is the database's doing: staff get the organisation's entries, a member only their own.
Days and months are those the entries were booked on, in the organisation's time zone at that moment.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    Row,
    Select,
    case,
    column,
    func,
    select,
    table,
    tuple_,
)

from spotter.billing.forecast import Forecast, forecast, window_start
from spotter.billing.periods import Period, first_of_month, local_day
from spotter.billing.tables import SpendCap, SpendCounter, UsageEntry
from spotter.clock import now
from spotter.identity.tables import Organisation
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork

PAGE: Final = 1000
"""Entries an export holds at a time."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Of a number of model calls. Money in micro-dollars, the four kinds of tokens apart."""

    calls: int = 0
    unpriced: int = 0
    """Calls of models nobody knows a price of: used, and not in the money."""
    unreported: int = 0
    """Calls whose provider did not say what was used."""
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: int = 0
    charge: int = 0

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


class Dimension(StrEnum):
    DAY = "day"
    MODEL = "model"
    AGENT = "agent"
    USER = "user"


@dataclass(frozen=True, slots=True)
class Part:
    key: str
    totals: Totals


@dataclass(frozen=True, slots=True)
class Breakdown:
    parts: Sequence[Part]
    rest: Totals
    """What the parts beyond the limit come to."""

    @property
    def total(self) -> Totals:
        return sum((part.totals for part in self.parts), self.rest)


@dataclass(frozen=True, slots=True)
class Place:
    """Whose report it is, and as of when."""

    zone: ZoneInfo
    moment: datetime

    def period(self, first: date | None = None, end: date | None = None) -> Period:
        return Period.chosen(first, end, self.moment, self.zone)


async def place_of(uow: UnitOfWork) -> Place:
    name = await uow.session.scalar(select(Organisation.timezone).where(Organisation.id == uow.scope.org_id))
    return Place(ZoneInfo(name or "UTC"), now())


_SUMS: Final[tuple[ColumnElement[int], ...]] = (
    func.count(),
    func.count().filter(UsageEntry.price.is_(None)),
    func.count().filter(~UsageEntry.reported),
    *(
        func.coalesce(func.sum(column), 0)
        for column in (
            UsageEntry.input,
            UsageEntry.output,
            UsageEntry.cache_read,
            UsageEntry.cache_write,
            UsageEntry.cost,
            UsageEntry.charge,
        )
    ),
)
_KEYS: Final[dict[Dimension, ColumnElement[Any]]] = {
    Dimension.DAY: UsageEntry.billing_day.expression,
    Dimension.MODEL: UsageEntry.provider + ":" + UsageEntry.model,
    Dimension.AGENT: UsageEntry.agent.expression,
    Dimension.USER: UsageEntry.user_id.expression,
}


def _totals(row: Sequence[Any]) -> Totals:
    return Totals(*(int(value) for value in row))


def _within(period: Period) -> ColumnElement[bool]:
    return (UsageEntry.billing_day >= period.first) & (UsageEntry.billing_day < period.end)


async def total(uow: UnitOfWork, period: Period) -> Totals:
    return _totals((await uow.session.execute(select(*_SUMS).where(_within(period)))).one())


async def of_session(uow: UnitOfWork, session_id: UUID) -> Totals:
    found = await uow.session.execute(select(*_SUMS).where(UsageEntry.session_id == session_id))
    return _totals(found.one())


@dataclass(frozen=True, slots=True)
class CallCost:
    """One model call, by the event that caused it."""

    sequence: int
    model: str
    cost: int
    charge: int
    priced: bool


async def of_calls(uow: UnitOfWork, session_id: UUID, after: int = 0) -> list[CallCost]:
    """Each call of a session after an event, in order."""
    entry = UsageEntry
    rows = await uow.session.execute(
        select(entry.sequence_number, entry.model, entry.cost, entry.charge, entry.price.is_not(None))
        .where(entry.session_id == session_id, entry.sequence_number > after)
        .order_by(entry.sequence_number, entry.n)
    )
    return [CallCost(*row) for row in rows]


async def breakdown(uow: UnitOfWork, period: Period, by: Dimension, *, limit: int) -> Breakdown:
    """The dearest first; days in order, each of them, also without a call."""
    if by is Dimension.DAY:
        return await _by_day(uow, period)
    names = [f.name for f in fields(Totals)]
    sums = [column.label(name) for column, name in zip(_SUMS, names, strict=True)]
    grouped = select(_KEYS[by].label("key"), *sums).where(_within(period)).group_by("key").subquery()
    order = (grouped.c.charge.desc(), grouped.c.calls.desc(), grouped.c.key)
    ranked = select(grouped, func.row_number().over(order_by=order).label("rank")).subquery()
    # Everything beyond the limit has no rank and no key of its own, so it falls into one row.
    place = case((ranked.c.rank <= limit, ranked.c.rank))
    key = case((ranked.c.rank <= limit, ranked.c.key))
    query = (
        select(place, key, *(func.sum(ranked.c[name]) for name in names))
        .group_by(place, key)
        .order_by(place.nulls_last())
    )
    rows = (await uow.session.execute(query)).all()
    parts = [Part(str(row[1]), _totals(row[2:])) for row in rows if row[0] is not None]
    rest = next((_totals(row[2:]) for row in rows if row[0] is None), Totals())
    return Breakdown(parts, rest)


async def _by_day(uow: UnitOfWork, period: Period) -> Breakdown:
    rows = await uow.session.execute(
        select(UsageEntry.billing_day, *_SUMS).where(_within(period)).group_by(UsageEntry.billing_day)
    )
    found = {row[0]: _totals(row[1:]) for row in rows}
    return Breakdown([Part(day.isoformat(), found.get(day, Totals())) for day in period.days()], Totals())


@dataclass(frozen=True, slots=True)
class Month:
    period: Period
    totals: Totals


# The view: a month's bill is the sum of its entries whenever somebody looks.
_BILLS: Final = table("ai_usage_billing", column("billing_month", Date), *(column(n, BigInteger) for n in (
    "calls", "unpriced_calls", "unreported_calls", "input", "output", "cache_read", "cache_write", "cost", "charge"
)))  # fmt: skip


async def history(uow: UnitOfWork, place: Place, months: int) -> list[Month]:
    """The current month and those before it, newest first, also those without a call."""
    newest = place.period().first
    sums = [func.sum(amount) for amount in list(_BILLS.c)[1:]]
    rows = await uow.session.execute(
        select(_BILLS.c.billing_month, *sums)
        .where(_BILLS.c.billing_month >= first_of_month(newest, 1 - months))
        .group_by(_BILLS.c.billing_month)
    )
    found = {row[0]: _totals(row[1:]) for row in rows}
    return [
        Month(Period.month(month, place.zone), found.get(month, Totals()))
        for month in (first_of_month(newest, -index) for index in range(months))
    ]


@dataclass(frozen=True, slots=True)
class CapState:
    """How much of one of the organisation's own caps is used in the period that is going on. Money in micro-dollars."""

    cap: SpendCap
    spent: int
    reserved: int


async def cap_states(uow: UnitOfWork, place: Place) -> list[CapState]:
    """Of those for the organisation as a whole. For staff: members do not see what others spend."""
    month = place.period()
    start = case(
        (SpendCap.period == "day", local_day(place.moment, place.zone)),
        (SpendCap.period == "month", month.first),
        else_=date(1970, 1, 1),
    )
    counter = (
        (SpendCounter.org_id == SpendCap.org_id)
        & (SpendCounter.cap_id == SpendCap.id)
        & (SpendCounter.period_start == start)
    )
    # A cap nobody has met yet has no counter: what it would have counted is what there is.
    so_far = func.spotter_spent(SpendCap.org_id, SpendCap.scope, "", SpendCap.period, start, SpendCap.unit)
    rows = await uow.session.execute(
        select(
            SpendCap, func.coalesce(SpendCounter.spent, so_far, 0), func.coalesce(SpendCounter.reserved, 0)
        )
        .outerjoin(SpendCounter, counter)
        .where(SpendCap.scope == "organisation")
        .order_by(SpendCap.created_at, SpendCap.id)
    )
    return [CapState(row[0], int(row[1]), int(row[2])) for row in rows]


async def month_forecast(uow: UnitOfWork, place: Place) -> tuple[Period, Forecast]:
    """Of what is charged."""
    month = place.period()
    rows = await uow.session.execute(
        select(UsageEntry.billing_day, func.sum(UsageEntry.charge))
        .where(UsageEntry.billing_day >= window_start(month, place.moment))
        .group_by(UsageEntry.billing_day)
    )
    daily = {row[0]: int(row[1]) for row in rows}
    first_day = await uow.session.scalar(
        select(UsageEntry.billing_day).order_by(UsageEntry.billing_day).limit(1)
    )
    return month, forecast(month, daily, first_day, place.moment)


_EXPORTED: Final = (
    UsageEntry.billing_day,
    UsageEntry.at,
    UsageEntry.session_id,
    UsageEntry.sequence_number,
    UsageEntry.n,
    UsageEntry.user_id,
    UsageEntry.kind,
    UsageEntry.agent,
    UsageEntry.task_id,
    UsageEntry.run_id,
    UsageEntry.provider,
    UsageEntry.model,
    UsageEntry.input,
    UsageEntry.output,
    UsageEntry.cache_read,
    UsageEntry.cache_write,
    UsageEntry.reported,
    UsageEntry.cost,
    UsageEntry.charge,
    UsageEntry.price,
)
_PLACE: Final = _EXPORTED[:6]


async def entries(
    database: Database, scope: Scope, period: Period, as_of: datetime, *, page: int = PAGE
) -> AsyncIterator[Sequence[Row[Any]]]:
    """In order, a page at a time. Each page is a transaction of its own: a slow reader holds nothing of ours."""
    after: Row[Any] | None = None
    while True:
        async with database.unit_of_work(scope) as uow:
            rows = (await uow.session.execute(_page(period, as_of, after).limit(page))).all()
        if rows:
            yield rows
        if len(rows) < page:
            return
        after = rows[-1]


def _page(period: Period, as_of: datetime, after: Row[Any] | None) -> Select[*tuple[Any, ...]]:
    query = select(*_EXPORTED).where(_within(period), UsageEntry.at <= as_of).order_by(*_PLACE)
    if after is None:
        return query
    return query.where(UsageEntry.billing_day >= after[0], tuple_(*_PLACE) > tuple_(*after[:6]))
