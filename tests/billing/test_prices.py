"""Prices and what calls cost, against sums done by hand and against the package the prices come from."""

import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import genai_prices
import pytest
from genai_prices.data import providers
from hypothesis import given, settings
from hypothesis import strategies as st

from spotter.billing.price import OFFLINE, Band, Price, Rates, Source
from spotter.billing.price_seed import PriceList, price_list
from spotter.llm import wire_chat, wire_responses
from spotter.llm.faults import Origin
from spotter.llm.fold_anthropic import AnthropicFold
from spotter.llm.port import Usage
from spotter.llm.prompt import Prompt

NOW = datetime(2026, 11, 16, tzinfo=UTC)
LIST = PriceList(providers, "list price")


def price(provider: str, model: str, at: datetime = NOW) -> Price:
    found = LIST.price(provider, model, at)
    assert found is not None, f"{provider}:{model} has no price"
    return found


# From the mission: dollars per thousand tokens.
@pytest.mark.parametrize(
    ("provider", "model", "per_1k_in", "per_1k_out"),
    [
        ("openai", "gpt-4o", "0.0025", "0.01"),
        ("openai", "gpt-4o-mini", "0.00015", "0.0006"),
        ("anthropic", "claude-3-5-sonnet", "0.003", "0.015"),
        ("anthropic", "claude-3-5-haiku", "0.0008", "0.004"),
    ],
)
def test_the_pinned_prices(provider: str, model: str, per_1k_in: str, per_1k_out: str) -> None:
    rates = price(provider, model).rates_for(1)
    assert Decimal(rates.input) / 1_000_000 / 1000 == Decimal(per_1k_in)
    assert Decimal(rates.output) / 1_000_000 / 1000 == Decimal(per_1k_out)
    assert price(provider, model).cost(Usage(1000, 0)) == Decimal(per_1k_in) * 1_000_000
    assert price(provider, model).cost(Usage(0, 1000)) == Decimal(per_1k_out) * 1_000_000


@pytest.mark.parametrize(
    ("provider", "model", "listed"),
    [
        ("openai", "gpt-4o-2024-08-06", "gpt-4o"),
        ("openai", "gpt-4o-2024-11-20", "gpt-4o"),
        ("openai", "gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("openai", "GPT-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("openai", "openai/gpt-4o", "gpt-4o"),
        ("openai-responses", "gpt-4o", "gpt-4o"),
        ("openai", "ft:gpt-4o-mini-2024-07-18:gym::abc", "ft:gpt-4o-mini"),
        ("anthropic", "claude-3-5-sonnet-20241022", "claude-3-5-sonnet"),
        ("anthropic", "anthropic/claude-3-5-haiku-20241022", "claude-3-5-haiku-latest"),
        ("gemini", "gemini-2.5-pro", "gemini-2.5-pro"),
        ("gemini", "models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("openrouter", "anthropic/claude-opus-5", "anthropic/claude-opus-5"),
        ("groq", "llama-3.3-70b-versatile", "llama-3.3-70b-versatile"),
        ("azure", "gpt-4o", "gpt-4o"),
    ],
)
def test_names_people_and_providers_use(provider: str, model: str, listed: str) -> None:
    assert price(provider, model).model == listed


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-99"),
        ("openai", "gpt-4o-imagined"),
        ("openai", "claude-3-5-sonnet"),
        ("openai", "other/gpt-4o"),
        ("ollama", "llama3"),
        ("my-server", "gpt-4o"),
        ("openai-local", "gpt-4o"),
        ("", "gpt-4o"),
        ("openrouter", "meta-llama/llama-3.3-70b-instruct:free"),
        ("openai", "text-embedding-3-small"),
    ],
)
def test_what_is_not_known_has_no_price_rather_than_none(provider: str, model: str) -> None:
    """A server of unknown making may charge anything: guessing by the model's name could be wrong either way."""
    assert LIST.price(provider, model, NOW) is None


def test_the_offline_model_is_free_and_says_why() -> None:
    assert OFFLINE.cost(Usage(10_000, 10_000, 10_000, 10_000)) == 0
    assert OFFLINE.worst_case(10**6, 10**6) == 0
    assert OFFLINE.source is Source.OFFLINE
    assert "by definition" in OFFLINE.label


CHAT = {
    "prompt_tokens": 10_000,
    "completion_tokens": 500,
    "prompt_tokens_details": {"cached_tokens": 8_000},
    "completion_tokens_details": {"reasoning_tokens": 300},
}
RESPONSES = {
    "input_tokens": 10_000,
    "output_tokens": 500,
    "input_tokens_details": {"cached_tokens": 8_000},
    "output_tokens_details": {"reasoning_tokens": 300},
}


@pytest.mark.parametrize("usage", [wire_chat.usage_of(CHAT), wire_responses.usage_of(RESPONSES)])
def test_openai_counts_cached_tokens_within_the_prompt(usage: Usage) -> None:
    """By hand, gpt-4o at $2.50 / $1.25 cached / $10 a million:
    2,000 × 2.50 + 8,000 × 1.25 + 500 × 10 = 5,000 + 10,000 + 5,000 micro-dollars.
    Forgetting the cache gives 30,000; adding it to the whole prompt, 40,000. Reasoning is part of the output."""
    assert usage == Usage(input=2_000, output=500, cache_read=8_000, cache_write=0, reported=True)
    assert price("openai", "gpt-4o-2024-08-06").cost(usage) == 20_000


def _anthropic(reported: Mapping[str, Any]) -> Usage:
    fold = AnthropicFold(Prompt(()), Origin("anthropic", "claude-3-5-sonnet", ""))
    list(fold.feed({"type": "message_start", "message": {"usage": {**reported, "output_tokens": 1}}}) or ())
    list(fold.feed({"type": "message_delta", "delta": {}, "usage": reported}) or ())
    return fold.usage


def test_anthropic_counts_cached_tokens_beside_the_prompt() -> None:
    """By hand, claude-3-5-sonnet at $3 / $0.30 read / $3.75 written / $15 a million:
    1,200 × 3 + 30,000 × 0.30 + 5,000 × 3.75 + 700 × 15 = 3,600 + 9,000 + 18,750 + 10,500 micro-dollars."""
    usage = _anthropic(
        {
            "input_tokens": 1_200,
            "cache_read_input_tokens": 30_000,
            "cache_creation_input_tokens": 5_000,
            "output_tokens": 700,
        }
    )
    assert usage == Usage(1_200, 700, 30_000, 5_000, reported=True)
    assert price("anthropic", "claude-3-5-sonnet-20241022").cost(usage) == 41_850


def test_a_long_prompt_pays_the_higher_rate_for_all_of_it() -> None:
    """claude-sonnet-4-5: $3 / $15, above 200,000 tokens of prompt (cached ones count) $6 / $0.60 read / $22.50."""
    sonnet = price("anthropic", "claude-sonnet-4-5")
    assert sonnet.cost(Usage(input=200_000, output=1_000)) == 200_000 * 3 + 1_000 * 15
    assert sonnet.cost(Usage(input=1, output=1_000, cache_read=200_000)) == 6 + 22_500 + 120_000
    assert [band.above for band in sonnet.bands] == [0, 200_000]


@pytest.mark.parametrize(
    ("usage", "micros"),
    [
        (Usage(input=1), 3),  # 2.5: half up, where half-even would say 2
        (Usage(input=3), 8),  # 7.5
        (Usage(cache_read=1), 1),  # 1.25
        (Usage(input=1, cache_read=1), 4),  # 3.75, rounded once: kind by kind it would also be 3 + 1
        (Usage(input=1, cache_read=2), 5),  # 2.5 + 2.5: rounding each kind would say 6
        (Usage(), 0),
    ],
)
def test_a_call_is_rounded_once_half_up(usage: Usage, micros: int) -> None:
    assert price("openai", "gpt-4o").cost(usage) == micros


def test_prices_change_at_midnight_utc_of_their_day() -> None:
    """o3 went from $10/$40 to $2/$8 on 10 June 2025."""
    change = datetime(2025, 6, 10, tzinfo=UTC)
    before, after = price("openai", "o3", change - timedelta(microseconds=1)), price("openai", "o3", change)
    assert before.rates_for(1).input == 10_000_000
    assert after.rates_for(1).input == 2_000_000
    assert before.valid_to == after.valid_from == change


def test_a_kind_without_a_rate_is_charged_as_input() -> None:
    """Groq publishes no rate for cached tokens of this model: they are not free."""
    llama = price("groq", "llama-3.3-70b-versatile")
    assert llama.cost(Usage(cache_read=1_000_000)) == llama.cost(Usage(input=1_000_000)) == 590_000


TOKENS = st.integers(0, 400_000)
EVERY_PRICE = [(name, found) for name in LIST.providers for found in LIST.of_provider(name, NOW)]
THEIRS = {(maker.id, model.id): (maker, model) for maker in providers for model in maker.models}


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(EVERY_PRICE), TOKENS, TOKENS, TOKENS, st.integers(0, 60_000))
def test_costs_are_those_of_the_package(
    entry: tuple[str, Price], fresh: int, read: int, written: int, output: int
) -> None:
    """Within a micro-dollar per million tokens, to which the finest of its prices are rounded."""
    provider, ours = entry
    name = {"gemini": "google", "xai": "x-ai", "bedrock": "aws"}.get(provider, provider)
    maker, model = THEIRS[name, ours.model]
    usage = genai_prices.Usage(
        input_tokens=fresh + read + written,
        cache_read_tokens=read,
        cache_write_tokens=written,
        output_tokens=output,
    )
    calculated = model.calc_price(usage, maker, genai_request_timestamp=NOW)
    exact = calculated.total_price * 1_000_000
    assert abs(ours.cost(Usage(fresh, output, read, written)) - exact) <= Decimal("1.5")


@given(
    st.lists(st.integers(0, 10**8), min_size=4, max_size=4),
    st.lists(st.integers(0, 10**8), min_size=4, max_size=4),
    TOKENS,
    TOKENS,
    TOKENS,
    st.integers(0, 60_000),
    st.integers(0, 60_000),
)
def test_nothing_costs_more_than_its_worst_case(
    low: list[int], high: list[int], fresh: int, read: int, written: int, output: int, unused: int
) -> None:
    made = Price("p", "m", (Band(0, Rates(*low)), Band(200_000, Rates(*high))), Source.LIST, "", per_call=7)
    usage = Usage(fresh, output, read, written)
    worst = made.worst_case(usage.prompt, output + unused)
    assert made.cost(usage) <= worst
    assert worst <= made.worst_case(usage.prompt + 1, output + unused)
    rates = made.rates_for(usage.prompt)
    exact = Decimal(
        fresh * rates.input + output * rates.output + read * rates.cache_read + written * rates.cache_write
    )
    assert made.cost(usage) == 7 + int((exact / 1_000_000).to_integral_value(ROUND_HALF_UP))


def test_every_list_price_is_a_price() -> None:
    assert len(EVERY_PRICE) > 1500
    for _, found in EVERY_PRICE:
        assert found.bands[0].above == 0
        assert [band.above for band in found.bands] == sorted({band.above for band in found.bands})
        for band in found.bands:
            rates = band.rates
            assert min(rates.input, rates.output, rates.cache_read, rates.cache_write) >= 0


async def test_the_list_says_which_package_it_is_from() -> None:
    found = (await price_list()).price("openai", "gpt-4o", NOW)
    assert found is not None
    assert found.label == f"list price, genai-prices {genai_prices.__version__}"


def test_the_package_is_loaded_only_when_a_price_is_asked_for() -> None:
    """Nor does it go to the network: what updates prices over it is never started."""
    program = (
        "import sys, spotter.app; assert not any(name.startswith('genai_prices') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
