"""What the initializer fetches, and what a checkpoint keeps."""

from datetime import UTC, datetime

import pytest

from spotter.offline.sources import pick_sources
from spotter.offline.summarising import Said, summarise
from spotter.offline.understanding import Understander

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
UNDERSTANDER = Understander()
ALL = (
    "user_profile",
    "category_goals",
    "muscle_goals",
    "active_preferences",
    "workout_history",
    "exercise_distribution",
    "user_settings",
)


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        (
            "give me a 30 minute workout",
            {
                "category_goals",
                "muscle_goals",
                "active_preferences",
                "exercise_distribution",
                "user_settings",
            },
        ),
        ("I hate burpees", {"active_preferences"}),
        ("I want to get stronger", {"category_goals"}),
        ("I want bigger arms", {"muscle_goals"}),
        ("what did I do last week?", {"workout_history"}),
        ("hello", set()),
        ("what can you do?", set()),
    ],
)
def test_sources(text: str, needed: set[str]) -> None:
    selection = pick_sources(UNDERSTANDER.understand(text, NOW), ALL)
    assert set(selection.sources) == needed
    assert selection.reason


def test_what_is_held_is_not_fetched_again_unless_it_changed() -> None:
    understood = UNDERSTANDER.understand("I hate burpees, make me a workout", NOW)
    held = ("category_goals", "muscle_goals", "active_preferences", "exercise_distribution", "user_settings")
    assert pick_sources(understood, ALL, held).sources == ()
    assert pick_sources(understood, ALL, held, ("active_preferences",)).sources == ("active_preferences",)


def test_only_what_the_agent_has() -> None:
    understood = UNDERSTANDER.understand("give me a workout", NOW)
    assert pick_sources(understood, ("active_preferences",)).sources == ("active_preferences",)


TALK = (
    Said("user", "Hi! I'm 42 and I work nights. My goal is to lose weight."),
    Said("assistant", "Noted."),
    Said("user", "My left knee hurts. I hate burpees. 20 minutes please"),
    Said("action", "generate_workout: 5 exercises, 20 minutes"),
    Said("assistant", "Here it is. Shall I put it on Thursday?"),
)


def test_a_checkpoint_keeps_what_matters() -> None:
    summary = summarise(TALK, UNDERSTANDER, NOW)
    for kept in (
        "I'm 42",
        "lose weight",
        "left knee hurts",
        "hate burpees",
        "generate_workout",
        "on Thursday?",
    ):
        assert kept in summary


def test_when_short_the_injury_stays() -> None:
    summary = summarise(TALK, UNDERSTANDER, NOW, longest=120)
    assert len(summary) <= 120
    assert "left knee hurts" in summary


def test_an_earlier_summary_is_carried_on() -> None:
    first = summarise(TALK, UNDERSTANDER, NOW)
    second = summarise((Said("summary", first), Said("user", "I bought a kettlebell")), UNDERSTANDER, NOW)
    assert "left knee hurts" in second
    assert "kettlebell" in second


def test_nothing_said() -> None:
    assert summarise((), UNDERSTANDER, NOW) == "Nothing was settled yet."
