"""Headers that tell browsers what not to do. What a response sets itself stays."""

from collections.abc import Sequence
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spotter.api.paths import is_under
from spotter.settings import Settings


def content_security_policy(
    *, style_nonce: str | None = None, ancestors: Sequence[str] = ("'none'",), connect: Sequence[str] = ()
) -> str:
    """No script but from our own files. Styles made by a running page need the nonce that came with it. `ancestors`
    are the pages that may show it in a frame, `connect` where else it may call."""
    styles = "style-src 'self'" + (f" 'nonce-{style_nonce}'" if style_nonce else "")
    return "; ".join(
        (
            "default-src 'self'",
            "script-src 'self'",
            styles,
            "img-src 'self' data:",
            " ".join(("connect-src 'self'", *connect)),
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            " ".join(("frame-ancestors", *ancestors)),
        )
    )


CONTENT_SECURITY_POLICY: Final = content_security_policy()
_NO_FRAMES: Final = "X-Frame-Options"
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    _NO_FRAMES: "DENY",
    # The microphone is for talking to the coach, on our own pages only.
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(self), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
}
_HSTS: Final = "max-age=31536000"
_STARTS: Final = {"http.response.start", "websocket.http.response.start"}


class SecurityHeaders:
    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.headers = dict(_HEADERS)
        if settings.public_url is not None and settings.public_url.scheme == "https":
            self.headers["Strict-Transport-Security"] = _HSTS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        private = is_under(scope["path"], "/api")

        async def sending(message: Message) -> None:
            if message["type"] in _STARTS:
                message.setdefault("headers", [])
                headers = MutableHeaders(scope=message)
                own = headers.get("content-security-policy", CONTENT_SECURITY_POLICY)
                for name, value in self.headers.items():
                    # Who lists the pages that may frame it would be contradicted by the older header.
                    if name != _NO_FRAMES or "frame-ancestors 'none'" in own:
                        headers.setdefault(name, value)
                if "access-control-allow-origin" in headers:
                    # CORS has let this origin in; the resource policy must not shut it out again.
                    headers["Cross-Origin-Resource-Policy"] = "cross-origin"
                if private or message["status"] >= 400:
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self.app(scope, receive, sending)
