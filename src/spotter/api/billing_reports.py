"""What was used and what it costs: staff see the organisation, a member their own."""

from collections.abc import AsyncIterator
from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Query, Request
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse

from spotter.api.access import Caller
from spotter.api.billing_fields import Money, ReportPeriod, UsageTotals
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.transactions import Transaction
from spotter.billing import export, reports
from spotter.billing.forecast import Method
from spotter.billing.periods import Period
from spotter.billing.reports import CapState, Dimension
from spotter.identity.principal import Principal, Role
from spotter.sessions import directory

routes = router("billing")

Whose = Literal["organisation", "own"]
FirstDay = Annotated[
    date | None, Query(alias="from", description="the first day; of the current month if not given")
]
EndDay = Annotated[
    date | None,
    Query(alias="to", description="the day after the last; the end of the current month if not given"),
]


class CapUse(BaseModel):
    """How much of a cap is used. Money in micro-dollars."""

    cap_id: UUID
    period: str
    unit: str
    soft: int | None
    hard: int | None
    spent: int
    reserved: int = Field(description="held for calls that are going on")


class UsageReport(BaseModel):
    whose: Whose
    period: ReportPeriod
    as_of: datetime
    total: UsageTotals


class CurrentMonth(UsageReport):
    caps: list[CapUse] = Field(description="of the organisation as a whole; members see none")


class MonthOfHistory(BaseModel):
    period: ReportPeriod
    total: UsageTotals


class UsageHistory(BaseModel):
    whose: Whose
    as_of: datetime
    items: list[MonthOfHistory]


class UsagePart(BaseModel):
    key: str = Field(description="the day, `provider:model`, the agent's name, or the person's id")
    period: ReportPeriod | None = Field(description="of a day: it may have 23 or 25 hours")
    total: UsageTotals


class UsageBreakdown(UsageReport):
    by: Dimension
    items: list[UsagePart]
    rest: UsageTotals = Field(description="all items beyond the limit; items and rest add up to the total")


class MonthForecast(BaseModel):
    whose: Whose
    period: ReportPeriod
    as_of: datetime
    spent: Money
    low: Money
    expected: Money | None = Field(description="null where there is too little data")
    high: Money | None
    method: Method = Field(
        description="`weekdays`: each day left costs what that weekday cost on average (14 complete days or more); "
        "`linear`: what a day cost on average; `too_little_data`: fewer than 3 complete days"
    )
    days_of_data: int
    days_left: float


class SessionUsage(BaseModel):
    session_id: UUID
    as_of: datetime
    total: UsageTotals


class CsvResponse(StreamingResponse):
    media_type = "text/csv"


def _whose(caller: Principal) -> Whose:
    return "organisation" if caller.role.at_least(Role.STAFF) else "own"


def _cap_use(state: CapState) -> CapUse:
    return CapUse(
        cap_id=state.cap.id,
        period=state.cap.period,
        unit=state.cap.unit,
        soft=state.cap.soft,
        hard=state.cap.hard,
        spent=state.spent,
        reserved=state.reserved,
    )


@routes.get("/api/billing/current")
async def get_current_month(caller: Caller, uow: Transaction) -> CurrentMonth:
    """This month so far."""
    place = await reports.place_of(uow)
    period = place.period()
    staff = caller.role.at_least(Role.STAFF)
    return CurrentMonth(
        whose=_whose(caller),
        period=ReportPeriod.of(period),
        as_of=place.moment,
        total=UsageTotals.of(await reports.total(uow, period)),
        caps=[_cap_use(state) for state in await reports.cap_states(uow, place)] if staff else [],
    )


@routes.get("/api/billing/history")
async def get_usage_history(
    caller: Caller, uow: Transaction, months: Annotated[int, Query(ge=1, le=36)] = 12
) -> UsageHistory:
    """Month by month, the current one first."""
    place = await reports.place_of(uow)
    found = await reports.history(uow, place, months)
    items = [
        MonthOfHistory(period=ReportPeriod.of(month.period), total=UsageTotals.of(month.totals))
        for month in found
    ]
    return UsageHistory(whose=_whose(caller), as_of=place.moment, items=items)


@routes.get("/api/billing/usage")
async def get_usage(
    caller: Caller,
    uow: Transaction,
    by: Dimension = Dimension.DAY,
    first: FirstDay = None,
    to: EndDay = None,
    limit: Annotated[int, Query(ge=1, le=500, description="of items; the others are in `rest`")] = 100,
) -> UsageBreakdown:
    """By day, model, agent or person, the dearest first (days in order)."""
    place = await reports.place_of(uow)
    period = place.period(first, to)
    found = await reports.breakdown(uow, period, by, limit=limit)
    return UsageBreakdown(
        whose=_whose(caller),
        period=ReportPeriod.of(period),
        as_of=place.moment,
        by=by,
        total=UsageTotals.of(found.total),
        items=[_part(part, period, by) for part in found.parts],
        rest=UsageTotals.of(found.rest),
    )


def _part(part: reports.Part, period: Period, by: Dimension) -> UsagePart:
    day = period.of_day(date.fromisoformat(part.key)) if by is Dimension.DAY else None
    return UsagePart(
        key=part.key, period=ReportPeriod.of(day) if day else None, total=UsageTotals.of(part.totals)
    )


@routes.get("/api/billing/forecast")
async def get_month_forecast(caller: Caller, uow: Transaction) -> MonthForecast:
    """What this month will come to, with the range four months in five would end in. It says how it was reckoned."""
    place = await reports.place_of(uow)
    period, found = await reports.month_forecast(uow, place)
    return MonthForecast(
        whose=_whose(caller),
        period=ReportPeriod.of(period),
        as_of=place.moment,
        spent=Money.of(found.spent),
        low=Money.of(found.low),
        expected=None if found.expected is None else Money.of(found.expected),
        high=None if found.high is None else Money.of(found.high),
        method=found.method,
        days_of_data=found.days_of_data,
        days_left=round(found.days_left, 3),
    )


@routes.get("/api/billing/export.csv", response_class=CsvResponse)
async def export_usage(
    request: Request, caller: Caller, first: FirstDay = None, to: EndDay = None
) -> CsvResponse:
    """Each model call of a period, as CSV."""
    database = services_of(request).database
    async with database.unit_of_work(caller.scope) as uow:
        place = await reports.place_of(uow)
    period = place.period(first, to)
    lines = export.as_csv(database, caller.scope, period, place.moment)
    # Two pieces ahead: what goes wrong with the first page is still answered as an error.
    begun = [await anext(lines), await anext(lines, "")]
    name = f"usage-{period.first}-{period.end}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return CsvResponse(_following(begun, lines), headers=headers)


async def _following(begun: list[str], rest: AsyncIterator[str]) -> AsyncIterator[str]:
    for piece in begun:
        yield piece
    async for piece in rest:
        yield piece


@routes.get("/api/sessions/{session_id}/usage")
async def get_session_usage(caller: Caller, uow: Transaction, session_id: UUID) -> SessionUsage:
    """What one session has used and cost so far."""
    await directory.get(uow, session_id)
    place = await reports.place_of(uow)
    total = await reports.of_session(uow, session_id)
    return SessionUsage(session_id=session_id, as_of=place.moment, total=UsageTotals.of(total))
