"""What organisations have set, kept in memory for as long as it holds.

Every change of a setting raises its organisation's stamp, in the same transaction and by the database itself (see
migration 0022 for which tables). Whoever opens a turn is told the stamp by the statement that opens it, so a turn never
runs by settings that were changed before it; anybody else asks for it, once a second at most. While the stamp is the
same, nothing is read again.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from psycopg_pool import AsyncConnectionPool

T = TypeVar("T")

_FRESH_SECONDS: Final = 1.0
_MOST_KEPT: Final = 10_000
_ASK: Final = "SELECT spotter_settings_stamp(%s)"


@dataclass(slots=True)
class _Known:
    stamp: int
    asked: float
    """When the statement was sent that told it."""


class Stamps:
    """One per process."""

    def __init__(self, pool: "AsyncConnectionPool[Any]") -> None:
        self._pool = pool
        self._known: dict[UUID, _Known] = {}
        self._changed: dict[UUID, float] = {}

    async def of(self, org_id: UUID) -> int:
        """As it was a second ago, or later."""
        known = self._known.get(org_id)
        if known is not None and time.monotonic() - known.asked < _FRESH_SECONDS:
            return known.stamp
        asked = time.monotonic()
        async with self._pool.connection() as connection:
            row = await (await connection.execute(_ASK, (org_id,))).fetchone()
        stamp = int(row[0]) if row is not None and row[0] is not None else 0
        self.told(org_id, stamp, asked)
        return stamp

    def told(self, org_id: UUID, stamp: int, asked: float) -> None:
        """What a statement said that was sent at `asked`. Answers may overtake each other, and our own changes."""
        known = self._known.get(org_id)
        if (known is not None and asked < known.asked) or asked < self._changed.get(org_id, 0.0):
            return
        if len(self._known) >= _MOST_KEPT:
            self._known.clear()
        self._known[org_id] = _Known(stamp, asked)

    def changed(self, org_id: UUID | None) -> None:
        """Settings were changed here: whoever did it sees it at once. Others hear of it by themselves."""
        if org_id is None:
            return
        if len(self._changed) >= _MOST_KEPT:
            self._changed.clear()
        self._changed[org_id] = time.monotonic()
        self._known.pop(org_id, None)


class Kept(Generic[T]):
    """One kind of settings of every organisation, each read once for each stamp."""

    def __init__(self, stamps: Stamps, read: Callable[[UUID], Awaitable[T]]) -> None:
        self._stamps = stamps
        self._read = read
        self._values: dict[UUID, tuple[int, T]] = {}

    async def of(self, org_id: UUID) -> T:
        # The stamp first: what is read after it is as new, or newer and then read once more.
        stamp = await self._stamps.of(org_id)
        kept = self._values.get(org_id)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        value = await self._read(org_id)
        if len(self._values) >= _MOST_KEPT:
            self._values.clear()
        self._values[org_id] = (stamp, value)
        return value
