"""What model calls cost, on its way into the log's transaction. Worked out above this room, in `billing/`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic_core import to_json

from spotter.sessions.events import Content, UsageRecord
from spotter.store.scope import Scope


@dataclass(frozen=True, slots=True)
class Charge:
    """One model call. Amounts are micro-dollars."""

    place: int
    """Of its event among those that are appended, from 1."""
    usage: UsageRecord
    cost: int
    charge: int
    markup: int
    """Basis points."""
    price: str | None
    """Which price, in words; None when there is none."""
    counted: int
    """What it counts against caps: the charge, or more where the model has no price."""


class Biller(Protocol):
    async def charges(self, scope: Scope, events: Sequence[Content]) -> Sequence[Charge]:
        """One for each model call that these events record."""
        ...


def usage_in(content: Content) -> UsageRecord | None:
    """What a model call used, on the first event it caused."""
    return getattr(content, "usage", None)


def as_json(charges: Sequence[Charge]) -> str | None:
    """As the append statement takes them."""
    if not charges:
        return None
    return to_json([_row(charge) for charge in charges]).decode()


def _row(charge: Charge) -> dict[str, object]:
    usage = charge.usage
    return {
        "place": charge.place,
        "n": 0,
        "provider": usage.provider,
        "model": usage.model,
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "reported": usage.reported,
        "cost": charge.cost,
        "charge": charge.charge,
        "markup": charge.markup,
        "price": charge.price,
        "counted": charge.counted,
        "tokens": usage.input + usage.output + usage.cache_read + usage.cache_write + usage.held_tokens,
    }
