"""A plain load balancer: each connection goes to the next server, and past one that is gone. No stickiness, no HTTP."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import count
from urllib.parse import urlsplit


class RoundRobin:
    def __init__(self, urls: Sequence[str]) -> None:
        self._addresses = [(parts.hostname or "", parts.port or 80) for parts in map(urlsplit, urls)]
        self._next = count()
        self._busy: set[asyncio.Task[None]] = set()
        self.served: Counter[int] = Counter()
        """By server, how many connections it got."""
        self.url = ""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._busy.add(task)
        there: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        try:
            there = await self._connect()
            if there is not None:
                await asyncio.gather(_copy(reader, there[1]), _copy(there[0], writer))
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            self._busy.discard(task)
            for one in (writer, *(there or ())[1:]):
                assert isinstance(one, asyncio.StreamWriter)
                one.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        for _ in self._addresses:
            number = next(self._next) % len(self._addresses)
            with suppress(OSError):
                found = await asyncio.open_connection(*self._addresses[number])
                self.served[number] += 1
                return found
        return None

    async def close(self) -> None:
        for task in self._busy:
            task.cancel()
        await asyncio.gather(*self._busy, return_exceptions=True)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
        if target.can_write_eof():
            target.write_eof()
    except OSError:
        target.transport.abort()


@asynccontextmanager
async def round_robin(urls: Sequence[str]) -> AsyncIterator[RoundRobin]:
    balancer = RoundRobin(urls)
    server = await asyncio.start_server(balancer._serve, "127.0.0.1", 0)
    balancer.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield balancer
    finally:
        server.close()
        await balancer.close()
        await server.wait_closed()
