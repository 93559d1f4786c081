"""The web app over HTTP: its page, its files, and what is none of its business."""

import re

import httpx
import pytest

from spotter.api.web_app import built_app
from tests.http.actions import Desk
from tests.support.people import Gym


@pytest.fixture(autouse=True, scope="module")
def _built() -> None:
    assert built_app() is not None, "the web app is not built: run `make web`"


async def test_every_address_that_is_not_ours_opens_the_app(http: httpx.AsyncClient) -> None:
    for path in ("/", "/train", "/progress", "/some/page/of/tomorrow"):
        page = await http.get(path)
        assert page.status_code == 200
        assert page.headers["content-type"].startswith("text/html")
        assert page.headers["cache-control"] == "no-cache"
        assert '<div id="root">' in page.text


@pytest.mark.parametrize(
    "path", ["/api/nothing", "/api", "/v1/nothing", "/assets/nothing.js", "/mcp", "/agui", "/nothing.php"]
)
async def test_what_is_no_page_is_a_problem(http: httpx.AsyncClient, path: str) -> None:
    answer = await http.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_page_is_only_read(http: httpx.AsyncClient) -> None:
    assert (await http.post("/train")).status_code == 405
    assert (await http.head("/train")).status_code == 200


async def test_the_rules_of_the_page(http: httpx.AsyncClient) -> None:
    """No script but from our files; styles by a nonce that is new each time and the same in page and header."""
    nonces = set()
    for _ in range(2):
        page = await http.get("/train")
        rules = dict(
            part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";")
        )
        assert rules["script-src"] == "'self'"
        (nonce,) = re.findall(r"'nonce-([^']+)'", rules["style-src"])
        assert f'content="{nonce}"' in page.text
        assert "{{" not in page.text
        assert not re.search(r"<script(?![^>]*\bsrc=)", page.text)
        assert not re.search(rf"<style(?! nonce=\"{re.escape(nonce)}\")|\sstyle=|\son\w+=", page.text)
        nonces.add(nonce)
    assert len(nonces) == 2


async def test_its_files_are_kept_for_ever_and_come_packed(http: httpx.AsyncClient) -> None:
    page = await http.get("/")
    assets = re.findall(r'"(/assets/[^"]+)"', page.text)
    assert any(path.endswith(".js") for path in assets)
    assert any(path.endswith(".css") for path in assets)
    for path in assets:
        sizes = {}
        for encoding in ("identity", "gzip"):
            answer = await http.get(path, headers={"Accept-Encoding": encoding})
            assert answer.status_code == 200
            assert "immutable" in answer.headers["cache-control"]
            assert answer.headers["vary"].startswith("Accept-Encoding")
            sizes[encoding] = int(answer.headers["content-length"])
        assert sizes["identity"] < 10_000 or sizes["gzip"] < sizes["identity"] / 2
        assert (await http.get(path, headers={"Accept-Encoding": "br"})).headers["content-encoding"] == "br"
    icon = await http.get("/icon.svg")
    assert icon.headers["content-type"] == "image/svg+xml"


async def test_a_link_signs_the_browser_in(http: httpx.AsyncClient, gym: Gym, desk: Desk) -> None:
    link = await desk.link(gym.member)
    opened = await http.get(f"/sign-in/{link}")
    assert (opened.status_code, opened.headers["location"]) == (303, "/")
    tokens = (await http.post("/api/auth/refresh", json={})).json()
    me = await http.get("/api/me", headers={"Authorization": f"Bearer {tokens['access_token']}"})
    assert me.json()["email"] == gym.member.email
    used = await http.get(f"/sign-in/{link}")
    assert used.status_code == 401, "and the app says that the link was used"
    assert '<div id="root">' in used.text
    assert link not in used.text
