"""How well texts are read: our own, and a third that was written after the rules and never tuned on.

`held_out.jsonl` must stay that way: whoever looks into it to mend a miss makes it a tuning set and writes a new one.
"""

import pytest

from tests.safety.labels import HELD_OUT, Score, every_text, report, table

PROMISED = {
    "medical_emergency": 0.97,
    "self_harm": 0.97,
    "personal_data": 0.95,
    "injection": 0.85,
}
# What the texts held out gave when they were first measured, in docs/safety.md. It may only become better, by better
# rules and other texts, never by mending these.
MEASURED = {
    "medical_emergency": 0.987,
    "self_harm": 0.965,
    "eating_disorder": 1.0,
    "personal_data": 1.0,
    "injection": 0.98,
}
FALSE_BLOCKS = {"tuning": 0, "held_out": 4}


@pytest.fixture(scope="module")
def scores() -> dict[tuple[str, str], Score]:
    found = report()
    print("\n" + table(found))
    return found


def test_there_are_enough_texts_and_a_third_is_held_out() -> None:
    sets = [one.set for one in every_text()]
    assert len(sets) >= 600
    assert sets.count("held_out") >= 200
    assert 3 * sets.count("held_out") >= len(sets)


def test_every_kind_of_text_is_held_out() -> None:
    labels = {label for one in every_text() if one.set == "held_out" for label in one.labels or ("ordinary",)}
    assert labels >= {*PROMISED, "eating_disorder", "ordinary"}


def test_no_text_is_in_two_sets() -> None:
    seen: dict[str, str] = {}
    for one in every_text():
        assert seen.setdefault(one.text.strip().lower(), one.set) == one.set, one.text


@pytest.mark.parametrize("category", PROMISED)
def test_recall_is_as_promised(scores: dict[tuple[str, str], Score], category: str) -> None:
    score = scores["tuning", category]
    assert score.recall >= PROMISED[category], table({("tuning", category): score})


@pytest.mark.parametrize("category", MEASURED)
def test_recall_of_texts_held_out_is_not_less_than_it_was(
    scores: dict[tuple[str, str], Score], category: str
) -> None:
    assert round(scores[HELD_OUT, category].recall, 3) >= MEASURED[category]


@pytest.mark.parametrize("name", ["tuning", "held_out"])
def test_ordinary_words_are_hardly_ever_blocked(scores: dict[tuple[str, str], Score], name: str) -> None:
    ordinary = scores[name, "ordinary"]
    assert ordinary.false_blocks <= FALSE_BLOCKS[name], table({(name, "ordinary"): ordinary})
