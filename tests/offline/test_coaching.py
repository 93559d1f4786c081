"""How the coach's offline agents understand people: health answers and profiles in their own words."""

from datetime import UTC, datetime
from typing import Any

import pytest

from spotter.offline.acting.mind import mind
from spotter.offline.coaching import health
from spotter.offline.coaching.profiling import profile_in
from spotter.offline.coaching.scene import Heard, Scene


def scene(text: str) -> Scene:
    return Scene(
        mind(), datetime(2026, 3, 2, 9, tzinfo=UTC), Heard(text, "", "", (), (), (), False), frozenset()
    )


@pytest.mark.parametrize(
    "text",
    ["no", "No.", "no to all", "none of them", "nope, none of these", "No, nothing at all", "all no",
     "none apply to me", "no I'm healthy, thankfully", "nothing, I am fine"],
)  # fmt: skip
def test_no_to_everything(text: str) -> None:
    assert set(health.answers_in(text).values()) == {"no"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have high blood pressure but my doctor says exercise is fine", {"heart": "cleared"}),
        ("I have high blood pressure", {"heart": "yes"}),
        ("no, only my knee hurts sometimes", {"joints": "yes"}),
        ("I take tablets for my thyroid", {"medicine": "yes", "condition": "yes"}),
        ("no chest pain, but I fainted in summer", {"fainting": "yes"}),
        ("2 yes, rest no", {"chest_pain": "yes"}),
        ("yes to 1 and 5", {"heart": "yes", "medicine": "yes"}),
        ("asthma, I have an inhaler, cleared by my doctor", {"condition": "cleared", "medicine": "cleared"}),
        ("diabetes, haven't asked my doctor yet if it's ok", {"condition": "yes"}),
    ],
)
def test_what_applies(text: str, expected: dict[str, str]) -> None:
    found = {topic.value: answer for topic, answer in health.answers_in(text).items() if answer != "no"}
    assert found == expected


@pytest.mark.parametrize("text", ["yes", "what do you mean?", "let's start", "hello", "banana", ""])
def test_what_is_no_answer_is_not_taken_for_one(text: str) -> None:
    assert health.answers_in(text) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I want to get stronger, never trained, two dumbbells, 3 days a week, 30 minutes",
            {
                "goals": ["strength"],
                "level": "beginner",
                "equipment": ["dumbbell"],
                "days_per_week": 3,
                "minutes": 30,
            },
        ),
        ("I'm 34, 80 kg, 1.82 m", {"age": 34, "weight_kg": 80.0, "height_cm": 182}),
        ("twice a week, no equipment", {"days_per_week": 2, "equipment": []}),
        ("my left knee hurts", {"injuries": ["left knee, moderate"]}),
    ],
)
def test_what_somebody_tells_about_themselves(text: str, expected: dict[str, Any]) -> None:
    found = profile_in(scene(text), asked=True)
    assert {name: found.get(name) for name in expected} == expected
