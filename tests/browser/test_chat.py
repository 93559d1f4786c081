"""The way of a builder: talk to an agent, look at what it did, say it differently, decide, stop."""

import json
import re
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Page, expect

from spotter.app import Ground
from tests.browser.axe import findings
from tests.browser.conftest import DESKTOP, PHONE, OpenPage, sign_in, take_picture
from tests.http.actions import Desk
from tests.support.people import Gym, open_gym
from tests.support.speaking import Speaker, speaking_server

WORKOUT = "Give me a 20 minute workout"
EVIL = (
    "First **bold** words. <img src=x onerror=\"document.title='owned'\"> "
    "<script>document.title='owned'</script> [click](javascript:document.title='owned') "
    "![seen](https://elsewhere.example/pixel.png)\n\n"
    "```python\nprint('<b>code</b>')\n```\n\nAnd a last sentence, which is long enough to be held back for a while."
)


async def open_chat(page: Page, url: str, agent: str = "trainer") -> None:
    await page.goto(f"{url}/chat")
    await page.get_by_role("combobox", name="Who answers").click()
    await page.get_by_role("option", name=agent, exact=True).click()


async def say(page: Page, text: str, to: str = "trainer") -> None:
    box = page.get_by_role("textbox", name=f"Message to {to}")
    await box.fill(text)
    await box.press("Enter")


async def show_list(page: Page) -> None:
    """On a phone it is in a drawer."""
    button = page.get_by_role("button", name="Conversations", exact=True)
    if await button.is_visible():
        await button.click()


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
async def test_a_builder_talks_looks_and_branches(
    open_page: OpenPage, server_url: str, desk: Desk, gym: Gym, width: int, tmp_path: Path
) -> None:
    async with open_page(width, dark=width == PHONE) as page:
        await sign_in(page, server_url, desk, gym.staff)
        await open_chat(page, server_url)
        assert await findings(page) == []
        await say(page, WORKOUT)
        call = page.get_by_test_id("tool-call").filter(has_text="generate_workout")
        await expect(call).to_contain_text(re.compile(r"\d+ ms.*Done"))
        await call.get_by_role("button").first.click()
        await expect(call.get_by_label("Arguments", exact=True)).to_contain_text('"exercises"')
        await expect(call.get_by_label("Result", exact=True)).to_contain_text('"success": true')
        answer = page.get_by_test_id("answer-text").first
        await expect(answer).to_contain_text("about 20 min")
        await expect(page.get_by_test_id("cost")).to_contain_text("$0")
        await expect(page.get_by_test_id("session-cost")).to_have_text("$0")
        await take_picture(page, "chat" if width == DESKTOP else "chat-phone")
        assert await findings(page) == []

        # Said differently: a branch. The first way stays, one step away.
        await page.get_by_role("button", name="Edit", exact=True).click()
        editing = page.get_by_label("Edit the message")
        await expect(editing).to_be_focused()
        await editing.fill("Give me a 10 minute workout")
        await editing.press("Enter")
        await expect(page.get_by_test_id("branch")).to_have_text("2 / 2")
        await expect(answer).to_contain_text("about 10 min")
        await page.get_by_role("button", name="Previous branch").click()
        await expect(page.get_by_test_id("branch")).to_have_text("1 / 2")
        await expect(answer).to_contain_text("about 20 min")
        await page.get_by_role("button", name="Regenerate").click()
        await expect(page.get_by_test_id("branch")).to_have_text("3 / 3")
        await expect(answer).to_contain_text("about 20 min")

        # The raw log has everything, and the export too.
        await page.get_by_text("Raw log", exact=True).click()
        log = page.get_by_role("region", name="Raw event log")
        await expect(log.locator("li").first).to_contain_text("user_message")
        await log.get_by_label("Filter events").fill("generate_workout")
        await expect(log.locator("li").first).to_contain_text("action")
        await log.locator("summary").first.click()
        await expect(log.locator("pre").first).to_contain_text("generate_workout")
        assert await findings(page) == []
        async with page.expect_download() as downloading:
            await page.get_by_role("button", name="Export as JSON").click()
        file = tmp_path / "export.json"
        await (await downloading.value).save_as(file)
        assert json.loads(file.read_text())["events"]

        # Found again by its words, also after a reload.
        await page.reload()
        await expect(answer).to_contain_text("about 20 min")
        await show_list(page)
        await page.get_by_label("Search conversations").fill("10 minute")
        found = page.get_by_role("navigation", name="Conversations").get_by_role("button")
        await expect(found).to_have_count(1)
        await found.click()
        await expect(answer).to_contain_text("about 10 min")


async def test_questions_are_chips_and_approvals_are_decided_where_they_stand(
    open_page: OpenPage, server_url: str, desk: Desk, gym: Gym, http: httpx.AsyncClient
) -> None:
    policy = {"tool": "generate_workout", "mode": "always"}
    await http.put("/api/approval-policies", json=policy, headers=gym.owner.headers)
    async with open_page() as page:
        await sign_in(page, server_url, desk, gym.owner)
        await open_chat(page, server_url)
        await say(page, "colourless green ideas sleep furiously")
        chips = page.get_by_role("group", name="Answers").get_by_role("button")
        await expect(chips.first).to_be_visible()
        await chips.first.click()
        waits = page.get_by_role("region", name="generate_workout waits for approval")
        await expect(waits).to_contain_text('"exercises"')
        assert await findings(page) == []
        await waits.get_by_role("button", name="Deny").click()
        await waits.get_by_label("Why not? The agent reads it.").fill("Rest today.")
        await waits.get_by_role("button", name="Deny").click()
        await expect(page.get_by_label("Message to trainer")).to_be_focused()
        denied = page.get_by_test_id("tool-call").filter(has_text="Denied")
        await expect(denied.first).to_be_visible()
        await denied.first.get_by_role("button").first.click()
        await expect(denied.first.get_by_label("Reason", exact=True)).to_contain_text("Rest today.")

        await open_chat(page, server_url)
        await say(page, WORKOUT)
        await expect(waits).to_be_visible()
        await page.reload()
        await waits.get_by_role("button", name="Approve").click()
        done = page.get_by_test_id("tool-call").filter(has_text="generate_workout").last
        await expect(done).to_contain_text("Done")
        await expect(waits).to_have_count(0)


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
async def test_what_a_model_says_is_only_words_and_can_be_stopped(
    open_page: OpenPage, base: Ground, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    speaker = Speaker(EVIL)
    async with speaking_server(base, monkeypatch, speaker) as (home, url), open_page(width) as page:
        gym = await open_gym(home, "browser")
        await sign_in(page, url, Desk(home), gym.staff)
        await open_chat(page, url, "assistant")
        await say(page, "Tell me", "assistant")
        answer = page.get_by_test_id("answer-text")
        await expect(answer.locator("strong")).to_have_text("bold")
        await page.reload()
        await expect(answer.locator("strong")).to_have_text("bold")  # a reload in the middle goes on
        await page.keyboard.press("Escape")
        await expect(page.get_by_text("Stopped.", exact=True)).to_be_visible()
        await expect(answer).not_to_contain_text("last sentence")

        speaker.may_go_on.set()
        await say(page, "Again", "assistant")
        whole = answer.filter(has_text="last sentence")
        await expect(whole).to_contain_text("<script>")
        await expect(whole.locator("pre code .hljs-string")).to_have_text("'<b>code</b>'")
        assert "owned" not in await page.title()
        assert await page.locator("main img, main script").count() == 0
        assert await whole.locator("a[href^='javascript']").count() == 0
        await expect(page.get_by_test_id("cost").last).to_contain_text("$0.0054")
        await expect(page.get_by_test_id("session-cost")).to_contain_text("$0.0")
        assert await findings(page) == []


async def test_a_member_finds_no_chat(open_page: OpenPage, server_url: str, desk: Desk, gym: Gym) -> None:
    async with open_page() as page:
        await sign_in(page, server_url, desk, gym.member)
        await expect(page.get_by_role("link", name="Progress").first).to_be_visible()
        await expect(page.get_by_role("link", name="Chat", exact=True)).to_have_count(0)
