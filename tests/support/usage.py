"""Model calls as they are in the ledger, put there without a model."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from uuid import UUID

from sqlalchemy import insert

from spotter.app import House
from spotter.billing.tables import UsageEntry
from spotter.ids import new_id
from spotter.money import with_markup
from spotter.store.scope import NOBODY, Scope


@dataclass(frozen=True, slots=True)
class Call:
    """Booked on `day`; `at` is its first moment in UTC unless told."""

    day: date
    user_id: UUID = NOBODY
    agent: str = "assistant"
    provider: str = "openai"
    model: str = "gpt-4o"
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: int = 0
    markup: int = 2000
    price: str | None = "list price"
    reported: bool = True
    session_id: UUID = field(default_factory=new_id)
    at: datetime | None = None

    @property
    def charge(self) -> int:
        return with_markup(self.cost, self.markup)


async def book(home: House, org_id: UUID, *calls: Call) -> None:
    if not calls:
        return
    rows = [
        {
            "org_id": org_id,
            "session_id": call.session_id,
            "sequence_number": number,
            "n": 0,
            "user_id": call.user_id,
            "at": call.at or datetime(call.day.year, call.day.month, call.day.day, tzinfo=UTC),
            "billing_day": call.day,
            "billing_month": call.day.replace(day=1),
            "kind": "assistant_message",
            "agent": call.agent,
            "provider": call.provider,
            "model": call.model,
            "input": call.input,
            "output": call.output,
            "cache_read": call.cache_read,
            "cache_write": call.cache_write,
            "reported": call.reported,
            "cost": call.cost,
            "charge": call.charge,
            "markup": call.markup,
            "price": call.price,
            "counted": call.charge,
            "counted_tokens": call.input + call.output + call.cache_read + call.cache_write,
        }
        for number, call in enumerate(calls, start=1)
    ]
    async with home.services.database.unit_of_work(Scope(org_id, None, "service")) as uow:
        await uow.session.execute(insert(UsageEntry.__table__), rows)  # type: ignore[arg-type]
