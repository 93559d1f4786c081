"""What holds for every page: readable for everybody in light and dark, and words stay words."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from scripts.build_web import WEB
from tests.browser.conftest import DESKTOP, PHONE, OpenPage, sign_in
from tests.http.actions import PASSWORD, Desk
from tests.support.people import Person

AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
PAGES = {
    "/train": "Trainer",
    "/progress": "Level",
    "/progress?tab=history": "History",
    "/progress?tab=records": "No records yet",
    "/progress?tab=calendar": "Drag a workout",
    "/progress?tab=goals": "Which muscles",
    "/progress?tab=you": "How you train",
    "/progress?tab=import": "Choose a file",
    "/settings": "Where you are signed in",
    "/no-such-page": "There is no such page",
}
XSS = (
    "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    "**[x](javascript:alert(1))**"
)


async def findings(page: Page) -> list[str]:
    """Serious and critical ones. The script runs beside the page's own, which its rules do not touch."""
    await page.evaluate(AXE.read_text())
    found: list[dict[str, Any]] = await page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{one['id']}: {node['target']} {node.get('failureSummary', '')[:160]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]


@pytest.mark.parametrize(("width", "dark"), [(DESKTOP, False), (PHONE, True)], ids=["desktop", "dark phone"])
async def test_no_serious_finding_on_any_page(
    open_page: OpenPage, server_url: str, desk: Desk, athlete: Person, width: int, dark: bool
) -> None:
    wrong: dict[str, list[str]] = {}
    async with open_page(width, dark=dark) as page:
        await page.goto(f"{server_url}/sign-in")
        await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        wrong["/sign-in"] = await findings(page)
        await sign_in(page, server_url, desk, athlete)
        await page.get_by_role("button", name="Quick 15 min full body").locator("visible=true").first.click()
        await expect(page.get_by_test_id("exercise").first).to_be_attached()
        for path, text in PAGES.items():
            await page.goto(server_url + path)
            await expect(page.get_by_text(text).locator("visible=true").first).to_be_visible()
            await expect(page.get_by_role("heading", level=1)).to_have_count(1)
            wrong[path] = await findings(page)
    assert {path: found for path, found in wrong.items() if found} == {}


async def test_words_of_others_stay_words(
    open_page: OpenPage, server_url: str, desk: Desk, athlete: Person
) -> None:
    async with open_page() as page:
        await sign_in(page, server_url, desk, athlete)
        box = page.get_by_label("Message to your trainer")
        await box.fill(XSS)
        await box.press("Enter")
        await expect(page.get_by_role("log")).to_contain_text("<script>")
        await page.goto(f"{server_url}/progress?tab=you")
        await page.get_by_label("Kind").select_option("custom")
        await page.get_by_label("In your words").fill(XSS)
        await page.get_by_role("button", name="Keep it").click()
        await expect(page.get_by_text("<img src=x").first).to_be_visible()
        await page.goto(f"{server_url}/settings")
        await page.get_by_label("Name").fill(XSS[:110])
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("Your name is changed.")).to_be_visible()
        assert "owned" not in await page.title()
        assert await page.locator("img[src=x]").count() == 0


async def test_a_password_and_the_palette(
    open_page: OpenPage, server_url: str, desk: Desk, athlete: Person
) -> None:
    person = await desk.set_password(athlete)
    async with open_page() as page:
        await page.goto(f"{server_url}/progress")
        await page.get_by_label("E-mail").fill(person.email)
        await page.locator("input[autocomplete=current-password]").fill("wrong, and long enough")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_be_visible()
        await page.locator("input[autocomplete=current-password]").fill(PASSWORD)
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/progress")
        await expect(page.get_by_role("heading", name="Progress")).to_be_visible()
        await page.keyboard.press("Control+k")
        await page.get_by_label("Search pages and commands").fill("passw")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/settings")
