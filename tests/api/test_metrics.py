from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import httpx
import pytest
from fastapi import APIRouter, FastAPI

from spotter.api.metrics import Metrics, RequestMetrics, metrics_router
from spotter.api.problems import install_problem_handlers
from spotter.settings import Settings

Call = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
MakeSettings = Callable[..., Settings]


def make_app(settings: Settings, metrics: Metrics | None = None) -> FastAPI:
    metrics = metrics or Metrics()
    app = FastAPI()
    install_problem_handlers(app)
    app.add_middleware(RequestMetrics, metrics)
    app.include_router(metrics_router(metrics, settings))
    router = APIRouter(prefix="/api")

    @router.get("/members/{member_id}")
    async def read(member_id: int) -> None:
        if member_id == 13:
            raise KeyError

    app.include_router(router)
    return app


async def test_requests_are_counted_by_template(call: Call, make_settings: MakeSettings) -> None:
    async with call(make_app(make_settings())) as client:
        for path in ("members/1", "members/2", "members/x", "members/13", "secret-path"):
            await client.get(f"/api/{path}")
        await client.request("BREW", "/api/members/1")
        text = (await client.get("/metrics")).text
    route = 'route="/api/members/{member_id}"'
    assert f'spotter_http_requests_total{{method="GET",{route},status="2xx"}} 2.0' in text
    assert f'spotter_http_requests_total{{method="GET",{route},status="4xx"}} 1.0' in text
    assert f'spotter_http_requests_total{{method="GET",{route},status="5xx"}} 1.0' in text
    assert f'spotter_http_requests_total{{method="OTHER",{route},status="4xx"}} 1.0' in text
    assert 'spotter_http_requests_total{method="GET",route="(unmatched)",status="4xx"} 1.0' in text
    assert f'spotter_http_response_seconds_count{{method="GET",{route},status="2xx"}} 2.0' in text
    assert 'spotter_http_in_flight{kind="http"} 1.0' in text
    assert "python_info" in text
    assert "secret-path" not in text


async def test_each_app_has_its_own(call: Call, make_settings: MakeSettings) -> None:
    async with call(make_app(make_settings())) as one, call(make_app(make_settings())) as other:
        await one.get("/api/members/1")
        assert "/api/members" not in (await other.get("/metrics")).text


@pytest.mark.parametrize(
    ("token", "header", "status"),
    [
        (None, None, 404),
        (None, "Bearer x", 404),
        ("tokentoken", None, 401),
        ("tokentoken", "Bearer tokentoke", 401),
        ("tokentoken", "Bearer tokentokén", 401),
        ("tokentoken", "Basic tokentoken", 401),
        ("tokentoken", "Bearer tokentoken", 200),
        ("tokentoken", "bearer tokentoken", 200),
    ],
)
async def test_a_public_server_asks_for_the_token(
    call: Call, make_settings: MakeSettings, token: str | None, header: str | None, status: int
) -> None:
    settings = make_settings(host="0.0.0.0", metrics_token=token)
    async with call(make_app(settings)) as client:
        headers = [] if header is None else [(b"Authorization", header.encode("latin-1"))]
        answer = await client.get("/metrics", headers=headers)
    assert answer.status_code == status
    assert ("www-authenticate" in answer.headers) is (status == 401)


async def test_behind_a_proxy_loopback_is_not_local(call: Call, make_settings: MakeSettings) -> None:
    async with call(make_app(make_settings())) as client:
        assert (await client.get("/metrics")).status_code == 200
        assert (await client.get("/metrics", headers={"X-Forwarded-For": "1.1.1.1"})).status_code == 404


def test_it_is_not_in_the_document(make_settings: MakeSettings) -> None:
    assert "/metrics" not in make_app(make_settings()).openapi()["paths"]
