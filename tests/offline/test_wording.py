"""How the trainer puts things: what a person can act on, said once, and true of what is on the table."""

import re

from tests.offline.floor import BOOK, Floor


async def test_a_workout_says_sides_rest_and_what_is_done_in_turns() -> None:
    floor = Floor()
    said = await floor.say("30 min full body, no equipment")
    assert floor.workout is not None
    for one in floor.workout.exercises:
        line = next(part for part in re.split(r"\n|, |: ", said) if one.name in part)
        assert ("each side" in line) is BOOK[one.exercise_id or ""].unilateral, line
    assert re.search(r"^Rest \d+(?: to \d+)? s between sets", said, re.MULTILINE)
    paired = [one.name for one in floor.workout.exercises if one.pair]
    assert bool(paired) is ("in turns" in said)
    assert not re.search(r"\b\d{3,}s\b", said), "minutes are told as minutes"


async def test_a_swap_keeps_what_is_done_in_turns() -> None:
    floor = Floor()
    await floor.say("30 min upper body, no equipment")
    assert floor.workout is not None
    place = next(number for number, one in enumerate(floor.main()) if _pair(floor, one))
    letter = _pair(floor, floor.main()[place])
    said = await floor.say(f"swap the {('first', 'second', 'third')[place]} one")
    assert _pair(floor, floor.main()[place]) == letter
    assert "in turns" in said


def _pair(floor: Floor, name: str) -> str | None:
    assert floor.workout is not None
    return next(one.pair for one in floor.workout.exercises if one.name == name)


async def test_what_is_left_out_is_said_once() -> None:
    floor = Floor()
    assert "Left out for your knee" in await floor.say("30 min legs, no equipment, my left knee hurts")
    said = await floor.say("make it 20 minutes")
    assert "Left out" not in said
    assert said.count("20 min") == 1


async def test_dislikes_are_told_in_the_plural() -> None:
    floor = Floor()
    assert "No more burpees or step-back burpees from me." in await floor.say("I hate burpees, never again")


async def test_a_wish_after_a_question_is_not_taken_for_one_of_its_options() -> None:
    floor = Floor()
    await floor.say("30 min full body, no equipment")
    await floor.say("blorp the wibble")
    assert floor.names()[-1] == "message_ask_user"
    before = floor.main()
    await floor.say("can you swap the last one for a plank")
    assert "log_workout" not in floor.names()
    assert floor.main()[:-1] == before[:-1]


async def test_what_is_there_already_is_not_added_in_another_dress() -> None:
    floor = Floor()
    await floor.say("45 min legs at the gym")
    calves = [name for name in floor.main() if "calf raise" in name.lower()]
    assert calves
    said = await floor.say("add calf raises")
    assert f"{calves[0]} is in it already" in said
    assert [name for name in floor.main() if "calf raise" in name.lower()] == calves


async def test_a_named_lift_is_logged_as_the_one_they_can_do() -> None:
    floor = Floor()
    await floor.say("I have dumbbells and a bench")
    said = await floor.say("log romanian deadlifts 3x10 @ 20kg")
    assert "Dumbbell Romanian deadlift" in said
    assert "could not" not in said


async def test_equipment_for_good_overtakes_what_was_said_for_now() -> None:
    floor = Floor()
    await floor.say("20 min full body, no equipment")
    await floor.say("I have dumbbells and a bench at home, remember that")
    kits = [kept for kept in floor.kept.values() if kept.preference_type == "equipment"]
    assert [kept.duration_type for kept in kits] == ["permanent"]


async def test_reasons_are_true_of_what_is_on_the_table() -> None:
    """A muscle that is trained gets no rest, and one that is not trained is no reason for anything."""
    floor = Floor({"workout_history": "2026-11-16 push: Push-up 3x10, Dumbbell bench press 3x10"})
    await floor.say("45 min full body at the gym")
    said = await floor.say("why this one?")
    trained = {
        muscle.value.replace("_", " ")
        for name in floor.main()
        if (known := BOOK.named(name)) is not None
        for muscle in known.primary
    }
    for muscle in re.findall(r"^(\w+(?: \w+)?) worked hard", said, re.MULTILINE):
        assert muscle.lower() not in trained
    for muscle in re.findall(r"^(\w+(?: \w+)?) had the least work", said, re.MULTILINE):
        assert muscle.lower() in trained


async def test_a_streak_is_told_as_one_would_say_it() -> None:
    floor = Floor()
    said = await floor.say("what's my streak?")
    assert "(before:" not in said
    assert "level 1" in said


async def test_the_same_in_less_time_is_the_same() -> None:
    """Sets go before exercises do."""
    floor = Floor()
    await floor.say("30 min full body with dumbbells and a bench")
    before = floor.main()
    await floor.say("make it 20 minutes")
    assert len(set(before) & set(floor.main())) >= len(before) - 1


async def test_a_new_workout_is_what_was_asked_for_also_over_another_one() -> None:
    floor = Floor()
    await floor.say("30 min full body with dumbbells and a bench")
    said = await floor.say("give me another workout, 20 minutes, legs")
    assert said.startswith("Legs, about ")
    assert floor.workout is not None
    assert 17 <= (floor.workout.summary.total_duration_estimate or 0) <= 22


async def test_a_timer_for_what_is_not_there_is_not_made() -> None:
    floor = Floor()
    await floor.say("20 min legs, no equipment")
    said = await floor.say("set a timer for the bench press")
    assert "not in this workout" in said
    assert "generate_workout_timers" not in floor.names()


async def test_a_pregnancy_is_noted_whatever_the_safety_rules_suspect() -> None:
    floor = Floor()
    await floor.say("i'm pregnant, 20 weeks", caution="This may be a medical warning sign.")
    assert [kept.value for kept in floor.kept.values()] == ["pregnant"]


async def test_a_run_on_the_calendar_is_called_a_run() -> None:
    floor = Floor()
    await floor.say("put a 30 min run on saturday morning")
    assert [row.title for row in floor.calendar.values()] == ["Run"]


async def test_a_weight_means_the_lift_that_has_one() -> None:
    floor = Floor()
    await floor.say("I have dumbbells and a bench")
    assert "Dumbbell hip thrust" in await floor.say("log hip thrusts 3x8 @ 40kg")
