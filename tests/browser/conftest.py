"""A real browser before a real server.

    async def test_something(open_page: OpenPage, server_url: str, desk: Desk, gym: Gym) -> None:
        async with open_page(PHONE, dark=True) as page:
            await sign_in(page, server_url, desk, gym.member)
            ...

One Chromium for all tests of a process, a fresh profile for each page. Whatever the page's own script breaks, the
browser refuses to run or the server answers with a 5xx fails the test. `SPOTTER_CHROMIUM` names another browser.
"""

import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.async_api import Browser, ConsoleMessage, Page, Response, async_playwright, expect

from spotter.api.web_app import built_app
from spotter.app import House
from tests.http.actions import Desk
from tests.support.people import Gym, Person, open_gym

DESKTOP, PHONE = 1280, 390
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    # For voice: a microphone that beeps, and nobody to ask whether it may be used.
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
]
# Two cores that are shared with other tests: what is waited for comes, but not always soon.
PATIENCE = 60_000

OpenPage: TypeAlias = Callable[..., AbstractAsyncContextManager[Page]]


@pytest.fixture(scope="session")
def chromium() -> str:
    if built_app() is None:
        pytest.skip("The web app is not built: `make web` says why.")
    named = os.environ.get("SPOTTER_CHROMIUM")
    found = named or next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("There is no Chromium here, so nobody looked at the pages: `apt-get install chromium`.")
    return found


@pytest.fixture(scope="session")
async def browser(chromium: str) -> AsyncIterator[Browser]:
    expect.set_options(timeout=PATIENCE)
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(
            executable_path=chromium, args=_OPTIONS, timeout=3 * PATIENCE
        )
        yield running
        await running.close()


@pytest.fixture
def open_page(browser: Browser) -> OpenPage:
    @asynccontextmanager
    async def opened(
        width: int = DESKTOP,
        *,
        dark: bool = False,
        welcome: bool = False,
        server_may_die: bool = False,
        breaks: str = "",
    ) -> AsyncIterator[Page]:
        """`welcome`: as on somebody's first visit, with the questions that are asked then. `breaks`: words of the one
        error that is wanted."""
        context = await browser.new_context(
            viewport={"width": width, "height": 800 if width > 700 else 844},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE)
        if not welcome:
            await context.add_init_script(
                "if (origin !== 'null') localStorage.setItem('spotter.welcomed', 'all')"
            )
        broken: list[str] = []
        context.on("page", lambda page: _watch(page, broken, server_may_die))
        page = await context.new_page()
        try:
            yield page
        finally:
            await context.close()
        assert [one for one in broken if not breaks or breaks not in one] == []

    return opened


def _watch(page: Page, broken: list[str], server_may_die: bool) -> None:
    page.on("pageerror", lambda error: broken.append(f"{error}\n{error.stack}"))
    page.on("console", lambda told: broken.append(told.text) if _is_trouble(told) else None)
    if not server_may_die:
        page.on("response", lambda answer: broken.append(_words(answer)) if answer.status >= 500 else None)


def _is_trouble(told: ConsoleMessage) -> bool:
    """Errors, and what the page's rules forbid. An answer with a 4xx is said too, but may be what a test is about."""
    return told.type == "error" and not told.text.startswith("Failed to load resource")


def _words(answer: Response) -> str:
    return f"{answer.status} {answer.request.method} {answer.url}"


@pytest.fixture
async def athlete(home: House) -> Person:
    """Somebody of their own for each test."""
    gym: Gym = await open_gym(home, "browser")
    return gym.member


async def sign_in(page: Page, url: str, desk: Desk, person: Person) -> None:
    await page.goto(f"{url}/sign-in/{await desk.link(person)}")
    await page.wait_for_url("**/train")


@pytest.fixture
def desk(home: House) -> Desk:
    return Desk(home)


async def take_picture(page: Page, name: str) -> None:
    """For the README, on request only (`make pictures`): a picture differs a little each time."""
    if folder := os.environ.get("SPOTTER_PICTURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        await page.screenshot(path=Path(folder) / f"{name}.png")
