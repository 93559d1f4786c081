"""Widgets on other people's pages (B12): where they may be shown, for whom, and how far their tokens reach."""

from datetime import timedelta
from uuid import UUID

import httpx
import jwt
import pytest

from spotter.api.widget_gate import OPEN
from spotter.app import House
from spotter.clock import now
from spotter.identity.principal import Role
from spotter.ids import random_id
from spotter.sessions import directory
from spotter.store.scope import Scope
from tests.http.actions import Desk, bearer, create_key
from tests.support.people import Gym
from tests.support.widgets import HOST, come_through, make_widget, mint, open_session


async def test_somebody_on_a_page_talks_and_comes_back(http: httpx.AsyncClient, gym: Gym) -> None:
    widget = await make_widget(http, gym)
    visitor = await come_through(http, gym, widget)
    dock = (await http.get(f"/api/widgets/{widget}/dock", headers=visitor)).json()
    assert [one["name"] for one in dock["agents"]] == ["trainer"]
    assert dock["voice_url"] is None, "nobody offers to listen who cannot"
    assert (await http.get("/api/widgets", headers=gym.owner.headers)).json()["voice"] is False
    session = await open_session(http, widget, visitor)
    said = await http.post(f"/api/sessions/{session}/messages", json={"text": "hello"}, headers=visitor)
    assert said.status_code == 200, said.text
    assert said.json()["events"]
    # The token is another one, the person and the conversation are the same.
    again = await come_through(http, gym, widget)
    assert await open_session(http, widget, again) == session
    events = (await http.get(f"/api/sessions/{session}/events", headers=again)).json()["items"]
    assert events[0]["content"]["text"] == "hello"


async def test_two_users_of_a_host_do_not_see_each_other(http: httpx.AsyncClient, gym: Gym) -> None:
    widget = await make_widget(http, gym)
    one = await come_through(http, gym, widget, "1")
    other = await come_through(http, gym, widget, "2")
    session = await open_session(http, widget, one)
    assert (await http.get(f"/api/sessions/{session}/events", headers=one)).status_code == 200
    assert (await http.get(f"/api/sessions/{session}/events", headers=other)).status_code == 404


async def test_the_same_id_on_another_host_is_another_person(http: httpx.AsyncClient, gym: Gym) -> None:
    shop, club = await make_widget(http, gym), await make_widget(http, gym, name="Club")
    here, there = await mint(http, gym, shop, user_id="1"), await mint(http, gym, club, user_id="1")
    assert here["user_id"] != there["user_id"]
    assert here["user_id"] == (await mint(http, gym, shop, user_id="1"))["user_id"]
    session = await open_session(http, shop, bearer(here["token"]))
    seen = await http.get(f"/api/sessions/{session}/events", headers=bearer(there["token"]))
    assert seen.status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/me", None),
        ("PATCH", "/api/me", {"name": "Mallory"}),
        ("GET", "/api/sessions", None),
        ("POST", "/api/sessions", {}),
        ("GET", "/api/widgets", None),
        ("POST", "/api/me/tickets", {}),
        ("POST", "/api/coach", {"message": "hello"}),
        ("POST", "/api/agent/chat", {"message": "hello"}),
        ("GET", "/api/members", None),
        ("POST", "/api/drafts", {}),
    ],
)
async def test_a_token_opens_nothing_else(
    http: httpx.AsyncClient, gym: Gym, method: str, path: str, body: dict[str, str] | None
) -> None:
    widget = await make_widget(http, gym)
    visitor = await come_through(http, gym, widget)
    refused = await http.request(method, path, json=body, headers=visitor)
    assert refused.status_code in {403, 404, 405}, refused.text
    if refused.status_code == 403:
        assert "widget" in refused.json()["detail"]


async def test_every_open_address_is_one_of_ours(http: httpx.AsyncClient) -> None:
    """A typing error in the list would shut out what is meant, or open what is renamed one day."""
    paths = (await http.get("/openapi.json")).json()["paths"]
    assert {(method, path) for method, path in OPEN if method.lower() not in paths.get(path, {})} == set()


async def test_it_stays_in_its_widget(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    shop, club = await make_widget(http, gym), await make_widget(http, gym, name="Club")
    visitor = await come_through(http, gym, shop)
    for path in (f"/api/widgets/{club}/dock", f"/api/widgets/{random_id()}/dock"):
        assert (await http.get(path, headers=visitor)).status_code == 404
    tool = {"tool": "get_workout_stats", "arguments": {}}
    assert (await http.post("/api/tools/execute", json=tool, headers=visitor)).status_code == 403
    assert (await http.get("/api/session2", headers=visitor)).status_code == 403
    talk = {"session_id": await open_session(http, shop, visitor)}
    speak = await http.get("/api/session2", params={**talk, "root_agent": "assistant"}, headers=visitor)
    assert speak.status_code == 403
    # No provider here: whoever is told so was let in.
    assert (await http.get("/api/session2", params=talk, headers=visitor)).status_code == 503
    # A session of the same person that did not begin here.
    minted = await mint(http, gym, shop, user_id="customer-1")
    elsewhere = await _session_without_widget(home, gym, minted["user_id"])
    assert (await http.get(f"/api/sessions/{elsewhere}", headers=visitor)).status_code == 404


async def _session_without_widget(home: House, gym: Gym, user_id: str) -> str:
    scope = Scope(gym.org_id, UUID(user_id), Role.MEMBER.value)
    async with home.services.database.unit_of_work(scope) as uow:
        return str((await directory.create(uow, "trainer")).id)


async def test_an_agent_taken_out_is_out_at_once(http: httpx.AsyncClient, gym: Gym) -> None:
    widget = await make_widget(http, gym, scenario=None, agents=["assistant", "trainer"])
    visitor = await come_through(http, gym, widget)
    session = await open_session(http, widget, visitor)
    changed = await http.patch(
        f"/api/widgets/{widget}", json={"agents": ["assistant"]}, headers=gym.owner.headers
    )
    assert changed.status_code == 200, changed.text
    assert (await http.get(f"/api/sessions/{session}", headers=visitor)).status_code == 404
    body = {"agent": "trainer"}
    asked = await http.post(f"/api/widgets/{widget}/sessions", json=body, headers=visitor)
    assert asked.status_code == 422


async def test_switched_off_or_gone_it_lets_nobody_in(http: httpx.AsyncClient, gym: Gym) -> None:
    widget = await make_widget(http, gym)
    visitor = await come_through(http, gym, widget)
    assert (await http.get(f"/api/widgets/{widget}/dock", headers=visitor)).status_code == 200
    off = await http.patch(f"/api/widgets/{widget}", json={"enabled": False}, headers=gym.owner.headers)
    assert off.status_code == 200
    assert (await http.get(f"/api/widgets/{widget}/dock", headers=visitor)).status_code == 401
    key = await create_key(http, gym.owner, ["read", "write"], role="staff")
    refused = await http.post(f"/api/widgets/{widget}/tokens", json={"user_id": "1"}, headers=key.headers)
    assert refused.status_code == 403
    assert (await http.delete(f"/api/widgets/{widget}", headers=gym.owner.headers)).status_code == 204
    assert (await http.get(f"/api/widgets/{widget}/dock", headers=visitor)).status_code == 401


async def test_a_removed_person_stays_out(http: httpx.AsyncClient, gym: Gym) -> None:
    widget = await make_widget(http, gym)
    minted = await mint(http, gym, widget, user_id="1")
    gone = await http.delete(f"/api/members/{minted['user_id']}", headers=gym.owner.headers)
    assert gone.status_code == 204, gone.text
    assert (await http.get(f"/api/widgets/{widget}/dock", headers=bearer(minted["token"]))).status_code == 401
    key = await create_key(http, gym.owner, ["read", "write"], role="staff")
    refused = await http.post(f"/api/widgets/{widget}/tokens", json={"user_id": "1"}, headers=key.headers)
    assert refused.status_code == 403


async def test_a_token_is_short_and_cannot_be_made_up(
    http: httpx.AsyncClient, home: House, gym: Gym, desk: Desk
) -> None:
    widget = await make_widget(http, gym)
    too_long = {"user_id": "1", "ttl_seconds": 901}
    refused = await http.post(f"/api/widgets/{widget}/tokens", json=too_long, headers=gym.owner.headers)
    assert refused.status_code == 422
    minted = await mint(http, gym, widget, user_id="1", ttl_seconds=900)
    plain = minted["token"].removeprefix("spw_")
    claims = jwt.decode(plain, options={"verify_signature": False})
    assert claims["exp"] - claims["iat"] == 900
    key = home.base.keyring.derive("widget-token/v1/hs256")
    expired = {**claims, "exp": int((now() - timedelta(seconds=1)).timestamp())}
    forged = [
        jwt.encode(claims, b"x" * 32, "HS256", headers={"typ": "wt+jwt"}),
        jwt.encode(expired, key, "HS256", headers={"typ": "wt+jwt"}),
        jwt.encode(claims, key, "HS256", headers={"typ": "at+jwt"}),
        jwt.encode({**claims, "aud": "spotter-api"}, key, "HS256", headers={"typ": "wt+jwt"}),
        desk.access_token(gym.member),
        "",
    ]
    genuine = jwt.encode(claims, key, "HS256", headers={"typ": "wt+jwt"})
    for token in forged:
        answer = await http.get(f"/api/widgets/{widget}/dock", headers=bearer(f"spw_{token}"))
        assert answer.status_code == 401, token
    answer = await http.get(f"/api/widgets/{widget}/dock", headers=bearer(f"spw_{genuine}"))
    assert answer.status_code == 200


async def test_other_sites_pages_cannot_use_it(http: httpx.AsyncClient, gym: Gym) -> None:
    widget = await make_widget(http, gym)
    visitor = await come_through(http, gym, widget)
    path = f"/api/widgets/{widget}/dock"
    own = str(http.base_url).rstrip("/")
    for headers in ({"Origin": HOST}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert (await http.get(path, headers={**visitor, **headers})).status_code == 403, headers
    for headers in ({"Origin": own}, {"Sec-Fetch-Site": "same-origin"}):
        assert (await http.get(path, headers={**visitor, **headers})).status_code == 200, headers


async def test_guests_come_where_guests_may(http: httpx.AsyncClient, gym: Gym) -> None:
    widget = await make_widget(http, gym)
    refused = await http.post(f"/api/widgets/{widget}/tokens", json={}, headers=gym.owner.headers)
    assert refused.status_code == 403, refused.text
    path = f"/api/organisations/{gym.org_id}"
    opened = await http.patch(path, json={"guests": True}, headers=gym.owner.headers)
    assert opened.status_code == 200, opened.text
    minted = await mint(http, gym, widget)
    assert minted["guest"] is True
    session = await open_session(http, widget, bearer(minted["token"]))
    said = await http.post(
        f"/api/sessions/{session}/messages", json={"text": "hello"}, headers=bearer(minted["token"])
    )
    assert said.status_code == 200, said.text


@pytest.mark.parametrize(
    "origin",
    [
        "https://*.example.com",
        "*",
        "https://shop.example/page",
        "http://shop.example",
        "null",
        "javascript:alert(1)",
        "https://shop.example; script-src *",
    ],
)
async def test_origins_are_exact(http: httpx.AsyncClient, gym: Gym, origin: str) -> None:
    body = {"name": "Shop", "origins": [origin], "scenario": "trainer"}
    assert (await http.post("/api/widgets", json=body, headers=gym.owner.headers)).status_code == 422


async def test_who_is_not_there_cannot_be_in_it(http: httpx.AsyncClient, gym: Gym) -> None:
    for wrong, status in (
        ({"agents": ["nobody_at_all"]}, 422),
        ({"scenario": "no-such-scenario"}, 404),
        ({"scenario": None, "agents": ["nobody_at_all"]}, 404),
    ):
        body = {"name": "Shop", "origins": [HOST], "scenario": "trainer", **wrong}
        refused = await http.post("/api/widgets", json=body, headers=gym.owner.headers)
        assert refused.status_code == status, refused.text


async def test_what_was_done_is_on_record(http: httpx.AsyncClient, gym: Gym) -> None:
    widget = await make_widget(http, gym)
    minted = await mint(http, gym, widget, user_id="customer@mail.example")
    await http.patch(f"/api/widgets/{widget}", json={"name": "New"}, headers=gym.owner.headers)
    await http.delete(f"/api/widgets/{widget}", headers=gym.owner.headers)
    audit = await http.get("/api/audit", headers=gym.owner.headers)
    entries = [one for one in audit.json()["items"] if one["target"] == widget]
    assert {one["action"] for one in entries} == {
        "widget.created",
        "widget.token_minted",
        "widget.changed",
        "widget.removed",
    }
    assert "customer@mail.example" not in audit.text
    assert minted["token"] not in audit.text


async def test_the_frame_is_for_its_origins(http: httpx.AsyncClient, gym: Gym) -> None:
    widget = await make_widget(http, gym, origins=[HOST, "http://127.0.0.1:9000"])
    shown = await http.get(f"/embed/{widget}", params={"host": HOST})
    assert shown.status_code == 200
    policy = dict(part.split(" ", 1) for part in shown.headers["content-security-policy"].split("; "))
    assert policy["frame-ancestors"] == f"{HOST} http://127.0.0.1:9000"
    assert policy["script-src"] == "'self'"
    assert "x-frame-options" not in shown.headers
    elsewhere = await http.get(f"/embed/{widget}", params={"host": "https://evil.example"})
    assert elsewhere.status_code == 403
    assert "evil.example" in elsewhere.text
    assert "<script" not in elsewhere.text
    for params in ({}, {"host": "https://evil.example/<script>"}):
        assert (await http.get(f"/embed/{widget}", params=params)).status_code == 403
    page = await http.get(f"/embed/{widget}", params={"host": HOST}, headers={"Sec-Fetch-Dest": "document"})
    assert page.status_code == 403
    assert (await http.get(f"/embed/{random_id()}", params={"host": HOST})).status_code == 404
    app = await http.get("/")
    assert app.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in app.headers["content-security-policy"]


async def test_the_loader_loads_anywhere(http: httpx.AsyncClient) -> None:
    loader = await http.get("/embed.js")
    assert loader.status_code == 200
    assert loader.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "javascript" in loader.headers["content-type"]
