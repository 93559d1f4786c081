"""The edges of the trainer over HTTP (C13), and what its checklist asks for, on the offline model of every install."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx

from spotter.app import House
from spotter.ids import new_id
from spotter.training import own_exercises
from spotter.training.catalogue import catalogue
from spotter.training.importers import ImportedExercise
from spotter.training.vocabulary import Equipment
from tests.http.conftest import Superuser
from tests.support.people import Gym, Person
from tests.training.test_own_exercises import SLED


class Talk:
    """One conversation."""

    def __init__(self, http: httpx.AsyncClient, person: Person) -> None:
        self._http = http
        self._headers = person.headers
        self.session_id: str | None = None

    async def say(self, message: str) -> dict[str, Any]:
        body = {"message": message, **({"sessionId": self.session_id} if self.session_id else {})}
        answer = await self._http.post("/api/agent/chat", headers=self._headers, json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        self.session_id = found["sessionId"]
        response: dict[str, Any] = found["response"]
        return response

    async def hear(self, message: str) -> str:
        response = await self.say(message)
        question = response["question"]
        return "\n".join([*response["messages"], *([question["text"]] if question else [])])

    async def events(self) -> list[dict[str, Any]]:
        path = f"/api/sessions/{self.session_id}/events?limit=1000"
        found = await self._http.get(path, headers=self._headers)
        items: list[dict[str, Any]] = found.json()["items"]
        return items


def mains(response: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in response["exercises"] or [] if one["phase"] == "main"]


@asynccontextmanager
async def failing(superuser: Superuser, table: str, person: Person) -> AsyncIterator[None]:
    """Every new row of this person's is refused by the database."""
    name = f"refuse_{new_id().hex}"
    await superuser.execute(
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'the disk is on fire'; END $$"
    )
    await superuser.execute(
        f"CREATE TRIGGER {name} BEFORE INSERT ON {table} FOR EACH ROW"
        f" WHEN (NEW.user_id = '{person.user_id}') EXECUTE FUNCTION {name}()"
    )
    try:
        yield
    finally:
        await superuser.execute(f"DROP FUNCTION {name} CASCADE")


async def test_a_database_error_in_a_tool_is_told_and_nothing_is_claimed(
    http: httpx.AsyncClient, gym: Gym, superuser: Superuser
) -> None:
    talk = Talk(http, gym.member)
    await talk.say("20 minutes full body, no equipment")
    async with failing(superuser, "workout_sets", gym.member):
        told = await talk.hear("log it, did everything")
    assert "could not" in told.lower()
    assert "Logged" not in told
    assert "disk is on fire" not in told
    kept = await superuser.execute(
        "SELECT count(*) FROM workout_history WHERE user_id = %s", (gym.member.user_id,)
    )
    assert await kept.fetchone() == (0,)
    assert (await talk.hear("log it, did everything")).startswith("Logged")


async def test_a_data_source_that_fails_does_not_fail_the_rest(
    http: httpx.AsyncClient, gym: Gym, superuser: Superuser
) -> None:
    talk = Talk(http, gym.member)
    await superuser.execute("ALTER TABLE workout_history RENAME TO workout_history_away")
    try:
        made = await talk.say("25 minutes upper body with dumbbells")
    finally:
        await superuser.execute("ALTER TABLE workout_history_away RENAME TO workout_history")
    assert mains(made)
    failed = [one for one in await talk.events() if "could not be loaded" in str(one["content"])]
    assert failed
    assert all("workout_history" in str(one["content"]) for one in failed)


async def test_a_session_that_cannot_be_written_is_a_clear_error_and_the_server_lives(
    http: httpx.AsyncClient, gym: Gym, superuser: Superuser
) -> None:
    body = {"message": "hello"}
    await superuser.execute("ALTER TABLE agent_events RENAME TO agent_events_away")
    try:
        refused = await http.post("/api/agent/chat", headers=gym.member.headers, json=body)
    finally:
        await superuser.execute("ALTER TABLE agent_events_away RENAME TO agent_events")
    assert refused.status_code in (500, 503)
    assert refused.json()["code"]
    assert "agent_events" not in refused.text
    assert (await http.post("/api/agent/chat", headers=gym.member.headers, json=body)).status_code == 200


async def test_many_messages_to_one_session_at_once(http: httpx.AsyncClient, gym: Gym) -> None:
    talk = Talk(http, gym.member)
    await talk.say("30 minutes full body, no equipment")
    wishes = [
        "make it 20 minutes",
        "swap the first one",
        "I hate burpees, never again",
        "how did my week go?",
    ]
    answers = await asyncio.gather(*(talk.say(wish) for wish in wishes * 2))
    assert all(each["messages"] or each["question"] for each in answers)
    events = await talk.events()
    assert [one["sequence"] for one in events] == list(range(1, len(events) + 1))
    spoken = [one["content"]["text"] for one in events if one["type"] == "user_message"]
    assert sorted(spoken[1:]) == sorted(wishes * 2)
    called = [one["content"]["call_id"] for one in events if one["type"] == "action"]
    answered = [one["content"]["call_id"] for one in events if one["type"] == "result"]
    assert called == answered
    assert len(set(called)) == len(called)
    turns = "".join({"user_message": "u", "action": "a"}.get(one["type"], "") for one in events)
    assert "uu" not in turns, "one turn ends before the next begins"


async def test_two_conversations_of_one_person_do_not_mix(http: httpx.AsyncClient, gym: Gym) -> None:
    legs, arms = Talk(http, gym.member), Talk(http, gym.member)
    for talk in (legs, arms):
        made = await http.post("/api/agent/sessions", headers=gym.member.headers)
        talk.session_id = made.json()["session"]["id"]
    await asyncio.gather(
        legs.say("30 minutes legs, no equipment"), arms.say("30 minutes upper body with dumbbells")
    )
    one, other = await asyncio.gather(legs.say("make it 20 minutes"), arms.say("make it 20 minutes"))
    book = catalogue()
    assert all(book[each["exercise_id"]].region != "upper" for each in mains(one))
    assert any(book[each["exercise_id"]].region == "upper" for each in mains(other))


async def test_goals_preferences_and_what_was_logged_change_what_comes_next(
    http: httpx.AsyncClient, gym: Gym, superuser: Superuser
) -> None:
    talk = Talk(http, gym.member)
    plain = await talk.say("45 minutes full body at the gym")
    assert "strength" in await talk.hear("I want to get stronger")
    strong = await talk.say("45 minutes full body at the gym")
    rests = [max(one.get("rest_between_sets", 0) for one in mains(each)) for each in (plain, strong)]
    assert rests[1] > rests[0]
    name = mains(strong)[0]["name"]
    assert "No more" in await talk.hear(f"I hate {name}, never again")
    assert name not in [one["name"] for one in mains(await talk.say("45 minutes full body at the gym"))]
    await talk.hear("log it, did everything")
    counted = await superuser.execute(
        "SELECT category_counts FROM exercise_distribution_tracking WHERE user_id = %s", (gym.member.user_id,)
    )
    (categories,) = (await counted.fetchone()) or ({},)
    assert categories["strength"] >= 3
    again = Talk(http, gym.member)
    listed = await http.get("/api/agent/sessions", headers=gym.member.headers)
    again.session_id = listed.json()["sessions"][0]["id"]
    assert again.session_id == talk.session_id
    assert (await again.hear("what did I do last time?")).startswith("Last time, on ")


async def test_the_initializer_picks_what_a_message_needs(http: httpx.AsyncClient, gym: Gym) -> None:
    talk = Talk(http, gym.member)
    await talk.say("30 minutes full body, no equipment")
    known = {one["content"]["source"] for one in await talk.events() if one["type"] == "knowledge"}
    assert {"category_goals", "muscle_goals", "active_preferences", "exercise_distribution"} <= known
    other = Talk(http, gym.other_member)
    await other.say("thanks!")
    few = {one["content"]["source"] for one in await other.events() if one["type"] == "knowledge"}
    assert len(few & {"category_goals", "muscle_goals", "exercise_distribution", "workout_history"}) == 0


class TestWhyItIsNotThere:
    async def test_no_equipment_was_named(self, http: httpx.AsyncClient, gym: Gym) -> None:
        talk = Talk(http, gym.member)
        await talk.say("30 minute upper body workout")
        told = await talk.hear("why isn't the bench press in it?")
        assert "Nothing speaks against" not in told
        assert "barbell" in told
        assert "not told me" in told

    async def test_it_is_for_something_else(self, http: httpx.AsyncClient, gym: Gym) -> None:
        talk = Talk(http, gym.member)
        await talk.say("30 minute upper body workout at the gym")
        told = await talk.hear("why isn't the leg press in it?")
        assert "this workout is for upper body" in told

    async def test_own_exercises_with_their_reasons(
        self, http: httpx.AsyncClient, gym: Gym, home: House
    ) -> None:
        own = [
            replace(SLED, id="own-chest-sled", name="Turf sled push"),
            replace(SLED, id="own-yoke", name="Highland yoke push", unproven=True),
            replace(SLED, id="own-moon", name="Moon harness push", setups=(frozenset({Equipment.OTHER}),)),
            replace(SLED, id="own-cliff", name="Cliff runner push", level=9),
        ]
        async with home.services.database.unit_of_work(gym.member.scope) as uow:
            await own_exercises.add(
                uow,
                [
                    ImportedExercise(one, "own", one.id, "none", "us", guessed=("joints",) * one.unproven)
                    for one in own
                ],
            )
        talk = Talk(http, gym.member)
        await talk.say("30 minutes legs at the gym")
        assert "above your level" in await talk.hear("why isn't my cliff runner push in it?")
        assert "no name for" in await talk.hear("why isn't the moon harness push in it?")
        assert "Nothing speaks against" in await talk.hear("why isn't the highland yoke push in it?")
        await talk.hear("my shoulder hurts")
        unproven = await talk.hear("why isn't the highland yoke push in it?")
        assert "nobody has said which joints it loads" in unproven
        assert "load on the" not in unproven
        await talk.hear("never give me the turf sled push again")
        assert "not wanted" in await talk.hear("why isn't the turf sled push in it?")

    async def test_what_does_not_suit_is_not_added_and_not_claimed(
        self, http: httpx.AsyncClient, gym: Gym
    ) -> None:
        talk = Talk(http, gym.member)
        await talk.say("30 minutes full body, no equipment, my knee hurts badly")
        response = await talk.say("add bodyweight squats")
        told = "\n".join(response["messages"])
        assert "I did not add" in told
        assert "knee" in told
        assert "With bodyweight squat" not in told
