from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import httpx
import pytest
from fastapi import FastAPI, Response

from spotter.api.security_headers import CONTENT_SECURITY_POLICY, SecurityHeaders
from spotter.settings import Settings

Call = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
MakeSettings = Callable[..., Settings]


def make_app(settings: Settings) -> FastAPI:
    app = FastAPI(docs_url=None)
    app.add_middleware(SecurityHeaders, settings)

    @app.get("/api/own")
    async def own() -> Response:
        headers = {
            "Cache-Control": "max-age=5",
            "Content-Security-Policy": "frame-ancestors https://gym.example",
        }
        return Response(headers=headers)

    @app.get("/api/plain")
    @app.get("/apix")
    async def plain() -> None: ...

    return app


async def test_headers_for_browsers(call: Call, make_settings: MakeSettings) -> None:
    async with call(make_app(make_settings())) as client:
        headers = (await client.get("/api/plain")).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "geolocation=()" in headers["permissions-policy"]
    assert headers["cache-control"] == "no-store"
    assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert "strict-transport-security" not in headers


async def test_a_response_may_set_its_own(call: Call, make_settings: MakeSettings) -> None:
    async with call(make_app(make_settings())) as client:
        headers = (await client.get("/api/own")).headers
    assert headers["cache-control"] == "max-age=5"
    assert headers.get_list("content-security-policy") == ["frame-ancestors https://gym.example"]


async def test_only_the_api_and_errors_are_never_stored(call: Call, make_settings: MakeSettings) -> None:
    async with call(make_app(make_settings())) as client:
        assert "cache-control" not in (await client.get("/apix")).headers
        assert (await client.get("/missing.js")).headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("url", "expected"), [("https://gym.example", True), ("http://gym.example", False), (None, False)]
)
async def test_hsts_only_over_https(
    call: Call, make_settings: MakeSettings, url: str | None, expected: bool
) -> None:
    async with call(make_app(make_settings(public_url=url))) as client:
        assert ("strict-transport-security" in (await client.get("/api/plain")).headers) is expected
