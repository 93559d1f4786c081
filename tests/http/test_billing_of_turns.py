"""From the provider's bytes to the bill: real turns with a server that counts cached tokens its own way."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from spotter.app import Ground, House
from spotter.clock import now
from tests.http.actions import another_server
from tests.llm.wire_scripts import Spoken, answer
from tests.llm.wire_server import WireServer
from tests.support.money import account, rows
from tests.support.people import Gym

# (input, output, cache read, cache write), as the port counts them: none within another.
TOKENS = (2_000, 500, 8_000, 0)
CLAUDE_TOKENS = (1_200, 700, 30_000, 5_000)


@pytest.mark.parametrize(
    ("dialect", "model", "tokens", "cost"),
    [
        # 2,000 × 2.50 + 8,000 × 1.25 + 500 × 10 = 20,000 micro-dollars
        ("openai", "gpt-4o", TOKENS, 20_000),
        # 1,200 × 3 + 30,000 × 0.30 + 5,000 × 3.75 + 700 × 15 = 41,850 micro-dollars
        ("anthropic", "claude-3-5-sonnet-20241022", CLAUDE_TOKENS, 41_850),
    ],
)
async def test_a_turn_costs_what_a_hand_calculation_says(
    base: Ground, gym: Gym, dialect: str, model: str, tokens: tuple[int, int, int, int], cost: int
) -> None:
    charge = (cost * 12 + 5) // 10
    spoken = Spoken(text="Rest today.", tokens=tokens, model=model)
    async with (
        WireServer(
            lambda asked: answer("chat" if dialect == "openai" else dialect, spoken, asked.body)
        ) as provider,
        another_server(base, {"model": f"{dialect}:{model}"}) as http,
    ):
        url = f"{provider.url}/v1" if dialect == "openai" else provider.url
        account = {"api_key": "sk-x", "base_url": url, "dialect": dialect}
        stored = await http.put(f"/api/model-accounts/{dialect}", json=account, headers=gym.owner.headers)
        assert stored.status_code == 200, stored.text
        session = (await http.post("/api/sessions", json={}, headers=gym.member.headers)).json()["id"]
        said = await http.post(
            f"/api/sessions/{session}/messages", json={"text": "Legs?"}, headers=gym.member.headers
        )
        assert said.status_code == 200, said.text
        used = await http.get(f"/api/sessions/{session}/usage", headers=gym.member.headers)
        month = await http.get("/api/billing/current", headers=gym.staff.headers)
        day = (now() - timedelta(days=1)).date().isoformat()
        models = await http.get(
            "/api/billing/usage", params={"by": "model", "from": day}, headers=gym.member.headers
        )
    for total in (used.json()["total"], month.json()["total"], models.json()["total"]):
        assert (total["calls"], total["unpriced_calls"], total["unreported_calls"]) == (1, 0, 0)
        assert tuple(total["tokens"].values()) == tokens
        assert (total["cost"]["micros"], total["charge"]["micros"]) == (cost, charge)
    assert [item["key"] for item in models.json()["items"]] == [f"{dialect}:{model}"]


@pytest.mark.parametrize("tier", ["free", "business"])
async def test_without_credits_a_message_gets_402_that_says_when_more_come(
    base: Ground, home: House, gym: Gym, tier: str
) -> None:
    zone = "Pacific/Auckland"
    named = await rows(
        home, gym, "UPDATE organisations SET timezone = %s WHERE id = %s RETURNING 1", zone, gym.org_id
    )
    assert named
    await account(home, gym, prepaid=True, tier=tier)
    async with another_server(base, {"model": "openai:gpt-4o"}) as http:
        key = {"api_key": "sk-x"}
        stored = await http.put("/api/model-accounts/openai", json=key, headers=gym.owner.headers)
        assert stored.status_code == 200, stored.text
        session = (await http.post("/api/sessions", json={}, headers=gym.member.headers)).json()["id"]
        said = await http.post(
            f"/api/sessions/{session}/messages", json={"text": "Legs?"}, headers=gym.member.headers
        )
    assert said.status_code == 402
    problem = said.json()
    assert (problem["limit"], problem["unit"], problem["left"]) == ("credits", "micro_credits", 0)
    assert problem["needed"] > 0
    assert "What you said is recorded" in problem["detail"]
    if tier == "business":
        assert "resets_at" not in problem, "this plan comes with no credits"
        return
    resets_at = datetime.fromisoformat(problem["resets_at"])
    there = resets_at.astimezone(ZoneInfo(zone))
    assert (there.day, there.hour, there.minute) == (1, 0, 0)
    assert timedelta(0) < resets_at - now() < timedelta(days=32)
    assert problem["resets_at"] in problem["detail"]


async def test_a_model_without_a_price_is_used_and_flagged(base: Ground, gym: Gym) -> None:
    spoken = Spoken(text="Rest today.", tokens=TOKENS, model="llama3")
    async with (
        WireServer(lambda asked: answer("chat", spoken, asked.body)) as provider,
        another_server(base, {"model": "my-server:llama3"}) as http,
    ):
        account = {"base_url": f"{provider.url}/v1", "dialect": "openai"}
        await http.put("/api/model-accounts/my-server", json=account, headers=gym.owner.headers)
        session = (await http.post("/api/sessions", json={}, headers=gym.member.headers)).json()["id"]
        said = await http.post(
            f"/api/sessions/{session}/messages", json={"text": "Legs?"}, headers=gym.member.headers
        )
        assert said.status_code == 200, said.text
        total = (await http.get("/api/billing/current", headers=gym.staff.headers)).json()["total"]
    assert (total["calls"], total["unpriced_calls"], total["charge"]["micros"]) == (1, 1, 0)
    assert tuple(total["tokens"].values()) == TOKENS
