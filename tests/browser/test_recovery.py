"""Reloaded, killed, cut off: nothing is lost, nothing comes twice."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.async_api import Page, expect

from spotter.app import Ground, House
from spotter.runtime.models import PREFIX, ModelAccount
from spotter.settings import Settings
from tests.browser.conftest import DESKTOP, PHONE, OpenPage, sign_in
from tests.browser.model_server import served_with
from tests.http.actions import Desk
from tests.llm.wire_scripts import Spoken, chat_events
from tests.llm.wire_server import NO_OBJECTION, Answer, Asked, WireServer
from tests.support.databases import environment_for
from tests.support.people import Person, open_gym
from tests.support.processes import processes

FIRST = "Welcome to the gym. Tell me what you want to reach."
LAST = "Take your time with the answer."
WAITING = "() => JSON.parse(localStorage.getItem('spotter.waiting') || '[]').length === 0"
AWAY = re.compile("^Spotter cannot be reached")


class Halting:
    """A model that stops in the middle of its answer until it is let go on."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.calls = 0

    def plan(self, _asked: Asked) -> Answer:
        self.calls += 1
        return Answer(cast("Sequence[bytes | float]", self._pieces()))

    def _pieces(self) -> Iterator[bytes | float]:
        events = chat_events(Spoken(f"{FIRST} {LAST}"))
        # The first says nothing, the others five letters each.
        halfway = 1 + (len(FIRST) + 10) // 5
        yield from events[:halfway]
        while not self.go_on.is_set():
            yield 0.02
        yield from events[halfway:]


async def test_a_reload_in_the_middle_of_an_answer_goes_on_with_it(
    open_page: OpenPage, base: Ground, monkeypatch: pytest.MonkeyPatch, desk: Desk, athlete: Person
) -> None:
    model = Halting()
    async with served_with(base, monkeypatch, model.plan) as url, open_page(DESKTOP) as page:
        await sign_in(page, url, desk, athlete)
        await page.get_by_role("radiogroup", name="Who to talk to").get_by_text("Coach").click()
        box = page.get_by_label("Message to your coach")
        await box.fill("Hello")
        await box.press("Enter")
        log = page.get_by_role("log")
        await expect(log).to_contain_text(FIRST[:20])
        await page.reload()
        await expect(log).to_contain_text(FIRST[:20])
        await expect(log).not_to_contain_text(LAST)
        model.go_on.set()
        await expect(log).to_contain_text(f"{FIRST} {LAST}")
        await expect(log.get_by_text("Hello", exact=True)).to_have_count(1)
        await expect(log.get_by_text(FIRST[:20])).to_have_count(1)
        assert model.calls == 1, "the model was asked once"


async def quick_workout(page: Page) -> None:
    await page.get_by_role("button", name="Quick 15 min full body").locator("visible=true").first.click()
    switch = page.get_by_role("radiogroup", name="What to show")
    if await switch.is_visible():
        await switch.get_by_text("Workout").click()
    await expect(page.get_by_role("checkbox").locator("visible=true").first).to_be_visible()


async def test_the_server_is_killed_under_the_page(
    open_page: OpenPage, settings: Settings, desk: Desk, athlete: Person, tmp_path: Path
) -> None:
    environment = environment_for(settings)
    with processes(tmp_path) as started:
        server = started.server("serve", "--no-worker", environment=environment)
        url = await server.ready()
        async with open_page(DESKTOP, server_may_die=True) as page:
            await sign_in(page, url, desk, athlete)
            await quick_workout(page)
            server.kill()
            await page.get_by_role("checkbox").locator("visible=true").first.click()
            await expect(page.get_by_text(AWAY)).to_be_visible()
            await expect(page.get_by_text(re.compile(r"^1 / \d+$"))).to_be_visible()
            box = page.get_by_label("Message to your trainer")
            await box.fill("how did my week go?")
            await box.press("Enter")
            port = str(urlsplit(url).port)
            server = started.server("serve", "--no-worker", "--port", port, environment=environment)
            assert await server.ready() == url
            await expect(page.get_by_text(AWAY)).to_have_count(0)
            await page.wait_for_function(WAITING)
            # What was said while it was away is said once, and answered.
            said = page.get_by_role("log").get_by_text("how did my week go?", exact=True)
            await expect(said).to_have_count(1)
            await expect(page.get_by_role("status", name="Your trainer is at work")).to_have_count(0)
            await page.reload()
            await expect(page.get_by_text(re.compile(r"^1 / \d+$"))).to_be_visible()
            await expect(said).to_have_count(1)
            await page.goto(f"{url}/progress")
            await expect(page.get_by_role("heading", name="Progress")).to_be_visible()


async def test_the_server_is_killed_in_the_middle_of_an_answer(
    open_page: OpenPage,
    settings: Settings,
    http: httpx.AsyncClient,
    home: House,
    desk: Desk,
    tmp_path: Path,
) -> None:
    """In Chat: whoever comes after takes the turn up from the log. Nothing is lost, and nothing is there twice."""
    gym = await open_gym(home, "killed")
    model = Halting()

    def plan(asked: Asked) -> Answer:
        return NO_OBJECTION if asked.path.endswith("/moderations") else model.plan(asked)

    async with WireServer(plan) as wire, open_page(DESKTOP, server_may_die=True) as page:
        # Every process on this database may take the turn up, also the test's own: all ask the same model.
        async with home.services.database.unit_of_work(gym.owner.scope) as uow:
            account = ModelAccount("sk-of-the-gym", f"{wire.url}/v1")
            await home.services.secrets.put(uow, PREFIX + "openai", account.dump())
        agent = {"name": "slow", "instructions": "Take your time.", "model": "openai:gpt-4o-mini"}
        made = await http.post("/api/ai-agents", json=agent, headers=gym.admin.headers)
        assert made.status_code == 201, made.text
        environment = environment_for(settings)
        with processes(tmp_path) as started:
            server = started.server("serve", "--no-worker", environment=environment)
            url = await server.ready()
            await sign_in(page, url, desk, gym.staff)
            await page.goto(f"{url}/chat")
            await page.get_by_role("combobox", name="Who answers").click()
            await page.get_by_role("option", name="slow", exact=True).click()
            box = page.get_by_label("Message to slow")
            await box.fill("Hello")
            await box.press("Enter")
            log = page.get_by_role("log")
            await expect(log).to_contain_text(FIRST[:20])
            server.kill()
            model.go_on.set()
            port = str(urlsplit(url).port)
            server = started.server("serve", "--no-worker", "--port", port, environment=environment)
            assert await server.ready() == url
            for _ in range(2):
                await expect(page.get_by_test_id("answer-text")).to_have_text([f"{FIRST} {LAST}"])
                await expect(log.get_by_text("Hello", exact=True)).to_have_count(1)
                await expect(page.get_by_text(AWAY)).to_have_count(0)
                await page.reload()
            # And it goes on from there.
            await box.fill("Thank you")
            await box.press("Enter")
            await expect(page.get_by_test_id("answer-text")).to_have_count(2)
        assert model.calls == 3, "the one that was cut off, the one in its place, and the next"


async def test_ticks_survive_a_dead_spot(
    open_page: OpenPage, server_url: str, desk: Desk, athlete: Person
) -> None:
    async with open_page(PHONE) as page:
        await sign_in(page, server_url, desk, athlete)
        await quick_workout(page)
        await page.context.set_offline(True)
        await page.get_by_role("checkbox").locator("visible=true").first.click()
        await expect(page.get_by_text(AWAY)).to_be_visible()
        assert not await page.evaluate(WAITING), "kept on the device"
        await page.context.set_offline(False)
        await expect(page.get_by_text(AWAY)).to_have_count(0)
        await page.wait_for_function(WAITING)
        await page.reload()
        await expect(page.get_by_text(re.compile(r"^1 / \d+$"))).to_be_visible()
