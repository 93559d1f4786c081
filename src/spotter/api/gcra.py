"""The generic cell rate algorithm: one number per key says when its quota will be whole again."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

_SECOND: Final = 1_000_000_000
_SWEPT_PER_CALL: Final = 2


class Rate(NamedTuple):
    """`limit` requests at once, then one every `seconds / limit`."""

    limit: int
    seconds: int

    @property
    def interval(self) -> int:
        """Nanoseconds between two requests at the steady rate. Rounded up: never a bit too generous."""
        return -(-self.seconds * _SECOND // self.limit)


@dataclass(frozen=True, slots=True)
class LimitState:
    allowed: bool
    name: str
    rate: Rate
    remaining: int
    reset_after: float
    """Seconds until the whole quota is there again."""
    retry_after: float
    """Seconds until the next request would pass; 0 if this one did."""


class Limiter:
    """Integers of nanoseconds, so that nothing drifts. A refused request costs nothing.

    Memory is bounded: each call drops up to two idle keys (their quota is whole, so nothing is forgotten),
    and beyond `max_keys` the one not seen for longest goes.
    """

    def __init__(self, clock: Callable[[], int] = time.monotonic_ns, max_keys: int = 100_000) -> None:
        self._clock = clock
        self._max_keys = max_keys
        self._whole_at: OrderedDict[tuple[str, str], int] = OrderedDict()

    def __len__(self) -> int:
        return len(self._whole_at)

    def take(self, name: str, rate: Rate, key: str) -> LimitState:
        now = self._clock()
        self._sweep(now)
        full = rate.interval * rate.limit
        before = max(self._whole_at.get((name, key), now), now)
        after = before + rate.interval
        allowed = after - now <= full
        whole_at = after if allowed else before
        self._whole_at[name, key] = whole_at
        self._whole_at.move_to_end((name, key))
        if len(self._whole_at) > self._max_keys:
            self._whole_at.popitem(last=False)
        return LimitState(
            allowed=allowed,
            name=name,
            rate=rate,
            remaining=(full - (whole_at - now)) // rate.interval,
            reset_after=(whole_at - now) / _SECOND,
            retry_after=0.0 if allowed else (after - now - full) / _SECOND,
        )

    def _sweep(self, now: int) -> None:
        for _ in range(_SWEPT_PER_CALL):
            oldest = next(iter(self._whole_at.items()), None)
            if oldest is None or oldest[1] > now:
                return
            del self._whole_at[oldest[0]]
