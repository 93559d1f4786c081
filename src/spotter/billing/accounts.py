"""How organisations are billed, as every model call needs it: kept for some seconds, so that no call asks for it."""

import time
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from spotter.billing.tables import BillingAccount
from spotter.billing.tiers import Tier, default_tier, tier
from spotter.money import CREDIT
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork

_FRESH_SECONDS: Final = 5.0
_MOST_KEPT: Final = 10_000


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
        self._database = database
        self._known: dict[UUID, tuple[float, Account]] = {}

    async def of(self, org_id: UUID) -> Account:
        """As it was at most some seconds ago. What is decided by it is kept with what was charged."""
        known = self._known.get(org_id)
        if known is None or known[0] < time.monotonic():
            async with self._database.unit_of_work(Scope(org_id, None, "service")) as uow:
                known = (time.monotonic() + _FRESH_SECONDS, await read_account(uow))
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[org_id] = known
        return known[1]

    async def change(self, uow: UnitOfWork, change: AccountChange) -> Account:
        """In the caller's transaction; in this process it holds from the commit on, elsewhere seconds later."""
        org_id = uow.scope.org_id
        assert org_id is not None
        account = await change_account(uow, change)
        uow.after_commit(lambda: self.forget(org_id))
        return account

    def forget(self, org_id: UUID) -> None:
        self._known.pop(org_id, None)


async def read_account(uow: UnitOfWork) -> Account:
    row = await uow.session.scalar(select(BillingAccount).where(BillingAccount.org_id == uow.scope.org_id))
    if row is None:
        return Account()
    return Account(
        markup=row.markup,
        prepaid=row.prepaid,
        credit_rate=row.credit_rate,
        unpriced_rate=row.unpriced_rate,
        tier=tier(row.tier),
    )


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
    uow.session.expire_all()
    return await read_account(uow)


def _limits(chosen: Tier) -> dict[str, object]:
    return {
        "tier": chosen.name,
        "concurrent_turns": chosen.concurrent_turns,
        "monthly_credits": chosen.credits_a_month * CREDIT,
    }
