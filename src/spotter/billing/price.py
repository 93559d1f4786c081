"""What a model call costs. Whole numbers only: prices are micro-dollars per million tokens of each kind.

The four kinds of tokens in a `Usage` do not overlap: a provider that counts cached tokens within the prompt (OpenAI)
has them taken out by `llm/` before they come here, one that counts them beside it (Anthropic) is taken as it is. So
a token is paid for once, at the rate of its own kind. A call's cost is rounded once, half up, to a micro-dollar.
"""

from dataclasses import dataclass, field
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
    audio: "Rates | None" = field(default=None, kw_only=True)
    """Of sound, where it has rates of its own."""

    @classmethod
    def of(
        cls,
        input_rate: int,
        output_rate: int,
        cache_read: int | None = None,
        cache_write: int | None = None,
        audio: "Rates | None" = None,
    ) -> Self:
        return cls(
            input_rate,
            output_rate,
            input_rate if cache_read is None else cache_read,
            input_rate if cache_write is None else cache_write,
            audio=audio,
        )

    @property
    def of_sound(self) -> "Rates":
        return self.audio or self

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
        if rates.audio is not None:
            exact += (
                usage.audio_input * (rates.audio.input - rates.input)
                + usage.audio_output * (rates.audio.output - rates.output)
                + usage.audio_cache_read * (rates.audio.cache_read - rates.cache_read)
            )
        return self.per_call + (exact + MILLION // 2) // MILLION

    def worst_case(self, prompt_tokens: int, max_output: int) -> int:
        """The most such a call can cost, rounded up: the whole prompt at its dearest kind, every output token used."""
        reachable = [band.rates for band in self.bands if band.above < prompt_tokens or band is self.bands[0]]
        prompt = max(rates.dearest_prompt for rates in reachable)
        output = max(rates.output for rates in reachable)
        return self.per_call - (-(prompt_tokens * prompt + max_output * output) // MILLION)

    def worst_case_spoken(self, told_tokens: int, prompt_tokens: int, max_output: int) -> int:
        """As `worst_case`, beside what the model was told in writing any of the tokens may be sound."""
        rates = [one for band in self.bands for one in (band.rates, band.rates.of_sound)]
        told = max(band.rates.dearest_prompt for band in self.bands)
        prompt, output = max(one.dearest_prompt for one in rates), max(one.output for one in rates)
        exact = told_tokens * told + prompt_tokens * prompt + max_output * output
        return self.per_call - (-exact // MILLION)


OFFLINE: Final = Price(
    provider="offline",
    model="offline",
    bands=(Band(0, Rates(0, 0, 0, 0)),),
    source=Source.OFFLINE,
    label="Spotter's offline model: free by definition",
)
