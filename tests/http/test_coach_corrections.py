"""After a visit is complete a set can be put right: a new event, a true history, points that follow by new entries."""

from typing import Any

import httpx
from sqlalchemy import select

from spotter.app import House
from spotter.training import history
from spotter.training.tables import ExperienceEntry, LoggedSet
from tests.http.test_coach import say, training
from tests.support.people import Gym, Person


async def finished(http: httpx.AsyncClient, person: Person) -> dict[str, Any]:
    """A short visit: three sets, then enough."""
    await training(http, person)
    for _ in range(3):
        await say(http, person, "10 reps")
    await say(http, person, "that's enough for today")
    done = await say(http, person, "yes")
    assert done["sessionState"] == "complete", done
    return done


async def ledger(home: House, person: Person) -> list[tuple[str, str, int]]:
    async with home.services.database.unit_of_work(person.scope) as uow:
        rows = await uow.session.scalars(
            select(ExperienceEntry)
            .where(ExperienceEntry.user_id == person.user_id, ExperienceEntry.kind == "xp")
            .order_by(ExperienceEntry.created_at, ExperienceEntry.id)
        )
        return [(row.key, row.rule, row.amount) for row in rows]


async def put_right(http: httpx.AsyncClient, person: Person, session_id: str, **what: Any) -> dict[str, Any]:
    body = {"tool": "log_set", "arguments": what, "session_id": session_id}
    answer = await http.post("/api/tools/execute", json=body, headers=person.headers)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


async def test_a_set_is_put_right_after_the_visit(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    person = gym.member
    done = await finished(http, person)
    session_id, first = done["sessionId"], done["data"]["log"][0]
    before = await ledger(home, person)
    assert sum(amount for *_, amount in before) == done["data"]["xp"]

    nameless = await put_right(http, person, session_id, reps=12)
    assert (nameless["success"], "Name the exercise" in nameless["error"]) == (False, True)
    right = await put_right(
        http, person, session_id, name=first["exercise"], set_number=first["set_number"], reps=12
    )
    assert right["success"] is True, right
    assert right["output"]["added"] is False
    shown = await http.get(f"/api/coach/sessions/{session_id}", headers=person.headers)
    logged = shown.json()["data"]["log"]
    assert [one["reps"] for one in logged if one["exercise"] == first["exercise"]].count(12) == 1
    assert shown.json()["sessionState"] == "complete"
    async with home.services.database.unit_of_work(person.scope) as uow:
        sets = list(await uow.session.scalars(select(LoggedSet).where(LoggedSet.user_id == person.user_id)))
        assert len(sets) == len(done["data"]["log"]), "corrected, not added"
        assert [one.reps for one in sets].count(12) == 1
    assert await ledger(home, person) == before, "the same number of sets, and no record: the same points"

    forgotten = await put_right(http, person, session_id, name=first["exercise"], set_number=7, reps=9)
    assert forgotten["output"]["added"] is True
    after = await ledger(home, person)
    assert after[: len(before)] == before, "what was booked stays as it was"
    earned = sum(amount for *_, amount in after) - sum(amount for *_, amount in before)
    assert earned == forgotten["output"]["experience"]["xp"] > 0
    again = await put_right(http, person, session_id, name=first["exercise"], set_number=7, reps=9)
    assert again["output"]["experience"]["xp"] == 0
    assert await ledger(home, person) == after, "said twice, it earns once"
    async with home.services.database.unit_of_work(person.scope) as uow:
        kept = await history.distribution(uow, person.user_id)
        assert kept is not None
        categories, muscles = await history.recount(uow, person.user_id)
        assert (kept.category_counts, kept.muscle_counts) == (dict(categories), dict(muscles))
    standing = await say(http, person, "thanks")
    assert standing["data"]["xp"] == sum(amount for *_, amount in after)


async def test_offline_by_words(http: httpx.AsyncClient, gym: Gym) -> None:
    done = await finished(http, gym.member)
    name = done["data"]["log"][-1]["exercise"]
    said = await say(http, gym.member, f"correction: the last set of {name} was 14")
    assert said["sessionState"] == "complete"
    assert 14 in [one.get("reps") for one in said["data"]["log"]]
    assert "Corrected" in said["message"]


async def test_nobody_corrects_anothers_visit(http: httpx.AsyncClient, gym: Gym) -> None:
    done = await finished(http, gym.member)
    body = {
        "tool": "log_set",
        "arguments": {"name": done["data"]["log"][0]["exercise"], "set_number": 1, "reps": 99},
        "session_id": done["sessionId"],
    }
    for stranger in (gym.other_member, gym.staff):
        answer = await http.post("/api/tools/execute", json=body, headers=stranger.headers)
        assert answer.status_code == 404
