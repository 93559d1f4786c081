"""What is safe without setting anything (TRUST.md S15, S17), and quick."""

import re
import time
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr, ValidationError

from spotter.api.server import Listener, refuse_unsafe_address
from spotter.app import Ground
from spotter.errors import StartupRefused
from spotter.settings import Settings
from tests.http.actions import another_server
from tests.support.people import Gym

APP = "https://app.example"


def settings(tmp_path: Path, **values: object) -> Settings:
    return Settings.model_validate({"data_dir": tmp_path, "secret_key": None, **values})


def test_it_binds_loopback_by_default(tmp_path: Path) -> None:
    assert settings(tmp_path).host == "127.0.0.1"
    assert settings(tmp_path).sign_up == "closed"
    assert settings(tmp_path).rate_limits


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "gym.example", "::ffff:1.2.3.4"])
def test_a_public_address_needs_a_secret(tmp_path: Path, host: str) -> None:
    with pytest.raises(StartupRefused, match="SPOTTER_SECRET_KEY"):
        refuse_unsafe_address(settings(tmp_path, host=host))
    with pytest.raises(StartupRefused):
        Listener(settings(tmp_path, host=host, port=0))
    refuse_unsafe_address(settings(tmp_path, host=host, secret_key=SecretStr("s" * 32)))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_does_not(tmp_path: Path, host: str) -> None:
    refuse_unsafe_address(settings(tmp_path, host=host))


def test_a_short_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="too short"):
        settings(tmp_path, secret_key="short")


@pytest.mark.parametrize(
    "origin", ["*", "https://*.example", "null", "app.example", "https://a.example/path"]
)
def test_origins_are_exact(tmp_path: Path, origin: str) -> None:
    with pytest.raises(ValidationError, match="exact origin"):
        settings(tmp_path, cors_origins=[origin])


async def test_only_listed_origins_may_call(base: Ground, gym: Gym) -> None:
    strangers = [
        "null",
        "http://app.example",
        "https://app.example.evil.example",
        "https://evilapp.example",
        "https://app.example:8443",
        "https://sub.app.example",
        "https://app.example@evil.example",
        "https://APP.example.",
        "https://app.exampl",
        "file://",
    ]
    async with another_server(base, {"cors_origins": [APP]}) as http:
        for origin in strangers:
            answer = await http.get("/api/me", headers={**gym.owner.headers, "Origin": origin})
            assert "access-control-allow-origin" not in answer.headers, origin
            preflight = await http.options(
                "/api/me", headers={"Origin": origin, "Access-Control-Request-Method": "PATCH"}
            )
            assert preflight.status_code == 400
            assert "access-control-allow-origin" not in preflight.headers
        allowed = await http.get("/api/me", headers={**gym.owner.headers, "Origin": APP})
        assert allowed.headers["access-control-allow-origin"] == APP
        assert "access-control-allow-credentials" not in allowed.headers
        assert "Idempotent-Replayed" in allowed.headers["access-control-expose-headers"]


async def test_rate_limits_are_on(base: Ground) -> None:
    """Guessing passwords is slow, and the refusal says how long to wait (S12)."""
    async with another_server(base, {"rate_limits": True}) as http:
        answers = [await http.post("/api/auth/link", json={"token": "spl_x"}) for _ in range(40)]
        assert {answer.status_code for answer in answers} == {401, 429}
        refused = answers[-1]
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert re.fullmatch(r'"auth";q=\d+;w=60', refused.headers["ratelimit-policy"])
        assert (await http.get("/api/health")).status_code == 200


async def test_a_kept_connection_answers_at_once(http: httpx.AsyncClient) -> None:
    """Without TCP_NODELAY each answer waits 40 ms for the client's acknowledgement."""
    took = []
    for _ in range(80):
        started = time.perf_counter()
        await http.get("/docs/style.css")
        took.append(time.perf_counter() - started)
    assert min(took[1:]) < 0.038
