"""The face of the bus: everybody only fills queues here; one task (`owner.py`) talks to the database."""

import asyncio
import logging
import secrets
from collections.abc import Iterable
from itertools import cycle
from typing import Self

import psycopg
from psycopg.conninfo import conninfo_to_dict
from pydantic import JsonValue

from spotter.errors import StartupRefused
from spotter.store.bus.notices import Counters, Delta, Highest, Latest, Message, Notice, ResyncReason
from spotter.store.bus.outbox import Outbox
from spotter.store.bus.owner import Owner, Timing
from spotter.store.bus.subscribers import POLL_SLOTS, Subscribers, Subscription
from spotter.store.bus.wire import PayloadError, sender_mark, unpack

logger = logging.getLogger(__name__)

_HOLDERS = """
    SELECT objid::bigint FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND classid = %s::bigint::oid
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class Bus:
    """See the package for what it promises. Use it from the event loop it was started in.

    `direct_url` must lead to the server itself: a transaction pooler swallows LISTEN, silently.
    """

    def __init__(
        self,
        direct_url: str,
        *,
        channel: str = "spotter",
        flush_interval: float = 0.02,
        poll_interval: float = 2.0,
        buffer_size: int = 256,
        queue_limit: int = 8_192,
        answer_timeout: float = 5.0,
        stop_timeout: float = 2.0,
    ) -> None:
        _refuse_unreadable(direct_url)
        self.instance_id = secrets.token_hex(8)
        self.counters = Counters()
        self._poll_interval = poll_interval
        self._buffer_size = buffer_size
        self._echo = sender_mark(self.instance_id)
        self._subscribers = Subscribers(self.counters)
        self._outbox = Outbox(queue_limit, self.counters)
        self._owner = Owner(
            direct_url,
            channel,
            self.instance_id,
            timing=Timing(flush_interval, poll_interval, answer_timeout, stop_timeout),
            counters=self.counters,
            outbox=self._outbox,
            on_payload=self._receive,
            on_connected=self._resync_all,
        )
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Returns after the first attempt to connect; if it failed, further ones follow on their own."""
        for work in (self._owner.keep_connected(), self._poll()):
            task = asyncio.create_task(work, name="bus")
            task.add_done_callback(_report_bug)
            self._tasks.append(task)
        try:
            await self._owner.tried.wait()
        except asyncio.CancelledError:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Sends what is queued if that is quick, ends every subscription and closes the connection."""
        tasks, self._tasks = self._tasks, []
        try:
            if tasks:
                await self._owner.stop(tasks[0])
        finally:
            for task in tasks:
                task.cancel()
            self._subscribers.close_all()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def connected(self) -> bool:
        return self._owner.connected

    @property
    def alone(self) -> bool:
        """No other process listens, so nothing is sent. Whoever comes greets, and is told to read the log."""
        return self._owner.alone

    @property
    def subscriber_count(self) -> int:
        return len(self._subscribers)

    @property
    def queued(self) -> int:
        return len(self._outbox)

    # Publishing: after the commit, never inside the transaction.

    def publish(self, topic: str, payload: JsonValue) -> None:
        self._publish(Message(topic, payload))

    def publish_latest(self, topic: str, key: str, value: JsonValue) -> None:
        """Until the flush a newer value under the same key takes the place of the older."""
        self._publish(Latest(topic, key, value))

    def publish_highest(self, topic: str, key: str, value: int) -> None:
        """Like `publish_latest`, but a lower number never replaces a higher one."""
        self._publish(Highest(topic, key, value))

    def publish_append(self, topic: str, key: str, text: str, offset: int) -> None:
        """`text` continues `key` at character `offset`. Until the flush, neighbours are joined."""
        self._publish(Delta(topic, key, offset, text))

    def subscribe(self, topics: str | Iterable[str]) -> Subscription:
        """`async with bus.subscribe(topics) as notices:`, read the log, then `async for` over them."""
        names = frozenset((topics,) if isinstance(topics, str) else topics)
        return Subscription(names, self._buffer_size, self._subscribers)

    # Locks that live as long as this process is connected.

    async def hold(self, lock_class: int, object_id: int) -> bool:
        """Hold this advisory lock from now on, over reconnections, until `release`. Says whether it is held
        already; if not (no connection, or somebody else has it) it is tried again at every poll."""
        self._owner.locks.add(_int4s(lock_class, object_id))
        await self._owner.settle_locks()
        return self.is_held(lock_class, object_id)

    async def release(self, lock_class: int, object_id: int) -> None:
        self._owner.locks.discard((lock_class, object_id))
        await self._owner.settle_locks()

    def is_held(self, lock_class: int, object_id: int) -> bool:
        return self._owner.has_lock((lock_class, object_id))

    async def live_holders(self, lock_class: int) -> set[int]:
        """The object ids that some live process holds. Raises `Unavailable` without a connection: an empty
        set would read as "all of them are dead"."""
        unsigned = _int4s(lock_class, 0)[0] % 2**32  # pg_locks shows both numbers as oid
        rows = await self._owner.ask(lambda link: link.run(_HOLDERS, [unsigned]))
        return {number - 2**32 if number >= 2**31 else number for (number,) in rows}

    def _publish(self, notice: Notice) -> None:
        self.counters.published += 1
        self._subscribers.deliver(notice)
        if self._owner.alone or self._owner.stopping.is_set():
            return  # nobody else would hear it; or stop() waits for the outbox to run empty
        if not self._outbox:
            self._owner.wake()
        self._outbox.add(notice)

    def _receive(self, payload: str) -> None:
        if payload.startswith(self._echo):
            return
        self._owner.met()
        try:
            items = unpack(payload)
        except PayloadError as error:
            self.counters.malformed += 1
            if self.counters.malformed == 1:
                logger.warning("the bus got a payload it cannot read (%s); readers re-read; said once", error)
            self._subscribers.resync_all(ResyncReason.MISSED)
            return
        self.counters.received += len(items)
        for item in items:
            self._subscribers.deliver(item)

    def _resync_all(self) -> None:
        self._subscribers.resync_all(ResyncReason.RECONNECTED)

    async def _poll(self) -> None:
        for slot in cycle(range(POLL_SLOTS)):
            await asyncio.sleep(self._poll_interval / POLL_SLOTS)
            self._subscribers.resync_slot(slot, ResyncReason.POLL)


def _refuse_unreadable(url: str) -> None:
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # Without the cause: it may quote the password.
        raise StartupRefused(
            "The database address cannot be read. Give it as postgresql://user:password@host:port/database."
        ) from None


def _report_bug(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.critical("the bus died of a bug; readers are left with polling", exc_info=error)


def _int4s(lock_class: int, object_id: int) -> tuple[int, int]:
    for number in (lock_class, object_id):
        if not -(2**31) <= number < 2**31:
            raise ValueError(f"{number} is outside of int4, which advisory locks are made of")
    return lock_class, object_id
