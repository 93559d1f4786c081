"""What was used: what a conversation cost is there to the micro-dollar, limits are set, a member sees their own."""

import csv
import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import Page, expect

from spotter.app import Ground, House
from tests.browser.axe import findings
from tests.browser.conftest import DESKTOP, PHONE, OpenPage, sign_in, take_picture
from tests.http.actions import Desk, another_server
from tests.llm.wire_scripts import Spoken, answer
from tests.llm.wire_server import WireServer
from tests.support.money import cap, give_credits
from tests.support.people import Gym
from tests.support.usage import Call, book


async def test_what_a_conversation_cost(open_page: OpenPage, base: Ground, desk: Desk, gym: Gym) -> None:
    """2,000 × 2.50 + 8,000 × 1.25 + 500 × 10 = 20,000 micro-dollars, and a fifth on top: $0.024."""
    spoken = Spoken(text="Rest today.", tokens=(2_000, 500, 8_000, 0), model="gpt-4o")
    async with (
        WireServer(lambda asked: answer("chat", spoken, asked.body)) as provider,
        another_server(base, {"model": "openai:gpt-4o"}) as http,
        open_page() as page,
    ):
        account = {"api_key": "sk-x", "base_url": f"{provider.url}/v1", "dialect": "openai"}
        await http.put("/api/model-accounts/openai", json=account, headers=gym.owner.headers)
        url = str(http.base_url).rstrip("/")
        await sign_in(page, url, desk, gym.owner)
        await page.goto(f"{url}/usage")
        await expect(page.get_by_text("Nothing was used in")).to_be_visible()
        session = (await http.post("/api/sessions", json={}, headers=gym.member.headers)).json()["id"]
        said = await http.post(
            f"/api/sessions/{session}/messages", json={"text": "Legs?"}, headers=gym.member.headers
        )
        assert said.status_code == 200, said.text
        await page.reload()
        await expect(page.get_by_test_id("spent")).to_have_attribute("title", "$0.024")
        for part, row in {
            "By model": "gpt-4o",
            "By agent": "Assistant",
            "By person": gym.member.email.split("@")[0],
        }.items():
            table = page.get_by_role("table", name=part)
            await expect(table.get_by_role("row", name=re.compile(row, re.IGNORECASE))).to_contain_text(
                "$0.024"
            )
        async with page.expect_download() as waiting:
            await page.get_by_role("button", name="Export CSV").click()
        rows = list(csv.DictReader((await (await waiting.value).path()).read_text().splitlines()))
        assert [row["model"] for row in rows] == ["gpt-4o"]
        assert "0.024" in rows[0].values()


@pytest.fixture
async def busy_gym(home: House, gym: Gym) -> Gym:
    """Some weeks of use by two people, with three agents and three models; of one nobody knows the price."""
    today = datetime.now(UTC).date()
    calls = [
        Call(
            today - timedelta(days=back),
            user_id=(gym.member if back % 3 else gym.staff).user_id,
            agent=("trainer", "assistant", "supervisor")[back % 3],
            model=("gpt-4o", "gpt-4o-mini")[back % 2],
            input=1_000 + back,
            output=200,
            cost=120_000 + (back * 37 % 11) * 25_000,
        )
        for back in range(40)
    ]
    unknown = Call(today, model="llama3", provider="here", input=5, price=None)
    await book(home, gym.org_id, *calls, unknown)
    await cap(home, gym, 50_000_000, soft=100_000)
    await give_credits(home, gym, 250)
    return gym


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
async def test_a_busy_month(
    open_page: OpenPage, server_url: str, desk: Desk, busy_gym: Gym, width: int
) -> None:
    """Headline, chart and tables tell the same, and can be read by everybody."""
    async with open_page(width, dark=width == PHONE) as page:
        await sign_in(page, server_url, desk, busy_gym.owner)
        await page.goto(f"{server_url}/usage")
        spent = await page.get_by_test_id("spent").get_attribute("title")
        assert spent is not None
        assert spent != "$0.00"
        await expect(page.get_by_text("1 call went to models nobody knows a price of")).to_be_visible()
        await expect(page.get_by_test_id("forecast")).to_have_text(re.compile(r"≈ \$\d+\.\d\d"))
        await expect(page.get_by_test_id("credits")).to_have_text("250")
        await expect(page.get_by_role("img", name=re.compile("Money by day. The most on"))).to_be_visible()
        await expect(page.get_by_role("row", name=re.compile("llama3"))).to_contain_text("No price")
        assert await findings(page) == []
        await take_picture(page, "usage" if width == DESKTOP else "usage-phone")
        await page.get_by_text("Table", exact=True).click()
        foot = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="All", exact=True))
        await expect(foot).to_contain_text(spent)
        assert await findings(page) == []
        month = await page.get_by_label("Month", exact=True).input_value()
        await page.get_by_role("button", name="The month before").click()
        await expect(page.get_by_text("Against the month before")).to_be_visible()
        assert await page.get_by_label("Month", exact=True).input_value() < month
        await page.go_back()
        await expect(page.get_by_test_id("spent")).to_have_attribute("title", spent)


async def test_limits_are_for_those_who_may(
    open_page: OpenPage, server_url: str, desk: Desk, gym: Gym
) -> None:
    async with open_page() as page:
        await sign_in(page, server_url, desk, gym.admin)
        await page.goto(f"{server_url}/usage")
        await page.get_by_role("button", name="New limit").click()
        await page.get_by_label("For", exact=True).select_option("user")
        await _amounts(page, warn="30", stop="20")
        await page.get_by_role("button", name="Set the limit").click()
        await expect(page.get_by_text("The warning comes before the stop.")).to_be_visible()
        assert await findings(page) == []
        await _amounts(page, warn="0.1", stop="20.50")
        await page.get_by_role("button", name="Set the limit").click()
        await expect(page.get_by_text("Stops at $20.50, warns at $0.10")).to_be_visible()
        await _choose(page, "Other amounts")
        await _amounts(page, warn="", stop="7")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("Stops at $7.00", exact=True)).to_be_visible()
    async with open_page() as page:
        await sign_in(page, server_url, desk, gym.member)
        await page.goto(f"{server_url}/usage")
        left = page.get_by_role("region", name="What is left for you")
        await expect(left).to_contain_text("You, a month")
        await expect(left).to_contain_text("$7.00 left")
        await expect(page.get_by_role("heading", name="Limits")).to_have_count(0)
        assert await findings(page) == []
    async with open_page() as page:
        await sign_in(page, server_url, desk, gym.staff)
        await page.goto(f"{server_url}/usage")
        await expect(page.get_by_text("Stops at $7.00")).to_be_visible()
        await expect(page.get_by_role("button", name=re.compile("limit"))).to_have_count(0)
        await expect(page.get_by_role("button", name="Add credits")).to_have_count(0)


async def _amounts(page: Page, *, warn: str, stop: str) -> None:
    await page.get_by_label("Warn at").fill(warn)
    await page.get_by_label("Stop at").fill(stop)


async def _choose(page: Page, what: str) -> None:
    await page.get_by_role("button", name="Change the limit").click()
    await page.get_by_role("menuitem", name=what).click()
