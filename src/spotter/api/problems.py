"""Every error as `application/problem+json` (RFC 9457), over HTTP and over WebSockets.

`install_problem_handlers` is the only thing an app needs; middlewares answer with `send_problem`.
"""

import json
import logging
import math
from collections.abc import Callable, Mapping
from typing import ClassVar, cast

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError, WebSocketRequestValidationError
from pydantic_core import PydanticSerializationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, ExceptionHandler, Message, Receive, Scope, Send
from starlette.websockets import WebSocketState

from spotter.api.problem_schema import PROBLEM_MEDIA_TYPE, install_problem_schema, problem_type
from spotter.api.refusals import from_http_exception, from_validation_errors
from spotter.errors import SpotterError
from spotter.logs import correlation_id

logger = logging.getLogger(__name__)

_ENCODING_ERRORS = (UnicodeEncodeError, PydanticSerializationError)

MapException = Callable[[Exception], SpotterError | None]


class InternalError(SpotterError):
    """Our bug. The text never says more than this; the log does, under the correlation id."""

    code = "internal_error"
    status = 500
    title = "Something went wrong on our side"


class ResponseAbortedError(Exception):
    """Makes the server cut a connection whose answer had begun: an early end must not look complete."""

    already_logged: ClassVar[bool] = True


def correlation_of(scope: Scope) -> str | None:
    known = scope.get("state", {}).get("correlation_id")
    return known if isinstance(known, str) else correlation_id.get()


def problem_response(error: SpotterError, scope: Scope, headers: Mapping[str, str] | None = None) -> Response:
    body: dict[str, object] = {
        "type": problem_type(error.code),
        "title": error.title,
        "status": error.status,
        "code": error.code,
        "detail": error.detail,
        "correlation_id": correlation_of(scope),
    }
    body = {**error.extra, **body}
    response = Response(
        # A text may carry half of a surrogate pair from the request; it must not break the answer.
        json.dumps(body, ensure_ascii=False, default=str).encode("utf-8", "replace"),
        status_code=error.status,
        headers=dict(headers or {}),
        media_type=PROBLEM_MEDIA_TYPE,
    )
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(max(1, math.ceil(error.retry_after)))
    if error.status == 401:
        response.headers.setdefault("WWW-Authenticate", "Bearer")
    return response


async def send_problem(
    scope: Scope, receive: Receive, send: Send, error: SpotterError, headers: Mapping[str, str] | None = None
) -> None:
    """Answers a request, or refuses a WebSocket that has not been accepted yet."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": close_code(error), "reason": error.code})
        return
    await problem_response(error, scope, headers)(scope, receive, send)


def close_code(error: SpotterError) -> int:
    """4000 + the HTTP status (the range for applications), so that clients can tell refusals apart."""
    return 1011 if error.status == 500 else 4000 + error.status


async def _respond(
    connection: Request | WebSocket, error: SpotterError, headers: Mapping[str, str] | None = None
) -> Response | None:
    if error.status >= 500:
        logger.warning("%s: %s", error.code, error.detail, extra={"code": error.code, "status": error.status})
    if isinstance(connection, WebSocket):
        if connection.application_state is WebSocketState.CONNECTING:
            await send_problem(connection.scope, connection.receive, connection.send, error, headers)
        elif connection.application_state is WebSocketState.CONNECTED:
            await connection.close(close_code(error), error.code)
        return None
    return problem_response(error, connection.scope, headers)


async def _on_spotter_error(connection: Request | WebSocket, exc: Exception) -> Response | None:
    assert isinstance(exc, SpotterError)
    return await _respond(connection, exc)


async def _on_validation_error(connection: Request | WebSocket, exc: Exception) -> Response | None:
    assert isinstance(exc, RequestValidationError | WebSocketRequestValidationError)
    return await _respond(connection, from_validation_errors(exc.errors()))


async def _on_http_exception(connection: Request | WebSocket, exc: Exception) -> Response | None:
    assert isinstance(exc, HTTPException)
    if exc.status_code < 400:
        return Response(status_code=exc.status_code, headers=exc.headers)
    return await _respond(connection, *from_http_exception(exc, connection.scope))


async def _on_exception(request: Request, exc: Exception) -> Response:
    """Last resort, for what breaks in a middleware; what breaks in a route never gets this far."""
    if not isinstance(exc, ResponseAbortedError):
        logger.error("Unexpected error in the middleware", exc_info=exc)
    return problem_response(_internal_error(), request.scope)


def _internal_error() -> InternalError:
    return InternalError("An unexpected error happened. Try again; if it stays, report the correlation id.")


class UnexpectedErrors:
    """Innermost middleware: what no handler knows becomes a logged 500 *inside* the other middlewares, so
    that the answer still gets its correlation id, security and CORS headers. (Starlette's own handler for
    `Exception` sits outside of all of them.)"""

    def __init__(self, app: ASGIApp, map_exception: MapException | None = None) -> None:
        self.app = app
        self.map_exception = map_exception

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        sent: list[str] = []

        async def watching_send(message: Message) -> None:
            if not sent or message["type"] == "websocket.close":
                sent.append(message["type"])
            await send(message)

        try:
            await self.app(scope, receive, watching_send)
        except ClientDisconnect:
            logger.info("The client went away before its request was read")
        except Exception as exc:
            error = self._known(exc)
            if error is None:
                logger.exception("Unexpected error")
                error = _internal_error()
            elif error.status >= 500:
                # Without the traceback: an outage under load would fill the log with copies of it.
                logger.warning("%s: %s", error.code, error.detail, extra={"cause": type(exc).__name__})
            await self._answer(scope, receive, send, error, sent)

    def _known(self, exc: Exception) -> SpotterError | None:
        while isinstance(exc, ExceptionGroup) and len(exc.exceptions) == 1:
            exc = exc.exceptions[0]  # a task group around a stream wraps what its one child raised
        if isinstance(exc, SpotterError):
            return exc
        if isinstance(exc, _ENCODING_ERRORS) and "surrogates not allowed" in str(exc):
            # Half a character (legal in JSON, as \\ud800) got through a field of any type.
            return from_validation_errors([{"type": "string_unicode", "loc": ()}])
        return self.map_exception(exc) if self.map_exception else None

    @staticmethod
    async def _answer(
        scope: Scope, receive: Receive, send: Send, error: SpotterError, sent: list[str]
    ) -> None:
        if not sent:
            await send_problem(scope, receive, send, error)
        elif scope["type"] == "websocket":
            if sent == ["websocket.accept"]:
                await send({"type": "websocket.close", "code": close_code(error), "reason": error.code})
        else:
            raise ResponseAbortedError(error.code) from None


def install_problem_handlers(app: FastAPI, map_exception: MapException | None = None) -> None:
    """`map_exception` translates errors of the rooms below (a database that is away) that are no bug."""
    handlers = {
        SpotterError: _on_spotter_error,
        RequestValidationError: _on_validation_error,
        WebSocketRequestValidationError: _on_validation_error,
        HTTPException: _on_http_exception,
    }
    for kind, handler in handlers.items():
        # Starlette's type knows handlers for one kind of connection only; these serve both.
        app.add_exception_handler(kind, cast("ExceptionHandler", handler))
    app.add_exception_handler(Exception, _on_exception)
    # At the end of the list is innermost, whenever this is called.
    app.user_middleware.append(Middleware(UnexpectedErrors, map_exception))
    install_problem_schema(app)
