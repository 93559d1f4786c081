"""HTTP/1.1 straight on the event loop, for the official clients to stand on.

Half of what a short model call costs is the pure-Python HTTP under them. This does the part we need: requests with a
body at hand, answers whole or streamed, connections used again. Parsing is llhttp's (`httptools`). Proxies and HTTP/2
are left to the clients' own transport. Errors and time-outs are the clients' own kinds, so nobody above can tell.
"""

import asyncio
import select
import ssl
from collections.abc import AsyncIterator
from typing import Any, Final

import httptools
import httpx2
from typing_extensions import override

_MOST_UNHEARD: Final = 256 * 1024
"""Bytes in which nothing of use came: headers, trailers, and what may stand between pieces of a body."""
_PAUSE_ABOVE: Final = 1024 * 1024
_FORGOTTEN_AFTER: Final = 50.0
"""Seconds a connection may lie idle: people think between two messages, and a new one costs them two journeys to the
provider. Balancers drop theirs after 60 or more; a server that closes earlier is noticed before we ask."""

Address = tuple[bool, str, int]


class DirectTransport(httpx2.AsyncBaseTransport):
    def __init__(self, context: ssl.SSLContext, *, connections: int, idle: int) -> None:
        self._context = context
        self._most_idle = idle
        self._slots = asyncio.Semaphore(connections)
        self._idle: dict[Address, list[_Connection]] = {}
        self._sweep: asyncio.TimerHandle | None = None
        self._closed = False

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        timeouts = request.extensions.get("timeout", {})
        body = await request.aread()
        message = _head(request, len(body)) + body
        await self._take_slot(timeouts.get("pool"))
        connection: _Connection | None = None
        try:
            connection = await self._connection(_address(request.url), timeouts.get("connect"))
            status, headers = await connection.ask(message, timeouts.get("read"))
        except BaseException:
            self._give_back(connection)
            raise
        answer = _Body(self, connection, timeouts.get("read"))
        return httpx2.Response(
            status, headers=headers, stream=answer, extensions={"http_version": b"HTTP/1.1"}
        )

    async def _take_slot(self, patience: float | None) -> None:
        if self._slots.locked():
            try:
                async with asyncio.timeout(patience):
                    await self._slots.acquire()
            except TimeoutError:
                raise httpx2.PoolTimeout("All connections are in use.") from None
        else:
            await self._slots.acquire()

    async def _connection(self, address: Address, patience: float | None) -> "_Connection":
        loop = asyncio.get_running_loop()
        lying = self._idle.get(address, [])
        while lying:
            connection = lying.pop()
            if connection.usable(loop):
                return connection
            connection.close()
        secure, host, port = address
        try:
            async with asyncio.timeout(patience):
                _, connection = await loop.create_connection(
                    lambda: _Connection(loop, address), host, port, ssl=self._context if secure else None
                )
        except TimeoutError as error:
            raise httpx2.ConnectTimeout(str(error) or "Connecting took too long.") from error
        except (OSError, UnicodeError) as error:
            raise httpx2.ConnectError(str(error)) from error
        return connection

    def _give_back(self, connection: "_Connection | None") -> None:
        self._slots.release()
        if connection is None:
            return
        if self._closed or not connection.rest() or self._lying() >= self._most_idle:
            connection.close()
            return
        self._idle.setdefault(connection.address, []).append(connection)
        if self._sweep is None:
            loop = asyncio.get_running_loop()
            self._sweep = loop.call_later(_FORGOTTEN_AFTER, self._forget_old, loop)

    def _lying(self) -> int:
        return sum(map(len, self._idle.values()))

    def _forget_old(self, loop: asyncio.AbstractEventLoop) -> None:
        """Nobody may ever ask at this address again, and a hundred sockets would lie open until its server tires."""
        for address, lying in list(self._idle.items()):
            kept = [connection for connection in lying if connection.young(loop)]
            for connection in lying:
                if connection not in kept:
                    connection.close()
            if kept:
                self._idle[address] = kept
            else:
                del self._idle[address]
        again = bool(self._idle)
        self._sweep = loop.call_later(_FORGOTTEN_AFTER, self._forget_old, loop) if again else None

    @override
    async def aclose(self) -> None:
        self._closed = True
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for lying in self._idle.values():
            for connection in lying:
                connection.close()
        self._idle.clear()


class _Body(httpx2.AsyncByteStream):
    def __init__(self, transport: DirectTransport, connection: "_Connection", patience: float | None) -> None:
        self._transport = transport
        self._connection: _Connection | None = connection
        self._patience = patience

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        assert self._connection is not None
        while (piece := await self._connection.piece(self._patience)) is not None:
            yield piece

    @override
    async def aclose(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            self._transport._give_back(connection)


class _Connection(asyncio.Protocol):
    """One answer at a time. What arrives is parsed as it comes; whoever waits is woken."""

    def __init__(self, loop: asyncio.AbstractEventLoop, address: Address) -> None:
        self._loop = loop
        self.address = address
        self._parser = httptools.HttpResponseParser(self)
        self._transport: Any = None
        self._waiter: asyncio.Future[None] | None = None
        self._lost = False
        self._idle_since = 0.0
        self._begin(asked=False)

    def _begin(self, *, asked: bool) -> None:
        self._asked = asked
        self._headers: list[tuple[bytes, bytes]] = []
        self._unheard = 0
        self._head: tuple[int, list[tuple[bytes, bytes]]] | None = None
        self._until_closed = False
        self._pieces: list[bytes] = []
        self._waiting = 0
        self._paused = False
        self._complete = False
        self._reusable = False
        self._error: Exception | None = None

    # --- for the transport -------------------------------------------------------------------------------

    def young(self, loop: asyncio.AbstractEventLoop) -> bool:
        if self._lost or self._loop is not loop or self._transport.is_closing():
            return False
        return loop.time() - self._idle_since < _FORGOTTEN_AFTER

    def usable(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Silent so far. Something that the loop has not read yet is the server's farewell, or an answer to nothing:
        the next one who asks must not take it for theirs."""
        return self.young(loop) and not _is_readable(self._transport.get_extra_info("socket"))

    async def ask(self, message: bytes, patience: float | None) -> tuple[int, list[tuple[bytes, bytes]]]:
        self._begin(asked=True)
        if self._lost or self._transport.is_closing():  # before anything was asked: nobody will wake us
            raise httpx2.RemoteProtocolError("Server disconnected without sending a response.")
        self._transport.write(message)
        while self._head is None:
            if self._error is not None:
                raise self._error
            await self._wait(patience)
        return self._head

    async def piece(self, patience: float | None) -> bytes | None:
        """What has arrived; None at the end."""
        while not self._pieces:
            if self._error is not None:
                raise self._error
            if self._complete:
                return None
            await self._wait(patience)
        piece = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        self._pieces.clear()
        self._waiting = 0
        if self._paused:
            self._paused = False
            self._transport.resume_reading()
        return piece

    def rest(self) -> bool:
        """Whether it can be used again."""
        fit = self._complete and self._reusable and self._error is None and not self._lost
        if not fit or self._transport.get_write_buffer_size():
            return False
        self._begin(asked=False)
        self._idle_since = self._loop.time()
        return True

    def close(self) -> None:
        if self._transport is not None and not self._loop.is_closed():
            self._transport.abort()

    async def _wait(self, patience: float | None) -> None:
        waiter = self._waiter = self._loop.create_future()
        timer = self._loop.call_later(patience, _too_late, waiter) if patience is not None else None
        try:
            await waiter
        finally:
            self._waiter = None
            if timer is not None:
                timer.cancel()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _fail(self, error: Exception) -> None:
        if self._error is None and not self._complete:
            self._error = error

    # --- from the event loop -----------------------------------------------------------------------------

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    @override
    def data_received(self, data: bytes) -> None:
        if not self._asked or self._complete:
            self._reusable = False  # nobody asked for this
            self.close()
            return
        self._unheard += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._reusable = False
            self._fail(httpx2.RemoteProtocolError(str(error) or type(error).__name__))
        if self._unheard > _MOST_UNHEARD:
            self._fail(httpx2.RemoteProtocolError("The headers do not end."))
            self.close()
        self._wake()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        if not self._asked:
            return
        if exc is not None:
            self._fail(httpx2.ReadError(str(exc)))
        elif self._head is None:
            self._fail(httpx2.RemoteProtocolError("Server disconnected without sending a response."))
        elif self._until_closed:
            self._complete = True
        else:
            self._fail(
                httpx2.RemoteProtocolError(
                    "peer closed connection without sending complete message body (incomplete read)"
                )
            )
        self._wake()

    # --- from the parser ---------------------------------------------------------------------------------

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._head is None:  # what follows the body is of no use to anybody
            self._headers.append((name, value))

    def on_message_begin(self) -> None:
        if self._complete:
            raise ValueError("more than one answer")

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status >= 200:
            self._head = (status, self._headers)
            names = {name.lower() for name, _ in self._headers}
            self._until_closed = not names & {b"content-length", b"transfer-encoding"}

    def on_body(self, body: bytes) -> None:
        self._unheard = 0
        self._pieces.append(body)
        self._waiting += len(body)
        if self._waiting > _PAUSE_ABOVE and not self._paused:
            self._paused = True
            self._transport.pause_reading()

    def on_message_complete(self) -> None:
        if self._head is None:
            self._headers = []  # "100 Continue" and the like: the answer is still to come
            return
        self._complete = True
        self._reusable = bool(self._parser.should_keep_alive())


def _too_late(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_exception(httpx2.ReadTimeout("The server is silent."))


def _is_readable(sock: Any) -> bool:
    poll = select.poll()
    poll.register(sock.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _address(url: httpx2.URL) -> Address:
    """The name as the client has encoded it: left to the sockets, some names would become another host's."""
    if url.scheme not in ("http", "https"):
        raise httpx2.UnsupportedProtocol(f"Only http and https are spoken here, not {url.scheme!r}.")
    secure = url.scheme == "https"
    return secure, url.raw_host.decode("ascii").strip("[]"), url.port or (443 if secure else 80)


def _head(request: httpx2.Request, length: int) -> bytes:
    """The body goes out whole, so its length is said here, whatever the request believed: a server that reads another
    length would take the rest for a request of its own."""
    if request.method in ("HEAD", "CONNECT"):
        raise httpx2.UnsupportedProtocol(f"{request.method} is not spoken here.")
    lines = [request.method.encode("ascii") + b" " + request.url.raw_path + b" HTTP/1.1"]
    framing = (b"content-length", b"transfer-encoding")
    said = [(name, value) for name, value in request.headers.raw if name.lower() not in framing]
    if length or len(said) != len(request.headers.raw):
        said.append((b"Content-Length", b"%d" % length))
    lines += [name + b": " + value for name, value in said]
    head = b"\r\n".join(lines)
    # A key with a line break in it would become a header of its own.
    if head.count(b"\n") != len(lines) - 1 or head.count(b"\r") != len(lines) - 1 or b"\0" in head:
        raise httpx2.LocalProtocolError("Illegal characters in the headers or the address.")
    return head + b"\r\n\r\n"
