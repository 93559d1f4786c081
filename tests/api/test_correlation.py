import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import httpx
import pytest
import websockets
from fastapi import APIRouter, Depends, FastAPI, WebSocket
from starlette.responses import StreamingResponse
from starlette.types import ASGIApp

from spotter.api.correlation import Correlation
from spotter.api.problems import install_problem_handlers
from spotter.logs import add_log_context, correlation_id, log_context


class Client(Protocol):
    def __call__(self, app: ASGIApp) -> AbstractAsyncContextManager[httpx.AsyncClient]: ...


class Serve(Protocol):
    def __call__(self, app: ASGIApp) -> AbstractAsyncContextManager[str]: ...


async def authenticate() -> None:
    add_log_context(org_id="o1", user_id="u1")


def make_app(release: asyncio.Event | None = None) -> FastAPI:
    app = FastAPI()
    install_problem_handlers(app)
    app.add_middleware(Correlation)
    members = APIRouter(prefix="/members", dependencies=[Depends(authenticate)])

    @members.get("/{member_id}")
    async def read(member_id: int) -> dict[str, object]:
        return {"id": correlation_id.get(), **log_context.get()}

    @members.websocket("/{member_id}/ws")
    async def talk(websocket: WebSocket, member_id: int) -> None:
        await websocket.accept()
        await websocket.send_text(correlation_id.get() or "")

    @app.get("/api/health")
    async def health() -> None: ...

    @app.get("/stream")
    async def stream() -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            yield b"first"
            assert release is not None
            await release.wait()
            yield (correlation_id.get() or "").encode()

        return StreamingResponse(parts())

    api = APIRouter(prefix="/api")
    api.include_router(members)
    app.include_router(api)
    return app


def access(caplog: pytest.LogCaptureFixture) -> logging.LogRecord:
    (record,) = [record for record in caplog.records if record.name == "spotter.access"]
    return record


@pytest.mark.parametrize("given", ["a", "Req-1.2_3", "x" * 64])
async def test_a_good_id_is_kept(call: Client, given: str) -> None:
    async with call(make_app()) as client:
        response = await client.get("/api/members/1", headers={"X-Correlation-ID": given})
    assert response.headers["x-correlation-id"] == given
    assert response.json() == {"id": given, "org_id": "o1", "user_id": "u1"}


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", "a\u00e9", "<script>", "a/b"])
async def test_a_bad_id_is_replaced(call: Client, given: str) -> None:
    async with call(make_app()) as client:
        headers = [(b"X-Correlation-ID", given.encode("latin-1"))]
        response = await client.get("/api/members/1", headers=headers)
    assert len(response.headers["x-correlation-id"]) == 32


async def test_nothing_is_left_behind(call: Client) -> None:
    async with call(make_app()) as client:
        await client.get("/api/members/1")
    assert correlation_id.get() is None
    assert not log_context.get()


async def test_the_access_line(call: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with call(make_app()) as client:
        await client.get("/api/members/7?token=abc")
    record = access(caplog)
    fields = record.__dict__
    assert record.message.startswith("GET /api/members/7 200 ")
    assert fields["route"] == "/api/members/{member_id}"
    assert (fields["method"], fields["status"], fields["client"]) == ("GET", 200, "127.0.0.1")
    assert "abc" not in str(fields)


async def test_probes_are_quiet(call: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with call(make_app()) as client:
        await client.get("/api/health")
    assert access(caplog).levelno == logging.DEBUG


async def test_unknown_paths_have_no_route(call: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with call(make_app()) as client:
        assert (await client.get("/api/nowhere")).status_code == 404
    assert access(caplog).__dict__["route"] is None


async def test_a_stream_is_not_held_back(serve: Serve) -> None:
    release = asyncio.Event()
    async with (
        serve(make_app(release)) as address,
        httpx.AsyncClient() as client,
        client.stream("GET", f"http://{address}/stream", headers={"X-Correlation-ID": "s1"}) as response,
    ):
        parts = response.aiter_raw()
        assert await anext(parts) == b"first"
        release.set()
        assert await anext(parts) == b"s1"


async def test_websockets_have_one_too(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with serve(make_app()) as address:
        url = f"ws://{address}/api/members/1/ws?token=abc"
        headers = {"X-Correlation-ID": "w1"}
        async with websockets.connect(url, additional_headers=headers, proxy=None) as socket:
            assert await socket.recv() == "w1"
            assert socket.response is not None
            assert socket.response.headers["x-correlation-id"] == "w1"
    fields = access(caplog).__dict__
    assert (fields["method"], fields["status"], fields["path"]) == ("WEBSOCKET", 101, "/api/members/1/ws")
    assert fields["route"] == "/api/members/{member_id}/ws"
