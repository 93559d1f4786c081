"""What was built with is understood, and so is what was not; what is not ours gets no action."""

import json
import re
import sys
from pathlib import Path

import pytest

from spotter.offline.evals import NOW, TABLES, Case, cases, score
from spotter.offline.evals.labels import expected
from spotter.offline.understanding import Intent, Understander
from spotter.offline.understanding.weighing import default_model

UNDERSTANDER = Understander()


ROOT = Path(__file__).resolve().parents[2]
BUILT_WITH = ("earlier", "tuning")


NEW_WRITERS = 10
"""From this round on, by people who had never seen the others, in many kinds of English."""


@pytest.mark.parametrize("name", BUILT_WITH)
def test_what_was_built_with(name: str) -> None:
    report = score([row for row in cases(name) if row.round < NEW_WRITERS], UNDERSTANDER)
    print(report.table())
    assert report.messages >= 260
    assert report.intent_accuracy >= 0.99
    assert report.slot_accuracy >= 0.98
    assert report.acted_wrongly == []


@pytest.mark.parametrize(
    ("written", "intents", "slots", "wrong"), [(10, 0.98, 0.9, 0), (12, 0.97, 0.97, 1), (13, 0.93, 0.85, 1)]
)
def test_new_writers_are_not_understood_worse(written: int, intents: float, slots: float, wrong: int) -> None:
    """Built with, but far from all understood: what was reached stays."""
    report = score([row for name in BUILT_WITH for row in cases(name) if row.round == written], UNDERSTANDER)
    print(report.table())
    assert report.messages >= 190
    assert report.intent_accuracy >= intents
    assert report.slot_accuracy >= slots
    assert len(report.acted_wrongly) <= wrong


_HELD_OUT_WRONG = 1


def test_what_was_written_last_and_never_built_with() -> None:
    """Not to be mended by looking at its misses: whoever does moves them to `tuning` and writes new ones. So only
    numbers are shown. Written on 17 November 2026 by somebody who had seen neither rules nor training texts, and
    labelled again by another; GUIDE.md says how it was first met."""
    report = score(cases("held_out"), UNDERSTANDER)
    print(report.table().splitlines()[0])
    assert report.intent_accuracy >= 0.95
    assert report.slot_accuracy >= 0.92
    assert len(report.acted_wrongly) <= _HELD_OUT_WRONG


def test_a_third_is_held_out() -> None:
    held, tuning = cases("held_out"), cases("tuning")
    assert len(held) + len(tuning) >= 250
    assert 3 * len(held) >= len(held) + len(tuning)
    assert min(row.round for row in held) > max(row.round for row in tuning)
    assert sum(Intent.UNKNOWN in row.intents for row in held) >= 15


def test_nothing_held_out_was_learned() -> None:
    learned = {_words(row.text) for name in BUILT_WITH for row in cases(name)}
    for path in sorted((ROOT / "training_data" / "intents").glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            parts = [part.partition(":")[2] for part in line.split("//")] if "//" in line else [line]
            learned |= {_words(part) for part in parts}
    for path in sorted((ROOT / "training_data" / "intents").glob("*.jsonl")):
        learned |= {_words(json.loads(line)["text"]) for line in path.read_text("utf-8").splitlines()}
    assert not [row.text for row in cases("held_out") if _words(row.text) in learned]


def _words(text: str) -> str:
    return re.sub(r"[^a-z0-9 ]", "", text.lower()).strip()


def test_the_weights_are_those_of_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changed texts, concepts or features? Run scripts/train_intents.py and commit what it writes."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    training = __import__("train_intents")
    assert default_model().corpus == training.fingerprint(training.texts())


def test_the_set_is_wide() -> None:
    rows = cases("earlier")
    assert sum(Intent.UNKNOWN in row.intents for row in rows) >= 30
    assert {intent for row in rows for intent in row.intents} == {intent.value for intent in Intent}
    assert sum(bool(row.table) for row in rows) >= 80
    assert len({(row.text, row.table) for row in rows}) == len(rows)


def test_labels_name_what_exists() -> None:
    for row in (row for name in (*BUILT_WITH, "held_out") for row in cases(name)):
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
