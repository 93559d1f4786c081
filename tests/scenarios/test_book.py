"""Who a name means: in a scenario, outside of one, and with what a session has different."""

import pytest

from spotter.errors import NotFound
from spotter.runtime.kit import Part
from spotter.scenarios.book import Book
from spotter.scenarios.builtin_files import builtin_agents, builtin_scenarios

BOOK = Book.of(builtin_agents(), builtin_scenarios(), "offline")


def test_outside_of_a_scenario_nobody_is_handed_to() -> None:
    assert BOOK.cast(Part("supervisor")).handoffs == ()
    inside = BOOK.cast(Part("supervisor", "retail"))
    assert [handover.to for handover in inside.handoffs] == ["product_advisor", "order_care"]
    assert "“Where is my order?”" in inside.handoffs[1].when


def test_the_same_one_is_made_once() -> None:
    """Its instructions are encoded once, for all sessions."""
    assert BOOK.cast(Part("supervisor", "retail")) is BOOK.cast(Part("supervisor", "retail"))
    assert BOOK.cast(Part("supervisor", "retail")) is not BOOK.cast(Part("supervisor"))


def test_a_model_of_its_own_is_everybodys_in_the_session() -> None:
    for name in ("supervisor", "order_care"):
        agent = BOOK.cast(Part(name, "retail", {"model": "gpt-4o"}))
        assert (agent.model, agent.fallbacks) == ("gpt-4o", ("offline",))


def test_instructions_are_for_one_and_the_rules_still_hold() -> None:
    given = {"instructions": "You are a pirate.", "agent": "supervisor"}
    pirate = BOOK.cast(Part("supervisor", "retail", given))
    assert pirate.instructions.startswith("You are a pirate.")
    assert "Promise a refund" in pirate.instructions
    assert "pirate" not in BOOK.cast(Part("order_care", "retail", given)).instructions
    assert BOOK.cast(Part("assistant", None, {"instructions": "Arr."})).instructions == "Arr."


def test_who_is_gone() -> None:
    assert BOOK.cast(Part("nobody", "retail")).name == "supervisor"
    with pytest.raises(NotFound, match="no agent called 'nobody'"):
        BOOK.cast(Part("nobody"))
    with pytest.raises(NotFound, match="Start a new session"):
        BOOK.cast(Part("supervisor", "nowhere"))
