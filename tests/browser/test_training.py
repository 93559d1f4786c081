"""The way of an athlete: sign in, first workout, change it, tick it off, finish, see it in the progress."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import DESKTOP, PHONE, OpenPage, sign_in, take_picture
from tests.http.actions import Desk
from tests.support.people import Person


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
async def test_from_the_link_to_the_progress(
    open_page: OpenPage, server_url: str, desk: Desk, athlete: Person, width: int
) -> None:
    async with open_page(width, welcome=True) as page:
        await sign_in(page, server_url, desk, athlete)
        await first_workout(page)
        exercises = page.get_by_test_id("exercise")
        await expect(exercises.first).to_be_visible()
        await swap_second(page)
        await tick_with_timers(page)
        await take_picture(page, "train" if width == DESKTOP else "train-phone")
        await page.get_by_role("button", name="Finish here").click()
        await expect(page.get_by_test_id("xp")).to_have_text(re.compile(r"\+\d+ XP"))
        await expect(page.get_by_text("First workout", exact=True)).to_be_visible()
        await page.get_by_role("link", name="See progress").click()
        # Some badges are for the time of day, so it may be more than one.
        await expect(page.get_by_test_id("badges")).to_have_text(re.compile(r"^[1-9]$"))
        await expect(page.get_by_role("img", name=re.compile(r"1 day with|1 days with"))).to_be_visible()
        if width == DESKTOP:
            await take_picture(page, "progress")
        await page.get_by_role("tab", name="History").click()
        await expect(page.get_by_role("article")).to_have_count(1)


async def first_workout(page: Page) -> None:
    """Three questions, by the keyboard alone: the first answer has the focus each time."""
    for question in ("How much have you trained?", "What do you have at hand?", "How much time is there?"):
        await expect(page.get_by_role("heading", name=question)).to_be_visible()
        await page.get_by_role("dialog").get_by_role("button").nth(1).press("Enter")
    await show(page, "Workout")
    await expect(page.get_by_role("button", name="Finish here")).to_be_visible()


async def show(page: Page, side: str) -> None:
    """On a phone there is one side at a time."""
    switch = page.get_by_role("radiogroup", name="What to show")
    if await switch.is_visible():
        await switch.get_by_text(re.compile(f"^{side}")).click()


async def swap_second(page: Page) -> None:
    names = page.get_by_role("button", name=re.compile("^Change "))
    before = await names.nth(1).get_attribute("aria-label")
    await expect(names.nth(1)).to_be_enabled()
    await names.nth(1).click()
    await page.get_by_role("menuitem", name="Swap").click()
    await expect(names.nth(1)).not_to_have_attribute("aria-label", before or "")
    await expect(names.nth(1)).to_be_enabled()


async def tick_with_timers(page: Page) -> None:
    """The warm-up's clock ticks its set by itself; a rest begins by itself and is cut short."""
    await page.get_by_role("button", name=re.compile(r"^Start .* timer")).first.click()
    timer = page.get_by_role("timer")
    await expect(timer).to_be_visible()
    await page.evaluate(
        """() => {
            const timer = JSON.parse(localStorage.getItem('spotter.timer'));
            localStorage.setItem('spotter.timer', JSON.stringify({...timer, endsAt: Date.now() + 300}));
        }"""
    )
    await page.reload()
    await show(page, "Workout")
    await expect(page.get_by_test_id("exercise").first).to_contain_text("1 of 1 done")
    # The first exercise with several sets.
    several = page.get_by_test_id("exercise").filter(has_text=re.compile(r"0 of [23456] done")).first
    await several.get_by_role("button").first.click()
    await (
        page.get_by_role("checkbox", name=re.compile("^Set 1 of .* done"))
        .locator("visible=true")
        .last.click()
    )
    await expect(timer).to_contain_text("Rest, then set 2")
    await page.get_by_role("button", name="Skip the rest").click()
    await expect(timer).to_have_count(0)
