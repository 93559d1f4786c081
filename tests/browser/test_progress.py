"""Progress by hand: goals by sliders, what the trainer heeds and for how long, and a log of another app."""

import asyncio
import re
from datetime import datetime, timedelta
from pathlib import Path

import httpx
from playwright.async_api import expect

from spotter.clock import now
from tests.browser.conftest import DESKTOP, PHONE, OpenPage, sign_in
from tests.browser.xss import PAYLOADS, TRACES
from tests.http.actions import Desk
from tests.support.people import Person

HEVY = Path(__file__).parents[1] / "training" / "samples" / "hevy.csv"


async def goals(http: httpx.AsyncClient, person: Person) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = (await http.get("/api/training/goals", headers=person.headers)).json()
    return found


async def test_goals_are_set_by_sliders(
    open_page: OpenPage, server_url: str, http: httpx.AsyncClient, desk: Desk, athlete: Person
) -> None:
    """From -10 to 10, by keys and by dragging; what the page says is what the server has."""
    async with open_page(DESKTOP) as page:
        await sign_in(page, server_url, desk, athlete)
        await page.goto(f"{server_url}/progress?tab=goals")
        strength = page.get_by_role("slider", name="Strength")
        await expect(strength).to_have_attribute("aria-valuemin", "-10")
        await expect(strength).to_have_attribute("aria-valuemax", "10")
        for key, value in (("End", "10"), ("ArrowLeft", "9"), ("Home", "-10")):
            async with page.expect_response(re.compile("/api/training/goals")) as answer:
                await strength.press(key)
            assert (await answer.value).ok
            await expect(strength).to_have_attribute("aria-valuenow", value)
        assert (await goals(http, athlete))["categories"]["strength"] == -10
        chest = page.get_by_role("slider", name="Chest")
        thumb = await chest.bounding_box()
        assert thumb is not None
        x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
        await page.mouse.move(x, y)
        await page.mouse.down()
        await page.mouse.move(x + 60, y, steps=4)
        async with page.expect_response(re.compile("/api/training/goals")):
            await page.mouse.up()
        moved = int(await chest.get_attribute("aria-valuenow") or 0)
        assert moved > 0
        assert (await goals(http, athlete))["muscles"]["chest"] == moved
        await page.reload()
        await expect(chest).to_have_attribute("aria-valuenow", str(moved))
        await expect(strength).to_have_attribute("aria-valuenow", "-10")


async def test_an_injury_ends_by_itself(
    open_page: OpenPage, server_url: str, http: httpx.AsyncClient, desk: Desk, athlete: Person
) -> None:
    async with open_page(PHONE) as page:
        await sign_in(page, server_url, desk, athlete)
        await page.goto(f"{server_url}/progress?tab=you")
        kept = page.get_by_role("button", name=re.compile("^Remove "))
        for kind, words, lasting in (("injury", "left knee, mild", "28"), ("exclusion", "burpees", "")):
            await page.get_by_label("Kind").select_option(kind)
            await page.get_by_label("How long").select_option(lasting)
            await page.get_by_label("In your words").fill(words)
            await page.get_by_role("button", name="Keep it").click()
            await expect(page.get_by_role("button", name=f"Remove {words}")).to_be_visible()
        await expect(page.get_by_text("for good", exact=True)).to_be_visible()
        path = "/api/training/preferences"
        items = (await http.get(path, headers=athlete.headers)).json()["items"]
        ends = {one["value"]: one["expires_at"] for one in items}
        assert ends["burpees"] is None
        wanted = now() + timedelta(days=28)
        assert abs(datetime.fromisoformat(ends["left knee, mild"]) - wanted) < timedelta(minutes=10)
        # One that is over a moment later: the page shows it no more, and nobody had to remove it.
        soon = now() + timedelta(seconds=1)
        over = {"type": "injury", "value": "shoulder, mild", "expires_at": soon.isoformat()}
        assert (await http.post(path, json=over, headers=athlete.headers)).is_success
        await expect(page.get_by_text(f"until {wanted:%-m/%-d/%Y}")).to_be_visible()
        while any(
            one["value"] == "shoulder, mild"
            for one in (await http.get(path, headers=athlete.headers)).json()["items"]
        ):
            assert now() < soon + timedelta(minutes=1), "it does not end"
            await asyncio.sleep(0.2)
        await page.reload()
        await expect(kept).to_have_count(2)
        await page.get_by_role("button", name="Remove burpees").click()
        await expect(kept).to_have_count(1)


def strong_log(workouts: int) -> str:
    rows = ["Date,Workout Name,Exercise Name,Set Order,Weight,Reps,Workout Notes"]
    for day in range(workouts):
        when = f"{2024 + day // 336}-{1 + day // 28 % 12:02}-{1 + day % 28:02} 10:00:00"
        name = PAYLOADS[day % len(PAYLOADS)].replace('"', '""') if day < 40 else "Squat (Barbell)"
        rows += [f'{when},Legs,"{name}",{place},{60 + place},5,' for place in (1, 2, 3)]
    return "\n".join(rows)


async def test_a_log_of_strong_with_its_progress(
    open_page: OpenPage, server_url: str, desk: Desk, athlete: Person, tmp_path: Path
) -> None:
    """Hundreds of workouts, by the button; then the same again, by the same. Names in it are only names."""
    file = tmp_path / "<img src=x onerror=window.owned=1>.csv"
    file.write_text(strong_log(600))
    async with open_page(DESKTOP) as page:
        await sign_in(page, server_url, desk, athlete)
        await page.goto(f"{server_url}/progress?tab=import")
        # Every state of the bar, however short it is there.
        await page.evaluate(
            """() => {
                window.seen = [];
                new MutationObserver(() => {
                    const bar = document.querySelector("[role=progressbar][aria-label='Imported so far']");
                    if (bar) window.seen.push(Number(bar.getAttribute("aria-valuenow")));
                }).observe(document.body, {subtree: true, childList: true, attributes: true});
            }"""
        )
        await page.locator("input[type=file]").set_input_files(file)
        done = page.get_by_role("status").filter(has_text="workouts added")
        await expect(done).to_contain_text("600 workouts added")
        await expect(done).to_contain_text(PAYLOADS[0])
        seen = await page.evaluate("window.seen")
        assert len({one for one in seen if 0 < one < 100}) > 1, seen
        assert seen == sorted(seen)
        assert await page.evaluate(TRACES) == []
        await page.locator("input[type=file]").set_input_files([])
        await page.locator("input[type=file]").set_input_files(file)
        await expect(done).to_contain_text("0 workouts added")
        await expect(done).to_contain_text("600 were here already.")
        await page.goto(f"{server_url}/progress?tab=history")
        search = page.get_by_label("Search your history")
        await search.fill("squat")
        await expect(page.get_by_role("article").first).to_contain_text("squat")
        await search.fill(PAYLOADS[-1] + "nothing of the kind")
        await expect(page.get_by_text("Nothing found")).to_be_visible()
        assert await page.evaluate(TRACES) == []
        await page.get_by_role("button", name="Show everything").click()
        await expect(page.get_by_role("article").first).to_be_visible()


async def test_a_log_of_hevy_and_a_file_that_is_none(
    open_page: OpenPage, server_url: str, desk: Desk, athlete: Person, tmp_path: Path
) -> None:
    other = tmp_path / "letter.csv"
    other.write_text("Dear gym,\nI would like to train.\n")
    async with open_page(PHONE, dark=True) as page:
        await sign_in(page, server_url, desk, athlete)
        await page.goto(f"{server_url}/progress?tab=import")
        await page.locator("input[type=file]").set_input_files(other)
        await expect(page.get_by_role("alert")).to_contain_text("Nothing was imported")
        await page.locator("input[type=file]").set_input_files(HEVY)
        done = page.get_by_role("status").filter(has_text=re.compile(r"^[1-9]\d* workouts? added"))
        await expect(done).to_contain_text("The file of Hevy has")
