"""Which price holds for whom and when: an organisation's own before the list's; where neither is known, none.

A caller without a price records the call as unpriced. What a call was charged is kept with it, so a change of prices
never changes a bill.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, starmap
from typing import Final, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, func, select, update

from spotter.billing.price import EVERY_MODEL, OFFLINE, Band, Price, Rates, Source
from spotter.billing.price_seed import PriceList, price_list
from spotter.billing.tables import ModelPrice
from spotter.clock import now
from spotter.errors import InvalidInput, NotFound
from spotter.identity import audit
from spotter.identity.tables import Organisation
from spotter.ids import new_id
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork

_PAST_FORGIVEN: Final = timedelta(minutes=1)
"""Clocks differ; a price set "from now" must not be refused for it."""


class OwnPrice(NamedTuple):
    """A row of `ModelPrice`, as every model call needs it."""

    id: UUID
    provider: str
    model: str
    input: int
    output: int
    cache_read: int | None
    cache_write: int | None
    valid_from: datetime
    valid_to: datetime | None


_READ_OWN: Final = """
    SELECT id, provider, model, input, output, cache_read, cache_write, valid_from, valid_to FROM ai_model_pricing
"""


@dataclass(frozen=True, slots=True)
class OwnPrices:
    """An organisation's own prices, whenever they hold."""

    rows: Sequence[OwnPrice]

    def find(self, provider: str, names: Iterable[str], at: datetime) -> Price | None:
        """By the first name that has one in force. Of two that overlap, the one that began later."""
        for name in names:
            fitting = [row for row in self.rows if (row.provider, row.model) == (provider, name)]
            in_force = [row for row in fitting if holds(row, at)]
            if in_force:
                return as_price(max(in_force, key=lambda row: (row.valid_from, row.id)))
        return None


def holds(row: OwnPrice, at: datetime) -> bool:
    return row.valid_from <= at and (row.valid_to is None or at < row.valid_to)


def as_price(row: OwnPrice) -> Price:
    rates = Rates.of(row.input, row.output, row.cache_read, row.cache_write)
    return Price(
        row.provider,
        row.model,
        (Band(0, rates),),
        Source.ORGANISATION,
        f"own price of {row.provider}:{row.model} since {row.valid_from:%Y-%m-%d}, {row.id}",
        row.valid_from,
        row.valid_to,
    )


def canonical(provider: str, model: str) -> tuple[str, str]:
    """As prices are looked up. `openai:gpt-4o` without a provider names both."""
    provider, model = provider.strip().lower(), model.strip().lower()
    if not provider and not model.startswith("ft:"):
        provider, _, model = model.rpartition(":")
    return ("openai" if provider == "openai-responses" else provider), model


class PriceBook:
    """Prices for every organisation."""

    def __init__(self, database: Database) -> None:
        self._own = database.kept_rows(_READ_OWN, lambda rows: OwnPrices(list(starmap(OwnPrice, rows))))

    async def price(self, scope: Scope, provider: str, model: str, at: datetime) -> Price | None:
        """None when nobody knows: the call is then recorded as unpriced, which is not the same as free."""
        provider, model = canonical(provider, model)
        if provider == "offline" or (not provider and model == "offline"):
            return OFFLINE
        listed = await price_list()
        names = [model, listed.listed_name(provider, model) or model, EVERY_MODEL]
        own = await self._own_of(scope)
        return own.find(provider, names, at) or listed.price(provider, model, at)

    async def in_force(
        self, scope: Scope, at: datetime, *, provider: str | None = None, search: str = ""
    ) -> Iterator[Price]:
        """The organisation's own first, then the list's that they do not replace."""
        listed = await price_list()
        own = [as_price(row) for row in (await self._own_of(scope)).rows if holds(row, at)]
        return _fitting(own, listed, at, provider, search.lower())

    async def _own_of(self, scope: Scope) -> OwnPrices:
        assert scope.org_id is not None, "prices are an organisation's"
        return await self._own.of(scope.org_id)

    async def set_own(
        self, uow: UnitOfWork, provider: str, model: str, rates: Rates, valid_from: datetime | None
    ) -> ModelPrice:
        """From a moment on, now or later. The price before it ends there; one that is set for later stays."""
        provider, model = canonical(provider, model)
        moment = now()
        start = valid_from or moment
        if provider in ("", "offline"):
            raise InvalidInput("The offline model is free by definition. Name the server of another model.")
        if start < moment - _PAST_FORGIVEN:
            raise InvalidInput(
                "valid_from is in the past. What was charged stays as it is; a price holds from now or later."
            )
        await _one_at_a_time(uow)
        later = await uow.session.scalar(
            select(func.min(ModelPrice.valid_from)).where(
                *_same(provider, model), ModelPrice.valid_from > start, _ever_valid()
            )
        )
        await _end_at(uow, provider, model, start)
        row = ModelPrice(
            org_id=uow.scope.org_id,
            id=new_id(),
            provider=provider,
            model=model,
            input=rates.input,
            output=rates.output,
            cache_read=rates.cache_read,
            cache_write=rates.cache_write,
            valid_from=start,
            valid_to=later,
            created_at=moment,
        )
        uow.session.add(row)
        await audit.record(uow, "price.set", target=f"{provider}:{model}", detail=_described(row))
        uow.settings_changed()
        return row

    async def end_own(self, uow: UnitOfWork, price_id: UUID) -> None:
        """One in force ends now; one that has not begun never will. Rows stay: bills refer to them."""
        await _one_at_a_time(uow)
        row = await uow.session.scalar(select(ModelPrice).where(ModelPrice.id == price_id))
        moment = now()
        if row is None or (row.valid_to is not None and row.valid_to <= max(row.valid_from, moment)):
            raise NotFound("There is no such price, or it has ended.")
        if row.valid_from > moment:
            before = (*_same(row.provider, row.model), ModelPrice.valid_to == row.valid_from, _ever_valid())
            await uow.session.execute(update(ModelPrice).where(*before).values(valid_to=row.valid_to))
        row.valid_to = max(row.valid_from, moment)
        await audit.record(uow, "price.ended", target=f"{row.provider}:{row.model}", detail=_described(row))
        uow.settings_changed()


async def own_prices(uow: UnitOfWork) -> Sequence[ModelPrice]:
    """All of them, newest first, but for those taken back before they began."""
    query = select(ModelPrice).where(_ever_valid())
    rows = await uow.session.scalars(query.order_by(ModelPrice.valid_from.desc(), ModelPrice.id.desc()))
    return rows.all()


def _fitting(
    own: Sequence[Price], listed: PriceList, at: datetime, provider: str | None, search: str
) -> Iterator[Price]:
    mine = {(price.provider, price.model) for price in own}
    names = [provider] if provider is not None else listed.providers
    everything = chain(own, *(listed.of_provider(name, at) for name in names))
    for price in everything:
        replaced = price.source is Source.LIST and not mine.isdisjoint(
            {(price.provider, price.model.lower()), (price.provider, EVERY_MODEL)}
        )
        if not replaced and provider in (None, price.provider) and search in price.model.lower():
            yield price


def _same(provider: str, model: str) -> tuple[ColumnElement[bool], ...]:
    return ModelPrice.provider == provider, ModelPrice.model == model


def _ever_valid() -> ColumnElement[bool]:
    """Not taken back: a price that was has a period without a moment in it."""
    return ModelPrice.valid_to.is_(None) | (ModelPrice.valid_to > ModelPrice.valid_from)


async def _end_at(uow: UnitOfWork, provider: str, model: str, start: datetime) -> None:
    """Whatever would still hold at `start` ends there; one that begins just then never does."""
    await uow.session.execute(
        update(ModelPrice)
        .where(
            *_same(provider, model),
            ModelPrice.valid_from <= start,
            ModelPrice.valid_to.is_(None) | (ModelPrice.valid_to > start),
        )
        .values(valid_to=start)
    )


async def _one_at_a_time(uow: UnitOfWork) -> None:
    """Two who set prices at once must not both be the last: the organisation's row is the lock."""
    await uow.session.execute(
        select(Organisation.id).where(Organisation.id == uow.scope.org_id).with_for_update()
    )


def _described(row: ModelPrice) -> dict[str, object]:
    return {
        "id": str(row.id),
        "micro_dollars_per_million": {
            "input": row.input,
            "output": row.output,
            "cache_read": row.cache_read,
            "cache_write": row.cache_write,
        },
        "valid_from": row.valid_from.isoformat(),
        "valid_to": row.valid_to.isoformat() if row.valid_to else None,
    }
