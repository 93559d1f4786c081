"""How long and how often a provider is asked."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """`total` bounds everything: connecting, retries, waiting for them, and the answer itself."""

    connect: float = 5.0
    idle: float = 60.0
    """The longest silence: before the first byte and between two chunks."""
    total: float = 300.0
    retries: int = 2
    longest_retry_after: float = 20.0
    """Asked to wait longer than this we fail at once, so that a fallback or the caller can decide."""
