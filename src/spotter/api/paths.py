"""What middlewares ask about an address: is it below a prefix, which route answered."""

import re
from typing import Final

from starlette.types import Scope

PROBES: Final = ("/api/health", "/metrics")
"""Asked every few seconds by machines: not rate limited, and logged quietly."""


def is_under(path: str, prefix: str) -> bool:
    """True for the prefix itself and what is below it, by whole segments: `/api` is not above `/apix`."""
    prefix = prefix.rstrip("/")
    return path == prefix or path.startswith(prefix + "/")


# Words of an address, ids, short numbers.
_HARMLESS: Final = re.compile(
    r"[a-z_-]{0,30}\d{0,3}(\.[a-z]{1,5})?|\d{1,6}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE
)


def loggable(path: str) -> str:
    """The path without what a caller may have put into it by mistake: an e-mail, a key, half a letter."""
    return "/".join(part if _HARMLESS.fullmatch(part) else "*" for part in path.split("/"))


def is_probe(path: str) -> bool:
    return any(is_under(path, prefix) for prefix in PROBES)


def route_template(scope: Scope) -> str | None:
    """The template of the route that was chosen, e.g. `/api/members/{member_id}`; known after routing.

    FastAPI leaves the route as it was declared in `scope["route"]`, without the prefix of `include_router`;
    the full one is in the effective context beside it.
    """
    context = scope.get("fastapi", {}).get("effective_route_context")
    for source in (getattr(context, "starlette_route", None), context, scope.get("route")):
        template = getattr(source, "path_format", None)
        if isinstance(template, str):
            return template
    return None
