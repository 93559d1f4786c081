"""Gives every request a correlation id, and writes the access log under it."""

import logging
import re
import time
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spotter import traces
from spotter.api.client_address import client_address
from spotter.api.paths import is_probe, loggable, route_template
from spotter.ids import random_id
from spotter.logs import bind_log_context, correlation_id

logger = logging.getLogger("spotter.access")

HEADER: Final = "X-Correlation-ID"
_ACCEPTABLE: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_STARTS: Final = {"http.response.start", "websocket.accept", "websocket.http.response.start"}
_CLIENT_CLOSED: Final = 499  # nginx's number for a client that left before the answer


class Correlation:
    """Outermost but for `ClientAddresses`: whatever else answers, the id is on it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        identifier = _given(scope) or random_id().hex
        scope.setdefault("state", {})["correlation_id"] = identifier
        status: int | None = None
        failed = True
        started = time.perf_counter()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] in _STARTS:
                status = message.get("status", 101)
                # An accept message may come without headers.
                message.setdefault("headers", [])
                MutableHeaders(scope=message)[HEADER] = identifier
            elif message["type"] == "websocket.close" and status is None:
                status = 403  # closed instead of accepted: the server answers this
            await send(message)

        token = correlation_id.set(identifier)
        traces.correlate()
        try:
            with bind_log_context():
                try:
                    await self.app(scope, receive, sending)
                    failed = False
                finally:
                    if status is None:
                        status = 500 if failed else _CLIENT_CLOSED
                    _log(scope, status, time.perf_counter() - started)
        finally:
            correlation_id.reset(token)


def _given(scope: Scope) -> str | None:
    given = Headers(scope=scope).get(HEADER)
    return given if given is not None and _ACCEPTABLE.fullmatch(given) else None


def _log(scope: Scope, status: int, seconds: float) -> None:
    method = scope.get("method", "WEBSOCKET")
    path = loggable(scope["path"])  # without the query string, which may hold tokens
    milliseconds = round(seconds * 1000, 1)
    logger.log(
        logging.DEBUG if is_probe(path) else logging.INFO,
        "%s %s %s %sms",
        method,
        path,
        status,
        milliseconds,
        extra={
            "method": method,
            "route": route_template(scope),
            "path": path,
            "status": status,
            "duration_ms": milliseconds,
            "client": client_address(scope),
        },
    )
