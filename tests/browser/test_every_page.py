"""What holds for every page there is: the router's own list, so that a new page is looked at from its first day."""

import re

import pytest
from playwright.async_api import Page, expect

from scripts.build_web import WEB
from tests.browser.axe import findings
from tests.browser.conftest import DESKTOP, PHONE, OpenPage, sign_in
from tests.http.actions import Desk
from tests.support.people import Gym

# What stands behind `?tab=` of a page.
TABS = {
    "/progress": ["overview", "history", "records", "calendar", "goals", "you", "import"],
    "/scenarios": ["scenarios", "agents"],
}
# For a page whose address has a name in it: one that opens.
EXAMPLES = {
    "/sign-in/$token": "/sign-in/no-such-link",
    "/scenarios/$scenario": "/scenarios/retail",
    "/scenarios/agents/$agent": "/scenarios/agents/supervisor",
}
OUTSIDE = {"/sign-in", "/sign-in/$token", "/invitation"}


def every_page() -> list[str]:
    found = re.findall(r'path: "(/[^"]*)"', (WEB / "src" / "router.tsx").read_text())
    assert {"/train", "/progress", "/settings", "/sign-in"} <= set(found), (
        "the router is written otherwise now"
    )
    return found


def addresses() -> list[str]:
    """Of all pages inside, with their tabs, and of one that there is not."""
    inside = [path for path in every_page() if path not in OUTSIDE and path != "/"]
    plain = [EXAMPLES[path] if "$" in path else path for path in inside]
    return [*plain, *(f"{path}?tab={tab}" for path, tabs in TABS.items() for tab in tabs), "/no-such-page"]


async def settled(page: Page) -> None:
    """One heading, and nothing that still loads."""
    await expect(page.get_by_role("heading", level=1)).to_have_count(1)
    await page.wait_for_function(
        """() => document.querySelector('main h1, #main h1, h1') !== null
            && document.querySelector('[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root') === null"""
    )


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
async def test_no_serious_finding_on_any_page(
    open_page: OpenPage, server_url: str, desk: Desk, gym: Gym, width: int
) -> None:
    """As the owner, who sees everything there is."""
    wrong: dict[str, list[str]] = {}
    async with open_page(width, dark=width == PHONE) as page:
        for path in ("/sign-in", EXAMPLES["/sign-in/$token"], "/invitation", "/invitation#something"):
            await page.goto(server_url + path)
            await settled(page)
            wrong[path] = await findings(page)
        await sign_in(page, server_url, desk, gym.owner)
        await page.get_by_role("button", name="Quick 15 min full body").locator("visible=true").first.click()
        await expect(page.get_by_test_id("exercise").first).to_be_attached()
        for path in addresses():
            await page.goto(server_url + path)
            await settled(page)
            wrong[path] = await findings(page)
            wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if wide > 0:
                wrong[path].append(f"the page is {wide} px wider than the window")
    said = [f"{path}: {one}" for path, found in wrong.items() for one in found]
    assert said == [], "\n".join(said)
