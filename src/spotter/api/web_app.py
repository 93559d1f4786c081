"""The web app as it was built, from memory: hashed files for ever, its one page anew each time.

The page carries a fresh nonce for the styles that the app makes while it runs; scripts come from files only. Which
addresses are pages is the app's business, so every address that is not ours opens it.
"""

import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from secrets import token_urlsafe
from typing import Final

from fastapi import FastAPI, Request, Response
from starlette.responses import HTMLResponse
from starlette.routing import Match, Route
from starlette.types import Scope
from typing_extensions import override

from spotter.api.paths import is_under
from spotter.api.refusals import EVERY_PAGE
from spotter.api.security_headers import content_security_policy
from spotter.errors import NotFound

_FOR_EVER: Final = "public, max-age=31536000, immutable"
_A_DAY: Final = "public, max-age=86400"
_NONCE: Final = "{{nonce}}"
_ENCODINGS: Final = (("br", ".br"), ("gzip", ".gz"))
NOT_PAGES: Final = (
    "/api",
    "/v1",
    "/mcp",
    "/agui",
    "/embed",
    "/docs",
    "/docs.css",
    "/openapi.json",
    "/metrics",
    "/assets",
    "/functions",
    "/agent",
    "/.well-known",
    "/.netlify",
)


@dataclass(frozen=True, slots=True)
class _File:
    media_type: str
    plain: bytes
    packed: Mapping[str, bytes]
    caching: str


class WebApp:
    def __init__(self, page: str, dock: str, shelf: Mapping[str, _File]) -> None:
        self._page = page
        self.dock = dock
        """The page inside a widget's frame, as a template."""
        self._shelf = shelf

    def page(self, status: int = 200) -> Response:
        nonce = token_urlsafe(16)
        headers = {
            "Cache-Control": "no-cache",
            "Content-Security-Policy": content_security_policy(style_nonce=nonce),
        }
        return HTMLResponse(self._page.replace(_NONCE, nonce), status_code=status, headers=headers)

    def has(self, path: str) -> bool:
        return path in self._shelf

    def file(self, path: str, accepted: str) -> Response:
        found = self._shelf.get(path)
        if found is None:
            raise NotFound("There is no such file. It may be of an older version: reload the page.")
        headers = {"Cache-Control": found.caching, "Vary": "Accept-Encoding"}
        wanted = {part.split(";")[0].strip() for part in accepted.split(",")}
        for name, _ in _ENCODINGS:
            if name in wanted and name in found.packed:
                headers["Content-Encoding"] = name
                return Response(found.packed[name], media_type=found.media_type, headers=headers)
        return Response(found.plain, media_type=found.media_type, headers=headers)


@cache
def built_app() -> WebApp | None:
    """As it is in the package; None where nobody has built it."""
    folder = files("spotter.api").joinpath("static/app")
    page = folder.joinpath("index.html")
    if not page.is_file():
        return None
    shelf: dict[str, _File] = {}
    _fill(shelf, folder, "")
    dock = folder.joinpath("dock.html")
    return WebApp(page.read_text("utf-8"), dock.read_text("utf-8") if dock.is_file() else "", shelf)


def _fill(shelf: dict[str, _File], folder: Traversable, prefix: str) -> None:
    here = {one.name: one for one in folder.iterdir()}
    for name, one in here.items():
        path = f"{prefix}/{name}"
        if one.is_dir():
            _fill(shelf, one, path)
        elif not name.endswith((".br", ".gz", ".html")) and name != "stamp":
            packed = {
                encoding: here[name + ending].read_bytes()
                for encoding, ending in _ENCODINGS
                if name + ending in here
            }
            media_type = mimetypes.guess_type(name)[0] or _TYPES.get(name.rpartition(".")[2], _BYTES)
            caching = _FOR_EVER if prefix == "/assets" else _A_DAY
            shelf[path] = _File(media_type, one.read_bytes(), packed, caching)


_BYTES: Final = "application/octet-stream"
_TYPES: Final = {"woff2": "font/woff2", "webmanifest": "application/manifest+json"}


class _Pages(Route):
    """Leaves alone what is no page, so that whatever is mounted after it is found."""

    @override
    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] == "http" and any(is_under(scope["path"], prefix) for prefix in NOT_PAGES):
            return Match.NONE, {}
        return super().matches(scope)


def install_web_app(application: FastAPI, app: WebApp) -> None:
    """After every other route. Appended as they are: `include_router` would make plain routes of them."""

    async def asset(request: Request) -> Response:
        return app.file(request.url.path, request.headers.get("accept-encoding", ""))

    async def page(request: Request) -> Response:
        path = request.url.path
        if app.has(path):
            return app.file(path, request.headers.get("accept-encoding", ""))
        if "." in path.rpartition("/")[2]:
            raise NotFound("There is no such file.")
        return app.page()

    application.router.routes.append(Route("/assets/{name}", asset))
    application.router.routes.append(_Pages(EVERY_PAGE, page))
