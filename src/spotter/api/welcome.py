"""The front door: sign-in links, and a first page for where the web app is switched off or was not built."""

from html import escape
from importlib.resources import files

from fastapi import APIRouter, Request, Response
from starlette.responses import HTMLResponse, RedirectResponse

from spotter.api.auth import device_of
from spotter.api.cookies import clear_sign_in, set_sign_in, sign_in_of
from spotter.api.health import Health, check
from spotter.api.services import Services, services_of
from spotter.api.web_app import WebApp, built_app
from spotter.errors import Unauthenticated
from spotter.identity.sign_in import Visitor

routes = APIRouter(include_in_schema=False)

_STYLE = files("spotter.api").joinpath("static/welcome.css").read_bytes()


@routes.get("/welcome.css")
async def welcome_style() -> Response:
    return Response(_STYLE, media_type="text/css", headers={"Cache-Control": "public, max-age=3600"})


@routes.get("/sign-in/{token}")
async def open_sign_in_link(request: Request, token: str) -> Response:
    """A one-time link. Signs the browser in and goes on to the first page, so that the secret does not stay
    in the address bar."""
    services = services_of(request)
    try:
        signed_in = await services.sign_in.with_link(token, device_of(request))
    except Unauthenticated as refused:
        if (app := _app_of(services)) is not None:
            return app.page(401)
        return HTMLResponse(_signed_out(refused.detail), status_code=401)
    response = RedirectResponse("/", status_code=303)
    set_sign_in(response, signed_in, services.settings)
    return response


@routes.get("/")
async def welcome(request: Request) -> Response:
    services = services_of(request)
    if (app := _app_of(services)) is not None:
        return app.page()
    cookie = sign_in_of(request)
    if cookie is None:
        return HTMLResponse(_signed_out())
    try:
        visitor = await services.sign_in.visitor(cookie)
    except Unauthenticated as refused:
        response = HTMLResponse(_signed_out(refused.detail), status_code=401)
        clear_sign_in(response)
        return response
    health = await check(services, request.app.state.facts)
    return HTMLResponse(
        _signed_in(visitor, health, str(request.base_url).rstrip("/"), services.settings.model)
    )


def _app_of(services: Services) -> WebApp | None:
    return built_app() if services.settings.web_app else None


def _page(title: str, body: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)} · Spotter</title>
<link rel="stylesheet" href="/welcome.css">
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def _signed_out(reason: str | None = None) -> str:
    note = f'<p class="note" role="alert">{escape(reason)}</p>' if reason else ""
    return _page(
        "Sign in",
        f"""<h1>Spotter</h1>
<p class="lead">AI coaches and AI gym staff, on your own machine.</p>
{note}
<section>
<h2>Sign in</h2>
<p>Open the sign-in link that <code>spotter up</code> printed when it started. Each link works once. For a new one:</p>
<pre>spotter link --email owner@demo.spotter</pre>
<p>With a password, call <code>POST /api/auth/sign-in</code>: <a href="/docs#tag-auth">see how</a>.</p>
</section>""",
    )


def _model_text(model: str) -> str:
    if model == "offline":
        return "offline (no key needed; no provider is called)"
    return f"{model}, with the offline model behind it"


def _signed_in(visitor: Visitor, health: Health, base: str, model: str) -> str:
    rows = [
        ("Server", f"Spotter {health.version}", health.status),
        (
            "Database",
            f"{'embedded PostgreSQL' if health.database.embedded else 'PostgreSQL'}, {health.database.latency_ms} ms",
            health.database.status,
        ),
        ("Schema", f"revision {health.migrations.current}", health.migrations.status),
        ("Background work", _workers(health.queue.workers), health.queue.status),
        ("Model", _model_text(model), "ok"),
    ]
    table = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td>'
        f'<td><span class="light {light}">{light}</span></td></tr>'
        for name, text, light in rows
    )
    return _page(
        "Welcome",
        f"""<h1>Spotter</h1>
<p class="lead">You are signed in as <strong>{escape(visitor.email)}</strong>, {escape(visitor.role)} of
<strong>{escape(visitor.organisation)}</strong>.</p>
<section>
<h2>What runs</h2>
<table>{table}</table>
</section>
<section>
<h2>How to call it</h2>
<p>Every page of Spotter is built on its API. Get a token in a terminal, then ask who you are:</p>
<pre>TOKEN=$(spotter token --email {escape(visitor.email)})
curl {escape(base)}/api/me -H "Authorization: Bearer $TOKEN"</pre>
<p><a class="button" href="/docs">Browse the API</a> <a href="/openapi.json">OpenAPI document</a></p>
</section>
<section>
<h2>The web app</h2>
<p>It is not here: it was switched off (<code>SPOTTER_WEB_APP</code>), or could not be built. <code>make web</code>
builds it; then start Spotter again.</p>
</section>""",
    )


def _workers(number: int | None) -> str:
    if not number:
        return "no worker yet"
    return "1 worker" if number == 1 else f"{number} workers"
