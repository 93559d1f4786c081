"""Limits on spending: setting them, and how they stand."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import select, text

from spotter.billing.tables import SpendCap, SpendCounter
from spotter.errors import Conflict, InvalidInput, NotFound
from spotter.identity import audit
from spotter.store.migrations.money_functions import CAPS_LOCK
from spotter.store.scope import NOBODY
from spotter.store.unit_of_work import UnitOfWork

MOST_CAPS: Final = 200
"""Each call looks at all of them."""


class CapScope(StrEnum):
    ORGANISATION = "organisation"
    USER = "user"
    SESSION = "session"
    RUN = "run"
    AGENT = "agent"
    GUESTS = "guests"
    """All who have not signed in, together."""


class CapPeriod(StrEnum):
    DAY = "day"
    MONTH = "month"
    TOTAL = "total"


class CapUnit(StrEnum):
    MONEY = "money"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class NewCap:
    scope: CapScope
    period: CapPeriod
    unit: CapUnit
    subject: str = ""
    """Whom it holds for; empty for each of them."""
    soft: int | None = None
    hard: int | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """How a cap stands for one subject in the period that is going on."""

    cap_id: UUID
    scope: str
    subject: str
    period: str
    unit: str
    soft: int | None
    hard: int | None
    spent: int
    reserved: int
    warned_at: datetime | None
    resets_at: datetime | None

    @property
    def left(self) -> int | None:
        return None if self.hard is None else max(0, self.hard - self.spent - self.reserved)


async def create_cap(uow: UnitOfWork, new: NewCap) -> SpendCap:
    """From now on it counts every call, and what its period has seen so far. To know that exactly, it waits until the
    calls that are just being recorded are."""
    subject = _checked_subject(new)
    _check_amounts(new.soft, new.hard)
    await uow.session.execute(
        text("SELECT pg_advisory_xact_lock(:lock, uuid_hash(:org))"),
        {"lock": CAPS_LOCK, "org": uow.scope.org_id},
    )
    known = list(await uow.session.scalars(select(SpendCap)))
    if any(
        (c.scope, c.subject, c.period, c.unit) == (new.scope, subject, new.period, new.unit) for c in known
    ):
        raise Conflict("There is such a cap already. Change its amounts instead.")
    if len(known) >= MOST_CAPS:
        raise Conflict(
            f"There are {MOST_CAPS} caps already, which is as many as there can be. Remove some first."
        )
    assert uow.scope.org_id is not None
    cap = SpendCap(
        org_id=uow.scope.org_id,
        scope=new.scope.value,
        subject=subject,
        period=new.period.value,
        unit=new.unit.value,
        soft=new.soft,
        hard=new.hard,
        created_by=uow.scope.user_id,
    )
    uow.session.add(cap)
    await uow.session.flush()
    await uow.session.refresh(cap)
    await audit.record(uow, "cap.created", target=str(cap.id), detail=_described(cap))
    return cap


async def change_cap(uow: UnitOfWork, cap_id: UUID, *, soft: int | None, hard: int | None) -> SpendCap:
    """Other amounts. What was counted stays; who was warned of the old amount is warned of the new one."""
    cap = await get_cap(uow, cap_id)
    _check_amounts(soft, hard)
    before = _described(cap)
    if soft != cap.soft:
        counters = await uow.session.scalars(
            select(SpendCounter).where(SpendCounter.cap_id == cap_id, SpendCounter.warned_at.is_not(None))
        )
        for counter in counters:
            counter.warned_at = counter.told_at = None
    cap.soft, cap.hard = soft, hard
    await audit.record(
        uow, "cap.changed", target=str(cap_id), detail={"before": before, "after": _described(cap)}
    )
    return cap


async def delete_cap(uow: UnitOfWork, cap_id: UUID) -> None:
    cap = await get_cap(uow, cap_id)
    await audit.record(uow, "cap.deleted", target=str(cap_id), detail=_described(cap))
    await uow.session.delete(cap)


async def get_cap(uow: UnitOfWork, cap_id: UUID) -> SpendCap:
    cap = await uow.session.scalar(select(SpendCap).where(SpendCap.id == cap_id))
    if cap is None:
        raise NotFound("There is no such cap.")
    return cap


async def list_caps(uow: UnitOfWork) -> Sequence[SpendCap]:
    return list(await uow.session.scalars(select(SpendCap).order_by(SpendCap.created_at, SpendCap.id)))


async def standings(uow: UnitOfWork, *, most: int = 500) -> list[Standing]:
    """For staff: every counter of the periods that are going on, the fullest first; and what caps that have not counted
    yet would begin with."""
    rows = await uow.session.execute(_STANDINGS, {"org": uow.scope.org_id, "user": None, "most": most})
    return [Standing(*row) for row in rows]


async def standings_for(uow: UnitOfWork, user_id: UUID | None) -> list[Standing]:
    """What limits one person's next message: the organisation's caps and their own."""
    rows = await uow.session.execute(
        _STANDINGS, {"org": uow.scope.org_id, "user": str(user_id or NOBODY), "most": MOST_CAPS}
    )
    return [Standing(*row) for row in rows]


def _checked_subject(new: NewCap) -> str:
    if new.scope in (CapScope.ORGANISATION, CapScope.GUESTS):
        if new.subject:
            raise InvalidInput("A cap of the organisation, or of its guests, has no subject.")
        return ""
    if not new.subject or new.scope is CapScope.AGENT:
        return new.subject
    try:
        return str(UUID(new.subject))
    except ValueError:
        raise InvalidInput(
            f"The subject of a cap per {new.scope} is an id, or empty for each of them."
        ) from None


def _check_amounts(soft: int | None, hard: int | None) -> None:
    if soft is None and hard is None:
        raise InvalidInput("A cap needs an amount: `soft` to warn at, `hard` to stop at, or both.")
    if soft is not None and hard is not None and soft > hard:
        raise InvalidInput("The warning comes before the stop: `soft` is not more than `hard`.")


def _described(cap: SpendCap) -> dict[str, Any]:
    names = ("scope", "subject", "period", "unit", "soft", "hard")
    return {name: getattr(cap, name) for name in names}


_STANDINGS: Final = text(
    """
    WITH place AS (
        SELECT o.timezone, (now() AT TIME ZONE o.timezone)::date AS today FROM organisations o WHERE o.id = :org
    ), caps AS (
        SELECT c.*, p.timezone, CASE c.period WHEN 'day' THEN p.today
            WHEN 'month' THEN date_trunc('month', p.today)::date ELSE DATE '1970-01-01' END AS period_start
        FROM spend_caps c, place p WHERE c.org_id = :org
    )
    SELECT c.id, c.scope, coalesce(k.subject, s.subject), c.period, c.unit, c.soft, c.hard,
        coalesce(k.spent, spotter_spent(c.org_id, c.scope, s.subject, c.period, c.period_start, c.unit)),
        coalesce(k.reserved, 0), k.warned_at, CASE c.period
            WHEN 'day' THEN (c.period_start + 1)::timestamp AT TIME ZONE c.timezone
            WHEN 'month' THEN (c.period_start + interval '1 month') AT TIME ZONE c.timezone END
    FROM caps c
    CROSS JOIN LATERAL (SELECT CASE WHEN c.scope IN ('organisation', 'guests') THEN ''
        WHEN c.scope = 'user' AND c.subject = '' THEN cast(:user AS text) ELSE nullif(c.subject, '') END AS subject) s
    LEFT JOIN spend_counters k ON k.org_id = c.org_id AND k.cap_id = c.id AND k.period_start = c.period_start
        AND (cast(:user AS text) IS NULL OR k.subject = s.subject)
    WHERE coalesce(k.subject, s.subject) IS NOT NULL
        AND (cast(:user AS text) IS NULL OR c.scope = 'organisation' OR (c.scope = 'user' AND s.subject = :user))
    ORDER BY coalesce(k.spent, 0) DESC, c.id LIMIT :most
    """
)
