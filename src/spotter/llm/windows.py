"""What is known about models by their names: how much they can read, and which settings they refuse."""

import re
from typing import Final

from spotter.llm.port import Capabilities

DEFAULT_WINDOW: Final = 128_000

# First match wins. Figures as `genai-prices` has them.
_WINDOWS: Final = tuple(
    (re.compile(pattern), window)
    for pattern, window in (
        (r"gpt-(6|5\.[4-9])(?!.*(mini|nano))", 1_000_000),
        (r"gpt-5\.3(?!.*codex)", 128_000),
        (r"gpt-5", 400_000),
        (r"gpt-4\.1", 1_000_000),
        (r"gpt-oss", 131_072),
        (r"gpt-4-32k", 32_000),
        (r"gpt-4(-0\d+)?$", 8_192),
        (r"gpt-3\.5", 16_385),
        (r"gpt-realtime-2", 128_000),
        (r"gpt-realtime", 32_000),
        (r"o1-(mini|preview)", 128_000),
        (r"o\d", 200_000),
        (r"claude-(opus-4-[6-9]|sonnet-4-6|[a-z]+-[5-9])", 1_000_000),
        (r"claude", 200_000),
    )
)

# Reasoning models have one temperature and refuse to be told another.
_FIXED_TEMPERATURE: Final = re.compile(r"o\d|gpt-5(?!.*chat)|gpt-[6-9]|claude-(opus-4-[7-9]|[a-z]+-[5-9])")
_THINKS: Final = re.compile(r"claude-(3-7|[a-z]+-[4-9])")


def context_window(model: str) -> int:
    """Tokens a model can read, by its name without provider; a cautious guess for names nobody knows."""
    bare = _bare(model)
    return next((window for pattern, window in _WINDOWS if pattern.match(bare)), DEFAULT_WINDOW)


def capabilities_of(model: str) -> Capabilities:
    bare = _bare(model)
    return Capabilities(
        context_window=context_window(bare),
        thinking=bool(_THINKS.match(bare)),
        temperature=not _FIXED_TEMPERATURE.match(bare),
    )


def _bare(model: str) -> str:
    """`openrouter:anthropic/claude-opus-5` and `openai:gpt-4o` both name a model somebody knows."""
    return (
        model.rpartition(":")[2].rpartition("/")[2].lower()
        if not model.startswith("ft:")
        else model[3:].lower()
    )
