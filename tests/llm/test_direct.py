"""The HTTP under the official clients: what a server may do to it, and what it leaves to others."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx2
import openai
import pytest
from openai._models import FinalRequestOptions

from spotter.llm.direct import DirectTransport
from spotter.llm.limits import Limits
from spotter.llm.openai_client import make_client
from spotter.llm.transport import http_client, patient

WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Kept: yes\r\n\r\nhi"
HANG = b"say nothing more until the client leaves"
PATIENCE = 60.0


class RawServer:
    """Says the given bytes to each request, in turn; `None` closes the connection."""

    def __init__(self, script: Sequence[bytes | None]) -> None:
        self._script = list(script)
        self.connections = 0
        self.requests: list[bytes] = []
        self.url = ""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while self._script:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    (
                        int(line[15:])
                        for line in head.split(b"\r\n")
                        if line.lower().startswith(b"content-length")
                    ),
                    0,
                )
                self.requests.append(head + await reader.readexactly(length))
                while self._script and (said := self._script.pop(0)) is not None:
                    if said == HANG:
                        await reader.read()
                        return
                    writer.write(said)
                    if said.endswith(b"hi"):
                        break
                else:
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(*script: bytes | None) -> AsyncIterator[RawServer]:
    raw = RawServer(script)
    server = await asyncio.start_server(raw._serve, "127.0.0.1", 0)
    raw.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield raw
    finally:
        server.close()


@asynccontextmanager
async def client(**limits: int) -> AsyncIterator[httpx2.AsyncClient]:
    bounds = {"connections": 10, "idle": 5, **limits}
    transport = DirectTransport(ssl.create_default_context(), **bounds)
    async with httpx2.AsyncClient(transport=transport, timeout=PATIENCE) as http:
        yield http


async def test_a_connection_is_used_again() -> None:
    async with serving(WHOLE, WHOLE, WHOLE) as raw, client() as http:
        for number in range(3):
            answer = await http.post(raw.url + "/a?b=c", content=b"x" * number)
            assert (answer.status_code, answer.text, answer.headers["x-kept"]) == (200, "hi", "yes")
    assert raw.connections == 1
    assert [request[-3:] for request in raw.requests] == [b"\n\r\n", b"\r\nx"[-3:], b"\nxx"]
    assert all(request.startswith(b"POST /a?b=c HTTP/1.1\r\n") for request in raw.requests)


async def test_a_server_that_closes_is_asked_on_a_new_connection() -> None:
    closing = WHOLE.replace(b"X-Kept: yes", b"Connection: close")
    async with serving(closing, WHOLE) as raw, client() as http:
        assert (await http.post(raw.url)).text == "hi"
        assert (await http.post(raw.url)).text == "hi"
    assert raw.connections == 2


async def test_what_comes_before_the_answer_is_not_the_answer() -> None:
    async with serving(b"HTTP/1.1 100 Continue\r\n\r\n", WHOLE) as raw, client() as http:
        answer = await http.post(raw.url)
    assert (answer.status_code, answer.text) == (200, "hi")


async def test_a_body_may_end_with_the_connection() -> None:
    async with serving(b"HTTP/1.1 200 OK\r\n\r\n", b"all of it", None) as raw, client() as http:
        assert (await http.post(raw.url)).text == "all of it"


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal",
        b"this is not HTTP\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"x" * 400_000,
    ],
    ids=["nothing", "half", "half a chunk", "not HTTP", "no length", "another protocol", "endless headers"],
)
async def test_what_is_no_answer_is_a_protocol_error_and_the_next_one_is_fine(said: bytes) -> None:
    async with serving(said, None, WHOLE) as raw, client(connections=1) as http:
        with pytest.raises(httpx2.RemoteProtocolError):
            await http.post(raw.url)
        assert (await http.post(raw.url)).text == "hi"


async def test_more_than_one_answer_is_not_taken_for_the_next_one() -> None:
    forged = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
    async with serving(WHOLE[:-2] + b"ok" + forged + b"hi", WHOLE) as raw, client() as http:
        assert (await http.post(raw.url)).text == "ok"
        assert (await http.post(raw.url)).text == "hi"
    assert raw.connections == 2


async def test_silence_is_a_time_out_and_the_slot_is_free_again() -> None:
    async with serving(b"HTTP/1.1 200 OK\r\n", HANG, WHOLE) as raw, client(connections=1) as http:
        with pytest.raises(httpx2.ReadTimeout):
            await http.post(raw.url, timeout=httpx2.Timeout(PATIENCE, read=0.2))
        assert (await http.post(raw.url)).text == "hi"


async def test_no_slot_is_a_pool_time_out() -> None:
    async with (
        serving(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", b"12", b"hi") as raw,
        client(connections=1) as http,
        http.stream("POST", raw.url) as _,
    ):
        with pytest.raises(httpx2.PoolTimeout):
            await http.post(raw.url, timeout=httpx2.Timeout(PATIENCE, pool=0.05))


@pytest.mark.parametrize("value", ["key\r\nX-Evil: 1", "key\nX-Evil: 1", "key\0"])
async def test_a_key_cannot_become_a_header(value: str) -> None:
    async with serving(WHOLE) as raw, client() as http:
        with pytest.raises(httpx2.LocalProtocolError):
            await http.post(raw.url, headers=[(b"Authorization", value.encode())])
    assert raw.requests == []


async def test_a_slow_reader_makes_the_server_wait() -> None:
    size = 8 * 1024 * 1024
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode()
    got = 0
    async with (
        serving(head, b"x" * (size - 2), b"hi") as raw,
        client() as http,
        http.stream("POST", raw.url) as answer,
    ):
        async for piece in answer.aiter_raw():
            assert len(piece) <= 2 * 1024 * 1024
            got += len(piece)
            await asyncio.sleep(0.001)
    assert got == size


async def test_a_server_without_tls_cannot_be_connected_to() -> None:
    async with serving() as raw, client() as http:
        with pytest.raises(httpx2.ConnectError):
            await http.post(raw.url.replace("http:", "https:"))


def test_proxies_are_left_to_the_clients_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spotter.llm.transport.getproxies", dict)
    assert isinstance(http_client(Limits())._transport, DirectTransport)
    monkeypatch.setattr("spotter.llm.transport.getproxies", lambda: {"https": "http://proxy.example:3128"})
    assert not isinstance(http_client(Limits())._transport, DirectTransport)


async def test_a_repeated_request_is_the_one_the_official_client_would_build() -> None:
    """Address, headers, authentication, time-outs: all but the body and its length."""
    http = http_client(Limits(), verify=False)
    ours = make_client(
        api_key="k1", base_url="http://a.example/v1", http=http, limits=Limits(), headers={"x-more": "1"}
    )
    theirs = openai.AsyncOpenAI(
        api_key="k1",
        base_url="http://a.example/v1",
        http_client=http,
        timeout=ours.timeout,
        default_headers={"x-more": "1"},
    )
    theirs.organization = theirs.project = None
    for wait in (openai.NOT_GIVEN, patient(Limits())):
        for body in (b"{}", b'{"a": 1}', b""):
            for retries in (0, 2):
                options = FinalRequestOptions.construct(method="post", url="/chat/completions", content=body)
                options.timeout = wait
                built = ours._build_request(options, retries_taken=retries)
                wanted = theirs._build_request(options, retries_taken=retries)
                assert built.url == wanted.url
                assert dict(built.headers) == dict(wanted.headers)
                assert built.extensions == wanted.extensions
                assert await built.aread() == body
    ours.api_key = "k2"
    options = FinalRequestOptions.construct(method="post", url="/chat/completions", content=b"{}")
    assert ours._build_request(options).headers["authorization"] == "Bearer k2"
    await http.aclose()
