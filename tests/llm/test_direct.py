"""The HTTP under the official clients: what a server may do to it, and what it leaves to others."""

import asyncio
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx2
import openai
import pytest
from openai._models import FinalRequestOptions

from spotter.llm import direct
from spotter.llm.direct import DirectTransport, _address
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


async def test_a_server_that_left_before_it_was_asked_is_no_silence() -> None:
    """Nobody would wake whoever waits for it, and a model may be waited for for minutes."""
    async with serving() as raw, client() as http:
        transport = http._transport
        assert isinstance(transport, DirectTransport)
        connection = await transport._connection(_address(httpx2.URL(raw.url)), PATIENCE)
        while not connection._lost:
            await asyncio.sleep(0.001)
        with pytest.raises(httpx2.RemoteProtocolError):
            await connection.ask(b"POST / HTTP/1.1\r\n\r\n", None)


async def test_an_answer_to_nothing_is_not_taken_for_the_next_one() -> None:
    """It lies in the socket, unread, while the next request is made."""
    forged = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
    go, done = threading.Event(), threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        first, _ = listener.accept()
        first.recv(65536)
        first.sendall(WHOLE)
        go.wait(PATIENCE)
        first.sendall(forged)
        done.set()
        second, _ = listener.accept()
        second.recv(65536)
        second.sendall(WHOLE)
        first.close()
        second.close()

    serving_thread = threading.Thread(target=serve, daemon=True)
    serving_thread.start()
    async with client() as http:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        assert (await http.post(url)).text == "hi"
        go.set()
        done.wait(PATIENCE)  # without the loop, so that it reads nothing
        assert (await http.post(url)).text == "hi"
    listener.close()


async def test_a_body_is_framed_by_its_length_whatever_the_request_says() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"POST /smuggled"
        yield b" HTTP/1.1"

    async with serving(WHOLE, WHOLE, WHOLE) as raw, client() as http:
        await http.post(raw.url, content=pieces())
        await http.post(raw.url, content=b"abc", headers={"Content-Length": "1"})
        await http.get(raw.url)
    heads = [request.lower().partition(b"\r\n\r\n") for request in raw.requests]
    assert [body for _, _, body in heads] == [b"post /smuggled http/1.1", b"abc", b""]
    assert [head.count(b"content-length:") for head, _, _ in heads] == [1, 1, 0]
    assert all(b"transfer-encoding" not in head for head, _, _ in heads)


@pytest.mark.parametrize("method", ["HEAD", "CONNECT"])
async def test_methods_whose_answers_are_framed_otherwise_are_refused(method: str) -> None:
    async with serving(WHOLE) as raw, client() as http:
        with pytest.raises(httpx2.UnsupportedProtocol):
            await http.request(method, raw.url)
    assert raw.requests == []


@pytest.mark.parametrize(
    "endless", [b"0\r\nX-Trailer: ", b"5;name="], ids=["a trailer", "a chunk's extension"]
)
async def test_what_never_ends_after_the_headers_is_not_kept(endless: bytes) -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"
    async with (
        serving(chunked + endless, b"x" * 2_000_000, None, WHOLE) as raw,
        client(connections=1) as http,
    ):
        with pytest.raises(httpx2.RemoteProtocolError, match="do not end"):
            await http.post(raw.url)
        assert (await http.post(raw.url)).text == "hi"


async def test_trailers_are_read_and_the_connection_is_used_again() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Kept: no\r\n\r\n"
    async with serving(chunked, b"", WHOLE) as raw, client() as http:
        answer = await http.post(raw.url)
        assert (answer.text, "x-kept" in answer.headers) == ("ok", False)


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
async def test_an_answer_without_a_body_is_over(status: str) -> None:
    async with serving(f"HTTP/1.1 {status}\r\n\r\n".encode(), HANG) as raw, client() as http:
        assert (await http.post(raw.url)).content == b""


async def test_idle_connections_are_forgotten_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "_FORGOTTEN_AFTER", 0.05)
    async with serving(WHOLE, WHOLE) as raw, client() as http:
        transport = http._transport
        assert isinstance(transport, DirectTransport)
        await http.post(raw.url)
        async with asyncio.timeout(PATIENCE):
            while transport._idle:
                await asyncio.sleep(0.01)
        await http.post(raw.url)
    assert raw.connections == 2


async def test_no_more_lie_idle_than_may_whatever_their_address() -> None:
    async with serving(WHOLE) as one, serving(WHOLE) as other, client(idle=1) as http:
        await http.post(one.url)
        await http.post(other.url)
        transport = http._transport
        assert isinstance(transport, DirectTransport)
        assert transport._lying() == 1


async def test_what_ends_after_the_client_is_closed_is_not_kept() -> None:
    transport = DirectTransport(ssl.create_default_context(), connections=1, idle=1)
    async with serving(WHOLE) as raw:
        answer = await transport.handle_async_request(httpx2.Request("POST", raw.url))
        await transport.aclose()
        assert await answer.aread() == b"hi"
        await answer.aclose()
    assert transport._lying() == 0


def test_a_host_is_the_one_that_the_client_means() -> None:
    """The sockets' own encoding of names would make it `fass.example`, which may be somebody else's."""
    assert _address(httpx2.URL("https://faß.example"))[1] == "xn--fa-hia.example"
    assert _address(httpx2.URL("http://[::1]:8080/")) == (False, "::1", 8080)
    with pytest.raises(httpx2.UnsupportedProtocol):
        _address(httpx2.URL("ftp://a.example"))


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
