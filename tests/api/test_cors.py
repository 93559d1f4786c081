from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import httpx
import pytest
from fastapi import FastAPI

from spotter.api.cors import install_cors
from spotter.api.security_headers import SecurityHeaders
from spotter.settings import Settings

Call = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
MakeSettings = Callable[..., Settings]

ORIGIN = "https://app.example.com"
STRANGERS = [
    "null",
    "*",
    "https://app.example.com.evil.example",
    "https://evilapp.example.com",
    "https://evil.example/https://app.example.com",
    "http://app.example.com",
    "https://app.example.com:8443",
    "https://sub.app.example.com",
    "https://app.example.com@evil.example",
    "https://appXexample.com",
    "file://",
    "",
]


def make_app(settings: Settings) -> FastAPI:
    app = FastAPI()
    install_cors(app, settings)
    app.add_middleware(SecurityHeaders, settings)

    @app.get("/api/x")
    async def read() -> None: ...

    return app


PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization, content-type, idempotency-key",
}


async def test_a_listed_origin_may_call(call: Call, make_settings: MakeSettings) -> None:
    async with call(make_app(make_settings(cors_origins="https://App.example.com:443"))) as client:
        headers = (await client.get("/api/x", headers={"Origin": ORIGIN})).headers
        assert headers["access-control-allow-origin"] == ORIGIN
        assert headers["vary"] == "Origin"
        assert headers["cross-origin-resource-policy"] == "cross-origin"
        assert "access-control-allow-credentials" not in headers
        for name in (
            "X-Correlation-ID",
            "RateLimit",
            "RateLimit-Policy",
            "Retry-After",
            "Idempotent-Replayed",
        ):
            assert name in headers["access-control-expose-headers"].split(", ")

        preflight = await client.options("/api/x", headers={"Origin": ORIGIN, **PREFLIGHT})
        assert preflight.status_code == 200
        assert preflight.headers["access-control-allow-origin"] == ORIGIN
        assert "Idempotency-Key" in preflight.headers["access-control-allow-headers"]


@pytest.mark.parametrize("origin", STRANGERS)
async def test_strangers_may_not(call: Call, make_settings: MakeSettings, origin: str) -> None:
    async with call(make_app(make_settings(cors_origins=[ORIGIN]))) as client:
        answer = await client.get("/api/x", headers={"Origin": origin})
        assert "access-control-allow-origin" not in answer.headers
        preflight = await client.options("/api/x", headers={"Origin": origin, **PREFLIGHT})
    assert preflight.status_code == 400
    assert preflight.headers["content-type"] == "application/problem+json"
    assert preflight.json()["code"] == "bad_request"
    assert "access-control-allow-origin" not in preflight.headers


async def test_by_default_nobody_may(call: Call, make_settings: MakeSettings) -> None:
    async with call(make_app(make_settings())) as client:
        assert (
            "access-control-allow-origin"
            not in (await client.get("/api/x", headers={"Origin": ORIGIN})).headers
        )


@pytest.mark.parametrize("origin", ["*", "null", "https://*.example.com", "https://a.example/path"])
def test_the_settings_take_exact_origins_only(make_settings: MakeSettings, origin: str) -> None:
    with pytest.raises(ValueError, match="exact origin"):
        make_settings(cors_origins=[origin])
