"""How money, tokens and periods look in answers."""

from datetime import date, datetime

from pydantic import BaseModel, Field

from spotter.billing.periods import Period
from spotter.billing.reports import Totals
from spotter.money import dollars


class Money(BaseModel):
    """An exact amount, for programs and for people."""

    micros: int = Field(description="micro-dollars")
    usd: str = Field(description="the same in dollars", examples=["0.0205"])

    @classmethod
    def of(cls, micros: int) -> "Money":
        return cls(micros=micros, usd=dollars(micros))


class Tokens(BaseModel):
    """The four kinds, none within another."""

    input: int
    output: int
    cache_read: int
    cache_write: int


class UsageTotals(BaseModel):
    calls: int
    unpriced_calls: int = Field(
        description="of models whose price nobody knows: their tokens count, their cost is not in the money"
    )
    unreported_calls: int = Field(description="whose provider did not say what was used")
    tokens: Tokens
    cost: Money = Field(description="what providers ask")
    charge: Money = Field(description="with the markup")

    @classmethod
    def of(cls, totals: Totals) -> "UsageTotals":
        return cls(
            calls=totals.calls,
            unpriced_calls=totals.unpriced,
            unreported_calls=totals.unreported,
            tokens=Tokens(
                input=totals.input,
                output=totals.output,
                cache_read=totals.cache_read,
                cache_write=totals.cache_write,
            ),
            cost=Money.of(totals.cost),
            charge=Money.of(totals.charge),
        )


class ReportPeriod(BaseModel):
    """Half-open: `to` and `end` are no longer part of it. Days are those of the organisation's time zone."""

    first_day: date
    to: date = Field(description="the day after the last")
    start: datetime
    end: datetime
    timezone: str

    @classmethod
    def of(cls, period: Period) -> "ReportPeriod":
        return cls(
            first_day=period.first,
            to=period.end,
            start=period.start,
            end=period.stop,
            timezone=period.zone.key,
        )
