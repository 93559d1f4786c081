"""Streams end when their reader may no longer read: server-sent events and WebSockets of every route, in one place."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spotter.identity.principal import Principal
from spotter.identity.standing import Standing

_GOODBYE_SECONDS: Final = 2.0
_REFUSED: Final = 4401
"""As for any refusal on a WebSocket: 4000 and the HTTP status."""
_LAST: Final[dict[str, Message]] = {
    "http": {"type": "http.response.body", "body": b"", "more_body": False},
    "websocket": {"type": "websocket.close", "code": _REFUSED, "reason": "Sign in again."},
}


class StandingStreams:
    """Innermost, where it is known who called. `longest` is for streams of people that are opened by GET, and so can be
    taken up again: what nobody tells us of (a sign-out elsewhere, a password changed in another organisation) ends
    them too, with the next attempt. WebSockets see to that themselves."""

    def __init__(self, app: ASGIApp, standing: Standing, *, longest: float) -> None:
        self.app = app
        self.standing = standing
        self.longest = longest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in _LAST:
            await self.app(scope, receive, send)
            return
        limit = asyncio.timeout(None)
        try:
            async with limit:
                with ExitStack() as watching:
                    begin = partial(self._begin, scope, limit, watching)
                    await self.app(scope, receive, _telling(send, begin))
        except TimeoutError:
            if not limit.expired():
                raise
            await _say_goodbye(scope, send)

    def _begin(self, scope: Scope, limit: asyncio.Timeout, watching: ExitStack) -> None:
        principal = scope.get("state", {}).get("principal")
        if not isinstance(principal, Principal):
            return
        clock = asyncio.get_running_loop().time
        if scope.get("method") == "GET" and principal.kind == "user":
            limit.reschedule(clock() + self.longest)
        watching.enter_context(self.standing.watched(principal, lambda: limit.reschedule(clock())))


def _telling(send: Send, begin: Callable[[], None]) -> Send:
    async def telling_send(message: Message) -> None:
        if _begins_stream(message):
            begin()
        await send(message)

    return telling_send


def _begins_stream(message: Message) -> bool:
    if message["type"] == "http.response.start":
        return Headers(raw=message.get("headers", [])).get("content-type", "").startswith("text/event-stream")
    return bool(message["type"] == "websocket.accept")


async def _say_goodbye(scope: Scope, send: Send) -> None:
    """Who does not read, or has left, is not waited for: the server cuts them off."""
    with suppress(TimeoutError, OSError):
        async with asyncio.timeout(_GOODBYE_SECONDS):
            await send(_LAST[scope["type"]])
