"""Whatever somebody writes, in whatever field, and whatever a model answers: it is shown as the text it is."""

import json
from datetime import timedelta
from itertools import count

import httpx
import pytest
from playwright.async_api import expect

from spotter.app import Ground
from spotter.clock import now
from tests.browser.conftest import DESKTOP, OpenPage, sign_in
from tests.browser.model_server import served_with
from tests.browser.xss import PAYLOADS, TRACES
from tests.http.actions import Desk
from tests.llm.wire_scripts import Called, Spoken, chat_events
from tests.llm.wire_server import Answer, Asked
from tests.support.people import Person

ALL = "\n".join(PAYLOADS)


def _soon() -> str:
    return (now() + timedelta(hours=1)).isoformat()


def _log() -> str:
    """As the app Strong exports it: a workout a day, each with an exercise of such a name."""
    rows = ["Date,Workout Name,Exercise Name,Set Order,Weight,Reps,Workout Notes"]
    for day, payload in enumerate(PAYLOADS[:28]):
        quoted = '"' + payload.replace('"', '""') + '"'
        rows.append(f"2026-01-{1 + day:02} 10:00:00,{quoted},{quoted},1,20,5,{quoted}")
    return "\n".join(rows)


async def test_what_people_write(
    open_page: OpenPage, server_url: str, http: httpx.AsyncClient, desk: Desk, athlete: Person
) -> None:
    """By the fields themselves where one takes many words, else by the requests that the fields send."""
    for payload in PAYLOADS:
        for path, body in (
            ("/api/training/preferences", {"type": "custom", "value": payload}),
            ("/api/training/schedule", {"title": payload, "scheduled_for": _soon(), "notes": payload}),
        ):
            kept = await http.post(path, json=body, headers=athlete.headers)
            assert kept.is_success, kept.text
    named = await http.patch("/api/me", json={"name": PAYLOADS[2]}, headers=athlete.headers)
    assert named.is_success, named.text
    brought = await http.post(
        "/api/training/import", content=_log(), headers={**athlete.headers, "Content-Type": "text/csv"}
    )
    assert brought.is_success, brought.text
    async with open_page(DESKTOP) as page:
        dialogs: list[str] = []
        page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        await sign_in(page, server_url, desk, athlete)
        box = page.get_by_label("Message to your trainer")
        await box.fill(ALL)
        await box.press("Enter")
        await expect(page.get_by_role("log")).to_contain_text(PAYLOADS[-1])
        for payload in PAYLOADS:
            await expect(page.get_by_role("log")).to_contain_text(payload)
        assert await page.evaluate(TRACES) == []
        await page.goto(f"{server_url}/progress?tab=you")
        await expect(page.get_by_text("How you train")).to_be_visible()
        for payload in PAYLOADS:
            await expect(page.locator("#main")).to_contain_text(payload)
        assert await page.evaluate(TRACES) == []
        for tab, text in (("calendar", PAYLOADS[0]), ("history", PAYLOADS[2]), ("records", PAYLOADS[4])):
            await page.goto(f"{server_url}/progress?tab={tab}")
            if tab == "history":
                await page.get_by_role("button", name="Show more").click()
            await expect(page.locator("#main")).to_contain_text(text)
            assert await page.evaluate(TRACES) == []
        await page.goto(f"{server_url}/settings")
        await expect(page.get_by_label("Name")).to_have_value(PAYLOADS[2])
        await page.keyboard.press("Control+k")
        search = page.get_by_label("Search pages and commands")
        for payload in PAYLOADS[:3]:
            await search.fill(payload)
            await expect(page.get_by_text("Nothing of that name")).to_be_visible()
        assert await page.evaluate(TRACES) == []
        await page.goto(f"{server_url}/sign-in?next=javascript:window.owned=1//")
        assert await page.evaluate(TRACES) == []
        assert dialogs == []


async def test_a_workout_of_such_names(
    open_page: OpenPage, server_url: str, http: httpx.AsyncClient, desk: Desk, athlete: Person
) -> None:
    """As an organisation's own exercises may be called, and as a model may describe them."""
    said = {"message": "Give me a 20 minute workout"}
    assert (await http.post("/api/agent/chat", json=said, headers=athlete.headers)).is_success
    shown = (await http.get("/api/training/workout", headers=athlete.headers)).json()
    for exercise, payload in zip(shown["workout"]["exercises"], PAYLOADS, strict=False):
        exercise |= {"name": payload, "instructions": ALL, "notes": payload}
    shown["workout"]["summary"]["focus_areas"] = list(PAYLOADS[:3])
    async with open_page(DESKTOP) as page:
        await page.route("**/api/training/workout", lambda route: route.fulfill(json=shown))
        await sign_in(page, server_url, desk, athlete)
        await expect(page.get_by_test_id("exercise").first).to_contain_text(PAYLOADS[0])
        await expect(page.get_by_test_id("exercise").first).to_contain_text(PAYLOADS[-1])
        assert await page.evaluate(TRACES) == []
        await page.get_by_role("button", name=f"Change {PAYLOADS[0]}").click()
        await expect(page.get_by_role("menuitem", name="Swap")).to_be_visible()
        assert await page.evaluate(TRACES) == []


async def test_what_a_model_answers(
    open_page: OpenPage, base: Ground, monkeypatch: pytest.MonkeyPatch, desk: Desk, athlete: Person
) -> None:
    """Spoken by the coach, and as a question with answers to choose from by the trainer."""
    numbers = count()

    def says(asked: Asked) -> Answer:
        if b"message_ask_user" not in asked.body:
            return Answer(chat_events(Spoken("\n\n".join(PAYLOADS))))
        arguments = json.dumps({"question": PAYLOADS[2], "options": list(PAYLOADS[:4])})
        return Answer(
            chat_events(Spoken("", [Called("message_ask_user", arguments, f"call_{next(numbers)}")]))
        )

    async with served_with(base, monkeypatch, says) as url, open_page(DESKTOP) as page:
        await sign_in(page, url, desk, athlete)
        log = page.get_by_role("log")
        await page.get_by_label("Message to your trainer").fill("What shall we do?")
        await page.keyboard.press("Enter")
        for payload in PAYLOADS[:4]:
            await expect(page.get_by_role("button", name=payload, exact=True)).to_be_visible()
        assert await page.evaluate(TRACES) == []
        await page.get_by_role("radiogroup", name="Who to talk to").get_by_text("Coach").click()
        await page.get_by_label("Message to your coach").fill("Hello")
        await page.keyboard.press("Enter")
        for payload in PAYLOADS:
            await expect(log).to_contain_text(_as_read(payload))
        assert await page.evaluate(TRACES) == []


async def test_the_check_sees_what_is_not_inert(open_page: OpenPage) -> None:
    async with open_page(DESKTOP) as page:
        for payload in ("<img src=x onerror=window.owned=1>", "<a href=javascript:window.owned=1>click</a>"):
            await page.set_content(payload)
            assert await page.evaluate(TRACES) != []


def _as_read(payload: str) -> str:
    """Bold and code are shown as such, without their marks."""
    return payload.removeprefix("**").removesuffix("**").strip("`")
