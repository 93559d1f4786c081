"""What a conversation by voice may cost at most, and holding that back.

The provider does not tell us when it begins or ends, and the client's reports come afterwards; so its worst minute is
worked out beforehand from what the session was minted with, and as many minutes are granted as there is money for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import psycopg

from spotter import clock
from spotter.billing.accounts import Account, Accounts
from spotter.billing.ledger import charge_for
from spotter.billing.price import Price
from spotter.billing.pricing import PriceBook
from spotter.billing.refusals import refusal
from spotter.errors import NotFound
from spotter.ids import new_id
from spotter.money import with_markup
from spotter.sessions.charges import Charge
from spotter.sessions.events import UsageRecord
from spotter.store.database import Database
from spotter.store.scope import Scope

ANSWERS_PER_MINUTE: Final = 4
"""More than a conversation has that goes on for minutes: each needs somebody to speak before it."""
CONTEXT_TOKENS: Final = 4_000
"""What the provider may keep of the conversation, beside the instructions: minted into the session."""
ANSWER_TOKENS: Final = 1_000
"""Of one answer, minted into the session: about 50 seconds of speech."""
LEAST_SECONDS: Final = 60
"""With less there is no conversation."""
_SETTLED_WITHIN: Final = 3600.0
"""Seconds after its end in which the sweeper settles it; then whatever is still held is given back."""
_RESERVE: Final = "SELECT * FROM spotter_reserve_voice(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
_CARRY_OVER: Final = "SELECT * FROM spotter_carry_over(%s, %s, %s, %s, %s, %s)"


@dataclass(frozen=True, slots=True)
class Conversation:
    """One that is about to begin."""

    session_id: UUID
    provider: str
    model: str
    setup_tokens: int
    """Instructions and tools, counted generously."""
    seconds: int
    """As long as it may be."""


@dataclass(frozen=True, slots=True)
class Held:
    seconds: int
    budget: int | None
    tokens: int
    reservation_id: UUID | None


@dataclass(frozen=True, slots=True)
class WorstMinute:
    price: Price | None
    account: Account
    setup_tokens: int

    @property
    def tokens(self) -> int:
        return ANSWERS_PER_MINUTE * (self.setup_tokens + CONTEXT_TOKENS + ANSWER_TOKENS)

    def amount(self, seconds: int) -> int | None:
        if self.price is not None:
            cost = ANSWERS_PER_MINUTE * self.price.worst_case_spoken(
                self.setup_tokens, CONTEXT_TOKENS, ANSWER_TOKENS
            )
        elif self.account.unpriced_rate is not None:
            return -(-self.tokens * self.account.unpriced_rate * seconds // (60 * 1_000_000))
        else:
            return None
        return -(-with_markup(cost, self.account.markup) * seconds // 60)

    def tokens_in(self, seconds: int) -> int:
        return -(-self.tokens * seconds // 60)

    def seconds_for(self, most: int, amount: int | None, tokens: int) -> int:
        """As many as stay within what was granted."""
        seconds = min(most, tokens * 60 // self.tokens)
        per_hour = self.amount(3600)
        if amount is not None and per_hour:
            seconds = min(seconds, amount * 3600 // per_hour)
        return max(LEAST_SECONDS, seconds)


class VoiceLedger:
    def __init__(self, database: Database, prices: PriceBook, accounts: Accounts) -> None:
        self._pool = database.hot
        self._prices = prices
        self._accounts = accounts

    async def hold(self, scope: Scope, wanted: Conversation) -> Held:
        """Holds back its worst case, or that of a shorter one. Raises `PaymentRequired` where not even the least is
        left. Where nothing limits spending, nothing is held back, but it has a budget all the same."""
        assert scope.org_id is not None
        account = await self._accounts.of(scope.org_id)
        price = await self._prices.price(scope, wanted.provider, wanted.model, clock.now())
        minute = WorstMinute(price, account, wanted.setup_tokens)
        least, most = min(LEAST_SECONDS, wanted.seconds), wanted.seconds
        reservation_id = new_id()
        granted, amount, tokens, why = await self._ask(
            scope.org_id, scope.user_id, scope.role or "", wanted.session_id, reservation_id,
            minute.amount(least), minute.amount(most), minute.tokens_in(least), minute.tokens_in(most),
            wanted.seconds + _SETTLED_WITHIN,
        )  # fmt: skip
        if not granted:
            raise refusal(why, [] if price is not None else [wanted.model], kept="Nothing was begun.")
        if amount is None and tokens == minute.tokens_in(most):
            return Held(most, minute.amount(most), tokens, None)
        return Held(minute.seconds_for(most, amount, tokens), amount, tokens, reservation_id)

    async def price_of(self, scope: Scope, usage: UsageRecord) -> Charge:
        assert scope.org_id is not None
        account = await self._accounts.of(scope.org_id)
        price = await self._prices.price(scope, usage.provider, usage.model, clock.now())
        return charge_for(usage, 1, price, account)

    async def _ask(self, *arguments: object) -> tuple[bool, int | None, int, dict[str, Any]]:
        async with self._pool.connection() as connection:
            try:
                row = await (await connection.execute(_RESERVE, arguments)).fetchone()
            except psycopg.Error as error:
                if error.sqlstate == "SP002":
                    raise NotFound("There is no such session.") from error
                raise
        assert row is not None
        granted, amount, tokens, why = row
        return granted, amount, tokens, why or {}


async def carry_over(
    connection: psycopg.AsyncConnection[Any],
    scope: Scope,
    held: UUID,
    charges: Sequence[Charge],
    *,
    goes_on: bool = True,
) -> tuple[UUID | None, int, int]:
    """Holds back less by what was spent, or nothing more where it does not go on. In the transaction that records the
    charges, whose session is locked. Which reservation it is now, and how much of the old one was left."""
    new = new_id() if goes_on else None
    spent = sum(charge.counted for charge in charges)
    tokens = sum(charge.usage.input + charge.usage.output + charge.usage.cache_read for charge in charges)
    arguments = (scope.org_id, scope.role or "", held, new, spent, tokens)
    row = await (await connection.execute(_CARRY_OVER, arguments)).fetchone()
    return (new, row[0], row[1]) if row is not None else (None, 0, 0)
