from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import httpx
import pytest
from fastapi import FastAPI, Request

from spotter.api.client_address import ClientAddresses, client_address, parse_address
from spotter.errors import StartupRefused
from spotter.settings import Settings

Call = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
MakeSettings = Callable[..., Settings]


def make_app(settings: Settings) -> FastAPI:
    app = FastAPI()
    app.add_middleware(ClientAddresses, settings)

    @app.get("/")
    async def read(request: Request) -> tuple[str, str]:
        return client_address(request.scope), request.url.scheme

    return app


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("203.0.113.9", ["1.1.1.1"], "203.0.113.9"),  # nobody we trust said so
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["1.1.1.1"], "1.1.1.1"),
        ("10.0.0.1", ["6.6.6.6, 1.1.1.1"], "1.1.1.1"),  # the left one was the caller's own idea
        ("10.0.0.1", ["6.6.6.6", "1.1.1.1, 10.0.0.2"], "1.1.1.1"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", ["1.1.1.1, garbage"], "10.0.0.1"),
        ("10.0.0.1", ["1.1.1.1, garbage, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["1.1.1.1:5555"], "1.1.1.1"),
        ("10.0.0.1", ["[2001:db8::1]:5555"], "2001:db8::1"),
        ("10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("::ffff:10.0.0.1", ["1.1.1.1"], "1.1.1.1"),
        ("192.0.2.7", ["1.1.1.1"], "1.1.1.1"),
        ("192.0.2.8", ["1.1.1.1"], "192.0.2.8"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", ["6.6.6.6," + "10.0.0.2," * 1000 + "10.0.0.2"], "10.0.0.2"),
    ],
)
async def test_the_right_most_stranger(
    call: Call, make_settings: MakeSettings, peer: str, forwarded: list[str], expected: str
) -> None:
    settings = make_settings(trusted_proxies="10.0.0.0/8, 192.0.2.7")
    async with call(make_app(settings), client=(peer, 1)) as client:
        headers = [("X-Forwarded-For", value) for value in forwarded]
        assert (await client.get("/", headers=headers)).json()[0] == expected


async def test_without_trusted_proxies_nothing_is_believed(call: Call, make_settings: MakeSettings) -> None:
    headers = {"X-Forwarded-For": "1.1.1.1", "X-Forwarded-Proto": "https"}
    async with call(make_app(make_settings())) as client:
        assert (await client.get("/", headers=headers)).json() == ["127.0.0.1", "http"]


async def test_the_scheme_too(call: Call, make_settings: MakeSettings) -> None:
    async with call(make_app(make_settings(trusted_proxies="127.0.0.1"))) as client:
        assert (await client.get("/", headers={"X-Forwarded-Proto": "https"})).json()[1] == "https"
        assert (await client.get("/", headers={"X-Forwarded-Proto": "javascript"})).json()[1] == "http"


def test_a_wrong_setting_is_said_at_start(make_settings: MakeSettings) -> None:
    with pytest.raises(StartupRefused, match="TRUSTED_PROXIES"):
        ClientAddresses(FastAPI(), make_settings(trusted_proxies="my-proxy"))


def test_no_client_is_unknown() -> None:
    assert client_address({"type": "http"}) == "unknown"
    assert parse_address("unknown") is None
