import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Any, Literal, Protocol

import httpx
import pytest
import websockets
from fastapi import APIRouter, FastAPI, HTTPException, Query, WebSocket
from pydantic import BaseModel, ConfigDict, Field, field_validator
from starlette.responses import StreamingResponse
from starlette.types import ASGIApp

from spotter.api.correlation import Correlation
from spotter.api.problem_schema import problem_responses
from spotter.api.problems import install_problem_handlers
from spotter.errors import Conflict, NotFound, SpotterError, TooManyRequests, Unauthenticated, Unavailable

PASSWORD = "correct-horse-battery"


class Client(Protocol):
    def __call__(self, app: ASGIApp) -> AbstractAsyncContextManager[httpx.AsyncClient]: ...


class Serve(Protocol):
    def __call__(self, app: ASGIApp) -> AbstractAsyncContextManager[str]: ...


class SignUp(BaseModel):
    model_config = ConfigDict(extra="forbid")

    email: str = Field(min_length=3)
    password: str = Field(max_length=8)
    kind: Literal["member", "staff"] = "member"
    note: str = ""

    @field_validator("note")
    @classmethod
    def _no_shouting(cls, note: str) -> str:
        if note.isupper():
            raise ValueError(f"{note} is too loud")
        return note


class DatabaseAwayError(Exception):
    pass


def map_exception(exc: Exception) -> SpotterError | None:
    return (
        Unavailable("The database is away.", retry_after=2.2) if isinstance(exc, DatabaseAwayError) else None
    )


def make_app() -> FastAPI:
    app = FastAPI()
    install_problem_handlers(app, map_exception)
    app.add_middleware(Correlation)
    router = APIRouter(prefix="/api/things", responses=problem_responses(401, 404))
    errors: dict[str, Exception] = {
        "conflict": Conflict("Taken.", extra={"holder": "Ana", "status": "not yours to set"}),
        "slow": TooManyRequests("Slow down.", retry_after=0.2),
        "who": Unauthenticated("Sign in."),
        "away": DatabaseAwayError("postgresql://u:pw@h"),
        "grouped": ExceptionGroup("one", [NotFound("Gone.")]),
        "bug": KeyError("secret detail"),
        "teapot": HTTPException(418),
        "moved": HTTPException(303, headers={"Location": "/elsewhere"}),
        "stop": HTTPException(403, "Members only."),
        "surrogate": Conflict("half \ud800 pair"),
    }

    @router.get("/fail/{kind}")
    async def fail(kind: str) -> None:
        raise errors[kind]

    @router.post("/sign-up")
    async def sign_up(body: SignUp) -> SignUp:
        return body

    @router.post("/echo")
    async def echo(body: dict[str, Any]) -> dict[str, Any]:
        return body

    @router.get("/list")
    async def read(limit: Annotated[int, Query(le=10)] = 1) -> int:
        return limit

    @router.put("/list")
    async def write() -> None: ...

    @router.get("/broken-stream")
    async def broken_stream() -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            yield b"one"
            await asyncio.sleep(0.01)
            raise KeyError("mid-stream")

        return StreamingResponse(parts())

    @router.websocket("/ws/{kind}")
    async def talk(websocket: WebSocket, kind: str, accept: bool = True) -> None:
        if accept:
            await websocket.accept()
        raise errors[kind]

    app.include_router(router)
    return app


async def problem_at(
    call: Client, path: str, *, method: str = "GET", **request: Any
) -> tuple[httpx.Response, dict[str, Any]]:
    async with call(make_app()) as client:
        response = await client.request(method, f"/api/things{path}", **request)
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert isinstance(problem, dict)
    assert problem["status"] == response.status_code
    assert problem["type"] == f"urn:spotter:problem:{problem['code']}"
    assert problem["correlation_id"] == response.headers["x-correlation-id"]
    return response, problem


async def test_our_errors(call: Client) -> None:
    response, problem = await problem_at(call, "/fail/conflict")
    assert response.status_code == 409
    assert (problem["code"], problem["detail"], problem["holder"]) == ("conflict", "Taken.", "Ana")


async def test_retry_after_is_whole_and_at_least_one(call: Client) -> None:
    assert (await problem_at(call, "/fail/slow"))[0].headers["retry-after"] == "1"
    assert (await problem_at(call, "/fail/away"))[0].headers["retry-after"] == "3"


async def test_401_says_how(call: Client) -> None:
    response, _ = await problem_at(call, "/fail/who")
    assert response.headers["www-authenticate"] == "Bearer"


async def test_errors_of_other_rooms_are_translated(call: Client) -> None:
    response, problem = await problem_at(call, "/fail/away")
    assert (response.status_code, problem["code"]) == (503, "unavailable")
    assert (await problem_at(call, "/fail/grouped"))[0].status_code == 404


async def test_a_bug_says_nothing_but_is_logged(call: Client, caplog: pytest.LogCaptureFixture) -> None:
    response, problem = await problem_at(call, "/fail/bug")
    assert (response.status_code, problem["code"]) == (500, "internal_error")
    assert "secret detail" not in response.text
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], KeyError)


async def test_http_exceptions(call: Client) -> None:
    assert (await problem_at(call, "/nowhere"))[1]["code"] == "not_found"
    assert (await problem_at(call, "/fail/teapot"))[1]["title"] == "I'm a Teapot"
    assert (await problem_at(call, "/fail/stop"))[1]["detail"] == "Members only."
    async with call(make_app()) as client:
        assert (await client.get("/api/things/fail/moved")).headers["location"] == "/elsewhere"


async def test_405_names_the_methods_of_all_routes(call: Client) -> None:
    response, problem = await problem_at(call, "/list", method="DELETE")
    assert problem["code"] == "method_not_allowed"
    assert response.headers["allow"] == "GET, PUT"


async def test_fields_are_named_but_not_their_values(call: Client) -> None:
    body = {"email": "a", "password": PASSWORD, "kind": "king", "note": "LOUD", "surprise": PASSWORD}
    response, problem = await problem_at(call, "/sign-up", method="POST", json=body)
    assert response.status_code == 422
    errors = {error["loc"]: error["message"] for error in problem["errors"]}
    assert errors == {
        "body.email": "Give at least 3 character(s).",
        "body.password": "Give at most 8 character(s).",
        "body.kind": "Give one of: 'member' or 'staff'.",
        "body.note": "This value is not valid.",
        "body.surprise": "This field is not known here.",
    }
    assert problem["detail"].startswith("body.email: Give at least 3")
    for value in (PASSWORD, "king", "LOUD"):
        assert value not in response.text


async def test_queries_are_checked_too(call: Client) -> None:
    _, problem = await problem_at(call, "/list?limit=11")
    assert problem["errors"] == [
        {"loc": "query.limit", "message": "Give 10 or less.", "type": "less_than_equal"}
    ]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"email": ', 422),
        (b"\xff\xff", 400),
        (b'{"email": "\xff"}', 400),
        (b"[" * 100_000, 400),
        (b'{"email": "a\\ud800bc", "password": "x"}', 422),
        (b'{"\\ud800": 1}', 422),
        (b"null", 422),
        (b"", 422),
        (b"NaN", 422),
    ],
)
async def test_bodies_that_cannot_be_read(call: Client, body: bytes, status: int) -> None:
    headers = {"Content-Type": "application/json"}
    response, _ = await problem_at(call, "/sign-up", method="POST", content=body, headers=headers)
    assert response.status_code == status


async def test_lone_surrogates_never_break_us(call: Client) -> None:
    headers = {"Content-Type": "application/json"}
    response, problem = await problem_at(
        call, "/echo", method="POST", content=b'{"a": "\\ud800"}', headers=headers
    )
    assert (response.status_code, problem["code"]) == (422, "invalid_input")
    assert (await problem_at(call, "/fail/surrogate"))[1]["detail"] == "half ? pair"


async def test_a_stream_that_breaks_is_cut(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    async with serve(make_app()) as address, httpx.AsyncClient() as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get(f"http://{address}/api/things/broken-stream")
    assert any(record.message == "Unexpected error" for record in caplog.records)


@pytest.mark.parametrize(
    ("kind", "code"), [("conflict", 4409), ("away", 4503), ("bug", 1011), ("stop", 4403)]
)
async def test_websockets_are_closed_with_a_code(serve: Serve, kind: str, code: int) -> None:
    async with (
        serve(make_app()) as address,
        websockets.connect(f"ws://{address}/api/things/ws/{kind}", proxy=None) as socket,
    ):
        with pytest.raises(websockets.ConnectionClosed):
            await socket.recv()
        assert socket.close_code == code


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("conflict?accept=0", 409),
        ("bug?accept=0", 500),
        ("bug?accept=spk_secret", 422),
        ("who?accept=0", 401),
    ],
)
async def test_websockets_are_refused_with_a_problem(serve: Serve, path: str, status: int) -> None:
    async with serve(make_app()) as address:
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with websockets.connect(f"ws://{address}/api/things/ws/{path}", proxy=None):
                pass
    response = refused.value.response
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert "spk_secret" not in response.body.decode()
    assert json.loads(response.body)["correlation_id"] == response.headers["x-correlation-id"]


def test_the_openapi_document_shows_problems() -> None:
    app = make_app()
    document = app.openapi()
    assert app.openapi() is document
    answers = document["paths"]["/api/things/sign-up"]["post"]["responses"]
    reference = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    assert {status: answers[status]["content"] for status in ("401", "404", "422")} == {
        "401": reference,
        "404": reference,
        "422": reference,
    }
    assert {"Problem", "FieldProblem"} <= set(document["components"]["schemas"])
    assert "HTTPValidationError" not in json.dumps(document)
