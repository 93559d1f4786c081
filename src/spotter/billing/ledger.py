"""What model calls cost, and whether there is money for one more.

Costs are worked out here and written by the statement that records the call. A reservation is one round trip, and only
where caps or prepaid credits apply; it is settled or released by the log's own statements, so nobody can forget it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self
from uuid import UUID

import psycopg

from spotter import clock
from spotter.billing.accounts import Account, Accounts
from spotter.billing.price import Price
from spotter.billing.pricing import PriceBook
from spotter.billing.refusals import refusal
from spotter.ids import new_id
from spotter.llm.fallback import FallbackModel
from spotter.llm.port import Model, Usage
from spotter.money import with_markup
from spotter.sessions.charges import Charge, usage_in
from spotter.sessions.events import Content, UsageRecord
from spotter.sessions.log import Fenced
from spotter.store.database import Database
from spotter.store.scope import Scope

_RESERVE: Final = "SELECT * FROM spotter_reserve(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
_MILLION: Final = 1_000_000

PROMPT_MARGIN: Final = 2
"""Our count of a prompt can be low by a half in some languages, and Claude counts a third more: so twice."""
OUTPUT_WANTED: Final = 8192
OUTPUT_LEAST: Final = 256
"""With less room than this an answer is not worth beginning."""


class StopAsked(Exception):
    """Somebody asked to stop the turn: nothing new is begun."""


@dataclass(frozen=True, slots=True)
class Call:
    """A model call that is about to be made."""

    session_id: UUID
    fence: int
    model: Model
    prompt_tokens: int
    """As we count them."""
    max_output: int | None = None


class Ledger:
    def __init__(self, database: Database, prices: PriceBook, accounts: Accounts) -> None:
        self._pool = database.hot
        self._prices = prices
        self._accounts = accounts

    @classmethod
    def for_database(cls, database: Database) -> Self:
        """Where nobody else keeps prices at hand: a job."""
        return cls(database, PriceBook(database), Accounts(database))

    async def charges(self, scope: Scope, events: Sequence[Content]) -> list[Charge]:
        assert scope.org_id is not None
        account = await self._accounts.of(scope.org_id)
        found: list[Charge] = []
        for place, event in enumerate(events, start=1):
            if (usage := usage_in(event)) is not None:
                price = await self._prices.price(scope, usage.provider, usage.model, clock.now())
                found.append(charge_for(usage, place, price, account))
        return found

    async def reserve(self, scope: Scope, call: Call) -> int | None:
        """How many tokens the answer may have, so that it cannot cost more than is held back for it; None when nothing
        limits it. Raises `PaymentRequired`, `StopAsked`, `Fenced`."""
        assert scope.org_id is not None
        account = await self._accounts.of(scope.org_id)
        models = call.model.models if isinstance(call.model, FallbackModel) else (call.model,)
        prices = [await self._prices.price(scope, m.provider, m.name, clock.now()) for m in models]
        ceiling = Ceiling(tuple(prices), account, call.prompt_tokens * PROMPT_MARGIN)
        wanted = call.max_output or OUTPUT_WANTED
        least = min(OUTPUT_LEAST, wanted)
        granted, amount, tokens, why = await self._ask(
            scope.org_id, scope.user_id, scope.role or "", call.session_id, call.fence, new_id(),
            ceiling.amount(least), ceiling.amount(wanted), ceiling.tokens(least), ceiling.tokens(wanted),
        )  # fmt: skip
        if not granted:
            raise refusal(why, [m.name for m, price in zip(models, prices, strict=True) if price is None])
        if amount is None and tokens == ceiling.tokens(wanted):
            return call.max_output
        return ceiling.most_output(least, wanted, amount, tokens)

    async def _ask(self, *arguments: object) -> tuple[bool, int | None, int, dict[str, Any]]:
        async with self._pool.connection() as connection:
            try:
                row = await (await connection.execute(_RESERVE, arguments)).fetchone()
            except psycopg.Error as error:
                if error.sqlstate == "SP001":
                    raise Fenced("This turn was taken over by another process, or has ended.") from error
                if error.sqlstate == "SP006":
                    raise StopAsked from error
                raise
        assert row is not None
        granted, amount, tokens, why = row
        return granted, amount, tokens, why or {}


def charge_for(usage: UsageRecord, place: int, price: Price | None, account: Account) -> Charge:
    """Cost: rounded half up once for the call. Charge: cost and markup, rounded half up. A model without a price costs
    nothing we could say: it is recorded so, and counts against caps with the rate set for such models."""
    tokens = Usage(
        usage.input,
        usage.output,
        usage.cache_read,
        usage.cache_write,
        usage.reported,
        usage.audio_input,
        usage.audio_output,
        usage.audio_cache_read,
    )
    if not usage.reported and usage.held:
        label = price.label if price is not None else None
        return Charge(place, usage, 0, 0, account.markup, label, usage.held)
    if price is None:
        rate = account.unpriced_rate or 0
        counted = -(-tokens.total * rate // _MILLION)
        return Charge(place, usage, 0, 0, account.markup, None, counted)
    cost = price.cost(tokens) if usage.reported else 0
    charge = with_markup(cost, account.markup)
    return Charge(place, usage, cost, charge, account.markup, price.label, charge)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The most a call can come to, by how long its answer may be. Any model of a chain may be paid for, so all are
    added up."""

    prices: tuple[Price | None, ...]
    account: Account
    prompt: int

    def amount(self, output: int) -> int | None:
        """Micro-dollars; None when nobody knows what it may cost."""
        total = 0
        for price in self.prices:
            if price is not None:
                total += with_markup(price.worst_case(self.prompt, output), self.account.markup)
            elif self.account.unpriced_rate is not None:
                total += -(-(self.prompt + output) * self.account.unpriced_rate // _MILLION)
            else:
                return None
        return total

    def tokens(self, output: int) -> int:
        return len(self.prices) * (self.prompt + output)

    def most_output(self, least: int, wanted: int, amount: int | None, tokens: int) -> int:
        """The longest answer that stays within what was granted."""
        low, high = least, wanted
        while low < high:
            middle = (low + high + 1) // 2
            cost = self.amount(middle)
            if self.tokens(middle) <= tokens and (amount is None or cost is None or cost <= amount):
                low = middle
            else:
                high = middle - 1
        return low
