"""The one task that owns the connection: it connects, sends, checks, and answers what others ask of it."""

import asyncio
import logging
import random
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

import psycopg

from spotter.errors import Unavailable
from spotter.store.bus.link import Link
from spotter.store.bus.notices import Counters
from spotter.store.bus.outbox import Outbox
from spotter.store.bus.wire import greeting, pack

logger = logging.getLogger(__name__)

T = TypeVar("T")

_BATCH = 1_000  # notices in one statement
_FIRST_DELAY, _LONGEST_DELAY = 0.05, 3.0
_STABLE_AFTER = 5.0  # a connection that lasted this long starts the delays anew
_CUT_GRACE = 0.5

_NOTIFY = "SELECT pg_notify(%s, payload) FROM unnest(%s::text[]) AS payload"


@dataclass(frozen=True, slots=True)
class Timing:
    flush_interval: float
    check_interval: float
    answer_timeout: float
    stop_timeout: float


class Owner:
    def __init__(
        self,
        url: str,
        channel: str,
        sender: str,
        *,
        timing: Timing,
        counters: Counters,
        outbox: Outbox,
        on_payload: Callable[[str], None],
        on_connected: Callable[[], None],
    ) -> None:
        self._url = url
        self._channel = channel
        self._sender = sender
        self._timing = timing
        self._counters = counters
        self._outbox = outbox
        self._on_payload = on_payload
        self._on_connected = on_connected
        self.connected = False
        self.alone = False
        """No other process listens: what is published need not be sent. Not known is not alone."""
        self._met = 0
        self.stopping = asyncio.Event()
        self.tried = asyncio.Event()
        self.locks: set[tuple[int, int]] = set()
        """The locks we want; those we have are with the link."""
        self._link: Link | None = None
        self._wake = asyncio.Event()
        self._numbers = count()
        self._requests: deque[tuple[Callable[[Link], Awaitable[Any]], asyncio.Future[Any]]] = deque()
        self._next_flush = 0.0
        self._connections = 0
        self._outage_logged = False

    def wake(self) -> None:
        """There is something in the outbox that was empty before."""
        self._wake.set()

    def met(self) -> None:
        """Another process was heard. What was not sent because nobody seemed to listen, it reads in the log."""
        self._met += 1
        if self.alone:
            self._outbox.lose((), everything=True)
            self._wake.set()
        self.alone = False

    def has_lock(self, lock: tuple[int, int]) -> bool:
        return self.connected and self._link is not None and lock in self._link.held

    async def ask(self, work: Callable[[Link], Awaitable[T]]) -> T:
        """Done by the owner's task, so that cancelling the asker leaves the connection alone."""
        if not self.connected:
            raise Unavailable("The database is not connected at the moment.")
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._requests.append((work, answer))
        self._wake.set()
        return await answer

    async def settle_locks(self) -> None:
        """Take what is wanted and let go of what is not: now if connected, otherwise when we are."""
        try:
            await self.ask(self._settle_locks)
        except Unavailable:
            logger.debug("process locks will be settled once the bus is connected")

    async def stop(self, task: asyncio.Task[None]) -> None:
        self.stopping.set()
        self._wake.set()
        try:
            await asyncio.wait([task], timeout=self._timing.stop_timeout)
            if not task.done() and self._link is not None:
                # psycopg answers a cancellation by asking the server to cancel, for up to ten seconds.
                self._link.cut()
                await asyncio.wait([task], timeout=_CUT_GRACE)
        finally:
            task.cancel()

    async def keep_connected(self) -> None:
        loop = asyncio.get_running_loop()
        attempt = 0
        while not self.stopping.is_set():
            began = loop.time()
            try:
                await self._live_once()
            except (psycopg.Error, OSError) as error:
                self._log_outage(error)
            except Exception:  # without the bus there is no worker either, and nobody would notice
                logger.exception("the bus met a bug and connects anew")
            finally:
                self.tried.set()
            attempt = 0 if loop.time() - began > _STABLE_AFTER else attempt + 1
            await self._pause(attempt)

    async def _live_once(self) -> None:
        link = self._link = await Link.connect(
            self._url,
            answer_timeout=self._timing.answer_timeout,
            on_payload=self._on_payload,
            on_loss=self._wake.set,
        )
        try:
            await link.listen(self._channel, greeting(self._sender))
            await self._check(link)
            self._announce()
            await self._serve(link)
        finally:
            self.connected = self.alone = False
            self._link = None
            self._refuse_requests()
            await link.close()

    async def _serve(self, link: Link) -> None:
        loop = asyncio.get_running_loop()
        next_check = loop.time() + self._timing.check_interval
        while True:
            if link.failure is not None:
                raise link.failure
            await self._answer_requests(link)
            if self._outbox and loop.time() >= self._next_flush:
                await self._flush(link)
            if loop.time() >= next_check:
                await self._check(link)
                next_check = loop.time() + self._timing.check_interval
            if self.stopping.is_set() and not self._outbox:
                return
            await self._sleep_until(min(next_check, self._next_flush) if self._outbox else next_check)

    async def _sleep_until(self, moment: float) -> None:
        """Or until woken: by the first notice in an empty outbox, a request, a loss, or stop()."""
        timer = asyncio.get_running_loop().call_at(moment, self._wake.set)
        try:
            await self._wake.wait()
        finally:
            timer.cancel()
        self._wake.clear()

    async def _flush(self, link: Link) -> None:
        # The first notice after a silence leaves at once; then at most one statement per interval.
        self._next_flush = asyncio.get_running_loop().time() + self._timing.flush_interval
        batch = self._outbox.take(_BATCH)
        payloads = pack(batch.items, sender=self._sender, numbers=self._numbers)
        try:
            await link.run(_NOTIFY, [self._channel, payloads])
        except psycopg.Error:
            # It may have arrived or not; sending it again could deliver it twice.
            self._counters.dropped += batch.notices
            self._outbox.lose(batch.topics, everything=batch.everything_lost)
            raise
        self._counters.sent += len(payloads)

    async def _check(self, link: Link) -> None:
        met = self._met
        others = await link.others(self._channel)
        # Whoever came while we asked was heard before the answer, though they came after it.
        self.alone = others == 0 and met == self._met
        await self._settle_locks(link)

    async def _settle_locks(self, link: Link) -> None:
        for lock in self.locks - link.held:
            await link.take_lock(lock)
        for lock in link.held - self.locks:
            await link.drop_lock(lock)

    async def _answer_requests(self, link: Link) -> None:
        while self._requests:
            work, answer = self._requests[0]
            result = await work(link)
            self._requests.popleft()
            if not answer.done():
                answer.set_result(result)

    def _refuse_requests(self) -> None:
        while self._requests:
            _, answer = self._requests.popleft()
            if not answer.done():
                answer.set_exception(Unavailable("The database connection was lost."))

    async def _pause(self, attempt: int) -> None:
        longest = min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** min(attempt, 10))
        try:
            async with asyncio.timeout(longest * random.uniform(0.5, 1)):  # noqa: S311 - no secret
                await self.stopping.wait()
        except TimeoutError:
            return

    def _announce(self) -> None:
        self.connected = True
        self.tried.set()
        self._outage_logged = False
        self._connections += 1
        self._counters.reconnects = self._connections - 1
        logger.info("bus connected" if self._connections == 1 else "bus connected again")
        self._on_connected()

    def _log_outage(self, error: Exception) -> None:
        if not self._outage_logged:
            logger.warning("bus has no connection, trying again until it has one: %s", error)
        self._outage_logged = True
