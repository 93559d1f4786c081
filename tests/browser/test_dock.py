"""The Dock on other people's pages (B12), in a real browser: it chats where it may, and nowhere else."""

import httpx
import pytest
from playwright.async_api import Page, expect

from scripts.build_web import BUILT
from spotter.app import House
from tests.browser.axe import findings_as_it_is
from tests.browser.conftest import DESKTOP, PHONE, OpenPage
from tests.browser.hosts import HostSite, host_site, stranger
from tests.support.people import Gym, open_gym

MOST_OF_THE_LOADER = 3_000


@pytest.fixture
async def gym(home: House) -> Gym:
    return await open_gym(home, "dock")


def test_the_loader_is_small() -> None:
    assert (BUILT / "embed.js").stat().st_size <= MOST_OF_THE_LOADER


async def test_it_chats_on_a_foreign_page(open_page: OpenPage, http: httpx.AsyncClient, gym: Gym) -> None:
    async with host_site(http, gym) as site, open_page() as page:
        dock = await site.visit(page)
        frame = page.locator("iframe[title=Chat]")
        panel = await dock.get_by_role("dialog").bounding_box()
        assert panel is not None
        assert (round(panel["width"]), round(panel["height"])) == (400, 600)
        box = dock.get_by_role("textbox")
        await expect(box).to_be_focused()
        await box.fill("I have 20 minutes and no equipment. Make me a workout.")
        await box.press("Enter")
        await expect(dock.locator(".bubble.person")).to_have_count(1)
        await expect(dock.locator(".bubble.agent:not(.typing)").first).to_be_visible()
        await expect(dock.locator(".model")).to_have_text("Offline model")
        await dock.get_by_role("tab", name="Log").click()
        await expect(dock.get_by_role("list", name="Events")).to_contain_text("generate_workout")
        await dock.get_by_role("tab", name="Chat").click()
        # It is still there on the next page of the site, open as it was left.
        await page.reload()
        await expect(dock.locator(".bubble.person")).to_have_text(
            "I have 20 minutes and no equipment. Make me a workout."
        )
        await expect(frame).to_be_visible()


async def test_a_third_origin_is_refused(open_page: OpenPage, http: httpx.AsyncClient, gym: Gym) -> None:
    async with host_site(http, gym) as site, stranger(http, site.widget) as elsewhere, open_page() as page:
        await page.goto(elsewhere)
        dock = page.frame_locator("iframe[title=Chat]")
        await expect(dock.get_by_role("heading")).to_have_text("This chat is not set up for this page")
        await expect(dock.locator("code")).to_have_text(elsewhere)


async def test_a_frame_that_lies_about_its_page_is_blocked(
    open_page: OpenPage, http: httpx.AsyncClient, gym: Gym
) -> None:
    """The browser, not the address, decides."""
    async with host_site(http, gym) as site, stranger(http, site.widget) as elsewhere:
        address = f"{str(http.base_url).rstrip('/')}/embed/{site.widget}?host={site.url}"
        with pytest.raises(AssertionError, match="frame-ancestors"):
            await _frame_it(open_page, elsewhere, address)


async def _frame_it(open_page: OpenPage, page_url: str, address: str) -> None:
    """Fails with what the browser has to say about it."""
    async with open_page() as page:
        await page.goto(page_url)
        await page.evaluate(
            """(address) => new Promise((done) => {
                const frame = document.createElement("iframe");
                frame.id = "liar"; frame.src = address; frame.onload = done; document.body.append(frame);
            })""",
            address,
        )
        await expect(page.frame_locator("#liar").locator("#root")).to_have_count(0)


async def test_the_pages_script_can_use_it(open_page: OpenPage, http: httpx.AsyncClient, gym: Gym) -> None:
    async with host_site(http, gym) as site, open_page() as page:
        dock = await site.visit(page, open_chat=False)
        answer = await page.evaluate("Spotter.sendUserText('hello')")
        assert answer["ending"]
        assert answer["text"]
        await page.evaluate("Spotter.open('trainer')")
        await expect(dock.locator(".bubble.person")).to_have_text("hello")
        assert await page.evaluate("Spotter.interrupt()") is False
        await page.evaluate("Spotter.close()")
        await expect(dock.get_by_role("dialog")).to_have_count(0)
        assert "no text" in await _refusal(page, "Spotter.sendUserText('  ')")


async def _refusal(page: Page, call: str) -> str:
    words: str = await page.evaluate(f"{call}.then(() => 'it worked', (problem) => problem.message)")
    return words


async def test_what_was_not_seen_is_marked(open_page: OpenPage, http: httpx.AsyncClient, gym: Gym) -> None:
    async with (
        host_site(http, gym, scenario=None, agents=["assistant", "trainer"]) as site,
        open_page() as page,
    ):
        dock = await site.visit(page)
        await page.evaluate("Spotter.open('trainer')")
        await dock.get_by_role("button", name="Close").click()
        await page.evaluate("Spotter.sendUserText('I have 20 minutes. Make me a workout.')")
        mark = dock.get_by_role("button", name="Trainer").locator(".unread")
        await expect(mark).to_be_visible()
        await expect(page.locator("#unread")).not_to_have_text("0")
        await dock.get_by_role("button", name="Assistant").click()
        await expect(mark).to_be_visible()
        await dock.get_by_role("button", name="Trainer, ").click()
        await expect(mark).to_have_count(0)
        await expect(page.locator("#unread")).to_have_text("0")


async def test_words_of_others_stay_words(open_page: OpenPage, http: httpx.AsyncClient, gym: Gym) -> None:
    async with host_site(http, gym) as site, open_page() as page:
        dock = await site.visit(page)
        box = dock.get_by_role("textbox")
        await box.fill(
            "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
        )
        await box.press("Enter")
        await expect(dock.get_by_role("log")).to_contain_text("<script>")
        await dock.get_by_role("tab", name="Log").click()
        await expect(dock.get_by_role("list", name="Events")).to_contain_text("<script>")
        assert await dock.locator("img[src=x]").count() == 0


@pytest.mark.parametrize(("width", "dark"), [(DESKTOP, False), (PHONE, True)], ids=["desktop", "dark phone"])
async def test_everybody_can_use_it(
    open_page: OpenPage, http: httpx.AsyncClient, gym: Gym, width: int, dark: bool
) -> None:
    async with (
        host_site(http, gym, scenario=None, agents=["assistant", "trainer"]) as site,
        open_page(width, dark=dark) as page,
    ):
        dock = await site.visit(page, open_chat=False)
        assert await _findings(page, site) == []
        await dock.get_by_role("button", name="Trainer").focus()
        await page.keyboard.press("Enter")
        await expect(dock.get_by_role("textbox")).to_be_focused()
        await page.keyboard.type("Make me a workout for 20 minutes")
        await page.keyboard.press("Enter")
        await expect(dock.locator(".bubble.agent:not(.typing)").first).to_be_visible()
        assert await _findings(page, site) == []
        await dock.get_by_role("tab", name="Chat").focus()
        await page.keyboard.press("ArrowRight")
        await expect(dock.get_by_role("list", name="Events")).to_be_visible()
        assert await _findings(page, site) == []
        panel = await dock.get_by_role("dialog").bounding_box()
        assert panel is not None
        if width == PHONE:
            assert round(panel["width"]) == PHONE
            assert round(panel["height"]) == 844
        await page.keyboard.press("Escape")
        await expect(dock.get_by_role("button", name="Trainer")).to_be_focused()


async def _findings(page: Page, site: HostSite) -> list[str]:
    frame = next(one for one in page.frames if f"/embed/{site.widget}" in one.url)
    return await findings_as_it_is(frame)
