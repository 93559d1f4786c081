"""Identifiers: time-ordered UUIDs (version 7, RFC 9562) that grow within one process."""

import secrets
import threading
import time
from uuid import UUID

_lock = threading.Lock()
_last_ms = 0
_counter = 0

_COUNTER_BITS = 12


def new_id() -> UUID:
    """A UUIDv7. Ids made in the same millisecond still sort in the order they were made."""
    global _last_ms, _counter  # noqa: PLW0603 - the counter is what makes the order hold
    with _lock:
        now_ms = time.time_ns() // 1_000_000
        if now_ms > _last_ms:
            _last_ms = now_ms
            # Start low so that there is room to count up within the millisecond.
            _counter = secrets.randbits(_COUNTER_BITS - 1)
        else:
            _counter += 1
            if _counter >> _COUNTER_BITS:
                _last_ms += 1
                _counter = 0
        ms, count = _last_ms, _counter
    value = ms << 80 | 0x7 << 76 | count << 64 | 0b10 << 62 | secrets.randbits(62)
    return UUID(int=value)


def random_id() -> UUID:
    """A UUIDv4, for ids whose age must not be readable by those who see them."""
    return UUID(int=secrets.randbits(128) & ~(0xF << 76) & ~(0b11 << 62) | 0x4 << 76 | 0b10 << 62)
