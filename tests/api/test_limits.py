import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Any, Literal, Protocol

import httpx
import pytest
from fastapi import Body, FastAPI, Request
from starlette.responses import StreamingResponse
from starlette.types import ASGIApp

from spotter.api.correlation import Correlation
from spotter.api.limits import BodyLimit
from spotter.api.problems import install_problem_handlers

Http = Literal["h11", "httptools"]
BOTH = pytest.mark.parametrize("http", ["h11", "httptools"])


class Serve(Protocol):
    def __call__(self, app: ASGIApp, http: Http) -> AbstractAsyncContextManager[str]: ...


def make_app() -> FastAPI:
    app = FastAPI()
    install_problem_handlers(app)
    app.add_middleware(BodyLimit, 1000, {"/files": 5000, "/files/small": 10})
    app.add_middleware(Correlation)

    @app.post("/json")
    async def read_json(body: Annotated[dict[str, Any], Body()]) -> int:
        return len(body)

    @app.post("/files/{name}")
    @app.post("/raw")
    async def count(request: Request) -> int:
        return len(await request.body())

    @app.post("/both-ways")
    async def both_ways(request: Request) -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            async for part in request.stream():
                yield part

        return StreamingResponse(parts())

    return app


async def chunks(size: int) -> AsyncIterator[bytes]:
    for _ in range(size // 100):
        yield b"x" * 100


@BOTH
@pytest.mark.parametrize("chunked", [False, True])
async def test_the_limit_counts_what_comes(serve: Serve, http: Http, chunked: bool) -> None:
    cases = [
        ("/raw", 1000, 200),
        ("/raw", 1100, 413),
        ("/files/a", 5000, 200),
        ("/files/a", 5100, 413),
        ("/files/small", 100, 413),
        ("/nowhere", 200, 404),
        # Nobody reads the body of a route that does not exist, so only its stated length can be too much.
        ("/filesystem", 1100, 404 if chunked else 413),
    ]
    async with serve(make_app(), http) as address, httpx.AsyncClient() as client:
        for path, size, status in cases:
            content = chunks(size) if chunked else b"x" * size
            response = await client.post(f"http://{address}{path}", content=content)
            check(response, status)


def check(response: httpx.Response, status: int) -> None:
    assert response.status_code == status
    if status == 413:
        problem = response.json()
        assert problem["code"] == "payload_too_large"
        assert problem["max_bytes"] in (10, 1000, 5000)
        assert response.headers["content-type"] == "application/problem+json"
        assert response.headers["x-correlation-id"] == problem["correlation_id"]


@BOTH
async def test_a_json_body_that_keeps_coming(serve: Serve, http: Http) -> None:
    async with serve(make_app(), http) as address, httpx.AsyncClient() as client:
        response = await client.post(
            f"http://{address}/json", content=chunks(3000), headers={"Content-Type": "application/json"}
        )
    assert response.status_code == 413


@BOTH
@pytest.mark.parametrize("chunked", [False, True])
async def test_a_client_that_only_reads_when_it_has_sent_all(serve: Serve, http: Http, chunked: bool) -> None:
    """Two megabytes do not fit into the sockets' buffers: without reading on, it would see a reset."""
    part = b"x" * 20_000
    async with serve(make_app(), http) as address:
        host, _, port = address.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        length = "Transfer-Encoding: chunked" if chunked else "Content-Length: 2000000"
        writer.write(f"POST /raw HTTP/1.1\r\nHost: {address}\r\n{length}\r\n\r\n".encode())
        for _ in range(100):
            writer.write(b"4e20\r\n" + part + b"\r\n" if chunked else part)
            await writer.drain()
        if chunked:
            writer.write(b"0\r\n\r\n")
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 413")
    assert b"connection: close" in head.lower()
    assert json.loads(body)["max_bytes"] == 1000


@BOTH
async def test_who_asks_first_is_told_at_once(serve: Serve, http: Http) -> None:
    async with serve(make_app(), http) as address, asyncio.timeout(60):
        host, _, port = address.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        head = (
            f"POST /raw HTTP/1.1\r\nHost: {address}\r\nContent-Length: 2000\r\nExpect: 100-continue\r\n\r\n"
        )
        writer.write(head.encode())
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
    assert answer.startswith(b"HTTP/1.1 413")


async def test_an_answer_that_has_begun_is_cut(serve: Serve) -> None:
    async with serve(make_app(), "h11") as address, httpx.AsyncClient() as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await client.post(f"http://{address}/both-ways", content=slow_chunks())


async def slow_chunks() -> AsyncIterator[bytes]:
    yield b"x" * 500
    await asyncio.sleep(0.05)
    yield b"x" * 1000


async def test_a_length_beyond_numbers() -> None:
    sent: list[Any] = []

    async def app(*_: object) -> None:
        raise AssertionError("must not be reached")

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "path": "/raw", "headers": [(b"content-length", b"9" * 5000)]}
    await BodyLimit(app, 1000)(scope, receive, send)
    assert sent[0]["status"] == 413
