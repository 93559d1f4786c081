"""How well texts are read: our own, and a third that was written after the rules and never tuned on.

`held_out.jsonl` must stay that way: whoever looks into it to mend a miss makes it a tuning set and writes a new one.
"""

import pytest

from tests.safety.labels import Score, every_text, report, table

PROMISED = {
    "medical_emergency": 0.97,
    "self_harm": 0.97,
    "personal_data": 0.95,
    "injection": 0.85,
}
# None is what we promise of ordinary words, too. On the texts held out it was four of 196 at first contact; it may only
# become fewer, by better rules and texts, never by mending those four.
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
@pytest.mark.parametrize("name", ["tuning", "held_out"])
def test_recall_is_as_promised(scores: dict[tuple[str, str], Score], name: str, category: str) -> None:
    score = scores[name, category]
    assert score.recall >= PROMISED[category], table({(name, category): score})


@pytest.mark.parametrize("name", ["tuning", "held_out"])
def test_ordinary_words_are_hardly_ever_blocked(scores: dict[tuple[str, str], Score], name: str) -> None:
    ordinary = scores[name, "ordinary"]
    assert ordinary.false_blocks <= FALSE_BLOCKS[name], table({(name, "ordinary"): ordinary})
