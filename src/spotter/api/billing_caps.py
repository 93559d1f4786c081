"""Limits on spending: setting them, and what they leave to whom."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from spotter.api.access import AdminCaller, Caller, StaffCaller
from spotter.api.fields import Body
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.transactions import Transaction
from spotter.billing import caps, credit_ledger
from spotter.billing.accounts import read_account
from spotter.billing.caps import CapPeriod, CapScope, CapUnit, Standing
from spotter.billing.tables import SpendCap
from spotter.store.scope import Scope

routes = router("billing", prefix="/api/billing")

# A billion dollars; a quadrillion tokens.
Amount = Annotated[int, Field(ge=0, le=10**15, description="micro-dollars or tokens, by the cap's unit")]
Subject = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_-]{0,64}$"),
    Field(description="an id, or an agent's name; empty: for each of them"),
]


class NewCap(Body):
    scope: CapScope
    period: CapPeriod
    unit: CapUnit = CapUnit.MONEY
    subject: Subject = ""
    soft: Amount | None = Field(default=None, description="at which people are warned, once in each period")
    hard: Amount | None = Field(default=None, description="which no call can pass")


class CapAmounts(Body):
    soft: Amount | None = None
    hard: Amount | None = None


class Cap(BaseModel):
    id: UUID
    scope: str
    subject: str
    period: str
    unit: str
    soft: int | None
    hard: int | None
    created_at: datetime


class CapStanding(BaseModel):
    """The period that is going on."""

    cap_id: UUID
    scope: str
    subject: str
    period: str
    unit: str
    soft: int | None
    hard: int | None
    spent: int
    reserved: int = Field(description="held back for calls that are going on")
    left: int | None = Field(description="null when nothing stops it")
    warned_at: datetime | None
    resets_at: datetime | None = Field(description="null for a cap in total")


class Caps(BaseModel):
    items: list[Cap]
    standing: list[CapStanding] = Field(description="the fullest first, 500 at most")


class Allowance(BaseModel):
    """What one limit leaves to the caller."""

    scope: str
    period: str
    unit: str
    left: int | None
    warning: bool = Field(description="more than the warning amount is spent")
    resets_at: datetime | None


class Allowances(BaseModel):
    items: list[Allowance]
    prepaid: bool
    micro_credits: int | None = Field(description="what the organisation has left, where it pays in advance")


def _shown(cap: SpendCap) -> Cap:
    return Cap(
        id=cap.id,
        scope=cap.scope,
        subject=cap.subject,
        period=cap.period,
        unit=cap.unit,
        soft=cap.soft,
        hard=cap.hard,
        created_at=cap.created_at,
    )


def _standing(one: Standing) -> CapStanding:
    return CapStanding(
        cap_id=one.cap_id,
        scope=one.scope,
        subject=one.subject,
        period=one.period,
        unit=one.unit,
        soft=one.soft,
        hard=one.hard,
        spent=one.spent,
        reserved=one.reserved,
        left=one.left,
        warned_at=one.warned_at,
        resets_at=one.resets_at,
    )


@routes.get("/caps")
async def list_caps(caller: StaffCaller, uow: Transaction) -> Caps:
    """All limits, and how they stand now."""
    return Caps(
        items=[_shown(cap) for cap in await caps.list_caps(uow)],
        standing=[_standing(one) for one in await caps.standings(uow)],
    )


@routes.post("/caps", status_code=201, responses=problem_responses(409))
async def create_cap(caller: AdminCaller, uow: Transaction, body: NewCap) -> Cap:
    """Limit spending. What the period has spent so far counts."""
    new = caps.NewCap(body.scope, body.period, body.unit, body.subject, body.soft, body.hard)
    return _shown(await caps.create_cap(uow, new))


@routes.get("/caps/{cap_id}")
async def get_cap(caller: StaffCaller, uow: Transaction, cap_id: UUID) -> Cap:
    """One limit."""
    return _shown(await caps.get_cap(uow, cap_id))


@routes.put("/caps/{cap_id}")
async def change_cap(caller: AdminCaller, uow: Transaction, cap_id: UUID, body: CapAmounts) -> Cap:
    """Other amounts for the same limit."""
    return _shown(await caps.change_cap(uow, cap_id, soft=body.soft, hard=body.hard))


@routes.delete("/caps/{cap_id}", status_code=204)
async def delete_cap(caller: AdminCaller, uow: Transaction, cap_id: UUID) -> None:
    """Remove a limit. What was spent stays in the ledger."""
    await caps.delete_cap(uow, cap_id)


@routes.get("/allowance")
async def my_allowance(caller: Caller, uow: Transaction) -> Allowances:
    """What is left for your next message, and when it begins anew."""
    # Counters are the organisation's own; only what concerns the caller leaves this function.
    await uow.act_for(Scope(caller.scope.org_id, caller.scope.user_id, "service"))
    account = await read_account(uow)
    found = await caps.standings_for(uow, caller.user_id)
    return Allowances(
        items=[
            Allowance(
                scope=one.scope,
                period=one.period,
                unit=one.unit,
                left=one.left,
                warning=one.soft is not None and one.spent >= one.soft,
                resets_at=one.resets_at,
            )
            for one in found
        ],
        prepaid=account.prepaid,
        micro_credits=await credit_ledger.balance(uow) if account.prepaid else None,
    )
