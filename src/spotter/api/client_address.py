"""Who is calling: the address of the connection, or the one a trusted proxy vouches for.

Uvicorn must run with `proxy_headers=False`: by itself it believes any client on the same machine.
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from spotter.errors import StartupRefused
from spotter.identity import audit
from spotter.settings import Settings

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_MAX_HOPS: Final = 32
UNKNOWN: Final = "unknown"


def client_address(scope: Scope) -> str:
    """The caller's address as `ClientAddresses` left it."""
    client = scope.get("client")
    return str(client[0]) if client else UNKNOWN


def parse_address(text: str) -> Address | None:
    """An address with or without a port. IPv4 written as IPv6 counts as IPv4."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _networks(trusted: Iterable[str]) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(entry, strict=False) for entry in trusted)
    except ValueError as error:
        raise StartupRefused(
            f"SPOTTER_TRUSTED_PROXIES: {error}. Give addresses or networks such as 10.0.0.0/8."
        ) from error


class ClientAddresses:
    """Outermost middleware: puts the caller's address in `scope["client"]`, for all that follow."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.trusted = _networks(settings.trusted_proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            if self.trusted:
                self._resolve(scope)
            # A server runs each request in a context of its own, so this is forgotten with the request.
            audit.client_address.set(client_address(scope))
        await self.app(scope, receive, send)

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self.trusted)

    def _resolve(self, scope: Scope) -> None:
        peer = parse_address(client_address(scope))
        if peer is None or not self._trusts(peer):
            return
        headers = Headers(scope=scope)
        scope["client"] = (str(self._forwarded_for(headers, peer)), 0)
        scheme = headers.get("x-forwarded-proto", "").strip().lower()
        if scheme in ("http", "https"):
            scope["scheme"] = scheme if scope["type"] == "http" else scheme.replace("http", "ws")

    def _forwarded_for(self, headers: Headers, peer: Address) -> Address:
        """The right-most address that is not ours: each proxy appends the one it saw, so everything to the
        left of it was written by the caller."""
        hops = ",".join(headers.getlist("x-forwarded-for")).split(",")
        nearest = peer
        for hop in reversed(hops[-_MAX_HOPS:]):
            address = parse_address(hop)
            if address is None:
                return nearest  # not an address: believe nothing at or beyond it
            nearest = address
            if not self._trusts(address):
                break
        return nearest
