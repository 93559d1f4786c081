"""What a model call costs. Whole numbers only: prices are micro-dollars per million tokens of each kind.

The four kinds of tokens in a `Usage` do not overlap: a provider that counts cached tokens within the prompt (OpenAI)
has them taken out by `llm/` before they come here, one that counts them beside it (Anthropic) is taken as it is. So
a token is paid for once, at the rate of its own kind. A call's cost is rounded once, half up, to a micro-dollar.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Self

from spotter.llm.port import Usage

MILLION: Final = 1_000_000
EVERY_MODEL: Final = "*"
"""As the model's name in an organisation's own price: all models of that server."""


class Source(StrEnum):
    """Where a price comes from; the first that has one is used."""

    OFFLINE = "offline"
    """Spotter's own model: free by definition, nobody sends a bill."""
    ORGANISATION = "organisation"
    """Set by the organisation itself."""
    LIST = "list"
    """The provider's list price, as the package `genai-prices` has it."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Micro-dollars per million tokens. A kind the provider has no rate for is charged as ordinary input."""

    input: int
    output: int
    cache_read: int
    cache_write: int

    @classmethod
    def of(
        cls, input_rate: int, output_rate: int, cache_read: int | None = None, cache_write: int | None = None
    ) -> Self:
        return cls(
            input_rate,
            output_rate,
            input_rate if cache_read is None else cache_read,
            input_rate if cache_write is None else cache_write,
        )

    @property
    def dearest_prompt(self) -> int:
        return max(self.input, self.cache_read, self.cache_write)


@dataclass(frozen=True, slots=True)
class Band:
    """The rates of calls whose prompt, cached tokens included, is longer than `above`; they hold for all its tokens."""

    above: int
    rates: Rates


@dataclass(frozen=True, slots=True)
class Price:
    provider: str
    model: str
    """The name the price is listed under, which may be shorter than the one that was asked for."""
    bands: tuple[Band, ...]
    """The first is for every prompt, the others follow by length."""
    source: Source
    label: str
    """The source in words, to be kept with what was charged."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    """Half-open; None for a side that has no known end."""
    per_call: int = 0
    """Micro-dollars for the call itself, where a provider charges that as well."""

    def rates_for(self, prompt_tokens: int) -> Rates:
        return [band for band in self.bands if band.above < prompt_tokens or band is self.bands[0]][-1].rates

    def cost(self, usage: Usage) -> int:
        """Micro-dollars, rounded half up once."""
        rates = self.rates_for(usage.prompt)
        exact = (
            usage.input * rates.input
            + usage.output * rates.output
            + usage.cache_read * rates.cache_read
            + usage.cache_write * rates.cache_write
        )
        return self.per_call + (exact + MILLION // 2) // MILLION

    def worst_case(self, prompt_tokens: int, max_output: int) -> int:
        """The most such a call can cost, rounded up: the whole prompt at its dearest kind, every output token used."""
        reachable = [band.rates for band in self.bands if band.above < prompt_tokens or band is self.bands[0]]
        prompt = max(rates.dearest_prompt for rates in reachable)
        output = max(rates.output for rates in reachable)
        return self.per_call - (-(prompt_tokens * prompt + max_output * output) // MILLION)


OFFLINE: Final = Price(
    provider="offline",
    model="offline",
    bands=(Band(0, Rates(0, 0, 0, 0)),),
    source=Source.OFFLINE,
    label="Spotter's offline model: free by definition",
)
