"""All of it together, in the order an app has it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import httpx
import websockets
from fastapi import APIRouter, FastAPI, Request, WebSocket
from starlette.responses import StreamingResponse

from spotter.api.metrics import Metrics
from spotter.api.plumbing import install_plumbing
from spotter.api.rate_limits import RateLimiter
from spotter.settings import Settings

Call = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
Serve = Callable[..., AbstractAsyncContextManager[str]]
MakeSettings = Callable[..., Settings]

ORIGIN = "https://app.example.com"


def make_app(settings: Settings, release: asyncio.Event | None = None) -> FastAPI:
    app = FastAPI(docs_url=None, redoc_url=None)
    install_plumbing(app, settings, limiter=RateLimiter(settings), metrics=Metrics())
    router = APIRouter(prefix="/api")

    @router.get("/bug")
    async def bug() -> None:
        raise KeyError("x")

    @router.post("/auth/sign-in")
    @router.post("/raw")
    async def raw(request: Request) -> int:
        return len(await request.body())

    @router.get("/stream")
    async def stream() -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            yield b"first"
            assert release is not None
            await release.wait()
            yield b"second"

        return StreamingResponse(parts(), media_type="text/event-stream")

    @router.websocket("/ws")
    async def talk(websocket: WebSocket) -> None:
        await websocket.accept()
        async for text in websocket.iter_text():
            await websocket.send_text(text)

    app.include_router(router)
    return app


def is_complete(response: httpx.Response) -> bool:
    """Whoever answered, the headers of the others are there."""
    return {"x-correlation-id", "x-content-type-options", "content-security-policy"} <= set(response.headers)


async def test_every_refusal_has_all_headers(call: Call, make_settings: MakeSettings) -> None:
    settings = make_settings(cors_origins=[ORIGIN])
    async with call(make_app(settings)) as client:
        client.headers["Origin"] = ORIGIN
        answers = {
            500: await client.get("/api/bug"),
            404: await client.get("/api/nothing"),
            405: await client.put("/api/bug"),
            413: await client.post("/api/raw", content=b"x" * 1_000_001),
            429: [await client.post("/api/auth/sign-in") for _ in range(31)][-1],
        }
        for status, answer in answers.items():
            assert answer.status_code == status
            assert is_complete(answer)
            assert answer.headers["access-control-allow-origin"] == ORIGIN
            assert answer.headers["cache-control"] == "no-store"
            assert answer.json()["correlation_id"] == answer.headers["x-correlation-id"]
        stranger = await client.get("/api/bug", headers={"Host": "evil.example"})
        assert stranger.status_code == 421
        assert is_complete(stranger)


async def test_pages_for_people_and_machines(call: Call, make_settings: MakeSettings) -> None:
    async with call(make_app(make_settings())) as client:
        for path in ("/docs", "/docs/style.css", "/openapi.json", "/metrics"):
            answer = await client.get(path)
            assert answer.status_code == 200
            assert is_complete(answer)


async def test_streams_and_sockets_pass_through(serve: Serve, make_settings: MakeSettings) -> None:
    release = asyncio.Event()
    async with serve(make_app(make_settings(), release)) as address:
        async with (
            httpx.AsyncClient() as client,
            client.stream("GET", f"http://{address}/api/stream") as response,
        ):
            parts = response.aiter_raw()
            assert await anext(parts) == b"first"
            release.set()
            assert await anext(parts) == b"second"
            assert is_complete(response)
        async with websockets.connect(f"ws://{address}/api/ws", proxy=None) as socket:
            await socket.send("hello")
            assert await socket.recv() == "hello"
