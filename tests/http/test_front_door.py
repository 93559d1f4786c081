"""The first page, health, self-test and the addresses of the systems we replace."""

import re
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import httpx
import pytest
from pydantic import SecretStr

from spotter.app import Ground
from tests.http.actions import Desk, another_server
from tests.http.test_external_sign_in import issuer_for
from tests.support.people import Gym

CANARY = "canary-7f3a9c-must-never-be-shown-anywhere"


async def test_health(http: httpx.AsyncClient) -> None:
    answer = await http.get("/api/health")
    assert answer.status_code == 200
    body = answer.json()
    assert body["status"] == body["database"]["status"] == body["queue"]["status"] == "ok"
    assert body["migrations"]["current"] == body["migrations"]["expected"]
    assert body["database"]["latency_ms"] > 0
    assert body["database"]["embedded"] is False
    assert {"version", "time"} <= set(body)


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/api/test", "/.netlify/functions/test", "/functions/v1/test"])
async def test_self_test_by_every_old_address(http: httpx.AsyncClient, method: str, path: str) -> None:
    answer = await http.request(method, path)
    assert answer.status_code == 200
    assert answer.json()["ok"] is True
    assert {"configuration", "environment", "health"} <= set(answer.json())


async def test_health_by_its_old_addresses(http: httpx.AsyncClient) -> None:
    for path in ("/functions/v1/health", "/.netlify/functions/health"):
        assert (await http.get(path)).json()["status"] == "ok"
    missing = await http.get("/functions/v1/nothing")
    assert missing.status_code == 404
    assert missing.headers["content-type"] == "application/problem+json"


async def test_no_secret_is_shown(base: Ground, gym: Gym) -> None:
    changes = {
        "metrics_token": SecretStr(CANARY),
        "cors_origins": [f"https://{CANARY}.example"],
        "external_issuers": [issuer_for(gym, hs256_secret=SecretStr(CANARY), issuer=f"https://{CANARY}")],
    }
    known = [CANARY, base.keyring.fingerprint]
    for secret in (base.settings.secret_key, base.settings.database_url):
        assert secret is not None
        known.append(secret.get_secret_value())
    async with another_server(base, changes) as http:
        answers = [
            await http.get("/api/test"),
            await http.post("/api/test"),
            await http.get("/api/health"),
            await http.get("/openapi.json"),
            await http.get("/docs"),
            await http.get("/"),
        ]
        configuration = answers[0].json()["configuration"]
    assert (configuration["external_issuers"], configuration["cors_origins"]) == (1, 1)
    for answer in answers:
        assert answer.status_code == 200
        whole = answer.text + str(answer.headers)
        assert not [secret for secret in known if secret in whole]


@pytest.fixture
async def plain(base: Ground) -> AsyncIterator[httpx.AsyncClient]:
    """A server without the web app."""
    async with another_server(base, {"web_app": False}) as http:
        yield http


async def test_a_link_opens_the_first_page(plain: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    link = await desk.link(gym.owner)
    opened = await plain.get(f"/sign-in/{link}")
    assert opened.status_code == 303
    assert opened.headers["location"] == "/"
    cookie = opened.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    page = await plain.get("/")
    assert page.status_code == 200
    assert gym.owner.email in page.text
    assert "owner" in page.text
    assert link not in page.text
    used = await plain.get(f"/sign-in/{link}")
    assert used.status_code == 401
    assert "used already" in used.text
    assert "spotter link" in used.text, "it says how to get a new one"


async def test_without_a_cookie_it_says_how_to_sign_in(plain: httpx.AsyncClient) -> None:
    page = await plain.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "spotter link" in page.text
    for wrong in ("spl_x", "%00", "x" * 3000, "<script>"):
        refused = await plain.get(f"/sign-in/{wrong}")
        assert refused.status_code == 401
        assert "<script>" not in refused.text


async def test_a_cookie_that_is_over_is_taken_back(plain: httpx.AsyncClient, gym: Gym) -> None:
    await plain.post("/api/auth/sign-out", headers=gym.member.headers)
    page = await plain.get("/", headers={"Cookie": f"spotter_refresh={gym.member.refresh_token}"})
    assert page.status_code == 401
    assert 'spotter_refresh=""' in page.headers["set-cookie"]
    assert gym.member.email not in page.text


async def test_names_are_only_text(plain: httpx.AsyncClient, gym: Gym) -> None:
    name = '<script>alert("1")</script>'
    renamed = await plain.patch(
        f"/api/organisations/{gym.org_id}", json={"name": name}, headers=gym.owner.headers
    )
    assert renamed.status_code == 200
    page = await plain.get("/", headers={"Cookie": f"spotter_refresh={gym.owner.refresh_token}"})
    assert "<script" not in page.text
    assert "&lt;script&gt;" in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]


async def test_its_links_lead_somewhere(plain: httpx.AsyncClient, gym: Gym) -> None:
    cookie = {"Cookie": f"spotter_refresh={gym.owner.refresh_token}"}
    for page in (await plain.get("/"), await plain.get("/", headers=cookie)):
        addresses = re.findall(r'href="([^"]+)"', page.text)
        assert len(addresses) >= 2
        for address in addresses:
            target = await plain.get(urlsplit(address).path)
            assert target.status_code == 200
            if fragment := urlsplit(address).fragment:
                assert f'id="{fragment}"' in target.text


async def test_the_docs_show_how_to_send_a_credential(http: httpx.AsyncClient) -> None:
    page = (await http.get("/docs")).text
    assert "Authorization: Bearer $SPOTTER_TOKEN" in page
