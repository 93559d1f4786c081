"""The addresses of the systems we replace answer like ours, for everything of A and B; and browsers may ask first."""

from typing import Any

import httpx
import pytest

from spotter.app import Ground
from tests.http.actions import another_server
from tests.support.people import Gym

PREFIXES = ("/.netlify/functions", "/functions/v1")
NOBODY = "00000000-0000-7000-8000-000000000000"
CALLS: tuple[tuple[str, str, Any], ...] = (
    # A: the coach.
    ("POST", "/coach", {"message": ""}),
    ("GET", "/coach/sessions", None),
    ("GET", "/coach/sessions/stats", None),
    ("GET", f"/coach/sessions/{NOBODY}", None),
    ("DELETE", f"/coach/sessions/{NOBODY}", None),
    ("POST", "/coach/sessions/cleanup", {"maxAgeHours": 24}),
    ("GET", "/test", None),
    ("POST", "/test", {}),
    # B: scenarios, voice, orchestration, tools, moderation, context, programs, drafts.
    ("GET", "/scenarios", None),
    ("GET", "/scenarios/retail", None),
    ("GET", "/scenarios/nobody", None),
    ("GET", "/session", None),
    ("GET", "/session2", None),
    ("POST", "/orchestrate", {"scenario_id": "retail", "page_context": {"page": "orders"}}),
    ("POST", "/tools/execute", {"tool": "echo", "arguments": {"text": "x"}}),
    ("POST", "/moderate", {"text": "hello"}),
    ("POST", "/context/snapshot", {"page": "training"}),
    ("POST", "/responses", {"model": "gpt-4o-mini", "input": "hi"}),
    ("POST", "/agent/run", {"input": "hello"}),
    ("POST", "/sdk/session/message", {"session_id": "nobody-has-this", "user_input": "hi"}),
    ("GET", "/sdk/session/transcript?session_id=nobody-has-this", None),
    ("GET", "/drafts", None),
    ("GET", "/drafts/nothing", None),
    ("GET", "/health", None),
    ("GET", "/agent/sessions", None),
    ("POST", "/agent/chat", {"message": ""}),
)


def shape(value: Any) -> Any:
    """Names and kinds, not the values: ids and times differ each time."""
    match value:
        case dict():
            return {name: shape(one) for name, one in value.items()}
        case list():
            return [shape(one) for one in value[:1]]
        case _:
            return type(value).__name__


@pytest.mark.parametrize(("method", "path", "body"), CALLS, ids=lambda one: str(one)[:40])
async def test_the_old_addresses_answer_alike(
    http: httpx.AsyncClient, gym: Gym, method: str, path: str, body: Any
) -> None:
    ours = await http.request(method, f"/api{path}", json=body, headers=gym.owner.headers)
    assert ours.status_code not in (405, 500)
    addresses = [f"{prefix}{path}" for prefix in PREFIXES]
    if path.startswith("/agent/"):
        addresses.append(path)
    for address in addresses:
        theirs = await http.request(method, address, json=body, headers=gym.owner.headers)
        assert theirs.status_code == ours.status_code, address
        assert theirs.headers["content-type"] == ours.headers["content-type"]
        assert shape(theirs.json()) == shape(ours.json()), address
        if "problem" not in ours.headers["content-type"] and ours.status_code == 200 and path != "/test":
            # Nobody gets in by an old address who does not by the new one.
            stranger = await http.request(method, address, json=body)
            mine = await http.request(method, f"/api{path}", json=body)
            assert stranger.status_code == mine.status_code, address


@pytest.mark.parametrize("prefix", ["/api", *PREFIXES])
async def test_a_programs_session_by_every_prefix(http: httpx.AsyncClient, gym: Gym, prefix: str) -> None:
    base, headers = f"{prefix}/sdk/session", gym.owner.headers
    name = f"seed{prefix.replace('/', '-').replace('.', '')}"
    wanted = {"session_id": name, "agent_name": "assistant", "instructions": ""}
    for _ in range(2):
        made = await http.post(f"{base}/create", json=wanted, headers=headers)
        assert made.status_code == 200, made.text
        assert set(made.json()) == {"session_id", "agent_name", "model"}
        assert made.json()["session_id"] == name
    empty = await http.post(f"{base}/message", json={"session_id": name, "user_input": " "}, headers=headers)
    assert empty.status_code == 400
    said = await http.post(
        f"{base}/message", json={"session_id": name, "user_input": "hello"}, headers=headers
    )
    assert set(said.json()) == {"final_output", "new_items_len", "tool_calls"}
    assert said.json()["final_output"]
    read = await http.get(f"{base}/transcript", params={"session_id": name}, headers=headers)
    assert set(read.json()) == {"session_id", "items", "length"}
    assert read.json()["length"] == len(read.json()["items"]) == 1 + said.json()["new_items_len"]
    assert next(item["source"] for item in read.json()["items"] if "role" in item) in ("text", "api")
    # One session, whichever address it was spoken to by.
    for other in ("/api", *PREFIXES):
        same = await http.get(f"{other}/sdk/session/transcript", params={"session_id": name}, headers=headers)
        assert same.json() == read.json()


@pytest.mark.parametrize("prefix", ["/api", *PREFIXES])
async def test_a_browser_asks_before_it_talks_to_the_coach(base: Ground, gym: Gym, prefix: str) -> None:
    origin = "https://app.example.com"
    asks = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type, x-guest-token, x-organisation",
    }
    async with another_server(base, {"cors_origins": [origin]}) as http:
        allowed = await http.options(f"{prefix}/coach", headers=asks)
        assert allowed.status_code in (200, 204)
        assert allowed.headers["access-control-allow-origin"] == origin
        assert "POST" in allowed.headers["access-control-allow-methods"]
        names = {name.strip().lower() for name in allowed.headers["access-control-allow-headers"].split(",")}
        assert {"authorization", "content-type", "x-guest-token", "x-organisation"} <= names
        assert "access-control-allow-credentials" not in allowed.headers
        for stranger in ("https://app.example.com.evil.example", "null"):
            refused = await http.options(f"{prefix}/coach", headers={**asks, "Origin": stranger})
            assert "access-control-allow-origin" not in refused.headers
        said = await http.post(
            f"{prefix}/coach", json={"message": "hello"}, headers={**gym.member.headers, "Origin": origin}
        )
        assert said.status_code == 200, said.text
        assert said.headers["access-control-allow-origin"] == origin
        assert {"message", "sessionId", "sessionState", "currentAgent"} <= set(said.json())
