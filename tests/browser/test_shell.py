"""The frame of the app: coming in, finding one's way by the keyboard alone, and what is said when something fails."""

import json
import re

from playwright.async_api import Page, Route, expect

from tests.browser.conftest import PHONE, OpenPage, sign_in
from tests.http.actions import PASSWORD, Desk, fresh_email
from tests.support.people import Gym, Person


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
        await page.keyboard.press("Control+k")
        await page.get_by_label("Search pages and commands").fill("dark")
        await page.keyboard.press("Enter")
        await expect(page.locator("html[data-mantine-color-scheme=dark]")).to_have_count(1)
        await page.keyboard.press("Control+k")
        await page.get_by_label("Search pages and commands").fill("sign out")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/sign-in")


async def test_a_phone_shows_the_way_to_every_page(
    open_page: OpenPage, server_url: str, desk: Desk, gym: Gym
) -> None:
    async with open_page(PHONE) as page:
        await sign_in(page, server_url, desk, gym.owner)
        await page.get_by_role("button", name="More").click()
        await page.get_by_role("button", name="Usage").click()
        await page.wait_for_url("**/usage")


async def test_an_invitation_from_the_owner_to_the_first_page(
    open_page: OpenPage, server_url: str, desk: Desk, gym: Gym
) -> None:
    email = fresh_email()
    async with open_page() as page:
        await sign_in(page, server_url, desk, gym.owner)
        await page.get_by_role("link", name="People").click()
        await page.get_by_label("E-mail").fill(email)
        await page.get_by_label("As", exact=True).select_option("staff")
        await page.get_by_role("button", name="Invite", exact=True).click()
        link = await page.get_by_test_id("invitation-link").inner_text()
        assert link.startswith(f"{server_url}/invitation#")
        await expect(page.get_by_role("button", name=f"Withdraw the invitation of {email}")).to_be_visible()
    async with open_page(PHONE) as page:
        await page.goto(link)
        await page.get_by_label("Your name").fill("New Person")
        await page.locator("input[autocomplete=new-password]").fill("short")
        await page.get_by_role("button", name="Join").click()
        await expect(page.get_by_role("alert")).to_contain_text("Password: Give at least 10")
        await page.locator("input[autocomplete=new-password]").fill(PASSWORD)
        await page.get_by_role("button", name="Join").click()
        await page.wait_for_url("**/train")
    async with open_page(PHONE) as page:
        await page.goto(link)
        await page.locator("input[autocomplete=new-password]").fill(PASSWORD)
        await page.get_by_role("button", name="Join").click()
        await expect(page.get_by_role("alert")).to_be_visible()


async def test_another_organisation_shows_nothing_of_the_first(
    open_page: OpenPage, server_url: str, desk: Desk, gym: Gym, other_gym: Gym
) -> None:
    await desk.join(gym.owner, other_gym, gym.member.role)
    async with open_page() as page:
        await sign_in(page, server_url, desk, gym.owner)
        await page.get_by_role("button", name="Change organisation").click()
        await page.get_by_role("menuitem", name=re.compile(other_gym.slug, re.IGNORECASE)).click()
        await expect(
            page.get_by_role(
                "button", name=re.compile(f"{other_gym.slug}.*Change organisation", re.IGNORECASE)
            )
        ).to_be_visible()
        # A member there, the owner here: what only admins use is gone.
        await expect(page.get_by_role("link", name="People")).to_have_count(0)


async def refuse(route: Route) -> None:
    problem = {
        "title": "No",
        "detail": "This name is taken.",
        "status": 409,
        "code": "conflict",
        "correlation_id": "corr-0042",
    }
    await route.fulfill(status=409, body=json.dumps(problem), content_type="application/problem+json")


async def test_a_refusal_is_told_with_its_reference(
    open_page: OpenPage, server_url: str, desk: Desk, athlete: Person
) -> None:
    async with open_page() as page:
        await sign_in(page, server_url, desk, athlete)
        await page.goto(f"{server_url}/settings")
        await page.route("**/api/me", lambda route: _only(route, "PATCH"))
        await page.get_by_label("Name").fill("Somebody else")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("alert")).to_contain_text("This name is taken.")
        await expect(page.get_by_role("button", name="Copy the reference corr-0042")).to_be_visible()


async def _only(route: Route, method: str) -> None:
    if route.request.method == method:
        await refuse(route)
    else:
        await route.continue_()


async def test_a_page_that_cannot_be_shown_says_why_and_tries_again(
    open_page: OpenPage, server_url: str, desk: Desk, athlete: Person
) -> None:
    async with open_page(breaks="This name is taken.") as page:
        await sign_in(page, server_url, desk, athlete)
        await page.route("**/api/training/volume*", refuse)
        await page.get_by_role("link", name="Progress").click()
        await expect(page.get_by_role("heading", name="This page could not be shown")).to_be_visible()
        await expect(page.get_by_text("corr-0042")).to_be_visible()
        await page.unroute("**/api/training/volume*")
        await page.get_by_role("button", name="Try again").click()
        await expect(page.get_by_text("Your first workout fills this page")).to_be_visible()


async def press_until(page: Page, key: str, role: str, name: str | re.Pattern[str]) -> None:
    """The focus gets there, and can be seen."""
    wanted = page.get_by_role(role, name=name).locator("visible=true").first  # type: ignore[arg-type]
    await expect(wanted).to_be_visible()
    for _ in range(60):
        if await wanted.evaluate("one => one === document.activeElement"):
            break
        await page.keyboard.press(key)
    assert await wanted.evaluate("one => one === document.activeElement"), f"{name} cannot be reached"
    outline = await wanted.evaluate(
        "one => { const style = getComputedStyle(one); return style.outlineStyle + style.boxShadow; }"
    )
    assert outline != "nonenone", f"{name} does not show that it has the focus"


async def sign_in_by_keys(page: Page, url: str, email: str) -> None:
    await page.goto(f"{url}/sign-in")
    await press_until(page, "Tab", "textbox", "E-mail")
    await page.keyboard.type(email)
    await page.keyboard.press("Tab")
    await expect(page.locator("input[autocomplete=current-password]")).to_be_focused()
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/train")


async def test_a_chat_by_the_keyboard_alone(
    open_page: OpenPage, server_url: str, desk: Desk, gym: Gym
) -> None:
    """There by the palette; who answers, what is said, what it did, said differently, and back."""
    person = await desk.set_password(gym.staff)
    async with open_page() as page:
        await sign_in_by_keys(page, server_url, person.email)
        await expect(page.get_by_role("link", name="Chat", exact=True)).to_be_visible()
        await page.keyboard.press("Control+k")
        await expect(page.get_by_label("Search pages and commands")).to_be_focused()
        await page.keyboard.type("conversations")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/chat")
        await expect(page.get_by_label("Message to assistant")).to_be_focused()
        await press_until(page, "Shift+Tab", "combobox", "Who answers")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.type("trainer")
        await expect(page.get_by_role("option", name="trainer", exact=True)).to_be_visible()
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await press_until(page, "Tab", "textbox", re.compile("^Message to "))
        await page.keyboard.type("Give me a 20 minute workout")
        await page.keyboard.press("Enter")
        await expect(page.get_by_test_id("answer-text").first).to_contain_text("about 20 min")
        await expect(page.get_by_label("Message to trainer")).to_be_focused()
        await press_until(page, "Shift+Tab", "button", re.compile("^generate_workout"))
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Arguments", exact=True)).to_be_visible()
        await press_until(page, "Shift+Tab", "button", "Edit")
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Edit the message")).to_be_focused()
        await page.keyboard.press("Escape")
        await press_until(page, "Shift+Tab", "button", "New conversation")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Talk to an agent")).to_be_visible()


async def test_a_workout_by_the_keyboard_alone(
    open_page: OpenPage, server_url: str, desk: Desk, athlete: Person
) -> None:
    """From the sign-in to the reward."""
    person = await desk.set_password(athlete)
    async with open_page() as page:
        await sign_in_by_keys(page, server_url, person.email)
        await press_until(page, "Tab", "link", "Skip to the page")
        await page.keyboard.press("Enter")
        await press_until(page, "Tab", "button", "Quick 15 min full body")
        await page.keyboard.press("Enter")
        change = re.compile("^Change ")
        await expect(page.get_by_role("button", name=change).first).to_be_enabled()
        await press_until(page, "Shift+Tab", "button", change)
        before = await page.get_by_role("button", name=change).first.get_attribute("aria-label")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("menuitem", name="Swap")).to_be_visible()
        await press_until(page, "ArrowDown", "menuitem", "Swap")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name=change).first).not_to_have_attribute(
            "aria-label", before or ""
        )
        await press_until(page, "Tab", "checkbox", re.compile("^Set 1 of "))
        await page.keyboard.press("Space")
        await expect(page.get_by_text(re.compile(r"^1 / \d+$"))).to_be_visible()
        await press_until(page, "Tab", "button", "Finish here")
        await page.keyboard.press("Enter")
        await expect(page.get_by_test_id("xp")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.get_by_test_id("xp")).to_have_count(0)


async def test_a_planned_workout_is_moved_by_keys_and_by_dragging(
    open_page: OpenPage, server_url: str, desk: Desk, athlete: Person
) -> None:
    async with open_page() as page:
        await sign_in(page, server_url, desk, athlete)
        await page.goto(f"{server_url}/progress?tab=calendar")
        await page.get_by_role("button", name="Plan", exact=True).click()
        await page.get_by_label("What").fill("Legs")
        await page.get_by_role("button", name="Put it on the calendar").click()
        planned = page.get_by_role("button", name=re.compile("^Legs, "))
        today = page.locator("[data-testid=day][data-today]")
        await expect(today.get_by_role("button", name=re.compile("^Legs, "))).to_be_visible()
        await planned.focus()
        await page.keyboard.press("ArrowDown")
        await expect(today.get_by_role("button", name=re.compile("^Legs, "))).to_have_count(0)
        await expect(planned).to_be_visible()
        await planned.drag_to(today)
        await expect(today.get_by_role("button", name=re.compile("^Legs, "))).to_be_visible()
        await page.reload()
        await expect(today.get_by_role("button", name=re.compile("^Legs, "))).to_be_visible()
