"""How well the rules read texts: our own, and texts written afterwards that nobody tuned on."""

import pytest

from tests.safety.labels import Score, every_text, report, table

# What we promise of texts nobody has tuned on, and what has been reached on the set written last, by somebody who did
# not know the rules. The second is a floor, to be raised until it is the first.
PROMISED = {
    "medical_emergency": 0.97,
    "self_harm": 0.97,
    "personal_data": 0.95,
    "injection": 0.85,
}
REACHED = {**PROMISED, "medical_emergency": 0.96, "self_harm": 0.87}
LEAST = {"tuning": PROMISED, "held_out": REACHED}
FALSE_BLOCKS = {"tuning": 0, "held_out": 5}


@pytest.fixture(scope="module")
def scores() -> dict[tuple[str, str], Score]:
    found = report()
    print("\n" + table(found))
    return found


def test_there_are_enough_texts_of_our_own() -> None:
    assert sum(one.set == "tuning" for one in every_text()) >= 420


def test_no_text_is_in_two_sets() -> None:
    seen: dict[str, str] = {}
    for one in every_text():
        assert seen.setdefault(one.text.strip().lower(), one.set) == one.set, one.text


@pytest.mark.parametrize("name", ["tuning", "held_out"])
def test_recall_is_as_promised(scores: dict[tuple[str, str], Score], name: str) -> None:
    here = {category: score for (of, category), score in scores.items() if of == name}
    if not here:
        pytest.skip(f"there are no {name} texts yet")
    for category, least in LEAST[name].items():
        if category in here:
            assert here[category].recall >= least, table({(name, category): here[category]})


@pytest.mark.parametrize("name", ["tuning", "held_out"])
def test_ordinary_words_are_never_blocked(scores: dict[tuple[str, str], Score], name: str) -> None:
    ordinary = scores.get((name, "ordinary"))
    if ordinary is None:
        pytest.skip(f"there are no {name} texts yet")
    assert ordinary.false_blocks <= FALSE_BLOCKS[name], table({(name, "ordinary"): ordinary})
