"""What builders, admins and their agents write stays words on every page that shows it: Chat, Scenarios, Usage, People,
the gym's page and the Dock."""

import json
from itertools import count

import httpx
import pytest
from playwright.async_api import Browser, Page, expect
from playwright.async_api import TimeoutError as PlaywrightTimeout

from spotter.app import Ground, House
from tests.browser.conftest import DESKTOP, PATIENCE, OpenPage, sign_in
from tests.browser.hosts import host_site
from tests.browser.model_server import served_with
from tests.browser.xss import CARELESS, PAYLOADS, TRACES
from tests.http.actions import Desk
from tests.llm.wire_scripts import Called, Spoken, chat_events
from tests.llm.wire_server import Answer, Asked
from tests.support.people import Gym, open_gym

SHORT = [one for one in PAYLOADS if len(one) <= 80]
IMAGE, LINK = "<img src=x onerror=window.owned=1>", "[click](javascript:window.owned=1)"
AGENT = {
    "name": "evil",
    "title": IMAGE,
    "description": "\n".join(PAYLOADS[:8]),
    "instructions": "# " + "\n\n".join(PAYLOADS),
    "examples": SHORT[:28],
    "tools": ["echo"],
}
SCENARIO = {
    "name": IMAGE,
    "description": "\n".join(PAYLOADS[:8]),
    "root": "evil",
    "agents": ["evil"],
    "guardrails": {"always": SHORT[:20], "never": SHORT[10:30]},
}
# The page, and some of the words that it shows.
SHOWN = {
    "/people": IMAGE,
    "/gym": IMAGE,
    "/usage": PAYLOADS[-3],
    "/scenarios": IMAGE,
    "/scenarios?tab=agents": PAYLOADS[3],
    "/scenarios/evil-ones": SHORT[3],
    "/scenarios/agents/evil": PAYLOADS[5],
    "/chat": PAYLOADS[20],
}

# Words of the page, or of one of its fields.
SHOWS = """(words) => [document.body.innerText, ...[...document.querySelectorAll("input, textarea")]
    .map((one) => one.value)].some((text) => text.includes(words))"""


@pytest.fixture
async def gym(http: httpx.AsyncClient, home: House) -> Gym:
    """One whose every name is a payload."""
    gym = await open_gym(home, "words")
    owner = gym.owner.headers
    await sent(http, "PATCH", f"/api/organisations/{gym.org_id}", owner, {"name": IMAGE, "facts": facts()})
    for person in (gym.owner, gym.member):
        await sent(http, "PATCH", "/api/me", person.headers, {"name": IMAGE})
    await sent(http, "POST", "/api/ai-agents", owner, AGENT)
    await sent(http, "PUT", "/api/scenarios/evil-ones", owner, SCENARIO)
    widget = {"name": IMAGE, "origins": ["https://shop.example"], "scenario": "evil-ones"}
    await sent(http, "POST", "/api/widgets", owner, widget)
    for place, payload in enumerate(PAYLOADS):
        await sent(http, "POST", "/api/sessions", owner, {"agent": "evil", "title": payload})
        given = {"kind": "grant", "credits": 1, "reference": f"r{place}", "note": payload}
        await sent(http, "POST", "/api/billing/credits/movements", owner, given)
    return gym


def facts() -> dict[str, str]:
    return {topic: "\n".join(PAYLOADS) for topic in SHORT[:30]}


async def sent(
    http: httpx.AsyncClient, method: str, path: str, headers: dict[str, str], body: object
) -> None:
    answer = await http.request(method, path, json=body, headers=headers)
    assert answer.is_success, f"{path}: {answer.text}"


async def test_every_page_of_builders(
    open_page: OpenPage, server_url: str, browser: Browser, desk: Desk, gym: Gym
) -> None:
    async with open_page(DESKTOP) as page:
        await sign_in(page, server_url, desk, gym.owner)
        for path, words in SHOWN.items():
            await page.goto(server_url + path)
            try:
                await page.wait_for_function(SHOWS, arg=words)
            except PlaywrightTimeout:
                pytest.fail(f"{path} does not show {words}")
            assert await page.evaluate(TRACES) == [], path
        await page.goto(f"{server_url}/scenarios/agents/evil")
        await page.get_by_text("Preview", exact=True).click()
        preview = page.get_by_role("region", name="Preview of the instructions")
        await expect(preview).to_contain_text(PAYLOADS[4])
        assert await page.evaluate(TRACES) == []
        await page.goto(f"{server_url}/gym")
        await page.get_by_role("button", name="Put it on your page").click()
        await page.get_by_role("button", name="Make a key").click()
        await expect(page.get_by_text("Shown only now")).to_be_visible()
        await page.get_by_role("button", name=f"More about {IMAGE}").click()
        await page.get_by_role("menuitem", name="Revoke").click()
        await expect(page.get_by_role("dialog")).to_contain_text(IMAGE)
        assert await page.evaluate(TRACES) == []
        await page.goto(f"{server_url}/chat")
        await page.get_by_label("Search conversations").fill(IMAGE)
        found = page.get_by_role("navigation", name="Conversations").get_by_role("button")
        await expect(found.filter(has_text="onerror")).not_to_have_count(0)
        await found.first.click()
        await expect(page.get_by_role("heading", name="onerror")).to_be_visible()
        assert await page.evaluate(TRACES) == []
    await the_check_would_notice(browser, server_url, desk, gym)


async def the_check_would_notice(browser: Browser, url: str, desk: Desk, gym: Gym) -> None:
    """The same pages in a browser that takes words for markup, as a careless app would."""
    context = await browser.new_context(viewport={"width": DESKTOP, "height": 800})
    context.set_default_timeout(PATIENCE)
    try:
        await context.add_init_script(f"({CARELESS})()")
        page = await context.new_page()
        await sign_in(page, url, desk, gym.owner)
        for path in ("/people", "/scenarios", "/chat"):
            await page.goto(url + path)
            await page.wait_for_function(f"() => ({TRACES})().length > 0")
    finally:
        await context.close()


class Evil:
    """A model that calls a tool with all of it, and then says all of it."""

    def __init__(self) -> None:
        self.numbers = count()

    def __call__(self, asked: Asked) -> Answer:
        roles = [one["role"] for one in json.loads(asked.body)["messages"]]
        if roles[-1] == "tool":
            return Answer(chat_events(Spoken("\n\n".join(PAYLOADS))))
        given = json.dumps({"text": "\n".join(PAYLOADS)})
        return Answer(chat_events(Spoken("", [Called("echo", given, f"call_{next(self.numbers)}")])))


async def say(page: Page, field: str, text: str) -> None:
    box = page.get_by_label(field)
    await box.fill(text)
    await box.press("Enter")


async def test_what_a_model_calls_and_says(
    open_page: OpenPage,
    http: httpx.AsyncClient,
    base: Ground,
    monkeypatch: pytest.MonkeyPatch,
    desk: Desk,
    gym: Gym,
) -> None:
    """In Chat: the call that waits, its card, the answer, the raw log. In the editor: what is tried out."""
    policy = {"tool": "echo", "mode": "always"}
    await sent(http, "PUT", "/api/approval-policies", gym.owner.headers, policy)
    async with served_with(base, monkeypatch, Evil()) as url, open_page(DESKTOP) as page:
        await sign_in(page, url, desk, gym.owner)
        await page.goto(f"{url}/chat")
        await page.get_by_role("combobox", name="Who answers").click()
        await page.get_by_role("option", name="evil", exact=True).click()
        await say(page, "Message to evil", "\n".join(PAYLOADS))
        waits = page.get_by_role("region", name="echo waits for approval")
        await expect(waits).to_contain_text("onerror=window.owned=1")
        assert await page.evaluate(TRACES) == []
        await waits.get_by_role("button", name="Approve").click()
        answer = page.get_by_test_id("answer-text").last
        for payload in ("<base href", "<template>", "{{constructor"):
            await expect(answer).to_contain_text(payload)
        await expect(answer.get_by_text("click", exact=True)).to_be_visible()
        card = page.get_by_test_id("tool-call").filter(has_text="echo")
        await card.get_by_role("button").first.click()
        await expect(card.get_by_label("Result", exact=True)).to_contain_text("<iframe")
        assert await page.evaluate(TRACES) == []
        await page.get_by_text("Raw log", exact=True).click()
        log = page.get_by_role("region", name="Raw event log")
        for event in await log.locator("summary").all():
            await event.click()
        await expect(log).to_contain_text("<noscript>")
        assert await page.evaluate(TRACES) == []
        await sent(http, "PUT", "/api/approval-policies", gym.owner.headers, {**policy, "mode": "never"})
        await page.goto(f"{url}/scenarios/agents/evil")
        await say(page, "Message to try it with", IMAGE)
        tried = page.get_by_role("log", name="The conversation")
        await expect(tried).to_contain_text("<noscript>")
        await tried.get_by_test_id("call").get_by_role("button").click()
        await expect(tried).to_contain_text("<embed")
        assert await page.evaluate(TRACES) == []


async def test_the_dock(open_page: OpenPage, base: Ground, monkeypatch: pytest.MonkeyPatch, gym: Gym) -> None:
    """Its avatars, its examples, what is said and the log, on somebody else's page."""
    async with (
        served_with(base, monkeypatch, Evil()) as url,
        httpx.AsyncClient(base_url=url, timeout=60) as http,
        host_site(http, gym, scenario="evil-ones") as site,
        open_page(DESKTOP) as page,
    ):
        dock = await site.visit(page)
        frame = next(one for one in page.frames if f"/embed/{site.widget}" in one.url)
        await expect(dock.get_by_role("dialog")).to_contain_text(IMAGE)
        assert await frame.evaluate(TRACES) == []
        box = dock.get_by_role("textbox")
        await box.fill("\n".join(PAYLOADS))
        await box.press("Enter")
        answer = dock.locator(".bubble.agent:not(.typing)").last
        await expect(answer).to_contain_text("<noscript>")
        assert await frame.evaluate(TRACES) == []
        await dock.get_by_role("tab", name="Log").click()
        await expect(dock.get_by_role("list", name="Events")).to_contain_text("<iframe")
        assert await frame.evaluate(TRACES) == []
        assert await page.evaluate("window.owned") is None
