"""A dislike of a family is a dislike of all of it, whoever plans the workout."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from spotter.training.athletes import finder, wishes_of
from spotter.training.catalogue import catalogue
from spotter.training.families import family_of, of_equipment, of_pattern
from spotter.training.vocabulary import Equipment, Flag, Pattern

BOOK = catalogue()


@dataclass(frozen=True)
class Told:
    preference_type: str
    value: str
    details: dict[str, Any] = field(default_factory=dict)


def excluded(kind: str, value: str, **details: str) -> set[str]:
    return wishes_of([Told(kind, value, dict(details))], finder(BOOK)).excluded


@pytest.mark.parametrize(
    "said", ["no jumping", "jumping", "anything with jumping", "high impact", "plyometrics"]
)
def test_no_jumping_leaves_nothing_that_leaves_the_ground(said: str) -> None:
    left = [each for each in BOOK if each.id not in family_of(said, BOOK)]
    assert len(left) < len(BOOK)
    assert not [each.id for each in left if Flag.IMPACT in each.flags or each.pattern is Pattern.JUMP]


@pytest.mark.parametrize("said", ["nothing overhead", "overhead", "no overhead work", "overhead pressing"])
def test_nothing_overhead(said: str) -> None:
    left = [each for each in BOOK if each.id not in family_of(said, BOOK)]
    assert not [each.id for each in left if Flag.OVERHEAD in each.flags]
    assert any(each.pattern is Pattern.HORIZONTAL_PUSH for each in left)


@pytest.mark.parametrize("said", ["burpees", "no burpees of any kind", "never burpees", "Burpees ever again"])
def test_all_that_bear_the_name(said: str) -> None:
    found = family_of(said, BOOK)
    assert {"burpee", "step-back-burpee"} <= found
    assert "push-up" not in found
    assert {"knee-push-up", "push-up"} <= family_of("no push-ups", BOOK)


def test_no_machines() -> None:
    machines = {Equipment.MACHINE, Equipment.CABLE, Equipment.TREADMILL, Equipment.BIKE}
    left = [each for each in BOOK if each.id not in family_of("no machines", BOOK)]
    assert not [each.id for each in left if all(setup & machines for setup in each.setups)]
    assert of_equipment("machine", BOOK) == family_of("machines", BOOK)
    assert of_pattern("jump", BOOK) == family_of("jumping", BOOK)


def test_words_that_name_nothing_exclude_nothing() -> None:
    assert family_of("", BOOK) == frozenset()
    assert family_of("no please", BOOK) == frozenset()
    assert family_of("colourless green ideas", BOOK) == frozenset()


def test_the_check_heeds_what_is_kept_in_words() -> None:
    assert excluded("exclusion", "jumping") == family_of("jumping", BOOK)
    assert excluded("custom", "no jumping") == family_of("jumping", BOOK)
    assert excluded("custom", "level beginner") == set()
    assert excluded("exclusion", "Burpee", exercise_id="burpee") == {"burpee"}
    assert "step-back-burpee" in excluded("exclusion", "burpees", exercise_id="burpee")
