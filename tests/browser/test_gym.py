"""The gym's own page: what the front desk knows, the chat on its website, whose model thinks; and who is in it."""

import re

import httpx
import pytest
from playwright.async_api import Page, expect

from spotter.app import House
from tests.browser.axe import findings
from tests.browser.conftest import DESKTOP, PHONE, OpenPage, sign_in
from tests.browser.hosts import host_page
from tests.http.actions import Desk
from tests.support.people import Gym, open_gym


@pytest.fixture
async def gym(home: House) -> Gym:
    return await open_gym(home, "gym")


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
async def test_what_is_written_down_is_what_the_front_desk_says(
    open_page: OpenPage, server_url: str, http: httpx.AsyncClient, desk: Desk, gym: Gym, width: int
) -> None:
    async with open_page(width) as page:
        await sign_in(page, server_url, desk, gym.admin)
        await page.goto(f"{server_url}/gym")
        await expect(page.get_by_text("Nothing is written down yet")).to_be_visible()
        await page.get_by_role("button", name="Opening hours").click()
        await page.get_by_role("button", name="Another topic").click()
        save = page.get_by_role("button", name="Save what it knows")
        await save.click()
        await expect(page.get_by_text("Name the topic.")).to_be_visible()
        await expect(page.get_by_text("Say something about it, or remove the topic.")).to_be_visible()
        assert await findings(page) == []
        texts = page.get_by_label("What to say about it")
        await texts.first.fill("Every day from 6 to 22.")
        await page.get_by_role("button", name="Remove this topic").click()
        await save.click()
        await expect(page.get_by_role("alert")).to_contain_text("Written down")
        await page.reload()
        await expect(texts.first).to_have_value("Every day from 6 to 22.")
    session = {"scenario": "front_desk"}
    made = (await http.post("/api/sessions", json=session, headers=gym.member.headers)).json()["id"]
    asked = {"text": "What are your opening hours?"}
    said = await http.post(f"/api/sessions/{made}/messages", json=asked, headers=gym.member.headers)
    assert "Every day from 6 to 22." in said.json()["text"]


async def test_a_widget_from_the_form_to_a_page_and_revoked(
    open_page: OpenPage, server_url: str, http: httpx.AsyncClient, desk: Desk, gym: Gym
) -> None:
    """The very script and key that the page gives, on a page of another origin."""
    async with host_page(http) as site, open_page() as page:
        await sign_in(page, server_url, desk, gym.admin)
        await page.goto(f"{server_url}/gym")
        await page.get_by_role("button", name="New widget").click()
        form = page.get_by_role("dialog")
        await form.get_by_role("textbox", name="Name").fill("Shop")
        origins = form.get_by_role("combobox", name="Pages that may show it")
        await origins.fill("http://shop.example")
        await origins.press("Enter")
        await form.get_by_role("button", name="Make the widget").click()
        await expect(form.get_by_role("alert")).to_contain_text("https")
        await origins.press("Backspace")
        await origins.fill(site.url)
        await origins.press("Enter")
        await form.get_by_label("Scenario").select_option("trainer")
        assert await findings(page) == []
        await form.get_by_role("button", name="Make the widget").click()
        widget = page.get_by_role("article", name="Shop")
        await expect(widget).to_contain_text("Personal trainer")
        await widget.get_by_role("button", name="Put it on your page").click()
        snippet = await widget.get_by_test_id("snippet").inner_text()
        await widget.get_by_role("button", name="Make a key").click()
        key = widget.get_by_text(re.compile("^spk_"))
        await expect(key).to_be_visible()
        assert await findings(page) == []
        found = re.fullmatch(
            r'<script src="(.+)/embed\.js" data-widget="([0-9a-f-]+)" data-token-url="/spotter-token" async>'
            r"</script>",
            snippet,
        )
        assert found is not None, snippet
        assert found[1] == server_url
        site.use(found[2], await key.inner_text())
        async with open_page() as theirs:
            await theirs.goto(site.url)
            dock = theirs.frame_locator("iframe[title=Chat]")
            await dock.get_by_role("button", name="Personal trainer").click()
            box = dock.get_by_role("textbox")
            await box.fill("hello")
            await box.press("Enter")
            await expect(dock.locator(".bubble.agent:not(.typing)").first).to_be_visible()
        await _choose(page, "Shop", "Switch off")
        await expect(widget.get_by_text("Off", exact=True)).to_be_visible()
        await _choose(page, "Shop", "Revoke")
        await page.get_by_role("button", name="Revoke it").click()
        await expect(page.get_by_text("No widgets yet")).to_be_visible()
        async with open_page() as theirs:
            await theirs.goto(site.url)
            shown = theirs.frame_locator("iframe[title=Chat]").get_by_role("button", name="Personal trainer")
            await expect(shown).to_have_count(0)


async def _choose(page: Page, whom: str, deed: str) -> None:
    await page.get_by_role("button", name=re.compile(f"^(More about|Change) {whom}")).click()
    await page.get_by_role("menuitem", name=deed, exact=True).click()


async def test_roles_are_changed_and_people_removed(
    open_page: OpenPage, server_url: str, desk: Desk, gym: Gym
) -> None:
    async with open_page(PHONE, dark=True) as page:
        await sign_in(page, server_url, desk, gym.owner)
        await page.goto(f"{server_url}/people")
        rows = page.get_by_test_id("member")
        theirs = rows.filter(has_text=gym.member.email)
        await theirs.get_by_role("button").click()
        await page.get_by_role("menuitem", name="Staff").click()
        await expect(theirs).to_contain_text("Staff")
        await theirs.get_by_role("button").click()
        await page.get_by_role("menuitem", name="Remove").click()
        assert await findings(page) == []
        await page.get_by_role("button", name="Remove them").click()
        await expect(theirs).to_have_count(0)
        await expect(rows.filter(has_text=gym.owner.email).get_by_role("button")).to_have_count(0)


async def test_a_person_has_their_own_clock(
    open_page: OpenPage, server_url: str, http: httpx.AsyncClient, desk: Desk, gym: Gym
) -> None:
    async def zone() -> str | None:
        answer = await http.get("/api/training/settings", headers=gym.member.headers)
        found: str | None = answer.json()["timezone"]
        return found

    async with open_page(PHONE) as page:
        await sign_in(page, server_url, desk, gym.member)
        await page.goto(f"{server_url}/settings")
        field = page.get_by_role("combobox", name="Your time zone")
        await field.fill("Auckl")
        await page.get_by_role("option", name="Pacific/Auckland").click()
        await expect(page.get_by_role("alert")).to_contain_text("Pacific/Auckland")
        assert await zone() == "Pacific/Auckland"
        await page.reload()
        await expect(field).to_have_value("Pacific/Auckland")
        await field.fill("As the gym")
        await page.get_by_role("option", name="As the gym: UTC").click()
        await expect(page.get_by_role("alert")).to_contain_text("gym's time zone")
        assert await zone() is None


async def test_a_model_that_is_not_set_up_is_told_and_mended(
    open_page: OpenPage, server_url: str, http: httpx.AsyncClient, desk: Desk, gym: Gym
) -> None:
    """From the notice to the key."""
    agent = {
        "name": "clever",
        "title": "Clever",
        "description": "Knows.",
        "instructions": "Be clever.",
        "model": "openai:gpt-4o",
        "tools": [],
    }
    made = await http.post("/api/ai-agents", json=agent, headers=gym.admin.headers)
    assert made.status_code == 201, made.text
    async with open_page() as page:
        await sign_in(page, server_url, desk, gym.admin)
        await page.goto(f"{server_url}/chat")
        await page.get_by_role("combobox", name="Who answers").click()
        await page.get_by_role("option", name="clever", exact=True).click()
        box = page.get_by_role("textbox", name="Message to clever")
        notice = page.get_by_role("status").filter(has_text="is not set up here")
        for text in ("Hello", "Hello again"):
            await box.fill(text)
            await box.press("Enter")
            await expect(page.get_by_test_id("answer-text").last).to_be_visible()
            await expect(notice).to_have_count(1)
        await page.reload()
        await expect(notice).to_contain_text("built-in model answers")
        assert await findings(page) == []
        await notice.get_by_role("link", name="Add a key").click()
        await page.get_by_label("API key").fill("sk-of-the-gym-0123456789")
        await page.get_by_role("button", name="Keep the key").click()
        await expect(page.get_by_text("Key kept")).to_be_visible()
        await expect(page.get_by_label("API key")).to_have_value("")
        await page.get_by_role("button", name="Forget the account with OpenAI").click()
        await expect(page.get_by_text("Key kept")).to_have_count(0)


async def test_it_is_for_admins(open_page: OpenPage, server_url: str, desk: Desk, gym: Gym) -> None:
    async with open_page() as page:
        await sign_in(page, server_url, desk, gym.staff)
        await expect(page.get_by_role("link", name="Gym", exact=True)).to_have_count(0)
        await page.goto(f"{server_url}/gym")
        await expect(page.get_by_text("This is for admins")).to_be_visible()
