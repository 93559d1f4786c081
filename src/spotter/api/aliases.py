"""Addresses of the systems Spotter replaces, so that their clients work unchanged."""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

ALIASES: Final = (
    ("/.netlify/functions/", "/api/"),
    ("/functions/v1/", "/api/"),
    ("/agent/", "/api/agent/"),
)


class SeedPaths:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            path = scope["path"]
            for old, new in ALIASES:
                if path.startswith(old):
                    moved = new + path[len(old) :]
                    scope = {**scope, "path": moved, "raw_path": moved.encode()}
                    break
        await self.app(scope, receive, send)
