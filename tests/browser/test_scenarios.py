"""The way of a builder: make an agent, try it, change it, see what changed, go back; and what others see of it."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.browser.axe import findings
from tests.browser.conftest import DESKTOP, PHONE, OpenPage, sign_in, take_picture
from tests.http.actions import Desk
from tests.support.people import Gym

XSS = "<img src=x onerror=\"document.title='owned'\"> **bold** [x](javascript:alert(1))"


async def show(page: Page, view: str) -> None:
    """On a phone there is one side at a time."""
    await page.get_by_role("radiogroup", name="What to show").get_by_text(view, exact=True).click()


async def save(page: Page, version: int) -> None:
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text(f"Yours, version {version}")).to_be_visible()


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
async def test_a_builder_makes_an_agent(
    open_page: OpenPage, server_url: str, desk: Desk, gym: Gym, width: int
) -> None:
    async with open_page(width, dark=width == PHONE) as page:
        await sign_in(page, server_url, desk, gym.admin)
        await page.goto(f"{server_url}/scenarios")
        await page.get_by_role("link", name="New agent").click()
        await page.get_by_label("What people call it").fill("Towel desk")
        await expect(page.get_by_label("Name for programs")).to_have_value("towel_desk")
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.get_by_text("Say what it should do, and how.")).to_be_visible()
        await page.get_by_label("Instructions", exact=True).fill(f"# Desk\n\nYou help at the desk.\n\n{XSS}")
        await choose_tool(page, "progress summary", "get_progress_summary")
        await wrong_model(page)
        assert await findings(page) == []
        await save(page, 1)
        await page.wait_for_url("**/scenarios/agents/towel_desk")
        await tried(page, phone=width == PHONE)
        assert await findings(page) == []
        await take_picture(page, "scenarios" if width == DESKTOP else "scenarios-phone")
        if width == PHONE:
            await show(page, "Write")
        await page.get_by_label("Instructions", exact=True).fill("# Desk\n\nYou help at the front desk.")
        await save(page, 2)
        await show(page, "Versions")
        first = page.get_by_role("listitem").filter(has_text="Version 2")
        await expect(first).to_contain_text("+ You help at the front desk.")
        await expect(first).to_contain_text("− You help at the desk.")
        assert await findings(page) == []
        await page.get_by_role("button", name="Go back to version 1").click()
        await page.get_by_role("button", name="Go back", exact=True).click()
        await expect(page.get_by_text("Yours, version 3")).to_be_visible()
        await show(page, "Write")
        await expect(page.get_by_label("Instructions", exact=True)).to_have_value(re.compile("at the desk"))
        await words_stay_words(page)


async def choose_tool(page: Page, words: str, name: str) -> None:
    await page.get_by_label("Search tools").fill(words)
    await page.get_by_role("checkbox", name=name).check()
    await expect(page.get_by_text("Tools (1 chosen)")).to_be_visible()


async def wrong_model(page: Page) -> None:
    """What the server says stands at the field it is about, before anything is saved."""
    model = page.locator("input").and_(page.get_by_label("Model", exact=True))
    await model.fill("nobody:knows-it")
    told = page.get_by_text("The model 'nobody:knows-it' may not be used here")
    await expect(told).to_be_visible()
    assert await model.get_attribute("aria-invalid") == "true"
    await model.fill("")
    await expect(told).to_have_count(0)
    await page.keyboard.press("Escape")


async def tried(page: Page, *, phone: bool) -> None:
    if phone:
        await show(page, "Try it")
    box = page.get_by_label("Message to try it with")
    await box.fill("How is my progress? Give me a summary of it.")
    await box.press("Enter")
    call = page.get_by_test_id("call").first
    await expect(call).to_contain_text("get_progress_summary")
    await expect(call).to_contain_text("Done")
    await call.get_by_role("button").click()
    await expect(call.get_by_text("Answer", exact=True)).to_be_visible()
    await expect(page.get_by_text("Thinking…")).to_have_count(0)


async def words_stay_words(page: Page) -> None:
    await page.get_by_text("Preview", exact=True).click()
    preview = page.get_by_role("region", name="Preview of the instructions")
    await expect(preview.get_by_role("heading", name="Desk")).to_be_visible()
    await expect(preview).to_contain_text("<img src=x")
    assert "owned" not in await page.title()
    assert await page.locator("img[src=x], a[href^=javascript]").count() == 0


async def test_unsaved_work_is_not_left_by_accident(
    open_page: OpenPage, server_url: str, desk: Desk, gym: Gym
) -> None:
    """And one that ships is changed by saving one's own, which can be put away again."""
    async with open_page() as page:
        await sign_in(page, server_url, desk, gym.owner)
        await page.goto(f"{server_url}/scenarios/agents/order_care")
        await page.get_by_label("What it is for").fill("Everything about orders.")
        await page.get_by_role("link", name="Usage").click()
        await expect(page.get_by_role("heading", name="Leave without saving?")).to_be_visible()
        await page.get_by_role("button", name="Stay").click()
        await expect(page.get_by_label("What it is for")).to_have_value("Everything about orders.")
        await page.get_by_role("button", name="Save as yours").click()
        await expect(page.get_by_text("Yours, version 1")).to_be_visible()
        await page.goto(f"{server_url}/scenarios/retail")
        await expect(page.get_by_text("Everything about orders.")).to_be_visible()
        await page.goto(f"{server_url}/scenarios/agents/order_care")
        await page.get_by_role("button", name="More about this agent").click()
        await page.get_by_role("menuitem", name="Put it away").click()
        await page.get_by_role("button", name="Put it away").click()
        await page.wait_for_url("**/scenarios?tab=agents")
        await expect(page.get_by_role("heading", name="Put away")).to_be_visible()
        await page.get_by_label("Search scenarios and agents").fill("orders that exist")
        await expect(page.get_by_role("article")).to_have_count(1)
        await expect(page.get_by_role("article")).to_contain_text("Built in")


async def test_a_scenario_of_ones_own(open_page: OpenPage, server_url: str, desk: Desk, gym: Gym) -> None:
    """What could not work is said where it is; the picture follows; then it is saved, and can be gone back in."""
    async with open_page() as page:
        await sign_in(page, server_url, desk, gym.admin)
        await page.goto(f"{server_url}/scenarios")
        await page.get_by_role("link", name="New scenario").click()
        await page.get_by_role("textbox", name="Name", exact=True).fill("Our little shop")
        await expect(page.get_by_label("Id for programs")).to_have_value("our-little-shop")
        agents = page.locator("input").and_(page.get_by_label("Agents", exact=True))
        for name in ("Shop supervisor", "Personal trainer"):
            await agents.fill(name)
            await page.get_by_role("option", name=name).click()
        await expect(page.get_by_text("Nobody hands over to 'trainer'")).to_be_visible()
        await page.keyboard.press("Escape")
        assert await findings(page) == []
        await agents.press("Backspace")
        await agents.fill("Order care")
        await page.get_by_role("option", name="Order care").click()
        await page.keyboard.press("Escape")
        words = page.get_by_role("list", name="The picture as it is now").get_by_role("listitem")
        await expect(words.first).to_contain_text(
            "Shop supervisor is spoken to first and hands over to Order care"
        )
        await page.get_by_label("Never").fill("Sell what is not there.")
        await save(page, 1)
        await page.wait_for_url("**/scenarios/our-little-shop")
        await expect(page.get_by_text("Sell what is not there.")).to_be_visible()
        await show(page, "Edit")
        await page.get_by_role("textbox", name="Name", exact=True).fill("Our big shop")
        await save(page, 2)
        await show(page, "Versions")
        await page.get_by_role("button", name="Go back to version 1").click()
        await page.get_by_role("button", name="Go back", exact=True).click()
        await expect(page.get_by_role("heading", name="Our little shop")).to_be_visible()
        assert await findings(page) == []


async def test_who_sees_what(open_page: OpenPage, server_url: str, desk: Desk, gym: Gym) -> None:
    """The picture says the same in words; staff read and try, members only talk."""
    async with open_page(PHONE) as page:
        await sign_in(page, server_url, desk, gym.staff)
        await page.goto(f"{server_url}/scenarios/retail")
        words = page.get_by_role("list", name="Agents and handoffs").get_by_role("listitem")
        await expect(words.first).to_have_text(
            "Shop supervisor is spoken to first and hands over to Product advisor and Order care."
        )
        await expect(page.get_by_test_id("graph")).to_be_visible()
        await page.goto(f"{server_url}/scenarios/agents/supervisor")
        await expect(page.get_by_text("An admin can change it.")).to_be_visible()
        await expect(page.get_by_label("What it is for")).to_be_disabled()
        await expect(page.get_by_role("button", name=re.compile("Save"))).to_have_count(0)
        assert await findings(page) == []
    async with open_page(PHONE) as page:
        await sign_in(page, server_url, desk, gym.member)
        await page.goto(f"{server_url}/scenarios/agents/supervisor")
        await expect(page.get_by_label("Message to try it with")).to_be_visible()
        await expect(page.get_by_label("Instructions", exact=True)).to_have_count(0)
        await expect(page.get_by_role("link", name="Scenarios")).to_have_count(0)
