"""The chat on other people's pages: its loader, and the page inside its frame.

The browser enforces who may show the frame (`frame-ancestors`, the widget's origins and no others). The loader also
says on whose page it is, so that a page that is not on the list shows a reason instead of the browser's blank refusal.
What it says is for that alone.
"""

import json
from html import escape
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Request, Response
from starlette.responses import HTMLResponse

from spotter.api.origins import parse_origin
from spotter.api.security_headers import content_security_policy
from spotter.api.services import Services, services_of
from spotter.api.web_app import built_app
from spotter.errors import NotFound
from spotter.identity.widgets import Shown

routes = APIRouter(include_in_schema=False)

LOADER: Final = "/embed.js"
_NOT_BUILT: Final = "The web app is switched off or was not built on this server: run `make web`."
_PLACE: Final = "{{dock}}"
_ANYBODY: Final = {
    # Scripts and frames of other sites' pages are the point of it, also where those pages isolate themselves.
    "Cross-Origin-Resource-Policy": "cross-origin",
}


@routes.get(LOADER)
async def get_loader(request: Request) -> Response:
    app = built_app() if services_of(request).settings.web_app else None
    if app is None:
        raise NotFound(_NOT_BUILT)
    answer = app.file(LOADER, request.headers.get("accept-encoding", ""))
    answer.headers.update({**_ANYBODY, "Cache-Control": "public, max-age=3600"})
    return answer


@routes.get("/embed/{widget_id}")
async def open_dock(request: Request, widget_id: UUID, host: str = "") -> Response:
    services = services_of(request)
    app = built_app() if services.settings.web_app else None
    if app is None or not app.dock:
        raise NotFound(_NOT_BUILT)
    widget = await services.widgets.shown(widget_id)
    if widget is None:
        return _refused(404, "This chat is not here", "It was taken away or switched off.")
    page = parse_origin(host)
    if page is None or request.headers.get("sec-fetch-dest") == "document":
        return _refused(
            403,
            "This chat lives on another page",
            "It opens inside the pages that its owner has chosen, through their <code>embed.js</code>.",
        )
    if page.text not in widget.origins:
        return _refused(
            403,
            "This chat is not set up for this page",
            f"Pages of <code>{escape(page.text)}</code> may not show it. Whoever runs them can ask for that origin "
            "to be added to the widget.",
        )
    facts = {"widget": str(widget_id), "host": page.text, "name": widget.name}
    filled = app.dock.replace(_PLACE, escape(json.dumps(facts), quote=True))
    return HTMLResponse(filled, headers=_page_headers(services, widget))


def _page_headers(services: Services, widget: Shown) -> dict[str, str]:
    voice = urlsplit(str(services.settings.voice_url))
    policy = content_security_policy(ancestors=widget.origins, connect=[f"{voice.scheme}://{voice.netloc}"])
    return {**_ANYBODY, "Cache-Control": "no-store", "Content-Security-Policy": policy}


def _refused(status: int, title: str, reason: str) -> Response:
    """May be shown anywhere: there is nothing in it but the reason."""
    body = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="/welcome.css"></head><body><main><h1>{title}</h1><p>{reason}</p></main></body>'
        "</html>"
    )
    headers = {**_ANYBODY, "Content-Security-Policy": content_security_policy(ancestors=["*"])}
    return HTMLResponse(body, status_code=status, headers=headers)
