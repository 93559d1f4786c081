"""Which other sites' pages may call us: exactly those that are listed."""

from typing import Final

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from typing_extensions import override

from spotter.api.origins import parse_origin
from spotter.api.problems import problem_response
from spotter.errors import BadRequest
from spotter.settings import Settings

_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_REQUEST_HEADERS: Final = (
    "Authorization",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Last-Event-ID",
    "X-Guest-Token",
    "X-Organisation",
    "X-API-Key",
    "X-Correlation-ID",
)
_EXPOSED: Final = (
    "ETag",
    "Idempotency-Key",
    "Idempotent-Replayed",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "X-Correlation-ID",
    "X-Guest-Token",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
)
_ENTITY_HEADERS: Final = {"content-length", "content-type"}


class _ExactOrigins(CORSMiddleware):
    @override
    def preflight_response(self, request_headers: Headers) -> Response:
        response = super().preflight_response(request_headers)
        if response.status_code < 400:
            return response
        error = BadRequest(f"{bytes(response.body).decode()}. The operator lists the origins that may call.")
        kept = {name: value for name, value in response.headers.items() if name not in _ENTITY_HEADERS}
        return problem_response(error, {}, kept)


def install_cors(app: FastAPI, settings: Settings) -> None:
    """No credentials: callers send a bearer token in a header, which no browser attaches by itself."""
    origins = [parse_origin(origin) for origin in settings.cors_origins]
    app.add_middleware(
        _ExactOrigins,
        allow_origins=[origin.text for origin in origins if origin is not None],
        allow_methods=_METHODS,
        allow_headers=_REQUEST_HEADERS,
        expose_headers=_EXPOSED,
        allow_credentials=False,
        max_age=600,
    )
