"""Guests of the coach: let in where the organisation allows it, kept apart, held short, adopted, forgotten."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from spotter.api import visitors
from spotter.api.coach import LONGEST_OF_GUEST
from spotter.api.gcra import Rate
from spotter.api.rate_limits import RateLimiter
from spotter.app import House
from spotter.clock import now
from spotter.identity import guests
from spotter.store.scope import Scope
from spotter.work.guests import erase_guests
from spotter.work.job import JobCall
from tests.http.conftest import Superuser
from tests.http.test_coach import ABOUT, say
from tests.support.money import money_is_right
from tests.support.people import Gym


@pytest.fixture
async def open_house(http: httpx.AsyncClient, gym: Gym) -> AsyncIterator[Gym]:
    """An organisation that takes guests; no longer afterwards, so that nobody else's visitors end up here."""
    path = f"/api/organisations/{gym.org_id}"
    opened = await http.patch(path, headers=gym.admin.headers, json={"guests": True})
    assert opened.json()["guests"] is True
    yield gym
    await http.patch(path, headers=gym.admin.headers, json={"guests": False})


def at(gym: Gym, token: str | None = None) -> dict[str, str]:
    return {visitors.ORGANISATION: gym.slug, **({visitors.TOKEN: token} if token else {})}


async def visit(
    http: httpx.AsyncClient, gym: Gym, message: str, token: str | None = None, **more: Any
) -> tuple[dict[str, Any], str]:
    http.cookies.clear()
    said = await http.post("/api/coach", headers=at(gym, token), json={"message": message, **more})
    assert said.status_code == 200, said.text
    return said.json(), said.headers[visitors.TOKEN]


async def screened_guest(http: httpx.AsyncClient, gym: Gym) -> tuple[dict[str, Any], str]:
    answer, token = await visit(http, gym, "hello")
    for message in (ABOUT, "no to all", "yes"):
        answer, token = await visit(http, gym, message, token)
    assert answer["sessionState"] == "planning"
    return answer, token


async def test_without_being_allowed_there_are_no_guests(
    http: httpx.AsyncClient, gym: Gym, superuser: Superuser
) -> None:
    # Who names no organisation comes to the only one that has guests, and some other test's may.
    await superuser.execute("UPDATE organisations SET guests = false WHERE guests")
    refused = await http.post("/api/coach", headers=at(gym), json={"message": "hi"})
    assert refused.status_code == 404
    nobody = await http.post("/api/coach", json={"message": "hi"})
    assert nobody.status_code == 401


async def test_a_guest_goes_on_with_the_token_or_the_cookie(http: httpx.AsyncClient, open_house: Gym) -> None:
    first, token = await visit(http, open_house, "hello")
    second, _ = await visit(http, open_house, ABOUT, token)
    assert second["sessionId"] == first["sessionId"]
    assert second["data"]["profile"]["level"] == "beginner"
    http.cookies.set(visitors.COOKIE, token)
    third = await http.post("/api/coach", json={"message": "no to all"})
    http.cookies.clear()
    assert third.json()["sessionId"] == first["sessionId"]
    another, _ = await visit(http, open_house, "hello")
    assert another["sessionId"] != first["sessionId"]


async def test_a_guest_owns_only_their_visit(http: httpx.AsyncClient, open_house: Gym) -> None:
    member = await say(http, open_house.member, "hello")
    mine, token = await visit(http, open_house, "hello")
    other, _ = await visit(http, open_house, "hello")
    for foreign in (member["sessionId"], other["sessionId"]):
        path = f"/api/coach/sessions/{foreign}"
        assert (await http.get(path, headers=at(open_house, token))).status_code == 404
        assert (await http.delete(path, headers=at(open_house, token))).status_code == 404
        said = await http.post(
            "/api/coach", headers=at(open_house, token), json={"message": "hi", "sessionId": foreign}
        )
        assert said.status_code == 404
    own = await http.get("/api/coach/sessions", headers=at(open_house, token))
    assert [one["sessionId"] for one in own.json()["sessions"]] == [mine["sessionId"]]
    stats = await http.get("/api/coach/sessions/stats", headers=at(open_house, token))
    assert stats.json()["total"] == 1
    http.cookies.clear()
    bearer = {"Authorization": f"Bearer {token}"}
    for path in ("/api/me", "/api/sessions", "/api/members", "/api/agent/sessions"):
        assert (await http.get(path, headers=at(open_house, token))).status_code == 401, path
        assert (await http.get(path, headers=bearer)).status_code == 401, path
    cleaned = await http.post("/api/coach/sessions/cleanup", headers=at(open_house, token), json={})
    assert cleaned.status_code == 401
    members = (await http.get("/api/members", headers=open_house.staff.headers)).json()["items"]
    assert len(members) == len(open_house.everybody), "a guest is nobody's member"


async def test_a_forged_or_foreign_token_opens_nothing(http: httpx.AsyncClient, open_house: Gym) -> None:
    _, token = await visit(http, open_house, "hello")
    head, body, signature = token.split(".")
    forged = [f"{head}.{body}.{signature[:-2]}xx", "garbage", open_house.member.token, f"{head}.{body}."]
    for one in forged:
        http.cookies.clear()
        refused = await http.post("/api/coach", headers=at(open_house, one), json={"message": "hi"})
        assert refused.status_code == 401, one


async def test_guests_are_held_short(
    home: House, http: httpx.AsyncClient, open_house: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, token = await visit(http, open_house, "hello")
    long = await http.post(
        "/api/coach", headers=at(open_house, token), json={"message": "x" * (LONGEST_OF_GUEST + 1)}
    )
    assert long.status_code == 422
    monkeypatch.setattr(guests, "MOST_AT_ONCE", 1)
    http.cookies.clear()
    full = await http.post("/api/coach", headers=at(open_house), json={"message": "hi"})
    assert full.status_code == 429
    limits: RateLimiter = home.services.limits
    monkeypatch.setattr(limits, "enabled", True)
    monkeypatch.setattr(visitors, "MESSAGES", Rate(2, 3600))
    said = [
        await http.post("/api/coach", headers=at(open_house, token), json={"message": " "}) for _ in range(4)
    ]
    assert said[-1].status_code == 429
    assert "Retry-After" in said[-1].headers


async def test_signing_in_adopts_the_visit(http: httpx.AsyncClient, open_house: Gym) -> None:
    before, token = await screened_guest(http, open_house)
    person = open_house.member
    http.cookies.clear()
    adopted = await http.post(
        "/api/coach",
        headers={**person.headers, visitors.TOKEN: token},
        json={"message": "let's start", "sessionId": before["sessionId"]},
    )
    assert adopted.status_code == 200, adopted.text
    assert adopted.json()["sessionId"] == before["sessionId"]
    assert visitors.TOKEN not in adopted.headers
    assert adopted.json()["sessionState"] == "workout", "screening and plan are theirs now"
    path = f"/api/coach/sessions/{before['sessionId']}"
    detail = (await http.get(path, headers=person.headers)).json()
    assert [one["text"] for one in detail["messages"] if one["role"] == "user"] == [
        "hello", ABOUT, "no to all", "yes", "let's start",
    ]  # fmt: skip
    gone = await http.get(path, headers=at(open_house, token))
    assert gone.status_code == 401, "there is no such guest any more"
    again = await http.post(
        "/api/coach", headers={**person.headers, visitors.TOKEN: token}, json={"message": "ready"}
    )
    assert again.json()["sessionId"] == before["sessionId"]


async def test_a_person_of_another_gym_adopts_nothing(
    http: httpx.AsyncClient, open_house: Gym, other_gym: Gym
) -> None:
    mine, token = await visit(http, open_house, "hello")
    http.cookies.clear()
    said = await http.post(
        "/api/coach",
        headers={**other_gym.member.headers, visitors.TOKEN: token},
        json={"message": "hi", "sessionId": mine["sessionId"]},
    )
    assert said.status_code == 404
    still, _ = await visit(http, open_house, ABOUT, token)
    assert still["sessionId"] == mine["sessionId"]


async def test_what_expired_guests_left_is_erased_and_nothing_else(
    home: House, http: httpx.AsyncClient, open_house: Gym, superuser: Superuser
) -> None:
    old, old_token = await screened_guest(http, open_house)
    fresh, fresh_token = await visit(http, open_house, "hello")
    http.cookies.clear()
    kept = await say(http, open_house.member, "hello")
    await superuser.execute(
        "UPDATE memberships SET guest_until = now() - interval '1 hour', created_at = now() - interval '25 hours'"
        " FROM agent_sessions s WHERE s.id = %s AND s.user_id = memberships.user_id",
        (old["sessionId"],),
    )
    await erase_guests(JobCall(1, 1, None, {}, home.workshop))
    rows = await superuser.execute(
        "SELECT DISTINCT content::text FROM agent_events WHERE session_id = %s", (old["sessionId"],)
    )
    assert await rows.fetchall() == [('{"erased": true}',)]
    left = await superuser.execute(
        "SELECT count(*) FROM users u WHERE u.email LIKE '%%@guest.invalid' AND EXISTS ("
        " SELECT 1 FROM agent_sessions s WHERE s.user_id = u.id AND s.id = %s)",
        (old["sessionId"],),
    )
    assert await left.fetchone() == (0,)
    http.cookies.clear()
    refused = await http.post("/api/coach", headers=at(open_house, old_token), json={"message": "hi"})
    assert refused.status_code == 401
    going_on, _ = await visit(http, open_house, ABOUT, fresh_token)
    assert going_on["sessionId"] == fresh["sessionId"]
    history = await http.get(f"/api/coach/sessions/{kept['sessionId']}", headers=open_house.member.headers)
    assert history.json()["stepCount"] == 1


async def test_cleaning_up_on_demand(http: httpx.AsyncClient, open_house: Gym, superuser: Superuser) -> None:
    old, _ = await visit(http, open_house, "hello")
    await visit(http, open_house, "hello")
    await superuser.execute(
        "UPDATE memberships SET created_at = now() - interval '3 hours' FROM agent_sessions s"
        " WHERE s.id = %s AND s.user_id = memberships.user_id",
        (old["sessionId"],),
    )
    http.cookies.clear()
    for hours, removed in ((4, 0), (2, 1), (2, 0)):
        done = await http.post(
            "/api/coach/sessions/cleanup", headers=open_house.staff.headers, json={"maxAgeHours": hours}
        )
        assert done.json() == {"removed": removed}
    member = await http.post("/api/coach/sessions/cleanup", headers=open_house.member.headers, json={})
    assert member.status_code == 403


async def test_retiring_needs_the_organisation_and_a_guest(home: House, open_house: Gym) -> None:
    """The function that deletes people deletes only guests, and only for who acts for their organisation."""
    admitted = await home.services.guests.admit(open_house.slug)
    guest = admitted.principal.user_id
    assert guest is not None
    async with home.services.database.unit_of_work(Scope(open_house.org_id, None, "service")) as uow:
        assert not await guests.retire(uow, open_house.member.user_id, adopted=False)
    async with home.services.database.unit_of_work(open_house.member.scope) as uow:
        assert not await guests.retire(uow, guest, adopted=False)
    async with home.services.database.unit_of_work(Scope(open_house.org_id, None, "service")) as uow:
        assert await guests.retire(uow, guest, adopted=False)
        assert not await guests.expired(uow, now() + timedelta(days=1))


async def test_two_who_sign_in_at_once_adopt_it_once(http: httpx.AsyncClient, open_house: Gym) -> None:
    before, token = await visit(http, open_house, "hello")
    http.cookies.clear()

    async def adopt() -> httpx.Response:
        headers = {**open_house.member.headers, visitors.TOKEN: token}
        return await http.post(
            "/api/coach", headers=headers, json={"message": ABOUT, "sessionId": before["sessionId"]}
        )

    answers = await asyncio.gather(adopt(), adopt())
    assert {one.status_code for one in answers} == {200}
    listed = await http.get("/api/coach/sessions", headers=open_house.member.headers)
    assert [one["sessionId"] for one in listed.json()["sessions"]] == [before["sessionId"]]


async def test_guests_have_a_budget_of_their_own(
    http: httpx.AsyncClient, home: House, open_house: Gym
) -> None:
    """What all of them cost together is capped; members go on, and whoever signs in does too. What a guest has cost
    stays counted when their account is gone."""
    gym, admin = open_house, open_house.admin
    first, token = await visit(http, gym, "hello")
    cap = {"scope": "guests", "period": "day", "unit": "tokens", "hard": 1_000_000}
    for wrong in ({**cap, "subject": str(gym.member.user_id)}, {**cap, "hard": None}):
        assert (await http.post("/api/billing/caps", json=wrong, headers=admin.headers)).status_code == 422
    made = await http.post("/api/billing/caps", json=cap, headers=admin.headers)
    assert made.status_code == 201, made.text
    caps = f"/api/billing/caps/{made.json()['id']}"

    async def spent() -> int:
        shown = (await http.get("/api/billing/caps", headers=admin.headers)).json()["standing"]
        (standing,) = [one for one in shown if one["scope"] == "guests"]
        return int(standing["spent"])

    before = await spent()
    assert before > 0, "what this day had cost before the cap counts"
    http.cookies.clear()
    await say(http, gym.member, "hello")
    assert await spent() == before, "members are not guests"
    await visit(http, gym, "hello")
    assert await spent() > before, "another guest counts to the same budget"
    await money_is_right(home, gym)

    await http.put(caps, json={"hard": await spent()}, headers=admin.headers)
    http.cookies.clear()
    for again in (token, None):
        refused = await http.post("/api/coach", headers=at(gym, again), json={"message": "I want to train"})
        assert refused.status_code == 402, refused.text
        problem = refused.json()
        assert problem["detail"].startswith("The budget for today for visitors is used up.")
        assert "Sign in to go on" in problem["detail"]
        assert (problem["scope"], problem["period"]) == ("guests", "day")
        assert not problem.keys() & {"left", "needed", "cap_id"}, "what it costs is not for visitors"
    stream = {**at(gym, token), "Accept": "text/event-stream"}
    told = await http.post("/api/coach", headers=stream, json={"message": "I want to train"})
    assert "for visitors is used up" in told.text

    signed_in = {**gym.other_member.headers, visitors.TOKEN: token}
    adopted = await http.post(
        "/api/coach", headers=signed_in, json={"message": "hello", "sessionId": first["sessionId"]}
    )
    assert adopted.status_code == 200, "whoever signs in goes on"
    total = await spent()
    assert total > 0, "what the guest cost is counted though there is no guest any more"
    async with home.services.database.unit_of_work(Scope(gym.org_id, None, "service")) as uow:
        rows = await uow.session.execute(
            text("SELECT user_id, guest FROM usage_entries WHERE session_id = :id ORDER BY at"),
            {"id": first["sessionId"]},
        )
        found = [(row[0] == gym.other_member.user_id, row[1]) for row in rows]
    assert found[0] == (False, True)
    assert found[-1] == (True, False)
    await money_is_right(home, gym)
