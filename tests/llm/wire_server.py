"""A small HTTP server on loopback that answers with exactly the bytes it is given, and keeps exactly what it was sent.

It exists for what no ready-made mock does: broken answers, cached-token usage, exact requests, dropped connections.
"""

import asyncio
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import TracebackType
from typing import Self


class Act(Enum):
    HANG = "say nothing more until the client leaves"
    CUT = "break the connection off"


@dataclass(frozen=True)
class Answer:
    """A response: a status, headers and pieces of body. A float among them is a pause, an event is waited for, an `Act`
    is what it says."""

    pieces: Sequence[bytes | float | asyncio.Event | Act] = ()
    status: int = 200
    content_type: str = "text/event-stream"
    headers: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False
    """Not even a status line."""
    length: int | None = None
    """A content length to claim; otherwise the body is chunked."""


NO_OBJECTION = Answer(
    [
        b'{"id": "modr-1", "model": "omni-moderation", "results": ['
        b'{"flagged": false, "categories": {}, "category_scores": {}, "category_applied_input_types": {}}]}'
    ],
    content_type="application/json",
)
"""What OpenAI's second opinion says about most things."""


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


Plan = Callable[[Asked], Answer]


class WireServer:
    """Serves while entered. Set `plan` to say what comes next; `asked` is what came."""

    def __init__(self, plan: Plan | None = None, *, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self.plan = plan
        self.asked: list[Asked] = []
        self.left_early = asyncio.Event()
        """Set when a client went away before its answer was through."""
        self._port = port
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._busy: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        assert self._server is not None
        port = self._server.sockets[0].getsockname()[1]
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", self._port, ssl=self._tls, limit=2**26
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._busy:
            task.cancel()
        await asyncio.gather(*self._busy, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._busy.add(task)
        try:
            while (asked := await _read(reader)) is not None:
                self.asked.append(asked)
                assert self.plan is not None
                if not await self._answer(self.plan(asked), reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left_early.set()
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            self._busy.discard(task)
            writer.transport.abort()

    async def _answer(
        self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Send it; whether the connection can be used again."""
        if not answer.silent:
            head = [f"HTTP/1.1 {answer.status} .", f"content-type: {answer.content_type}"]
            head += [f"{name}: {value}" for name, value in answer.headers.items()]
            size = (
                f"content-length: {answer.length}"
                if answer.length is not None
                else "transfer-encoding: chunked"
            )
            writer.write("\r\n".join([*head, size, "", ""]).encode())
        for piece in answer.pieces:
            if piece is Act.CUT:
                return False
            if piece is Act.HANG:
                await reader.read(1)
                self.left_early.set()
                return False
            if isinstance(piece, float):
                await asyncio.sleep(piece)
            elif isinstance(piece, asyncio.Event):
                await piece.wait()
            elif piece:
                writer.write(piece if answer.length is not None else b"%x\r\n%s\r\n" % (len(piece), piece))
                await writer.drain()
                if reader.at_eof():
                    self.left_early.set()
                    return False
        if answer.length is None:
            writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        first = await reader.readexactly(1)
        if first == b"\x16":
            return None  # somebody wants to talk TLS to a server that does not
        head = first + await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    line, *rest = head.decode("latin-1").strip().split("\r\n")
    method, path, _ = line.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in rest)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, body)
