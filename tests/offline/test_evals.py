"""The tuning set is understood, and what is not ours gets no action."""

import pytest

from spotter.offline.evals import NOW, TABLES, Case, cases, score
from spotter.offline.evals.labels import expected
from spotter.offline.understanding import Intent, Understander

UNDERSTANDER = Understander()


def test_tuning_set() -> None:
    report = score(cases("tuning"), UNDERSTANDER)
    print(report.table())
    assert report.messages >= 260
    assert report.intent_accuracy >= 0.98
    assert report.slot_accuracy >= 0.98
    assert report.acted_wrongly == []


def test_the_set_is_wide() -> None:
    rows = cases("tuning")
    assert sum(Intent.UNKNOWN in row.intents for row in rows) >= 30
    assert {intent for row in rows for intent in row.intents} == {intent.value for intent in Intent}
    assert sum(bool(row.table) for row in rows) >= 80
    assert len({(row.text, row.table) for row in rows}) == len(rows)


def test_labels_name_what_exists() -> None:
    for row in cases("tuning"):
        assert row.table in TABLES
        assert {Intent(name) for name in (*row.intents, *row.also)}
        expected(row.slots)


@pytest.mark.parametrize(
    ("wanted", "slots", "right"),
    [
        (("swap",), {"references": ["e2"]}, True),
        (("remove",), {"references": ["e2"]}, False),
        (("swap",), {"references": ["e1"]}, False),
        (("swap", "log"), {"references": ["e2"]}, False),
    ],
)
def test_the_scorer_notices(wanted: tuple[str, ...], slots: dict[str, list[str]], right: bool) -> None:
    report = score([Case("swap the second one", wanted, slots, "workout")], UNDERSTANDER)
    assert (report.intent_accuracy == 1.0 and report.slot_accuracy == 1.0) is right
    assert bool(report.misses) is not right


def test_an_extra_intent_is_a_fault_unless_allowed() -> None:
    text = "make it 20 minutes and swap the squats"
    strict = score([Case(text, ("swap",), {}, "workout")], UNDERSTANDER)
    lenient = score([Case(text, ("swap",), {}, "workout", ("shorter",))], UNDERSTANDER)
    assert strict.intent_accuracy == 0.0
    assert lenient.intent_accuracy == 1.0


def test_a_wrong_action_is_counted_apart() -> None:
    report = score([Case("swap the second one", ("unknown",), {}, "workout")], UNDERSTANDER)
    assert report.acted_wrongly == ["swap the second one"]
    assert NOW.tzinfo is not None
