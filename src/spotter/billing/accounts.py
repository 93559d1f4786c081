"""How organisations are billed, as every model call needs it: kept while it holds, so that no call asks for it."""

from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from spotter.billing.tables import BillingAccount
from spotter.billing.tiers import Tier, default_tier, tier
from spotter.money import CREDIT
from spotter.store.database import Database, Row
from spotter.store.unit_of_work import UnitOfWork

_READ: Final = "SELECT markup, prepaid, credit_rate, unpriced_rate, tier FROM billing_accounts"
"""Row-level security leaves the organisation's own."""


@dataclass(frozen=True, slots=True)
class Account:
    """The defaults are those of an organisation that never set anything."""

    markup: int = 2000
    """Basis points."""
    prepaid: bool = False
    credit_rate: int = 10_000
    unpriced_rate: int | None = None
    tier: Tier = field(default_factory=default_tier)


@dataclass(frozen=True, slots=True)
class AccountChange:
    """What is to be changed; the rest stays."""

    markup: int | None = None
    prepaid: bool | None = None
    credit_rate: int | None = None
    tier: str | None = None
    unpriced_rate: int | None = None
    clear_unpriced_rate: bool = False


class Accounts:
    def __init__(self, database: Database) -> None:
        self._kept = database.kept_rows(_READ, _account)

    async def of(self, org_id: UUID) -> Account:
        """As it was a second ago, or later. What is decided by it is kept with what was charged."""
        return await self._kept.of(org_id)


async def read_account(uow: UnitOfWork) -> Account:
    cursor = await (await uow.driver()).execute(_READ)
    return _account(await cursor.fetchall())


def _account(rows: list[Row]) -> Account:
    for markup, prepaid, credit_rate, unpriced_rate, name in rows:
        return Account(markup, prepaid, credit_rate, unpriced_rate, tier(name))
    return Account()


async def change_account(uow: UnitOfWork, change: AccountChange) -> Account:
    """Whole limits are written with the tier: turns are counted by the database, which reads no files."""
    chosen = tier(change.tier) if change.tier is not None else None
    values: dict[str, object] = {}
    for name in ("markup", "prepaid", "credit_rate", "unpriced_rate"):
        if (value := getattr(change, name)) is not None:
            values[name] = value
    if change.clear_unpriced_rate:
        values["unpriced_rate"] = None
    if chosen is not None:
        values |= _limits(chosen)
    await uow.session.execute(
        insert(BillingAccount)
        .values({"org_id": uow.scope.org_id, **_limits(chosen or default_tier()), **values})
        .on_conflict_do_update(index_elements=["org_id"], set_=values or {"tier": BillingAccount.tier})
    )
    uow.settings_changed()
    return await read_account(uow)


def _limits(chosen: Tier) -> dict[str, object]:
    return {
        "tier": chosen.name,
        "concurrent_turns": chosen.concurrent_turns,
        "monthly_credits": chosen.credits_a_month * CREDIT,
    }
