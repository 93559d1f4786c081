"""Progress, goals, preferences and the calendar over HTTP."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx

from spotter.app import House
from spotter.clock import now
from spotter.training import own_exercises
from spotter.training.importers import ImportedExercise
from tests.support.people import Gym
from tests.training.test_own_exercises import SLED

SAMPLES = Path(__file__).parents[1] / "training" / "samples"


async def get(http: httpx.AsyncClient, gym: Gym, path: str, **query: Any) -> dict[str, Any]:
    answer = await http.get(f"/api/training{path}", params=query, headers=gym.member.headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def bring(
    http: httpx.AsyncClient, gym: Gym, name: str = "strong_semicolons.csv", **headers: str
) -> httpx.Response:
    return await http.post(
        "/api/training/import",
        content=(SAMPLES / name).read_bytes(),
        headers={**gym.member.headers, "Content-Type": "text/csv", **headers},
    )


async def test_a_file_of_another_app_fills_history_and_records(http: httpx.AsyncClient, gym: Gym) -> None:
    first = (await bring(http, gym)).json()
    assert first["source"] == "strong"
    assert first["added"] == first["workouts"] > 0
    again = (await bring(http, gym)).json()
    assert (again["added"], again["already_there"]) == (0, first["workouts"])
    history = await get(http, gym, "/history", limit=200)
    assert len(history["items"]) == first["workouts"]
    records = (await get(http, gym, "/records"))["items"]
    assert records
    name = history["items"][0]["exercises"][0]["name"]
    found = await get(http, gym, "/history", q=name.upper())
    assert 0 < len(found["items"]) <= first["workouts"]
    assert (await get(http, gym, "/history", q="no such exercise %_"))["items"] == []


async def test_an_import_tells_how_far_it_is(http: httpx.AsyncClient, gym: Gym) -> None:
    answer = await bring(http, gym, "hevy.csv", Accept="text/event-stream")
    assert answer.status_code == 200, answer.text
    told = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
    assert told[-2]["done"] == told[-2]["of"] == told[-1]["workouts"]
    assert told[-1]["added"] == told[-1]["workouts"] > 0


async def test_what_is_no_log_is_refused(http: httpx.AsyncClient, gym: Gym) -> None:
    for content in (b"", b"a,b,c\n1,2,3\n", b"\xff\xfe\x00", b"{}"):
        refused = await http.post("/api/training/import", content=content, headers=gym.member.headers)
        assert refused.status_code == 422, content
    # Years of training are more than other requests may carry, so it is read, and then refused for what it is.
    large = await http.post("/api/training/import", content=b"x" * 1_500_000, headers=gym.member.headers)
    assert large.status_code == 422


async def test_goals_change_one_by_one(http: httpx.AsyncClient, gym: Gym) -> None:
    headers = gym.member.headers
    await http.patch("/api/training/goals", json={"categories": {"strength": 7}}, headers=headers)
    both = await http.patch("/api/training/goals", json={"muscles": {"quads": -3}}, headers=headers)
    assert both.json() == {"categories": {"strength": 7}, "muscles": {"quads": -3}}
    too_much = await http.patch("/api/training/goals", json={"muscles": {"quads": 11}}, headers=headers)
    assert too_much.status_code == 422
    unknown = await http.patch("/api/training/goals", json={"muscles": {"tail": 1}}, headers=headers)
    assert unknown.status_code == 422


async def test_an_injury_is_understood_and_ends(http: httpx.AsyncClient, gym: Gym) -> None:
    headers = gym.member.headers
    soon = (now() + timedelta(days=3)).isoformat()
    body = {"type": "injury", "value": "left knee, mild", "expires_at": soon}
    kept = (await http.post("/api/training/preferences", json=body, headers=headers)).json()
    assert kept["duration"] == "temporary"
    unclear = {"type": "injury", "value": "something hurts"}
    refused = await http.post("/api/training/preferences", json=unclear, headers=headers)
    assert refused.status_code == 422
    assert "joint" in refused.json()["detail"]
    past = {**body, "expires_at": (now() - timedelta(days=1)).isoformat()}
    assert (await http.post("/api/training/preferences", json=past, headers=headers)).status_code == 422
    assert [one["value"] for one in (await get(http, gym, "/preferences"))["items"]] == ["left knee, mild"]
    await http.delete(f"/api/training/preferences/{kept['id']}", headers=headers)
    assert (await get(http, gym, "/preferences"))["items"] == []


async def test_a_planned_workout_is_moved_and_cancelled(http: httpx.AsyncClient, gym: Gym) -> None:
    headers = gym.member.headers
    start = now().replace(microsecond=0) + timedelta(days=1)
    body = {"title": "Legs", "scheduled_for": start.isoformat(), "minutes": 45}
    made = (await http.post("/api/training/schedule", json=body, headers=headers)).json()
    later = (start + timedelta(days=2)).isoformat()
    moved = await http.patch(
        f"/api/training/schedule/{made['id']}", json={"scheduled_for": later}, headers=headers
    )
    assert (moved.json()["title"], moved.json()["minutes"]) == ("Legs", 45)
    (found,) = (await get(http, gym, "/schedule"))["items"]
    assert found["id"] == made["id"]
    assert found["scheduled_for"].startswith(later[:19])
    await http.delete(f"/api/training/schedule/{made['id']}", headers=headers)
    assert (await get(http, gym, "/schedule"))["items"] == []


async def test_settings_say_what_is_not_known(http: httpx.AsyncClient, gym: Gym) -> None:
    empty = await get(http, gym, "/settings")
    assert empty == {
        "level": None,
        "minutes": None,
        "days_per_week": None,
        "equipment": None,
        "timezone": None,
    }
    changed = await http.patch(
        "/api/training/settings", json={"equipment": [], "level": "advanced"}, headers=gym.member.headers
    )
    assert changed.json()["equipment"] == []
    assert (await get(http, gym, "/volume"))["target_low"] == 12


async def test_the_first_days_are_empty_and_well(http: httpx.AsyncClient, gym: Gym) -> None:
    standing = await get(http, gym, "/standing")
    assert (standing["experience"]["level"], standing["badges"]) == (1, [])
    volume = await get(http, gym, "/volume", weeks=3)
    assert [week["workouts"] for week in volume["weeks"]] == [0, 0, 0]
    assert (await get(http, gym, "/days"))["days"] == []


async def test_exercises_of_ones_own_count_for_their_muscles(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        await own_exercises.add(uow, [ImportedExercise(SLED, "wger", "1", "CC0", "")])
    head = (SAMPLES / "strong_semicolons.csv").read_text("utf-8").splitlines()[0]
    began = f"{now() - timedelta(hours=3):%Y-%m-%d %H:%M:%S}"
    lines = [f"{began};Sleds;{SLED.name};{number};60;kg;10;;;;0;-;-;30m" for number in (1, 2, 3)]
    brought = await http.post(
        "/api/training/import",
        content="\n".join([head, *lines]),
        headers={**gym.member.headers, "Content-Type": "text/csv"},
    )
    assert (brought.json()["added_sets"], brought.json()["unknown_exercises"]) == (3, []), brought.text
    weeks = (await get(http, gym, "/volume", weeks=2))["weeks"]
    (week,) = [one for one in weeks if one["workouts"]]
    assert {one["muscle"]: one["sets"] for one in week["muscles"]} == {"quads": 3, "glutes": 3, "calves": 1.5}
    for tool in ("get_progress_summary", "get_workout_stats"):
        asked = {"tool": tool, "arguments": {"days": 7}}
        told = (await http.post("/api/tools/execute", json=asked, headers=gym.member.headers)).json()
        assert told["success"], told
        found = told["output"].get("now", told["output"])
        assert found["sets_by_muscle"] == {"glutes": 3, "quads": 3, "calves": 1.5}
