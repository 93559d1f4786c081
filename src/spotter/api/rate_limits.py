"""How often a caller may ask. In memory and per process: it protects this server; budgets are in `billing`.

Two gates. The middleware counts by address before anybody is authenticated; the auth dependency then calls
`RateLimiter.enforce` (or `check`) with the principal. Addresses get more than principals, because a whole
gym shares one, except where passwords and tokens could be guessed.
"""

import math
from enum import StrEnum
from ipaddress import IPv6Address, ip_network
from typing import Final, NamedTuple

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spotter.api.client_address import client_address, parse_address
from spotter.api.gcra import Limiter, LimitState, Rate
from spotter.api.paths import is_probe, is_under
from spotter.api.problems import send_problem
from spotter.errors import TooManyRequests
from spotter.settings import Settings


class RouteClass(StrEnum):
    AUTH = "auth"
    WRITE = "write"
    READ = "read"
    STREAM = "stream"
    EXPENSIVE = "expensive"


class Rates(NamedTuple):
    principal: Rate
    address: Rate


RATES: Final = {
    RouteClass.AUTH: Rates(Rate(30, 60), Rate(30, 60)),
    RouteClass.WRITE: Rates(Rate(600, 60), Rate(3000, 60)),
    RouteClass.READ: Rates(Rate(3000, 60), Rate(15000, 60)),
    RouteClass.STREAM: Rates(Rate(60, 60), Rate(300, 60)),
    RouteClass.EXPENSIVE: Rates(Rate(20, 60), Rate(100, 60)),
}

# First match wins; then the method decides. None for the methods means any.
_BY_PREFIX: Final[tuple[tuple[str, frozenset[str] | None, RouteClass], ...]] = (
    ("/api/auth", frozenset({"POST"}), RouteClass.AUTH),
    ("/api/exports", None, RouteClass.EXPENSIVE),
    ("/api/imports", None, RouteClass.EXPENSIVE),
)
_STREAM_SUFFIXES: Final = ("/stream", "/events/live")
_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_SCOPE_KEY: Final = "spotter.rate_limit"


def route_class(scope: Scope) -> RouteClass:
    if scope["type"] == "websocket":
        return RouteClass.STREAM
    path, method = scope["path"], scope["method"]
    for prefix, methods, kind in _BY_PREFIX:
        if is_under(path, prefix) and (methods is None or method in methods):
            return kind
    if path.endswith(_STREAM_SUFFIXES):
        return RouteClass.STREAM
    return RouteClass.READ if method in _READS else RouteClass.WRITE


class RateLimiter:
    """One per app. With `rate_limits` off everything is allowed and no header is set."""

    def __init__(self, settings: Settings, limiter: Limiter | None = None) -> None:
        self.enabled = settings.rate_limits
        self.limiter = Limiter() if limiter is None else limiter

    def check(self, principal_key: str, kind: RouteClass) -> LimitState:
        """Counts one request of an authenticated principal."""
        return self._take(RATES[kind].principal, kind, f"principal:{principal_key}")

    def check_address(self, scope: Scope) -> LimitState:
        """Counts one request of an address, before anybody knows who it is."""
        kind = route_class(scope)
        caller = address_key(client_address(scope))
        if kind is not RouteClass.AUTH:
            return self._take(RATES[kind].address, kind, f"address:{caller}")
        # By route too, so that signing in does not use up signing out; by the first segments of the path
        # only, because what follows may be the very token that is being guessed. Made-up routes are held
        # by the address's general limit.
        general = self._take(RATES[RouteClass.WRITE].address, RouteClass.WRITE, f"address:{caller}")
        if not general.allowed:
            return general
        route = "/".join(scope["path"].split("/")[:4])
        return self._take(RATES[kind].address, kind, f"address:{caller}:{route}")

    def enforce(self, scope: Scope, principal_key: str) -> None:
        """For the auth dependency: counts, shows the state in the headers of the answer, refuses with 429."""
        if not self.enabled:
            return
        state = self.check(principal_key, route_class(scope))
        scope[_SCOPE_KEY] = state
        if not state.allowed:
            raise too_many(state)

    def _take(self, rate: Rate, kind: RouteClass, key: str) -> LimitState:
        if not self.enabled:
            return LimitState(True, str(kind), rate, rate.limit, 0.0, 0.0)
        return self.limiter.take(str(kind), rate, key)


def address_key(address: str) -> str:
    """IPv6 counts by /64: that is what one customer gets, and can roam in freely."""
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, 64), strict=False))
    return str(parsed) if parsed is not None else address


def too_many(state: LimitState) -> TooManyRequests:
    wait = max(1, math.ceil(state.retry_after))
    return TooManyRequests(
        f"At most {state.rate.limit} requests of this kind in {state.rate.seconds} seconds. "
        f"Try again in {wait} second{'' if wait == 1 else 's'}.",
        retry_after=state.retry_after,
    )


def limit_headers(state: LimitState) -> dict[str, str]:
    """The IETF draft's two headers, and the older three that clients know. Reset is in seconds from now."""
    reset = str(math.ceil(state.reset_after))
    return {
        "RateLimit-Policy": f'"{state.name}";q={state.rate.limit};w={state.rate.seconds}',
        "RateLimit": f'"{state.name}";r={state.remaining};t={reset}',
        "X-RateLimit-Limit": str(state.rate.limit),
        "X-RateLimit-Remaining": str(state.remaining),
        "X-RateLimit-Reset": reset,
    }


class AddressLimits:
    """The gate by address; also writes the headers, of the principal's limit when there is one."""

    def __init__(self, app: ASGIApp, limits: RateLimiter) -> None:
        self.app = app
        self.limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        counted = self.limits.enabled and scope["type"] in ("http", "websocket")
        if not counted or is_probe(scope["path"]):
            await self.app(scope, receive, send)
            return
        state = self.limits.check_address(scope)
        scope[_SCOPE_KEY] = state

        async def sending(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                message.setdefault("headers", [])
                MutableHeaders(scope=message).update(limit_headers(scope[_SCOPE_KEY]))
            await send(message)

        if state.allowed:
            await self.app(scope, receive, sending)
        else:
            await send_problem(scope, receive, sending, too_many(state))
