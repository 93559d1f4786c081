from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import httpx
import pytest
import websockets
from fastapi import FastAPI, WebSocket
from websockets.typing import Origin

from spotter.api.hosts import KnownHosts
from spotter.api.problems import install_problem_handlers
from spotter.settings import Settings

Call = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
Serve = Callable[..., AbstractAsyncContextManager[str]]
MakeSettings = Callable[..., Settings]


def make_app(settings: Settings) -> FastAPI:
    app = FastAPI()
    install_problem_handlers(app)
    app.add_middleware(KnownHosts, settings)

    @app.get("/")
    async def read() -> None: ...

    @app.websocket("/ws")
    async def talk(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.send_text("hello")

    return app


async def status(call: Call, settings: Settings, *hosts: str) -> int:
    async with call(make_app(settings), base_url="http://10.9.8.7:8420") as client:
        headers = [("Host", host) for host in hosts]
        response = await client.get("/", headers=headers)
    if response.status_code >= 400:
        assert response.headers["content-type"] == "application/problem+json"
    return response.status_code


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:1",
        "127.0.0.1:8420",
        "127.8.8.8",
        "[::1]:99",
        "spotter.localhost",
        "localhost.",
    ],
)
async def test_loopback_names(call: Call, make_settings: MakeSettings, host: str) -> None:
    assert await status(call, make_settings(), host) == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "10.0.0.1", "127.0.0.1.nip.io", "gym.example", "[2001::1]"],
)
async def test_other_names_are_refused_on_loopback(
    call: Call, make_settings: MakeSettings, host: str
) -> None:
    assert await status(call, make_settings(), host) == 421


@pytest.mark.parametrize(
    "host", ["", "a b", "localhost@evil.example", "localhost/x", "localhost:99999", "::1", "[", "é"]
)
async def test_hosts_that_are_none(call: Call, make_settings: MakeSettings, host: str) -> None:
    async with call(make_app(make_settings())) as client:
        response = await client.get("/", headers=[(b"Host", host.encode("latin-1"))])
    assert response.status_code == 400


async def test_two_hosts_are_refused(call: Call, make_settings: MakeSettings) -> None:
    assert await status(call, make_settings(), "localhost", "evil.example") == 400


async def test_configured_names(call: Call, make_settings: MakeSettings) -> None:
    settings = make_settings(
        host="0.0.0.0", public_url="https://Gym.example/app", allowed_hosts="api.internal:80, *.gym.example"
    )
    for host in ("gym.example", "GYM.example:443", "api.internal:8420", "a.gym.example"):
        assert await status(call, settings, host) == 200
    for host in ("evilgym.example", "example", "localhost", "evil.example", "api.internal.evil.example"):
        assert await status(call, settings, host) == 421


async def test_a_probe_may_name_the_address_it_reached(call: Call, make_settings: MakeSettings) -> None:
    settings = make_settings(host="0.0.0.0", public_url="https://gym.example")
    assert await status(call, settings, "10.9.8.7:8420") == 200
    assert await status(call, settings, "10.9.8.8:8420") == 421


async def test_a_public_server_without_a_name_takes_any(call: Call, make_settings: MakeSettings) -> None:
    assert await status(call, make_settings(host="0.0.0.0"), "whatever.example") == 200
    assert await status(call, make_settings(allowed_hosts="*"), "whatever.example") == 200


async def connect(address: str, origin: str | None) -> int:
    given = None if origin is None else Origin(origin)
    try:
        async with websockets.connect(f"ws://{address}/ws", origin=given, proxy=None) as socket:
            assert await socket.recv() == "hello"
            return 101
    except websockets.InvalidStatus as refused:
        return refused.response.status_code


async def test_websockets_of_other_pages_are_refused(serve: Serve, make_settings: MakeSettings) -> None:
    settings = make_settings(cors_origins=["https://app.example.com"], public_url="https://gym.example")
    async with serve(make_app(settings)) as address:
        for origin in (None, f"http://{address}", "https://app.example.com", "https://gym.example"):
            assert await connect(address, origin) == 101, origin
        for origin in (
            "null",
            "http://evil.example",
            "http://127.0.0.1",
            "http://localhost:1",
            f"http://{address}.evil.example",
            f"http://evil.example@{address}",
            "https://app.example.com.evil.example",
            "http://gym.example",
        ):
            assert await connect(address, origin) == 403, origin
