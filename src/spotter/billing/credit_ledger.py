"""Credits: an append-only list of movements, in millionths. The balance is their sum, and the database keeps it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert

from spotter.billing.accounts import read_account
from spotter.billing.tables import BillingAccount, CreditAccount, CreditEntry
from spotter.errors import Conflict, PaymentRequired
from spotter.identity import audit
from spotter.ids import new_id
from spotter.money import CREDIT
from spotter.store.migrations.money_functions import NEXT_MONTH
from spotter.store.unit_of_work import UnitOfWork

Given = Literal["grant", "purchase", "refund"]
_MONTH: Final = text(
    "SELECT to_char(now() AT TIME ZONE timezone, 'YYYY-MM') FROM organisations WHERE id = :org"
)


_NEXT_GRANT: Final = text(
    f"SELECT {NEXT_MONTH} FROM billing_accounts b JOIN organisations o ON o.id = b.org_id"  # noqa: S608 - our own words
    " WHERE b.org_id = :org AND b.monthly_credits > 0"
)


@dataclass(frozen=True, slots=True)
class Movement:
    kind: str
    amount: int
    """Millionths; what is taken is negative."""
    reference: str
    note: str = ""


async def balance(uow: UnitOfWork) -> int:
    return await uow.session.scalar(select(CreditAccount.balance)) or 0


async def movements(
    uow: UnitOfWork, *, limit: int, before: tuple[datetime, UUID] | None = None
) -> list[CreditEntry]:
    """The newest first."""
    query = select(CreditEntry)
    if before is not None:
        query = query.where(
            (CreditEntry.at < before[0]) | ((CreditEntry.at == before[0]) & (CreditEntry.id < before[1]))
        )
    return list(
        await uow.session.scalars(query.order_by(CreditEntry.at.desc(), CreditEntry.id.desc()).limit(limit))
    )


async def give(uow: UnitOfWork, kind: Given, amount: int, *, reference: str | None, note: str) -> CreditEntry:
    """Credits for the organisation: given, bought (the payment itself happens elsewhere), or given back. Said again
    with the same reference it is the same movement."""
    movement = Movement(kind, amount, reference or str(new_id()), note)
    entry = await _book(uow, movement)
    if entry is None:
        known = await uow.session.scalar(
            select(CreditEntry).where(CreditEntry.kind == kind, CreditEntry.reference == movement.reference)
        )
        assert known is not None
        if known.amount != amount:
            raise Conflict(f"A {kind} with this reference was booked before, with another amount.")
        return known
    await audit.record(
        uow,
        f"credits.{kind}",
        target=str(entry.id),
        detail={"micro_credits": amount, "reference": movement.reference},
    )
    return entry


async def spend(uow: UnitOfWork, amount: int, *, reference: str, note: str = "") -> bool:
    """Takes credits in the caller's transaction; False when this was taken before. Raises `PaymentRequired` when there
    are not enough: nothing is taken then."""
    account = await uow.session.scalar(select(CreditAccount).with_for_update())
    if account is None or account.balance < amount:
        raise await _too_few(uow, amount, account.balance if account is not None else 0)
    return await _book(uow, Movement("spend", -amount, reference, note)) is not None


async def _too_few(uow: UnitOfWork, needed: int, left: int) -> PaymentRequired:
    said = f"This takes {needed / CREDIT:g} credits, and there are {left / CREDIT:g}. Nothing was taken."
    extra: dict[str, object] = {"limit": "credits", "unit": "micro_credits", "left": left, "needed": needed}
    resets_at = await uow.session.scalar(_NEXT_GRANT, {"org": uow.scope.org_id})
    if resets_at is not None:
        extra["resets_at"] = resets_at.isoformat()
        said += f" More come with your plan at {extra['resets_at']}."
    return PaymentRequired(said, extra=extra)


_USED: Final = text(
    """
    SELECT coalesce((
        SELECT -sum(c.amount) FROM credit_entries c WHERE c.org_id = :org AND c.reference = :reference
    ), 0)::bigint + coalesce((
        SELECT sum(spotter_in_credits(u.charge, coalesce(u.credit_rate, :rate))) FROM usage_entries u
        WHERE u.org_id = :org AND u.session_id = :session AND u.sequence_number BETWEEN :first AND :last
    ), 0)::bigint
    """
)


async def used_by_call(uow: UnitOfWork, session_id: UUID, events: tuple[int, int], effect_id: UUID) -> int:
    """What a call has cost, in millionths: what was taken under its id, and the charge of each model call of its turn
    at the rate it was taken at, or at today's where none was. For the service: members do not see the organisation's
    movements."""
    wanted = {
        "org": uow.scope.org_id,
        "reference": str(effect_id),
        "session": session_id,
        "first": events[0],
        "last": events[1],
        "rate": (await read_account(uow)).credit_rate,
    }
    return int(await uow.session.scalar(_USED, wanted) or 0)


async def give_monthly(uow: UnitOfWork) -> bool:
    """This month's credits of the organisation's tier: once in each month of its time zone, however often tried."""
    amount = await uow.session.scalar(select(BillingAccount.monthly_credits))
    if not amount:
        return False
    month = await uow.session.scalar(_MONTH, {"org": uow.scope.org_id})
    return await _book(uow, Movement("grant", amount, f"month:{month}", "monthly credits")) is not None


async def _book(uow: UnitOfWork, movement: Movement) -> CreditEntry | None:
    """None when there is such a movement already."""
    row = await uow.session.execute(
        insert(CreditEntry)
        .values(
            org_id=uow.scope.org_id,
            id=new_id(),
            kind=movement.kind,
            amount=movement.amount,
            reference=movement.reference,
            note=movement.note,
            created_by=uow.scope.user_id,
        )
        .on_conflict_do_nothing(index_elements=["org_id", "kind", "reference"])
        .returning(CreditEntry)
    )
    return row.scalar_one_or_none()
