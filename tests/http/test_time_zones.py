"""A person's own clock: what is today, what is seven in the morning, and which day a late workout counts for."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import httpx
import pytest

from spotter.app import House
from spotter.clock import now
from spotter.training import badge_log, experience_log, history, sources
from spotter.training.experience import MOST_A_DAY
from spotter.training.history import Done, DoneSet
from spotter.training.local_time import zone_of
from tests.support.people import Gym, Person

AUCKLAND = "Pacific/Auckland"


async def move_to(http: httpx.AsyncClient, who: Person, zone: str) -> None:
    answer = await http.patch("/api/training/settings", json={"timezone": zone}, headers=who.headers)
    assert answer.status_code == 200, answer.text
    assert answer.json()["timezone"] == zone


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "europe/berlin"])
async def test_only_zones_there_are(http: httpx.AsyncClient, gym: Gym, zone: str) -> None:
    answer = await http.patch("/api/training/settings", json={"timezone": zone}, headers=gym.member.headers)
    assert answer.status_code == 422, answer.text
    assert (await http.get("/api/training/settings", headers=gym.member.headers)).json()["timezone"] is None


async def test_the_organisations_holds_until_somebody_has_their_own(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        assert (await zone_of(uow)).key == "UTC"
    await move_to(http, gym.member, AUCKLAND)
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        assert (await zone_of(uow)).key == AUCKLAND
    async with home.services.database.unit_of_work(gym.other_member.scope) as uow:
        assert (await zone_of(uow)).key == "UTC"
    back = await http.patch("/api/training/settings", json={"timezone": None}, headers=gym.member.headers)
    assert back.json()["timezone"] is None
    kept = await http.patch("/api/training/settings", json={"minutes": 30}, headers=gym.member.headers)
    assert kept.json()["timezone"] is None


async def test_seven_in_the_morning_is_theirs(http: httpx.AsyncClient, gym: Gym) -> None:
    await move_to(http, gym.member, AUCKLAND)
    said = await http.post(
        "/api/agent/chat", json={"message": "put legs on Thursday 7am"}, headers=gym.member.headers
    )
    assert said.status_code == 200, said.text
    (planned,) = (await http.get("/api/training/schedule", headers=gym.member.headers)).json()["items"]
    at = datetime.fromisoformat(planned["scheduled_for"]).astimezone(ZoneInfo(AUCKLAND))
    assert at.time() == time(7)
    assert at.weekday() == 3
    assert at > now()


async def test_a_late_workout_counts_for_the_day_it_was_there(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    """Sunday at eleven in the evening in New York is Monday in London: another week."""
    sunday = date(2026, 11, 15)
    late = datetime.combine(sunday, time(23), ZoneInfo("America/New_York")).astimezone(UTC)
    assert late.date() == sunday + timedelta(days=1)
    done = Done(completed_at=late, items=[], sets=[], source_key="late")
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        await history.log(uow, done)
        assert await experience_log.trained_days(uow, gym.member.user_id) == [late.date()]
    await move_to(http, gym.member, "America/New_York")
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        assert await experience_log.trained_days(uow, gym.member.user_id) == [sunday]
        asked = sources.Asked(gym.member.user_id, None, {})
        told = await sources.SOURCES["workout_history"].fetch(uow, asked)
    assert told.startswith("2026-11-15")


async def test_badges_for_hours_go_by_their_own_clock(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    """Half past four in the morning in New York is a decent hour in London."""
    await move_to(http, gym.member, "America/New_York")
    early = datetime.combine(date(2026, 11, 16), time(4, 30), ZoneInfo("America/New_York"))
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        await history.log(uow, Done(early.astimezone(UTC), items=[], sets=[], source_key="early"))
        assert {badge.id for badge in await badge_log.award(uow)} == {"workouts-1", "early"}


async def test_points_of_a_day_are_capped_by_their_own_calendar(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    """Six and eleven in the evening in New York are two days in London, and one there."""
    await move_to(http, gym.member, "America/New_York")
    sets = [DoneSet("push-up", "Push-up", number, reps=10) for number in range(1, 26)]
    items = [{"name": "Push-up", "sets": 25, "completed": True}]
    points = 0
    for hour in (18, 19, 23):
        at = datetime.combine(date(2026, 11, 16), time(hour), ZoneInfo("America/New_York"))
        done = Done(at.astimezone(UTC), items=items, sets=sets, source_key=f"at {hour}")
        async with home.services.database.unit_of_work(gym.member.scope) as uow:
            workout_id = await history.log(uow, done)
            assert workout_id is not None
            points += (await experience_log.award(uow, workout_id, done)).points
    assert points == MOST_A_DAY
