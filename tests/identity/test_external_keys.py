"""Fetching an issuer's public keys from a server that rotates, fails, stalls, redirects, floods or babbles."""

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.algorithms import OKPAlgorithm
from pydantic import HttpUrl

from spotter.errors import Unauthenticated, Unavailable
from spotter.identity.external import ExternalTokens
from spotter.settings import ExternalIssuer

ISSUER = "https://public.example/auth/v1"
FIRST, SECOND = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


def key_set(**keys: Ed25519PrivateKey) -> bytes:
    listed = [
        {**OKPAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid} for kid, key in keys.items()
    ]
    return json.dumps({"keys": listed}).encode()


def sends(body: bytes, status: str = "200 OK", headers: str = "", delay: float = 0) -> Answer:
    async def answer(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(delay)
        head = f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n{headers}\r\n"
        writer.write(head.encode() + body)
        await writer.drain()

    return answer


class KeyServer:
    """A real HTTP server on loopback that counts requests and misbehaves as told."""

    def __init__(self) -> None:
        self.answer: Answer = sends(key_set(first=FIRST))
        self.requests: list[str] = []
        self._server: asyncio.Server | None = None
        self.port = 0

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/keys"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await reader.readuntil(b"\r\n\r\n")
            self.requests.append(request.decode().split(" ")[1])
            await self.answer(writer)
            writer.close()
            await writer.wait_closed()
        except (ConnectionError, asyncio.IncompleteReadError):
            writer.close()  # the client has had enough, as it should


class Time:
    """A monotonic clock that tests move."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def server() -> AsyncIterator[KeyServer]:
    server = KeyServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def passing() -> Time:
    return Time()


@pytest.fixture
async def tokens(server: KeyServer, passing: Time) -> AsyncIterator[ExternalTokens]:
    issuer = ExternalIssuer(issuer=ISSUER, audience="a", jwks_url=HttpUrl(server.url), organisation="gym")
    # A client of others may follow redirects and wait for ever; for keys it must not.
    async with httpx.AsyncClient(trust_env=False, follow_redirects=True, timeout=None) as http:
        yield ExternalTokens([issuer], http, monotonic=passing, fetch_seconds=20)


def token(key: Ed25519PrivateKey = FIRST, kid: str = "first", **changes: Any) -> str:
    claims = {"iss": ISSUER, "aud": "a", "sub": "kim", "exp": int(time.time()) + 60, **changes}
    return jwt.encode(claims, key, "EdDSA", headers={"kid": kid})


async def passes(tokens: ExternalTokens, text: str | None = None) -> bool:
    try:
        return (await tokens.verify(text or token())).subject == "kim"
    except Unauthenticated:
        return False


async def unavailable(tokens: ExternalTokens) -> Unavailable:
    with pytest.raises(Unavailable) as refused:
        await tokens.verify(token())
    return refused.value


async def test_keys_are_fetched_once_and_kept_ten_minutes(
    tokens: ExternalTokens, server: KeyServer, passing: Time
) -> None:
    for _ in range(3):
        assert await passes(tokens)
    assert server.requests == ["/keys"]
    passing.now += 599
    assert await passes(tokens)
    assert len(server.requests) == 1
    passing.now += 2
    assert await passes(tokens)
    assert len(server.requests) == 2


async def test_no_fetch_for_tokens_that_cannot_be_good(tokens: ExternalTokens, server: KeyServer) -> None:
    for strange in (
        "a.b.c",
        token(iss="https://evil.example"),
        jwt.encode({"iss": ISSUER}, "x" * 32, "HS256"),
    ):
        assert not await passes(tokens, strange)
    assert server.requests == []


async def test_a_new_key_is_found_at_once(tokens: ExternalTokens, server: KeyServer, passing: Time) -> None:
    assert await passes(tokens)
    passing.now += 31
    server.answer = sends(key_set(first=FIRST, second=SECOND))
    assert await passes(tokens, token(SECOND, "second"))
    assert await passes(tokens)
    assert len(server.requests) == 2


async def test_a_withdrawn_key_ends_with_the_cache(
    tokens: ExternalTokens, server: KeyServer, passing: Time
) -> None:
    assert await passes(tokens)
    server.answer = sends(key_set(second=SECOND))
    passing.now += 601
    assert not await passes(tokens)


async def test_unknown_kids_cannot_make_us_hammer_the_issuer(
    tokens: ExternalTokens, server: KeyServer, passing: Time
) -> None:
    assert await passes(tokens)
    for n in range(50):
        assert not await passes(tokens, token(kid=f"k{n}"))
    assert len(server.requests) == 1
    passing.now += 30
    for n in range(50):
        assert not await passes(tokens, token(kid=f"k{n}"))
    assert len(server.requests) == 2
    assert await passes(tokens)


async def test_concurrent_callers_share_one_fetch(
    tokens: ExternalTokens, server: KeyServer, passing: Time
) -> None:
    server.answer = sends(key_set(first=FIRST), delay=0.05)
    assert all(await asyncio.gather(*(passes(tokens) for _ in range(50))))
    assert len(server.requests) == 1
    passing.now += 31
    server.answer = sends(key_set(second=SECOND), delay=0.05)
    new = token(SECOND, "second")
    assert all(await asyncio.gather(*(passes(tokens, new) for _ in range(50))))
    assert len(server.requests) == 2


async def test_one_who_hangs_up_does_not_spoil_it_for_others(
    tokens: ExternalTokens, server: KeyServer
) -> None:
    server.answer = sends(key_set(first=FIRST), delay=0.05)
    first = asyncio.create_task(passes(tokens))
    other = asyncio.create_task(passes(tokens))
    await asyncio.sleep(0.01)
    first.cancel()
    assert await other
    assert first.cancelled()
    assert len(server.requests) == 1


async def test_down_from_the_start_is_unavailable_then_recovers(
    tokens: ExternalTokens, server: KeyServer, passing: Time
) -> None:
    await server.stop()
    assert (await unavailable(tokens)).retry_after == 2
    await server.start()
    await unavailable(tokens)  # not tried again at once
    assert server.requests == []
    passing.now += 2
    assert await passes(tokens)


async def test_known_keys_outlive_an_endpoint_that_is_down(
    tokens: ExternalTokens, server: KeyServer, passing: Time
) -> None:
    assert await passes(tokens)
    await server.stop()
    passing.now += 3600
    assert await passes(tokens)
    assert not await passes(tokens, token(SECOND, "second"))
    passing.now += 24 * 3600
    await unavailable(tokens)  # by now they may have been withdrawn


async def drips(writer: asyncio.StreamWriter) -> None:
    """A byte now and then: every single wait is short, the whole has no end."""
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.02)


async def floods(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"10000\r\n" + b" " * 65536 + b"\r\n")
        await writer.drain()


async def hangs_up(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{")
    await writer.drain()


async def babbles(writer: asyncio.StreamWriter) -> None:
    writer.write(b"\x00\xff not http at all\r\n\r\n")
    await writer.drain()


GOOD = key_set(first=FIRST)
BAD: dict[str, Answer] = {
    "slow": sends(GOOD, delay=30),
    "dripping": drips,
    "endless": floods,
    "huge": sends(GOOD + b" " * 256 * 1024),
    "hangs up": hangs_up,
    "not http": babbles,
    "zip bomb": sends(gzip.compress(GOOD + b" " * 10_000_000), headers="content-encoding: gzip\r\n"),
    "redirect": sends(b"", "302 Found", "location: /elsewhere\r\n"),
    "redirect with keys": sends(GOOD, "307 Temporary Redirect", "location: /elsewhere\r\n"),
    "500": sends(GOOD, "500 Internal Server Error"),
    "404": sends(GOOD, "404 Not Found"),
    "empty": sends(b""),
    "html": sends(b"<html>sign in to the wi-fi</html>"),
    "cut": sends(GOOD[:-10]),
    "not utf-8": sends(b"\xff\xfe\x00"),
    "deep": sends(b"[" * 100_000),
    "a list": sends(b"[]"),
    "a number": sends(b"1"),
    "no keys": sends(b'{"keys": []}'),
    "keys null": sends(b'{"keys": null}'),
    "keys an object": sends(b'{"keys": {"first": 1}}'),
    "only strange keys": sends(b'{"keys": [1, null, [], {}, {"kty": "oct", "k": "eA"}, {"kty": {}}]}'),
}


@pytest.mark.parametrize("answer", BAD.values(), ids=BAD.keys())
async def test_a_bad_answer(tokens: ExternalTokens, server: KeyServer, passing: Time, answer: Answer) -> None:
    """It is unavailable at first; it changes nothing once keys are known; and it is over quickly."""
    (keys,) = tokens._remote.values()
    server.answer = answer
    async with asyncio.timeout(60):
        keys._fetch_seconds = 0.5
        await unavailable(tokens)
    server.answer = sends(GOOD)
    passing.now += 2
    keys._fetch_seconds = 20
    assert await passes(tokens)
    server.answer = answer
    passing.now += 601
    keys._fetch_seconds = 0.5
    assert await passes(tokens)
    assert server.requests == ["/keys"] * 3


async def test_its_own_client_and_its_own_clock(server: KeyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    issuer = ExternalIssuer(issuer=ISSUER, audience="a", jwks_url=HttpUrl(server.url), organisation="gym")
    tokens = ExternalTokens([issuer], None)
    assert await passes(tokens)
    await tokens.aclose()


async def test_no_choice_between_keys_without_a_kid(tokens: ExternalTokens, server: KeyServer) -> None:
    server.answer = sends(key_set(first=FIRST, second=SECOND))
    claims = {"iss": ISSUER, "aud": "a", "sub": "kim", "exp": int(time.time()) + 60}
    assert not await passes(tokens, jwt.encode(claims, FIRST, "EdDSA"))
    assert await passes(tokens)


async def test_a_private_key_published_by_mistake_still_only_verifies(
    tokens: ExternalTokens, server: KeyServer, caplog: pytest.LogCaptureFixture
) -> None:
    private = {**OKPAlgorithm.to_jwk(FIRST, as_dict=True), "kid": "first"}
    server.answer = sends(json.dumps({"keys": [private]}).encode())
    assert await passes(tokens)
    assert private["d"] not in caplog.text
