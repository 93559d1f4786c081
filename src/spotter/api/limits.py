"""Refuses bodies that are too large, whether they say so or just keep coming."""

import asyncio
from collections.abc import Mapping
from typing import Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spotter.api.paths import is_under
from spotter.api.problems import problem_response
from spotter.errors import PayloadTooLarge

_DRAIN_BYTES: Final = 8_000_000
_DRAIN_SECONDS: Final = 5.0


class _BodyTooLargeError(HTTPException):
    """An `HTTPException` because FastAPI turns anything else that breaks the reading of a body into a 400."""

    def __init__(self) -> None:
        super().__init__(413)


class BodyLimit:
    """`overrides` maps a path prefix to its own limit in bytes; the longest prefix wins."""

    def __init__(self, app: ASGIApp, max_bytes: int, overrides: Mapping[str, int] | None = None) -> None:
        self.app = app
        self.max_bytes = max_bytes
        self.overrides = sorted((overrides or {}).items(), key=lambda item: len(item[0]), reverse=True)

    def limit_for(self, path: str) -> int:
        return next((limit for prefix, limit in self.overrides if is_under(path, prefix)), self.max_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self.limit_for(scope["path"])
        headers = Headers(scope=scope)
        declared = headers.get("content-length", "")
        if declared.isdecimal() and (len(declared) > 18 or int(declared) > limit):
            # Who asked first (Expect: 100-continue) has sent nothing yet, so there is nothing to read away.
            waiting = headers.get("expect", "").lower() == "100-continue"
            await _refuse(scope, receive, send, limit, drain=not waiting)
            return
        await self._counted(scope, receive, send, limit)

    async def _counted(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        seen = 0
        exceeded = started = False

        async def counting_receive() -> Message:
            nonlocal seen, exceeded
            message = await receive()
            if message["type"] == "http.request":
                seen += len(message.get("body", b""))
                if seen > limit:
                    exceeded = True
                    raise _BodyTooLargeError
            return message

        async def watching_send(message: Message) -> None:
            nonlocal started
            if exceeded and not started:
                return  # what the app makes of the broken body; ours follows
            started = True
            await send(message)

        try:
            await self.app(scope, counting_receive, watching_send)
        except _BodyTooLargeError:
            if started:
                raise
        if exceeded and not started:
            await _refuse(scope, receive, send, limit, drain=True)


async def _refuse(scope: Scope, receive: Receive, send: Send, limit: int, *, drain: bool) -> None:
    error = PayloadTooLarge(
        f"The body may have at most {limit:,} bytes. Nothing was changed.", extra={"max_bytes": limit}
    )
    response = problem_response(error, scope, {"Connection": "close"})
    await send({"type": "http.response.start", "status": error.status, "headers": response.raw_headers})
    # The whole answer is out now. Closing while the client still sends would reset the connection and could
    # take the answer with it, so what comes is read away for a while before the end is declared.
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    if drain:
        await _drain(receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drain(receive: Receive) -> None:
    left = _DRAIN_BYTES
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            while left > 0:
                message = await receive()
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return
                left -= len(message.get("body", b""))
    except TimeoutError:
        return
