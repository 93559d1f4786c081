"""List prices, out of the package `genai-prices`: locked by hash like any other code, never fetched at run time.

The package is loaded by the first price that is asked for (0.1 s of CPU, 6 MB), in a thread. Names are matched by its
own rules, within the provider that was asked and no other: what a server of unknown making charges, nobody can guess.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from spotter.billing.price import MILLION, Band, Price, Rates, Source

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, Provider, TieredPrices

# Our names for servers whose makers the package knows by another.
_ALIASES: Final = {"gemini": "google", "openai-responses": "openai", "xai": "x-ai", "bedrock": "aws"}
_PREFIXES: Final = frozenset({"models"})
_KINDS: Final = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")
_SOUND: Final = ("input_audio_mtok", "output_audio_mtok", "cache_audio_read_mtok")
_KNOWN_AT_MOST: Final = 2000


class PriceList:
    """Every provider's list prices. Pure once loaded."""

    def __init__(self, providers: "list[Provider]", label: str) -> None:
        self.label = label
        self._providers = {provider.id: provider for provider in providers}
        self._all = providers
        self._found: dict[tuple[str, str], ModelInfo | None] = {}
        self._priced: dict[tuple[str, str, datetime], Price | None] = {}

    def price(self, provider: str, model: str, at: datetime) -> Price | None:
        """The list price at a moment; None when the provider or the model is not known, or sold by other units."""
        # Asked for with every model call. No list changes a price within a minute.
        key = provider, model, at.replace(second=0, microsecond=0)
        if key not in self._priced:
            found = self._find(provider, model)
            if len(self._priced) >= _KNOWN_AT_MOST:
                self._priced.clear()
            self._priced[key] = None if found is None else _price_of(provider, found, key[2], self.label)
        return self._priced[key]

    def listed_name(self, provider: str, model: str) -> str | None:
        """`gpt-4o` for `gpt-4o-2024-08-06`."""
        found = self._find(provider, model)
        return found.id.lower() if found is not None else None

    def of_provider(self, provider: str, at: datetime) -> Iterator[Price]:
        maker = self._providers.get(_ALIASES.get(provider, provider))
        for model in maker.models if maker is not None else ():
            price = _price_of(provider, model, at, self.label)
            if price is not None:
                yield price

    @property
    def providers(self) -> list[str]:
        """By the names that our servers have."""
        ours = {theirs: name for name, theirs in _ALIASES.items() if name != "openai-responses"}
        return sorted(ours.get(known, known) for known in self._providers)

    def _find(self, provider: str, model: str) -> "ModelInfo | None":
        known = provider, model
        if known not in self._found:
            if len(self._found) >= _KNOWN_AT_MOST:
                self._found.clear()
            self._found[known] = self._search(provider, model.lower())
        return self._found[known]

    def _search(self, provider: str, model: str) -> "ModelInfo | None":
        maker = self._providers.get(_ALIASES.get(provider, provider))
        if maker is None:
            return None
        found = maker.find_model(model, all_providers=self._all)
        prefix, slash, bare = model.partition("/")
        if found is None and slash and (prefix in _PREFIXES or prefix in {provider, maker.id}):
            found = maker.find_model(bare, all_providers=self._all)
        return found


@cache
def _load() -> PriceList:
    data = import_module("genai_prices.data")
    return PriceList(data.providers, f"list price, genai-prices {version('genai-prices')}")


def warm() -> None:
    """Loads the list ahead of the first call that is billed."""
    _load()


async def price_list() -> PriceList:
    """Loaded by the first who asks."""
    return _load() if _load.cache_info().currsize else await asyncio.to_thread(_load)


@dataclass(frozen=True, slots=True)
class _Dated:
    prices: "ModelPrice"
    since: datetime | None
    until: datetime | None


def _price_of(provider: str, model: "ModelInfo", at: datetime, label: str) -> Price | None:
    dated = _in_force(model, at)
    stored = vars(dated.prices) if dated is not None else {}
    if dated is None or stored.get("input_mtok") is None or stored.get("output_mtok") is None:
        return None  # sold by the minute, page or picture, or not for talking: tokens alone would look free
    starts = sorted({start for kind in _KINDS for start in _starts(stored.get(kind))} - {0})
    bands = tuple(Band(above, _rates(stored.get, above)) for above in (0, *starts))
    # Dollars per thousand calls are thousands of micro-dollars per call.
    per_call = _whole((stored.get("requests_kcount") or Decimal(0)) * 1000)
    return Price(provider, model.id, bands, Source.LIST, label, dated.since, dated.until, per_call=per_call)


def _in_force(model: "ModelInfo", at: datetime) -> _Dated | None:
    """The package's rule: the last of the prices whose condition holds, else the first."""
    if not isinstance(model.prices, list):
        return _Dated(model.prices, None, None)
    if not model.prices:
        return None
    starts = sorted(
        datetime.combine(day, time(), UTC)
        for dated in model.prices
        if (day := getattr(dated.constraint, "start_date", None)) is not None
    )
    until = next((start for start in starts if start > at), None)
    for dated in reversed(model.prices):
        if dated.constraint is None or dated.constraint.active(at):
            day = getattr(dated.constraint, "start_date", None)
            return _Dated(dated.prices, datetime.combine(day, time(), UTC) if day else None, until)
    return _Dated(model.prices[0].prices, None, until)


def _starts(price: "Decimal | TieredPrices | None") -> list[int]:
    return [] if price is None or isinstance(price, Decimal) else [tier.start for tier in price.tiers]


def _rates(stored: "Callable[[str], Decimal | TieredPrices | None]", above: int) -> Rates:
    found = [_rate(stored(kind), above) for kind in _KINDS]
    assert found[0] is not None
    assert found[1] is not None
    sound = [_rate(stored(kind), above) for kind in _SOUND]
    audio = None
    if any(rate is not None for rate in sound):
        # Sound that has no rate of its own is charged as text is, but for cached sound: as sound.
        heard = found[0] if sound[0] is None else sound[0]
        audio = Rates.of(heard, found[1] if sound[1] is None else sound[1], sound[2])
    return Rates.of(found[0], found[1], found[2], found[3], audio)


def _rate(price: "Decimal | TieredPrices | None", above: int) -> int | None:
    if price is None:
        return None
    if not isinstance(price, Decimal):
        price = next((tier.price for tier in reversed(price.tiers) if tier.start <= above), price.base)
    return _whole(price * MILLION)


def _whole(amount: Decimal) -> int:
    """Some of a reseller's prices are thirds of a cent: those are rounded to a micro-dollar per million tokens."""
    return int(amount.to_integral_value(ROUND_HALF_UP))
