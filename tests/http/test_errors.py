"""Whatever is sent, the answer is a problem document that says what to do; never a 500."""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest

from spotter.ids import random_id
from tests.http.actions import PASSWORD, fresh_email
from tests.support.people import Gym

NUL, HALF = "a\x00b", "a\ud800b"


def assert_problem(answer: httpx.Response, status: int, code: str | None = None) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert {"type", "title", "status", "code", "detail", "correlation_id"} <= set(body)
    assert body["status"] == status
    assert body["correlation_id"] == answer.headers["x-correlation-id"]
    assert answer.headers["cache-control"] == "no-store"
    if code is not None:
        assert body["code"] == code
        assert body["type"] == f"urn:spotter:problem:{code}"


async def test_nothing_there(http: httpx.AsyncClient, gym: Gym) -> None:
    for path in (
        "/nothing.txt",
        "/api/nothing",
        "/api//me",
        "/docs/x",
        "/api/%00",
    ):  # others are the web app's
        assert_problem(await http.get(path, headers=gym.owner.headers), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/me", {"GET", "PATCH"}),
        ("DELETE", "/api/health", {"GET"}),
        ("GET", "/api/auth/sign-in", {"POST"}),
        ("TRACE", "/api/members", {"GET"}),
        ("POST", "/api/members/00000000-0000-7000-8000-000000000000", {"GET", "PATCH", "DELETE"}),
        ("PROPFIND", "/api/test", {"GET", "POST"}),
    ],
)
async def test_wrong_method(http: httpx.AsyncClient, method: str, path: str, allowed: set[str]) -> None:
    answer = await http.request(method, path)
    assert_problem(answer, 405, "method_not_allowed")
    assert {one.strip() for one in answer.headers["allow"].split(",")} == allowed


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b'{"email": NaN}',
        b'{"email": "a@b.example"',
        b"\xff\xfe\x00",
        b'{"email": "\xff"}',
        b"[" * 100_000,
        b'{"email": 1e999}',
        b'{"email": ' + b"9" * 5000 + b"}",
    ],
)
async def test_bodies_that_are_no_invitation(http: httpx.AsyncClient, gym: Gym, content: bytes) -> None:
    headers = {**gym.owner.headers, "Content-Type": "application/json"}
    answer = await http.post("/api/invitations", content=content, headers=headers)
    assert answer.status_code in (400, 422), answer.text
    assert_problem(answer, answer.status_code)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "image/png", ""])
async def test_another_kind_of_content(http: httpx.AsyncClient, gym: Gym, kind: str) -> None:
    """A form of another site can send these without asking first, so they are not taken for JSON."""
    headers = {**gym.owner.headers, "Content-Type": kind}
    answer = await http.post("/api/invitations", content=b'{"email": "a@b.example"}', headers=headers)
    assert_problem(answer, 422)


async def test_a_body_that_is_too_large(http: httpx.AsyncClient, gym: Gym) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b" " * 50_000

    headers = {**gym.owner.headers, "Content-Type": "application/json"}
    for content in (b" " * 1_000_001, endless()):
        answer = await http.post("/api/invitations", content=content, headers=headers)
        assert_problem(answer, 413, "payload_too_large")
    keyed = {**headers, "Idempotency-Key": "large"}
    answer = await http.post("/api/invitations", content=b" " * 1_000_001, headers=keyed)
    assert_problem(answer, 413)


def _text_fields(document: Mapping[str, Any]) -> list[tuple[str, str, str, dict[str, Any]]]:
    """Every field of every body: method, path, field, and a body that is right but for it."""
    good: dict[str, Any] = {
        "email": fresh_email(),
        "password": PASSWORD,
        "new_password": PASSWORD,
        "name": "Name",
        "organisation_name": "Name",
        "organisation_slug": "a-slug-nobody-has",
        "slug": "a-slug-nobody-has",
        "token": "spi_x",
        "refresh_token": "spr_x",
        "organisation": "somewhere",
        "role": "staff",
        "text": "Hello",
    }
    found = []
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            schema = (
                described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            )
            if schema is None:
                continue
            model = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
            if not set(model.get("required", [])) <= set(good):
                continue  # an export: its own tests look at it
            body = {name: good[name] for name in model.get("required", [])}
            found += [(method, path, name, body) for name in model["properties"]]
    return found


async def test_no_text_breaks_anything(http: httpx.AsyncClient, gym: Gym) -> None:
    document = (await http.get("/openapi.json")).json()
    fields = _text_fields(document)
    assert len(fields) > 20
    session = (await http.post("/api/sessions", json={}, headers=gym.admin.headers)).json()
    known = defaultdict(
        random_id,
        organisation_id=gym.org_id,
        member_id=gym.member.user_id,
        session_id=session["id"],
        model_account_name="openai",
    )
    for method, template, name, body in fields:
        path = template.format_map(known)
        for text in (NUL, HALF, "\u202e\u0007" * 3, "x" * 5000):
            content = json.dumps({**body, name: text}).encode()
            headers = {**gym.admin.headers, "Content-Type": "application/json"}
            answer = await http.request(method, path, content=content, headers=headers)
            assert answer.status_code < 500, f"{method} {path} {name}: {answer.text}"
            if text in (NUL, HALF) and "password" not in name:
                assert 400 <= answer.status_code < 500, f"{method} {path} {name} {answer.text}"


async def test_no_query_or_header_breaks_anything(http: httpx.AsyncClient, gym: Gym) -> None:
    for query in (
        "cursor=%00",
        "cursor=%ff",
        "cursor=" + "A" * 300,
        "limit=1e3",
        "limit=%F0%9F%92%A9",
        "limit=0",
    ):
        assert_problem(await http.get(f"/api/members?{query}", headers=gym.owner.headers), 422)
    for name in ("User-Agent", "X-Correlation-ID", "Accept-Language", "Cookie"):
        for value in (b"\xff\xfe", b"\x80", "é".encode(), b"'; DROP TABLE users; --"):
            headers = [(k.encode(), v.encode()) for k, v in gym.owner.headers.items()]
            answer = await http.get("/api/me", headers=[*headers, (name.encode(), value)])
            assert answer.status_code == 200
            assert value not in answer.headers["x-correlation-id"].encode("latin-1")


async def test_unknown_fields_are_told(http: httpx.AsyncClient, gym: Gym) -> None:
    body = {"email": fresh_email(), "rol": "admin"}
    answer = await http.post("/api/invitations", json=body, headers=gym.owner.headers)
    assert_problem(answer, 422, "invalid_input")
    assert answer.json()["errors"][0]["loc"] == "body.rol"


async def test_the_caller_s_correlation_id_comes_back(http: httpx.AsyncClient) -> None:
    answer = await http.get("/api/me", headers={"X-Correlation-ID": "trace-1"})
    assert answer.json()["correlation_id"] == answer.headers["x-correlation-id"] == "trace-1"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example"])
async def test_another_host_is_not_served(http: httpx.AsyncClient, host: str) -> None:
    answer = await http.get("/api/health", headers={"Host": host})
    assert answer.status_code in (400, 421)
    assert_problem(answer, answer.status_code)
