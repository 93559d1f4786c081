"""The trainer's tools against a real database: what they keep, what they refuse, what they say."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, update

from spotter.app import House
from spotter.clock import now
from spotter.llm.scripted import Say, ScriptedModel, call
from spotter.sessions.codec import Event
from spotter.sessions.events import Outcome, Result, UserMessage
from spotter.tools import TOOLS
from spotter.training import athletes, history, preferences, profile, table
from spotter.training.athlete import Athlete, Goal
from spotter.training.catalogue import catalogue
from spotter.training.check import why_not
from spotter.training.limits import Severity, Side
from spotter.training.rules import limits_of
from spotter.training.tables import ExperienceEntry, LoggedWorkout, Preference
from spotter.training.vocabulary import Equipment, Joint, Muscle
from tests.runtime.test_turns import ending_of, events_of
from tests.support.agents import new_session, running_turns
from tests.support.people import Gym, Person

WORKOUT = {
    "exercises": [
        {
            "type": "reps",
            "name": "Push-up",
            "sets": 3,
            "reps": 10,
            "categories": ["strength"],
            "muscles": ["chest"],
        },
        {
            "type": "hold",
            "name": "Plank",
            "sets": 2,
            "hold_time": 30,
            "categories": ["strength"],
            "muscles": ["abs"],
        },
    ]
}


class Desk:
    """Somebody's session, in which tools are called."""

    def __init__(self, home: House, person: Person, session_id: UUID) -> None:
        self.home, self.person, self.session_id = home, person, session_id

    async def use(self, tool: str, /, **arguments: Any) -> Result:
        before = len(await self.events())
        model = ScriptedModel([Say(calls=(call(tool, arguments),)), "Done."])
        async with running_turns(self.home, model, tools=TOOLS) as turns:
            ticket = await turns.say(self.person.scope, self.session_id, UserMessage(text=f"use {tool}"))
            await ending_of(ticket)
        found = [
            event.content for event in (await self.events())[before:] if isinstance(event.content, Result)
        ]
        assert len(found) == 1
        return found[0]

    async def events(self) -> list[Event]:
        return await events_of(self.home, self.person.scope, self.session_id)

    async def on_table(self) -> list[dict[str, Any]]:
        async with self.home.services.database.unit_of_work(self.person.scope) as uow:
            row = await table.on_table(uow, self.session_id)
            found: list[dict[str, Any]] = row.workout["exercises"] if row is not None else []
            return found

    async def athlete(self, session_id: UUID | None = None) -> Athlete:
        async with self.home.services.database.unit_of_work(self.person.scope) as uow:
            wanted = session_id or self.session_id
            return await athletes.load(uow, self.person.user_id, wanted, athletes.finder(catalogue()))


@pytest.fixture
async def desk(home: House, gym: Gym) -> Desk:
    return Desk(home, gym.member, await new_session(home, gym.member.scope))


def ids(result: Result) -> dict[str, str]:
    return {one["name"]: one["id"] for one in result.result["exercises"]}


async def test_goals_are_clamped_and_the_stored_value_is_told(desk: Desk) -> None:
    result = await desk.use(
        "set_goals",
        category_goals=[{"category": "Strength", "weight": 25}],
        muscle_goals=[{"muscle": "glutes", "weight": -12}, {"muscle": "shoulders", "weight": 4}],
    )
    assert result.result["updated"]["category_goals"] == [{"category": "strength", "weight": 10}]
    assert {one["muscle"] for one in result.result["updated"]["muscle_goals"]} == {
        "glutes",
        "front_delts",
        "side_delts",
        "rear_delts",
    }
    athlete = await desk.athlete()
    assert athlete.goals == {Goal.STRENGTH: 10}
    assert athlete.muscle_goals[Muscle.GLUTES] == -10
    refused = await desk.use("set_goals", muscle_goals=[{"muscle": "wings", "weight": 5}])
    assert refused.outcome is Outcome.ERROR
    assert "no muscle called 'wings'" in refused.formatted


async def test_an_injury_is_understood_or_asked_for_again(desk: Desk) -> None:
    kept = await desk.use("set_preference", preference_type="injury", value="left knee, 7/10")
    assert kept.outcome is Outcome.OK
    (injury,) = (await desk.athlete()).injuries
    assert (injury.joint, injury.side, injury.severity) == (Joint.KNEE, Side.LEFT, Severity.SEVERE)
    unclear = await desk.use("set_preference", preference_type="injury", value="something hurts")
    assert unclear.outcome is Outcome.ERROR
    assert "which joint" in unclear.formatted
    gone = await desk.use("delete_preference", preference_id=kept.result["preference"]["id"])
    assert gone.outcome is Outcome.OK
    assert (await desk.athlete()).injuries == ()
    again = await desk.use("delete_preference", preference_id=kept.result["preference"]["id"])
    assert again.outcome is Outcome.ERROR


async def test_the_time_there_is_is_understood_or_asked_for_again(desk: Desk) -> None:
    await desk.use("set_preference", preference_type="time_available", value="1.5 hours")
    assert (await desk.athlete()).minutes == 90
    unclear = await desk.use("set_preference", preference_type="time_available", value="mornings")
    assert unclear.outcome is Outcome.ERROR
    assert "how long" in unclear.formatted
    assert (await desk.athlete()).minutes == 90


async def test_preferences_are_the_same_when_said_again_and_end_in_time(desk: Desk, home: House) -> None:
    await desk.use("set_preference", preference_type="exclusion", value="Burpee")
    await desk.use("set_preference", preference_type="exclusion", value="Burpee", duration_type="temporary")
    async with home.services.database.unit_of_work(desk.person.scope) as uow:
        (row,) = await preferences.active(uow, desk.session_id)
        assert row.duration_type == "temporary"
        assert row.expires_at is not None
        assert timedelta(days=6, hours=23) < row.expires_at - now() <= timedelta(days=7)
    assert "burpee" in (await desk.athlete()).excluded
    async with home.services.database.unit_of_work(desk.person.scope) as uow:
        await uow.session.execute(update(Preference).values(expires_at=now() - timedelta(seconds=1)))
    assert (await desk.athlete()).excluded == frozenset()


async def test_what_is_said_for_a_session_ends_with_it(desk: Desk, home: House) -> None:
    await desk.use("set_preference", preference_type="equipment", value="none", duration_type="session")
    assert (await desk.athlete()).equipment == frozenset({Equipment.NONE})
    elsewhere = await new_session(home, desk.person.scope)
    assert (await desk.athlete(elsewhere)).equipment is None


async def test_one_does_not_delete_anothers_preference(home: House, gym: Gym, desk: Desk) -> None:
    kept = await desk.use("set_preference", preference_type="exclusion", value="Burpee")
    staff = Desk(home, gym.owner, await new_session(home, gym.owner.scope))
    refused = await staff.use("delete_preference", preference_id=kept.result["preference"]["id"])
    assert refused.outcome is Outcome.ERROR
    assert (await desk.athlete()).excluded == {"burpee"}


async def test_a_workout_is_logged_once_with_its_sets_and_the_distribution(desk: Desk, home: House) -> None:
    made = await desk.use("generate_workout", workout=WORKOUT)
    assert made.outcome is Outcome.OK, made.formatted
    named = ids(made)
    done = [
        {"exercise_id": named["Push-up"], "completed": True, "actual_sets": 2, "actual_reps": 8, "rpe": 8},
        {"exercise_id": named["Plank"], "completed": False},
    ]
    logged = await desk.use("log_workout", completed_exercises=done, workout_notes="fine")
    assert logged.result["logged_count"] == 1
    assert logged.result["experience"]["xp"] > 0
    again = await desk.use("log_workout", completed_exercises=done)
    assert again.outcome is Outcome.ERROR
    assert "no workout on the table" in again.formatted
    async with home.services.database.unit_of_work(desk.person.scope) as uow:
        (past,) = await history.past(uow, desk.person.user_id, now() - timedelta(days=1))
        assert [(one.exercise_id, one.reps, one.rpe) for one in past.sets] == [("push-up", 8, 8.0)] * 2
        stored = await history.distribution(uow, desk.person.user_id)
        counted = await history.recount(uow, desk.person.user_id)
        assert stored is not None
        assert (dict(stored.category_counts), dict(stored.muscle_counts)) == tuple(map(dict, counted))
        points = await uow.session.scalars(select(ExperienceEntry.amount))
        assert sum(points) == logged.result["experience"]["total_xp"]
        assert len((await uow.session.scalars(select(LoggedWorkout))).all()) == 1


async def test_a_hostile_workout_does_not_reach_the_table(desk: Desk) -> None:
    await desk.use("set_preference", preference_type="injury", value="right knee, severe")
    await desk.use("set_preference", preference_type="equipment", value="none")
    wild = {
        "exercises": [
            {
                "type": "reps",
                "name": "Box jump",
                "sets": 20,
                "reps": 200,
                "categories": [],
                "muscles": ["quads"],
            },
            {
                "type": "reps",
                "name": "Barbell back squat",
                "sets": 5,
                "reps": 5,
                "weight_kg": 300,
                "muscles": ["quads"],
            },
            {
                "type": "reps",
                "name": "Push-up",
                "sets": 3,
                "reps": 10,
                "categories": [],
                "muscles": ["chest"],
            },
        ]
    }
    made = await desk.use("generate_workout", workout=wild)
    names = set(ids(made))
    assert "Push-up" in names
    assert not names & {"Box jump", "Barbell back squat", "Back squat"}
    assert made.result["changes"]
    assert "Tell the athlete" in made.formatted


SQUATS = {"type": "reps", "name": "Bodyweight squat", "sets": 3, "reps": 10, "muscles": ["quads"]}


async def test_a_new_injury_is_heeded_by_what_lies_on_the_table(desk: Desk, home: House) -> None:
    elsewhere = Desk(home, desk.person, await new_session(home, desk.person.scope))
    squatting = {"exercises": [*WORKOUT["exercises"], SQUATS]}
    for each in (desk, elsewhere):
        assert "Bodyweight squat" in ids(await each.use("generate_workout", workout=squatting))
    before = {one["id"] for one in await desk.on_table()}
    kept = await desk.use("set_preference", preference_type="injury", value="left knee, severe")
    assert kept.result["preference"]["value"] == "left knee, severe"
    assert any("Bodyweight squat" in change for change in kept.result["changes"])
    assert "Tell the athlete" in kept.formatted
    assert await desk.on_table() == kept.result["exercises"]
    athlete = await desk.athlete()
    for each in (desk, elsewhere):
        found = [catalogue()[one["exercise_id"]] for one in await each.on_table()]
        assert {"Push-up", "Plank"} <= {one.name for one in found}
        assert [one.id for one in found if why_not(one, athlete, limits_of(athlete))] == []
    left = {one["name"]: one["id"] for one in await desk.on_table()}
    assert left["Push-up"] in before
    assert f"[{left['Push-up']}] main: Push-up 3x10" in kept.formatted
    said_again = await desk.use("set_preference", preference_type="injury", value="left knee, severe")
    assert "exercises" not in said_again.result


async def test_what_must_wait_for_a_doctor_does_not_stay_on_the_table(desk: Desk) -> None:
    await desk.use("generate_workout", workout=WORKOUT)
    kept = await desk.use("set_preference", preference_type="injury", value="heart condition")
    assert "taken off the table" in kept.formatted
    assert kept.result["exercises"] == await desk.on_table() == []


async def test_the_calendar(desk: Desk) -> None:
    when = (now() + timedelta(days=3)).replace(microsecond=0)
    planned = await desk.use(
        "schedule_workout", title="Legs", scheduled_for=when.isoformat(), duration_minutes=40
    )
    scheduled_id = planned.result["scheduled"]["id"]
    late = await desk.use(
        "schedule_workout", title="Legs", scheduled_for=(now() - timedelta(days=1)).isoformat()
    )
    assert late.outcome is Outcome.ERROR
    moved = await desk.use(
        "update_scheduled_workout",
        scheduled_id=scheduled_id,
        scheduled_for=(when + timedelta(days=1)).isoformat(),
    )
    assert moved.result["scheduled"]["duration_minutes"] == 40
    listed = await desk.use("get_scheduled_workouts")
    assert [one["id"] for one in listed.result["scheduled"]] == [scheduled_id]
    await desk.use("cancel_scheduled_workout", scheduled_id=scheduled_id, reason="holiday")
    assert (await desk.use("get_scheduled_workouts")).result["scheduled"] == []
    unknown = await desk.use("cancel_scheduled_workout", scheduled_id=str(uuid4()))
    assert unknown.outcome is Outcome.ERROR


async def test_timers_and_changes_to_what_is_on_the_table(desk: Desk) -> None:
    named = ids(await desk.use("generate_workout", workout=WORKOUT))
    timers = await desk.use("generate_workout_timers")
    assert timers.result["total_seconds"] > 0
    one = await desk.use("generate_exercise_timer", exercise_id=named["Plank"])
    assert [period["kind"] for period in one.result["timer"]["periods"]][:3] == ["work", "rest", "work"]
    fixed = await desk.use(
        "adjust_exercise",
        exercise_id=named["Plank"],
        adjustments={"type": "reps", "id": "x", "hold_time": 20},
    )
    plank = next(each for each in fixed.result["exercises"] if each["name"] == "Plank")
    assert (plank["type"], plank["hold_time"], plank["id"]) == ("hold", 20, named["Plank"])
    wrong = await desk.use("adjust_exercise", exercise_id=named["Plank"], adjustments={"hold_time": "long"})
    assert wrong.outcome is Outcome.ERROR
    removed = await desk.use("remove_exercise", exercise_id=named["Push-up"])
    assert "Push-up" not in ids(removed)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Plank", {"type": "reps", "name": "Push-up", "sets": 2, "reps": 8}, "twice"),
        ("Push-up", {"type": "hold", "name": "Plank", "sets": 2, "hold_time": 20}, "in this workout already"),
        ("Push-up", {"type": "reps", "name": "Flying carpet whirl", "sets": 2, "reps": 8}, "catalogue"),
    ],
)
async def test_a_swap_that_would_only_take_something_away_changes_nothing(
    desk: Desk, old: str, new: dict[str, Any], why: str
) -> None:
    made = await desk.use("generate_workout", workout=WORKOUT)
    refused = await desk.use("swap_exercise", exercise_id=ids(made)[old], new_exercise=new)
    assert refused.outcome is Outcome.ERROR, refused.formatted
    assert why in refused.formatted
    assert "Nothing changed" in refused.formatted
    assert await desk.on_table() == made.result["exercises"]


async def test_a_swap_tells_what_came_in(desk: Desk) -> None:
    made = await desk.use("generate_workout", workout=WORKOUT)
    row = {"type": "reps", "name": "Glute bridge", "sets": 2, "reps": 10}
    swapped = await desk.use("swap_exercise", exercise_id=ids(made)["Push-up"], new_exercise=row)
    assert swapped.outcome is Outcome.OK, swapped.formatted
    assert (swapped.result["old_exercise"], swapped.result["new_exercise"]) == ("Push-up", "Glute bridge")
    assert ids(swapped)["Glute bridge"] == swapped.result["new_id"]


async def test_an_adjustment_tells_what_was_stored_not_what_was_wished(desk: Desk) -> None:
    named = ids(await desk.use("generate_workout", workout=WORKOUT))
    done = await desk.use("adjust_exercise", exercise_id=named["Push-up"], adjustments={"sets": 20})
    stored = next(one["sets"] for one in await desk.on_table() if one["name"] == "Push-up")
    assert stored < 20
    assert done.result["adjustments"] == {"sets": stored}
    assert done.result["old_values"] == {"sets": 3}
    assert done.formatted.startswith(f"Adjusted Push-up: sets 3 → {stored}.")


@pytest.mark.parametrize(
    ("condition", "asked"),
    [
        ("pregnant", {"instead_of": "Kettlebell swing"}),
        ("pregnant", {"muscles": ["chest"]}),
        ("high blood pressure", {"instead_of": "Jumping jack"}),
    ],
)
async def test_nothing_is_suggested_that_the_check_would_take_away(
    desk: Desk, home: House, condition: str, asked: dict[str, Any]
) -> None:
    async with home.services.database.unit_of_work(desk.person.scope) as uow:
        await profile.change_settings(uow, {"fitness_level": "advanced"})
    await desk.use("set_preference", preference_type="equipment", value="full gym")
    await desk.use("set_preference", preference_type="injury", value=condition)
    found = await desk.use("get_exercise_suggestions", limit=20, **asked)
    athlete = await desk.athlete()
    offered = [catalogue()[one["exercise_id"]] for one in found.result["suggestions"]]
    assert offered
    assert [each.id for each in offered if why_not(each, athlete, limits_of(athlete))] == []


async def test_an_exercise_is_judged_with_its_amounts(desk: Desk) -> None:
    much = {"type": "reps", "name": "Push-up", "sets": 20, "reps": 200}
    judged = await desk.use("validate_exercise", exercise=much)
    assert judged.result["valid"] is False
    assert any("sets 20 → " in reason for reason in judged.result["reasons"])
    assert any("reps 200 → " in reason for reason in judged.result["reasons"])
    heavy = {"type": "reps", "name": "Goblet squat", "sets": 3, "reps": 8, "weight_kg": 200}
    assert (await desk.use("validate_exercise", exercise=heavy)).result["valid"] is False


async def test_nothing_suits_before_a_doctor_has_cleared_them(desk: Desk) -> None:
    await desk.use("set_preference", preference_type="injury", value="heart condition")
    gentle = {"type": "reps", "name": "Push-up", "sets": 1, "reps": 5}
    judged = await desk.use("validate_exercise", exercise=gentle)
    assert judged.result["valid"] is False
    assert "doctor" in judged.formatted
    assert judged.result["alternatives"] == []
    refused = await desk.use("get_exercise_suggestions", muscles=["chest"])
    assert refused.outcome is Outcome.ERROR
    assert "doctor" in refused.formatted


async def test_suggestions_progress_and_data(desk: Desk) -> None:
    await desk.use("set_preference", preference_type="equipment", value="none")
    found = await desk.use("get_exercise_suggestions", instead_of="bench press", limit=3)
    assert 0 < len(found.result["suggestions"]) <= 3
    valid = await desk.use(
        "validate_exercise", exercise={"type": "reps", "name": "Push-up", "sets": 1, "reps": 5}
    )
    assert valid.result["valid"] is True
    not_here = await desk.use(
        "validate_exercise", exercise={"type": "reps", "name": "Barbell bench press", "sets": 1, "reps": 5}
    )
    assert not_here.result["valid"] is False
    for tool in ("get_progress_summary", "get_workout_stats", "get_goal_progress"):
        assert (await desk.use(tool)).outcome is Outcome.OK
    fetched = await desk.use("fetch_data", sources=["active_preferences", "user_profile"])
    assert "equipment: none" in fetched.result["data"]["active_preferences"]
    wrong = await desk.use("fetch_data", sources=["bank_account"])
    assert wrong.outcome is Outcome.ERROR
