"""Refuses requests meant for someone else: unknown Host headers, WebSockets opened by other sites' pages.

A page on evil.example whose name resolves to 127.0.0.1 (DNS rebinding) talks to a local Spotter as if it
were its own server, and only the Host header gives it away. WebSockets ignore CORS, so they need the Origin.
"""

from pydantic import HttpUrl
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from spotter.api.origins import (
    DEFAULT_PORTS,
    Host,
    Origin,
    is_loopback_address,
    parse_host,
    parse_origin,
    same_place,
)
from spotter.api.problems import send_problem
from spotter.errors import BadRequest, Forbidden, SpotterError
from spotter.settings import Settings


class MisdirectedRequestError(SpotterError):
    code = "unknown_host"
    status = 421
    title = "This host is not served here"


class KnownHosts:
    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        public = _origin_of(settings.public_url) if settings.public_url else None
        listed = [name.lower() for name in settings.allowed_hosts]
        self.names = {host.name for host in map(parse_host, listed) if host is not None}
        self.suffixes = tuple(name[1:] for name in listed if name.startswith("*."))
        open_by_default = settings.binds_public_address and public is None and not listed
        self.any_host = open_by_default or "*" in listed
        self.loopback = not settings.binds_public_address
        parsed = [parse_origin(origin) for origin in settings.cors_origins]
        self.origins = {origin for origin in (public, *parsed) if origin is not None}
        if public is not None:
            self.names.add(public.host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        error = self._refusal(scope) if scope["type"] in ("http", "websocket") else None
        if error is not None:
            await send_problem(scope, receive, send, error)
            return
        await self.app(scope, receive, send)

    def _refusal(self, scope: Scope) -> SpotterError | None:
        headers = Headers(scope=scope)
        given = headers.getlist("host")
        host = parse_host(given[0]) if len(given) == 1 else None
        if host is None:
            return BadRequest("The request needs exactly one Host header with a name and an optional port.")
        if not self._knows(host, scope):
            return MisdirectedRequestError(
                "This server does not answer for the host that was asked for. "
                "The operator can add it to SPOTTER_ALLOWED_HOSTS."
            )
        if scope["type"] == "websocket" and not self._may_connect(headers.getlist("origin"), host):
            return Forbidden(
                "Pages of this origin may not connect. The operator can add it to SPOTTER_CORS_ORIGINS."
            )
        return None

    def _knows(self, host: Host, scope: Scope) -> bool:
        if self.any_host or host.name in self.names or host.name.endswith(self.suffixes):
            return True
        if self.loopback:
            return host.is_loopback
        # A probe of the platform names the address it connects to; a rebound name never looks like that.
        reached = (scope.get("server") or ("",))[0]
        return host.name == reached or (host.is_loopback and is_loopback_address(reached))

    def _may_connect(self, given: list[str], host: Host) -> bool:
        if not given:
            return True  # not a browser: browsers always send it
        origin = parse_origin(given[0]) if len(given) == 1 else None
        return origin is not None and (origin in self.origins or same_place(origin, host))


def _origin_of(url: HttpUrl) -> Origin:
    return Origin(url.scheme, (url.host or "").strip("[]"), url.port or DEFAULT_PORTS[url.scheme])
