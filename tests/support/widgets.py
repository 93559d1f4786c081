"""Widgets of a gym, and those who come through them."""

from typing import Any

import httpx

from tests.http.actions import bearer, create_key
from tests.support.people import Gym

HOST = "https://shop.example"


async def make_widget(http: httpx.AsyncClient, gym: Gym, **more: Any) -> str:
    body = {"name": "Shop", "origins": [HOST], "scenario": "trainer", **more}
    made = await http.post("/api/widgets", json=body, headers=gym.owner.headers)
    assert made.status_code == 201, made.text
    identifier: str = made.json()["id"]
    return identifier


async def mint(http: httpx.AsyncClient, gym: Gym, widget_id: str, **body: Any) -> dict[str, Any]:
    """As a host's server does it."""
    key = await create_key(http, gym.owner, ["read", "write"], role="staff")
    made = await http.post(f"/api/widgets/{widget_id}/tokens", json=body, headers=key.headers)
    assert made.status_code == 201, made.text
    minted: dict[str, Any] = made.json()
    return minted


async def come_through(
    http: httpx.AsyncClient, gym: Gym, widget_id: str, user_id: str = "customer-1"
) -> dict[str, str]:
    """The headers of somebody on the host's page."""
    return bearer((await mint(http, gym, widget_id, user_id=user_id))["token"])


async def open_session(
    http: httpx.AsyncClient, widget_id: str, headers: dict[str, str], agent: str = "trainer"
) -> str:
    opened = await http.post(f"/api/widgets/{widget_id}/sessions", json={"agent": agent}, headers=headers)
    assert opened.status_code == 200, opened.text
    identifier: str = opened.json()["session_id"]
    return identifier
