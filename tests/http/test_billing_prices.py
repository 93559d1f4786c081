"""Prices over HTTP: the list's, one's own with their dates, and what something will cost."""

from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from spotter.app import House
from spotter.clock import now
from spotter.llm.port import Usage
from tests.support.people import Gym, Person
from tests.support.usage import Call, book

USAGE = Usage(input=1_000_000, output=1_000_000)


async def price(http: httpx.AsyncClient, person: Person, model: str, at: datetime | None = None) -> Any:
    query = {"model": model} | ({"at": at.isoformat()} if at else {})
    answer = await http.get("/api/billing/prices", params=query, headers=person.headers)
    assert answer.status_code == 200, answer.text
    items = answer.json()["items"]
    return items[0] if items else None


async def set_price(http: httpx.AsyncClient, person: Person, **fields: Any) -> httpx.Response:
    body = {"provider": "openai", "model": "gpt-4o", "input": "1", "output": "2", **fields}
    return await http.post("/api/billing/own-prices", json=body, headers=person.headers)


async def charged(home: House, gym: Gym, provider: str, model: str, at: datetime | None = None) -> int | None:
    """As the ledger asks."""
    found = await home.services.prices.price(gym.member.scope, provider, model, at or now())
    return None if found is None else found.cost(USAGE)


async def test_list_prices_say_where_they_are_from(http: httpx.AsyncClient, gym: Gym) -> None:
    shown = await price(http, gym.staff, "openai:gpt-4o-2024-08-06")
    assert shown["model"] == "gpt-4o"
    assert shown["source"] == "list"
    assert shown["label"].startswith("list price, genai-prices ")
    assert shown["rates"] == [
        {
            "above_prompt_tokens": 0,
            "input": "2.50",
            "output": "10.00",
            "cache_read": "1.25",
            "cache_write": "2.50",
        }
    ]
    assert (await price(http, gym.staff, "offline"))["source"] == "offline"
    assert await price(http, gym.staff, "my-server:llama3") is None
    found = await http.get(
        "/api/billing/prices", params={"provider": "anthropic", "search": "SONNET"}, headers=gym.staff.headers
    )
    names = [item["model"] for item in found.json()["items"]]
    assert "claude-3-5-sonnet" in names
    assert all("sonnet" in name for name in names)
    short = await http.get("/api/billing/prices", params={"limit": 3}, headers=gym.staff.headers)
    assert (len(short.json()["items"]), short.json()["more"]) == (3, True)


async def test_an_own_price_holds_at_once_and_for_dated_names(
    http: httpx.AsyncClient, home: House, gym: Gym, other_gym: Gym
) -> None:
    assert await charged(home, gym, "openai", "gpt-4o") == 12_500_000
    assert (await set_price(http, gym.admin, cache_read="0.5")).status_code == 201
    for name in ("gpt-4o", "GPT-4o", "gpt-4o-2024-08-06"):
        assert await charged(home, gym, "openai", name) == 3_000_000
    assert await charged(home, gym, "openai", "gpt-4o-mini") == 750_000
    assert await charged(home, other_gym, "openai", "gpt-4o") == 12_500_000
    shown = await price(http, gym.staff, "openai:gpt-4o")
    assert (shown["source"], shown["rates"][0]["cache_read"]) == ("organisation", "0.50")
    assert shown["rates"][0]["cache_write"] == "1.00"
    listed = await http.get(
        "/api/billing/prices", params={"provider": "openai", "search": "gpt-4o"}, headers=gym.staff.headers
    )
    sources = [item["source"] for item in listed.json()["items"] if item["model"] == "gpt-4o"]
    assert sources == ["organisation"]


async def test_one_price_for_everything_of_a_server(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    """One's own hardware sends no bill: that is said, not assumed."""
    assert await charged(home, gym, "ollama", "llama3") is None
    free = await set_price(http, gym.owner, provider="ollama", model="*", input="0", output="0")
    assert free.status_code == 201
    assert await charged(home, gym, "ollama", "llama3") == 0
    assert (await set_price(http, gym.owner, provider="ollama", model="big")).status_code == 201
    assert await charged(home, gym, "ollama", "big") == 3_000_000
    assert await charged(home, gym, "ollama", "llama3") == 0


async def test_prices_follow_each_other_without_gap_or_overlap(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    soon, later = now() + timedelta(days=10), now() + timedelta(days=20)
    tick = timedelta(microseconds=1)
    first = (await set_price(http, gym.owner, input="1", output="0")).json()
    last = (await set_price(http, gym.owner, input="3", output="0", valid_from=later.isoformat())).json()
    middle = (await set_price(http, gym.owner, input="2", output="0", valid_from=soon.isoformat())).json()
    steps = {now(): 1, soon - tick: 1, soon: 2, later - tick: 2, later: 3, later + timedelta(days=999): 3}
    for moment, dollars in steps.items():
        assert await charged(home, gym, "openai", "gpt-4o", moment) == dollars * 1_000_000
    rows = (await http.get("/api/billing/own-prices", headers=gym.staff.headers)).json()["items"]
    assert [row["id"] for row in rows] == [last["id"], middle["id"], first["id"]]
    assert [row["valid_to"] for row in rows] == [None, rows[0]["valid_from"], rows[1]["valid_from"]]

    # Taken back before it began: the one before it goes on.
    gone = await http.delete(f"/api/billing/own-prices/{middle['id']}", headers=gym.owner.headers)
    assert gone.status_code == 204
    assert await charged(home, gym, "openai", "gpt-4o", soon) == 1_000_000
    assert await charged(home, gym, "openai", "gpt-4o", later) == 3_000_000
    again = await http.delete(f"/api/billing/own-prices/{middle['id']}", headers=gym.owner.headers)
    assert again.status_code == 404

    # Set twice for the same moment: the second counts.
    assert (
        await set_price(http, gym.owner, input="9", output="0", valid_from=later.isoformat())
    ).status_code == 201
    assert await charged(home, gym, "openai", "gpt-4o", later) == 9_000_000

    # Ended while it holds: the list's price until the next one begins.
    assert (
        await http.delete(f"/api/billing/own-prices/{first['id']}", headers=gym.owner.headers)
    ).status_code == 204
    assert await charged(home, gym, "openai", "gpt-4o") == 12_500_000
    assert await charged(home, gym, "openai", "gpt-4o", later) == 9_000_000


async def test_changes_are_in_the_audit_log(http: httpx.AsyncClient, gym: Gym) -> None:
    made = (await set_price(http, gym.admin)).json()
    await http.delete(f"/api/billing/own-prices/{made['id']}", headers=gym.admin.headers)
    entries = (await http.get("/api/audit", headers=gym.owner.headers)).json()["items"]
    found = [entry for entry in entries if entry["action"].startswith("price.")]
    assert [entry["action"] for entry in found] == ["price.ended", "price.set"]
    assert {entry["target"] for entry in found} == {"openai:gpt-4o"}
    assert found[1]["detail"]["micro_dollars_per_million"]["input"] == 1_000_000
    assert found[1]["actor_id"] == str(gym.admin.user_id)


@pytest.mark.parametrize(
    "fields",
    [
        {"valid_from": "2020-01-01T00:00:00Z"},
        {"valid_from": "2030-01-01T00:00:00"},
        {"provider": "offline"},
        {"provider": "Open AI"},
        {"model": ""},
        {"input": "-1"},
        {"input": "0.0000001"},
        {"input": "10001"},
        {"input": "NaN"},
        {"output": None},
        {"currency": "EUR"},
    ],
)
async def test_prices_that_are_refused(http: httpx.AsyncClient, gym: Gym, fields: dict[str, Any]) -> None:
    assert (await set_price(http, gym.owner, **fields)).status_code == 422


async def test_the_same_key_sets_one_price(http: httpx.AsyncClient, gym: Gym) -> None:
    headers = {**gym.owner.headers, "Idempotency-Key": "one-price"}
    body = {"provider": "openai", "model": "gpt-4o", "input": "1", "output": "2"}
    ids = {
        (await http.post("/api/billing/own-prices", json=body, headers=headers)).json()["id"]
        for _ in range(3)
    }
    assert len(ids) == 1


async def estimate(http: httpx.AsyncClient, person: Person, **body: Any) -> Any:
    answer = await http.post("/api/billing/estimate", json=body, headers=person.headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_an_estimate_that_can_be_checked_by_hand(http: httpx.AsyncClient, gym: Gym) -> None:
    """gpt-4o, one call: 1,000 × $2.50 + 200 × $10 a million = $0.0045, with the markup $0.0054; to 50 people."""
    found = await estimate(
        http, gym.member, model="openai:gpt-4o", prompt_tokens=1000, answer_tokens=200, recipients=50
    )
    assert found["priced"] is True
    for amount in (found["low"], found["expected"], found["high"]):
        assert amount["cost"]["micros"] == 50 * 4500
        assert amount["charge"]["usd"] == "0.27"
    assert any("50 recipients" in line for line in found["assumptions"])


async def test_two_turns_send_the_first_again(http: httpx.AsyncClient, gym: Gym) -> None:
    """The second prompt is the first 1,000 tokens and 400 new ones (the answer, and as much in reply).
    Low reads the 1,000 from the cache: 4,500 + 1,000 × 1.25 + 400 × 2.5 + 200 × 10 = 8,750 micro-dollars.
    Expected, half of them: 9,375. High, none: 10,000."""
    found = await estimate(
        http, gym.member, model="openai:gpt-4o", prompt_tokens=1000, answer_tokens=200, turns=2
    )
    amounts = [found[part]["cost"]["micros"] for part in ("low", "expected", "high")]
    assert amounts == [8750, 9375, 10_000]


async def test_estimates_learn_from_what_was_used(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    ask = {"model": "openai:gpt-4o", "text": "Write a plan for each member."}
    guessed = await estimate(http, gym.staff, **ask)
    assert any("too few calls" in line for line in guessed["assumptions"])
    assert guessed["low"]["cost"]["micros"] < guessed["expected"]["cost"]["micros"]
    assert guessed["expected"]["cost"]["micros"] < guessed["high"]["cost"]["micros"]
    yesterday = (now() - timedelta(days=1)).date()
    await book(home, gym.org_id, *(Call(yesterday, output=4000, input=10) for _ in range(20)))
    learned = await estimate(http, gym.staff, **ask)
    assert any("last 20 calls" in line for line in learned["assumptions"])
    assert learned["expected"]["cost"]["micros"] > 40_000
    # A member does not learn how much others write.
    unseen = await estimate(http, gym.member, **ask)
    assert any("too few calls" in line for line in unseen["assumptions"])


async def test_an_estimate_without_a_price_is_not_nought(http: httpx.AsyncClient, gym: Gym) -> None:
    found = await estimate(http, gym.member, model="my-server:llama3", text="hello")
    assert (found["priced"], found["expected"]) == (False, None)
    assert "Nobody knows a price" in found["assumptions"][0]
    offline = await estimate(http, gym.member, agent="assistant", text="hello")
    assert offline["expected"]["charge"]["micros"] == 0
    assert "by definition" in offline["price"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"agent": "assistant", "model": "openai:gpt-4o"}, 422),
        ({"model": "no-such-name"}, 422),
        ({"agent": "nobody"}, 404),
        ({"model": "openai:gpt-4o", "turns": 0}, 422),
        ({"model": "openai:gpt-4o", "recipients": 10**9}, 422),
    ],
)
async def test_estimates_that_are_refused(
    http: httpx.AsyncClient, gym: Gym, body: dict[str, Any], status: int
) -> None:
    answer = await http.post("/api/billing/estimate", json=body, headers=gym.member.headers)
    assert answer.status_code == status, answer.text
