"""The HTTP under the official clients: one connection pool for all keys, with our time-outs. Loaded lazily."""

import secrets
import ssl
from urllib.request import getproxies

import anyio
import httpx2

from spotter.llm.limits import Limits
from spotter.logs import correlation_id

REQUEST_ID = "X-Client-Request-Id"
"""Ours, then a part that tells the calls of one request apart."""

try:
    from spotter.llm.direct import DirectTransport
except ImportError:  # httptools is optional, as the event loop's faster twin is
    DirectTransport = None  # type: ignore[assignment, misc]

_CONNECTIONS = 1000
_IDLE = 100

BROKEN = (
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.StreamError,
    anyio.EndOfStream,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    OSError,  # includes time-outs and TLS
)
"""What the clients let through when the wire breaks, besides their own errors."""

LATE = (httpx2.TimeoutException, TimeoutError)


def timeout(limits: Limits) -> httpx2.Timeout:
    return httpx2.Timeout(limits.idle, connect=limits.connect, pool=limits.connect)


def patient(limits: Limits) -> httpx2.Timeout:
    """For answers that come whole: silence is normal until they are there, only the total counts."""
    return httpx2.Timeout(limits.total, connect=limits.connect, pool=limits.connect)


def http_client(limits: Limits, *, verify: ssl.SSLContext | bool = True) -> httpx2.AsyncClient:
    async def bound_the_wait(response: httpx2.Response) -> None:
        try:
            wait = float(response.headers.get("retry-after", "0"))
        except ValueError:
            return  # a date; the clients bound those themselves
        if wait > limits.longest_retry_after:
            # The one word both clients obey about retrying.
            response.headers["x-should-retry"] = "false"

    async def name_the_request(request: httpx2.Request) -> None:
        """So that a provider's support, and its own log, can find what one of our requests asked."""
        if (identifier := correlation_id.get()) is not None:
            request.headers[REQUEST_ID] = f"{identifier}.{secrets.token_hex(4)}"

    return httpx2.AsyncClient(
        timeout=timeout(limits),
        limits=httpx2.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_IDLE),
        transport=_direct(verify),
        # A redirect would carry the key to wherever it points.
        follow_redirects=False,
        verify=verify,
        event_hooks={"request": [name_the_request], "response": [bound_the_wait]},
    )


def _direct(verify: ssl.SSLContext | bool) -> httpx2.AsyncBaseTransport | None:
    """None: the client's own, which knows proxies."""
    if DirectTransport is None or getproxies():
        return None
    context = httpx2.create_ssl_context(verify=verify)
    context.set_alpn_protocols(["http/1.1"])
    return DirectTransport(context, connections=_CONNECTIONS, idle=_IDLE)


def retry_after(response: httpx2.Response) -> float | None:
    try:
        return float(response.headers["retry-after"])
    except (KeyError, ValueError):
        return None
