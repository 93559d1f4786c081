"""A real server on loopback, and a client that calls an app without one."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
import uvicorn
from starlette.types import ASGIApp

from spotter.settings import Settings

Serve = Callable[..., AbstractAsyncContextManager[str]]
MakeSettings = Callable[..., Settings]
Client = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@asynccontextmanager
async def _serve(app: ASGIApp, http: Literal["h11", "httptools"] = "h11") -> AsyncIterator[str]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        config = uvicorn.Config(
            app, http=http, log_config=None, access_log=False, lifespan="off", proxy_headers=False
        )
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0.005)
        try:
            yield f"127.0.0.1:{port}"
        finally:
            server.should_exit = True
            server.force_exit = True
            await task


@asynccontextmanager
async def _call(
    app: ASGIApp, *, base_url: str = "http://localhost", client: tuple[str, int] = ("127.0.0.1", 123)
) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=client)
    async with httpx.AsyncClient(transport=transport, base_url=base_url) as http:
        yield http


@pytest.fixture
def serve() -> Serve:
    return _serve


@pytest.fixture
def call() -> Client:
    return _call


@pytest.fixture
def make_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeSettings:
    """Settings from arguments alone, whatever the environment says."""
    for name in ("DATABASE_URL", "PORT", "QUEUE_CONCURRENCY"):
        monkeypatch.delenv(name, raising=False)

    def make(**values: Any) -> Settings:
        return Settings(data_dir=tmp_path, **values)

    return make
