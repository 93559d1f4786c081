"""Reports over HTTP: who sees what, in whose days, and what is refused."""

import csv
import io
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from spotter.app import House
from spotter.billing.periods import Period, first_of_month, local_day
from spotter.clock import now
from tests.http.conftest import Superuser
from tests.support.people import Gym, Person
from tests.support.usage import Call, book


async def get(http: httpx.AsyncClient, person: Person, path: str, **query: Any) -> Any:
    answer = await http.get(path, params=query, headers=person.headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def today() -> date:
    return local_day(now(), ZoneInfo("UTC"))


async def _two_people(home: House, gym: Gym) -> None:
    """The member's call costs $1, the other's $2, and a call nobody knows the price of."""
    await book(
        home,
        gym.org_id,
        Call(today(), gym.member.user_id, cost=1_000_000, input=10, output=20, cache_read=30, cache_write=40),
        Call(today(), gym.other_member.user_id, agent="coach", cost=2_000_000, input=1),
        Call(today(), gym.owner.user_id, provider="my-server", model="llama3", price=None, input=500),
    )


async def test_staff_see_the_organisation_and_a_member_their_own(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    await _two_people(home, gym)
    whole = await get(http, gym.staff, "/api/billing/current")
    assert whole["whose"] == "organisation"
    assert whole["total"]["cost"] == {"micros": 3_000_000, "usd": "3.00"}
    assert whole["total"]["charge"] == {"micros": 3_600_000, "usd": "3.60"}
    assert (whole["total"]["calls"], whole["total"]["unpriced_calls"]) == (3, 1)
    assert whole["total"]["tokens"] == {"input": 511, "output": 20, "cache_read": 30, "cache_write": 40}
    own = await get(http, gym.member, "/api/billing/current")
    assert own["whose"] == "own"
    assert own["total"]["cost"]["micros"] == 1_000_000
    by_user = await get(http, gym.staff, "/api/billing/usage", by="user")
    assert [item["key"] for item in by_user["items"]][:2] == [
        str(gym.other_member.user_id),
        str(gym.member.user_id),
    ]
    own_by_user = await get(http, gym.member, "/api/billing/usage", by="user")
    assert [item["key"] for item in own_by_user["items"]] == [str(gym.member.user_id)]
    exported = await http.get("/api/billing/export.csv", headers=gym.member.headers)
    assert [line["user_id"] for line in csv.DictReader(io.StringIO(exported.text))] == [
        str(gym.member.user_id)
    ]


async def test_cuts_of_a_period(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    await _two_people(home, gym)
    models = await get(http, gym.owner, "/api/billing/usage", by="model", limit=1)
    assert [item["key"] for item in models["items"]] == ["openai:gpt-4o"]
    assert models["rest"]["unpriced_calls"] == 1
    assert models["total"]["calls"] == 3
    agents = await get(http, gym.owner, "/api/billing/usage", by="agent")
    assert {item["key"]: item["total"]["calls"] for item in agents["items"]} == {"assistant": 2, "coach": 1}
    tomorrow = today() + timedelta(days=1)
    days = await get(http, gym.owner, "/api/billing/usage", **{"from": today(), "to": tomorrow})
    assert [item["key"] for item in days["items"]] == [today().isoformat()]
    later = await get(
        http, gym.owner, "/api/billing/usage", **{"from": tomorrow, "to": tomorrow + timedelta(days=1)}
    )
    assert later["total"]["calls"] == 0


async def test_periods_are_of_the_organisations_time_zone(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    changed = await http.patch(
        f"/api/organisations/{gym.org_id}", json={"timezone": "Pacific/Auckland"}, headers=gym.owner.headers
    )
    assert changed.status_code == 200
    zone = ZoneInfo("Pacific/Auckland")
    report = await get(http, gym.owner, "/api/billing/current")
    as_of = datetime.fromisoformat(report["as_of"])
    month = Period.month_of(as_of, zone)
    assert report["period"]["timezone"] == "Pacific/Auckland"
    assert report["period"]["first_day"] == month.first.isoformat()
    assert report["period"]["to"] == month.end.isoformat()
    assert datetime.fromisoformat(report["period"]["start"]) == month.start
    assert datetime.fromisoformat(report["period"]["end"]) == month.stop
    days = await get(http, gym.owner, "/api/billing/usage", **{"from": "2026-04-04", "to": "2026-04-07"})
    lengths = [
        datetime.fromisoformat(item["period"]["end"]) - datetime.fromisoformat(item["period"]["start"])
        for item in days["items"]
    ]
    assert lengths == [timedelta(hours=24), timedelta(hours=25), timedelta(hours=24)]


async def test_history_goes_back_month_by_month(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    before = first_of_month(today(), -1)
    await book(home, gym.org_id, Call(today(), cost=1), Call(before, cost=20), Call(before, cost=22))
    history = await get(http, gym.staff, "/api/billing/history", months=3)
    assert [item["total"]["cost"]["micros"] for item in history["items"]] == [1, 42, 0]
    assert history["items"][1]["period"]["first_day"] == before.isoformat()
    assert history["items"][1]["period"]["to"] == history["items"][0]["period"]["first_day"]


async def test_a_forecast_says_when_it_cannot_be_made(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    await book(home, gym.org_id, Call(today(), cost=10))
    little = await get(http, gym.staff, "/api/billing/forecast")
    assert (little["method"], little["expected"], little["high"]) == ("too_little_data", None, None)
    days = [today() - timedelta(days=n) for n in range(1, 29)]
    await book(home, gym.org_id, *(Call(day, cost=1000) for day in days))
    enough = await get(http, gym.staff, "/api/billing/forecast")
    assert enough["method"] == "weekdays"
    assert enough["days_of_data"] == 28
    assert enough["low"]["micros"] <= enough["expected"]["micros"] <= enough["high"]["micros"]


async def test_an_export_is_a_file_for_spreadsheets(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    await _two_people(home, gym)
    await book(home, gym.org_id, Call(today(), agent='=HYPERLINK("http://x.example")'))
    answer = await http.get("/api/billing/export.csv", headers=gym.staff.headers)
    assert answer.headers["content-type"].startswith("text/csv")
    assert "attachment" in answer.headers["content-disposition"]
    lines = list(csv.DictReader(io.StringIO(answer.text)))
    assert {line["agent"] for line in lines} >= {'\'=HYPERLINK("http://x.example")', "coach"}
    unpriced = next(line for line in lines if line["price"] == "unpriced")
    assert (unpriced["charge_usd"], unpriced["input_tokens"]) == ("", "500")


@pytest.mark.parametrize(
    "query",
    [
        {"from": "2026-02-01", "to": "2026-02-01"},
        {"from": "2026-02-02", "to": "2026-02-01"},
        {"from": "2000-01-01", "to": "2026-02-01"},
        {"from": "9999-12-31"},
        {"to": "0001-01-01"},
        {"from": "tomorrow"},
    ],
)
@pytest.mark.parametrize("path", ["/api/billing/usage", "/api/billing/export.csv"])
async def test_periods_that_are_refused(
    http: httpx.AsyncClient, gym: Gym, path: str, query: dict[str, str]
) -> None:
    answer = await http.get(path, params=query, headers=gym.owner.headers)
    assert answer.status_code == 422, answer.text


async def test_what_a_session_has_cost(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    made = await http.post("/api/sessions", json={}, headers=gym.member.headers)
    session_id = made.json()["id"]
    path = f"/api/sessions/{session_id}/usage"
    assert (await get(http, gym.member, path))["total"]["calls"] == 0
    call = Call(today(), gym.member.user_id, cost=1500, input=7, session_id=session_id)
    await book(home, gym.org_id, call, Call(today(), gym.member.user_id, cost=99))
    used = await get(http, gym.member, path)
    assert used["total"]["calls"] == 1
    assert used["total"]["charge"] == {"micros": 1800, "usd": "0.0018"}
    refused = await http.get(path, headers=gym.other_member.headers)
    assert refused.status_code == 404


async def test_caps_are_shown_to_staff_with_what_is_used(
    http: httpx.AsyncClient, home: House, gym: Gym, superuser: Superuser
) -> None:
    """One that was met by no call yet shows what it would have counted."""
    await book(home, gym.org_id, Call(today(), cost=1_000_000))
    await superuser.execute(
        "INSERT INTO spend_caps (org_id, id, scope, period, unit, hard)"
        " VALUES (%s, gen_random_uuid(), 'organisation', 'month', 'money', 5000000)",
        (gym.org_id,),
    )
    caps = (await get(http, gym.staff, "/api/billing/current"))["caps"]
    assert [(cap["period"], cap["hard"], cap["spent"]) for cap in caps] == [("month", 5_000_000, 1_200_000)]
    assert (await get(http, gym.member, "/api/billing/current"))["caps"] == []
