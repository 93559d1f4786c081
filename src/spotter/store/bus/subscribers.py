"""The readers of this process. Delivering never waits and never runs a reader's code."""

import asyncio
from collections import deque
from typing import Self

from spotter.store.bus.notices import Counters, Delta, Notice, Resync, ResyncReason

POLL_SLOTS = 8
"""Readers are polled in turns, so that a thousand of them do not read the log at the same instant."""
QUICK_POLLS = 5
"""As many polls without any notice come in every round; then fewer and fewer."""
LONGEST_PAUSE = 30
"""Rounds between two polls of a reader who has heard nothing for long. What a poll finds was lost by a process that
died between its commit and its notice, so it is looked for where something has just happened; a thousand readers of
silent sessions must not cost a thousand queries in each round."""


class _Delivery:
    """One notice on its way to all its readers. Those who have not read the text before it get both in one piece,
    which is made once: readers mostly stand at the same place."""

    __slots__ = ("_before", "_joined", "item")

    def __init__(self, item: Notice | Resync) -> None:
        self.item = item
        self._before: Delta | None = None
        self._joined: Delta | None = None

    def joined_to(self, unread: Delta) -> Delta | None:
        if not isinstance(self.item, Delta):
            return None
        if unread is not self._before:
            self._before, self._joined = unread, unread.joined(self.item)
        return self._joined


class Subscription:
    """One reader's notices: an async context manager, then an async iterator for one task.

    It is registered by `async with` and ends when the bus stops. Text that a reader has not got to yet is joined, so
    a slow one gets fewer and longer pieces.
    """

    def __init__(self, topics: frozenset[str], size: int, registry: "Subscribers") -> None:
        self.topics = topics
        self._size = size
        self._registry = registry
        self._buffer: deque[Notice | Resync] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._closed = False
        self._quiet = 0
        """Polls since the last notice."""
        self._pause = 0
        """Rounds until the next poll."""

    async def __aenter__(self) -> Self:
        self._registry.add(self)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._registry.remove(self)
        self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Notice | Resync:
        while not self._buffer:
            if self._closed:
                raise StopAsyncIteration
            await self._something()
        return self._buffer.popleft()

    async def batch(self, patience: float | None = None) -> list[Notice | Resync] | None:
        """Everything that is there, waiting for it if need be. Empty after `patience` seconds without any, None at
        the end."""
        if not self._buffer and not self._closed:
            await self._something(patience)
        if not self._buffer and self._closed:
            return None
        batch = list(self._buffer)
        self._buffer.clear()
        return batch

    def offer(self, delivery: _Delivery) -> bool:
        """False if the buffer was full: what was in it has become one `Resync`."""
        self._quiet = self._pause = 0
        buffer = self._buffer
        if buffer:
            newest = buffer[-1]
            if isinstance(newest, Delta) and (joined := delivery.joined_to(newest)) is not None:
                buffer[-1] = joined
                return True
        return self._put(delivery.item)

    def poll(self) -> bool:
        if self._pause > 0:
            self._pause -= 1
            return True
        self._quiet = min(self._quiet + 1, QUICK_POLLS + LONGEST_PAUSE.bit_length())
        self._pause = min(2 ** max(0, self._quiet - QUICK_POLLS), LONGEST_PAUSE) - 1
        return self.resync(ResyncReason.POLL)

    def resync(self, reason: ResyncReason) -> bool:
        newest = self._buffer[-1] if self._buffer else None
        if isinstance(newest, Resync) and newest.topic is None:
            return True  # it has not looked at that one yet
        return self._put(Resync(reason))

    def close(self) -> None:
        """What is buffered can still be read; then the iteration ends."""
        self._closed = True
        self._wake()

    def _put(self, item: Notice | Resync) -> bool:
        fits = len(self._buffer) < self._size
        if not fits:
            self._buffer.clear()
            item = Resync(ResyncReason.OVERFLOW)
        self._buffer.append(item)
        self._wake()
        return fits

    async def _something(self, patience: float | None = None) -> None:
        """Until there is something, it is closed, or `patience` is at its end."""
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        alarm = loop.call_later(patience, self._wake) if patience is not None else None
        try:
            await self._waiter
        finally:
            self._waiter = None
            if alarm is not None:
                alarm.cancel()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Subscribers:
    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._by_topic: dict[str, set[Subscription]] = {}
        self._slots: tuple[set[Subscription], ...] = tuple(set() for _ in range(POLL_SLOTS))

    def __len__(self) -> int:
        return sum(map(len, self._slots))

    def add(self, subscription: Subscription) -> None:
        for topic in subscription.topics:
            self._by_topic.setdefault(topic, set()).add(subscription)
        min(self._slots, key=len).add(subscription)

    def remove(self, subscription: Subscription) -> None:
        for topic in subscription.topics:
            readers = self._by_topic.get(topic, set())
            readers.discard(subscription)
            if not readers:
                self._by_topic.pop(topic, None)
        for slot in self._slots:
            slot.discard(subscription)

    def deliver(self, item: Notice | Resync) -> None:
        if item.topic is None:
            self.resync_all(ResyncReason.MISSED)
            return
        delivery = _Delivery(item)
        for reader in self._by_topic.get(item.topic, ()):
            if not reader.offer(delivery):
                self._counters.overflows += 1

    def resync_all(self, reason: ResyncReason) -> None:
        for slot in range(POLL_SLOTS):
            self.resync_slot(slot, reason)

    def resync_slot(self, slot: int, reason: ResyncReason) -> None:
        for reader in self._slots[slot]:
            if not (reader.poll() if reason is ResyncReason.POLL else reader.resync(reason)):
                self._counters.overflows += 1

    def close_all(self) -> None:
        for slot in self._slots:
            for reader in slot:
                reader.close()
