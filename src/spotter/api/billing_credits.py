"""How the organisation pays: markup, tier, and credits in advance."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from spotter.api.access import BillingCaller, Caller, StaffCaller
from spotter.api.fields import Body, OptionalName
from spotter.api.pages import Cursor, Page, PageParams, page_of
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.transactions import Transaction
from spotter.billing import credit_ledger
from spotter.billing.accounts import Account, AccountChange, change_account, read_account
from spotter.billing.tables import CreditEntry
from spotter.billing.tiers import Tier, tiers
from spotter.identity import audit
from spotter.money import CREDIT

routes = router("billing", prefix="/api/billing")

Credits = Annotated[Decimal, Field(gt=0, le=1_000_000_000, max_digits=15, decimal_places=6, examples=["250"])]
Reference = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,120}$"), Field(examples=["invoice-2041"])]


class ShownTier(BaseModel):
    """null: no limit."""

    name: str
    title: str
    runs_a_month: int | None
    concurrent_runs: int | None
    concurrent_turns: int | None
    tools_per_agent: int | None
    credits_a_month: int


class Tiers(BaseModel):
    items: list[ShownTier]


class BillingSettings(BaseModel):
    markup: int = Field(description="basis points on top of what providers charge; 2000 are 20 %")
    prepaid: bool = Field(description="model calls also spend credits, and end where they do")
    credit_rate: int = Field(description="micro-dollars a credit is worth")
    unpriced_rate: int | None = Field(
        description="micro-dollars per million tokens that models without a price count against caps with"
    )
    tier: ShownTier


class BillingChanges(Body):
    """What is not given stays."""

    markup: int | None = Field(default=None, ge=0, le=100_000)
    prepaid: bool | None = None
    credit_rate: int | None = Field(default=None, ge=1, le=10**12)
    unpriced_rate: int | None = Field(default=None, ge=0, le=10**12)
    no_unpriced_rate: bool = Field(
        default=False, description="take the rate away: caps then stop such models"
    )
    tier: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")] | None = None


class CreditBalance(BaseModel):
    micro_credits: int = Field(description="millionths")
    credits: str
    worth: int = Field(description="micro-dollars, at the organisation's rate")


class CreditMovement(BaseModel):
    id: UUID
    at: datetime
    kind: str
    micro_credits: int = Field(description="millionths; what was taken is negative")
    reference: str
    note: str


class NewCredits(Body):
    kind: Literal["grant", "purchase", "refund"]
    credits: Credits
    reference: Reference | None = Field(
        default=None, description="of an invoice, say; the same one is booked once"
    )
    note: OptionalName = ""


def _tier(tier: Tier) -> ShownTier:
    return ShownTier(
        name=tier.name,
        title=tier.title,
        runs_a_month=tier.runs_a_month,
        concurrent_runs=tier.concurrent_runs,
        concurrent_turns=tier.concurrent_turns,
        tools_per_agent=tier.tools_per_agent,
        credits_a_month=tier.credits_a_month,
    )


def _settings(account: Account) -> BillingSettings:
    return BillingSettings(
        markup=account.markup,
        prepaid=account.prepaid,
        credit_rate=account.credit_rate,
        unpriced_rate=account.unpriced_rate,
        tier=_tier(account.tier),
    )


def _movement(entry: CreditEntry) -> CreditMovement:
    return CreditMovement(
        id=entry.id,
        at=entry.at,
        kind=entry.kind,
        micro_credits=entry.amount,
        reference=entry.reference,
        note=entry.note,
    )


@routes.get("/tiers")
async def list_tiers(caller: Caller) -> Tiers:
    """The subscriptions there are, and what they allow."""
    return Tiers(items=[_tier(tier) for tier in tiers().values()])


@routes.get("/settings")
async def get_billing_settings(caller: StaffCaller, uow: Transaction) -> BillingSettings:
    """How this organisation is billed."""
    return _settings(await read_account(uow))


@routes.patch("/settings")
async def change_billing_settings(
    caller: BillingCaller, uow: Transaction, body: BillingChanges
) -> BillingSettings:
    """Change the markup, the tier, or whether credits are spent. What was charged before stays as it was."""
    change = AccountChange(
        markup=body.markup,
        prepaid=body.prepaid,
        credit_rate=body.credit_rate,
        tier=body.tier,
        unpriced_rate=body.unpriced_rate,
        clear_unpriced_rate=body.no_unpriced_rate,
    )
    account = await change_account(uow, change)
    if body.tier is not None:
        await credit_ledger.give_monthly(uow)
    await audit.record(
        uow, "billing.changed", detail=body.model_dump(exclude_unset=True, exclude_defaults=True)
    )
    return _settings(account)


@routes.get("/credits")
async def get_credits(caller: StaffCaller, uow: Transaction) -> CreditBalance:
    """What is left."""
    left = await credit_ledger.balance(uow)
    rate = (await read_account(uow)).credit_rate
    return CreditBalance(micro_credits=left, credits=_decimal(left), worth=left * rate // CREDIT)


@routes.get("/credits/movements")
async def list_credit_movements(
    caller: StaffCaller, uow: Transaction, page: PageParams
) -> Page[CreditMovement]:
    """Everything that was given and taken, the newest first. The balance is its sum."""
    rows = await credit_ledger.movements(uow, limit=page.limit + 1, before=page.after)
    return page_of(rows, page, item=_movement, place=lambda row: Cursor(row.at, row.id))


@routes.post("/credits/movements", status_code=201, responses=problem_responses(409))
async def give_credits(caller: BillingCaller, uow: Transaction, body: NewCredits) -> CreditMovement:
    """Give credits, record that they were bought, or give spent ones back."""
    amount = int(body.credits * CREDIT)
    entry = await credit_ledger.give(uow, body.kind, amount, reference=body.reference, note=body.note)
    return _movement(entry)


def _decimal(micro_credits: int) -> str:
    return f"{Decimal(micro_credits) / CREDIT:f}"
