"""The same first visit with models that speak the providers' own formats: the log has the same shape with both."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from spotter.app import Ground
from spotter.training.screening import Topic
from tests.http.test_coach import ABOUT, say
from tests.http.test_trainer import DIALECTS, Step, call, trainer
from tests.llm.wire_scripts import Spoken
from tests.support.people import Gym

FIT = {topic.value: "no" for topic in Topic}
PROFILE = {
    "goals": ["strength"],
    "level": "beginner",
    "equipment": ["dumbbell"],
    "days_per_week": 3,
    "minutes": 30,
}
CURL = {"type": "reps", "name": "Dumbbell curl", "sets": 2, "reps": 10, "muscles": ["biceps"]}


def current_id(body: str) -> str:
    """Of the set to do now, as `look_at_visit` told it last."""
    told = re.sub(r"\\+", "", body)
    current = told[told.rindex('"current":') :]
    found = re.search(r'"id":"([0-9a-f-]{36})"', current)
    assert found is not None
    return found[1]


def visit_steps() -> Sequence[tuple[str, list[Step], tuple[str, str]]]:
    """What the person says, what the model answers, and where the visit stands then."""
    return [
        (
            "hello",
            [call("look_at_visit"), Spoken("Welcome! Tell me about you.")],
            ("intake", "intake_safety"),
        ),
        (ABOUT, [call("save_profile", **PROFILE), Spoken("Now your health.")], ("intake", "intake_safety")),
        ("no to all", [call("answer_screening", **FIT)], ("intake", "intake_safety")),
        (
            "yes",
            [call("confirm_screening"), call("create_plan", weeks=1), Spoken("Here is your plan.")],
            ("planning", "program_designer"),
        ),
        ("start", [call("start_workout"), Spoken("Warm up.")], ("workout", "technique_coach")),
        ("warm", [call("finish_part", part="warmup"), Spoken("Go.")], ("workout", "technique_coach")),
        ("10", [call("log_set", reps=10), Spoken("Good.")], ("workout", "technique_coach")),
        (
            "ouch my knee 6/10",
            [
                call("report_pain", joint="knee", level=6),
                call("look_at_visit"),
                lambda body: call("swap_exercise", exercise_id=current_id(body), new_exercise=CURL),
                Spoken("Something else."),
            ],
            ("workout", "technique_coach"),
        ),
        (
            "8, that's enough",
            [call("log_set", reps=8), call("move_on", to="logging"), Spoken("Well done.")],
            ("logging", "gamification"),
        ),
        ("yes", [call("complete_workout"), Spoken("You earned it.")], ("complete", "gamification")),
    ]


async def test_a_first_visit_with_both_providers(
    base: Ground, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    shapes: list[Any] = []
    for dialect in DIALECTS:
        person = gym.member if dialect == "chat" else gym.other_member
        visit = visit_steps()
        steps = [step for _, answers, _ in visit for step in answers]
        async with trainer(base, monkeypatch, dialect, steps) as http:
            answer: dict[str, Any] = {}
            for message, _, stands in visit:
                answer = await say(http, person, message)
                assert (answer["sessionState"], answer["currentAgent"]) == stands, message
            assert [entry["exercise"] for entry in answer["data"]["log"]][-1] == "Dumbbell curl"
            assert answer["data"]["xp"] > 0
            assert answer["message"] == "You earned it."
            events = await http.get(
                f"/api/sessions/{answer['sessionId']}/events?limit=1000", headers=person.headers
            )
            shapes.append(
                [
                    (one["type"], one["content"].get("tool"), one["content"].get("to_stage"))
                    for one in events.json()["items"]
                ]
            )
    assert shapes[0] == shapes[1]
    assert [shape[2] for shape in shapes[0] if shape[0] == "stage"] == [
        "planning",
        "workout",
        "logging",
        "complete",
    ]
