"""Hosts and origins as browsers write them, in one normal form to compare."""

from ipaddress import ip_address
from typing import Final, NamedTuple
from urllib.parse import urlsplit

DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class Host(NamedTuple):
    name: str
    port: int | None

    @property
    def is_loopback(self) -> bool:
        if self.name == "localhost" or self.name.endswith(".localhost"):
            return True
        return is_loopback_address(self.name)


class Origin(NamedTuple):
    scheme: str
    host: str
    port: int

    @property
    def text(self) -> str:
        """As a browser writes it: without the port that the scheme implies."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


def is_loopback_address(text: str) -> bool:
    try:
        return ip_address(text).is_loopback
    except ValueError:
        return False


def parse_host(text: str) -> Host | None:
    """A `Host` header. None for anything that is more, or less, than a name and a port."""
    if not text or any(character in text for character in "/\\@?#, \t") or not text.isascii():
        return None
    try:
        parts = urlsplit("//" + text)
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not name or (":" in name and not text.startswith("[")):
        return None
    return Host(name.removesuffix("."), port)


def parse_origin(text: str) -> Origin | None:
    """An `Origin` header. None for `null` and for anything that is not exactly scheme, host and port."""
    scheme, separator, rest = text.partition("://")
    scheme = scheme.lower()
    host = parse_host(rest)
    if not separator or scheme not in DEFAULT_PORTS or host is None:
        return None
    return Origin(scheme, host.name, host.port or DEFAULT_PORTS[scheme])


def same_place(origin: Origin, host: Host) -> bool:
    """Only the proxy in front of us knows the scheme, so a Host without a port fits either default."""
    return origin.host == host.name and origin.port == (host.port or DEFAULT_PORTS[origin.scheme])
