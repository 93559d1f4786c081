"""The learnt part: made from the texts we have, adds up, is not fooled by small talk, and never saw the test."""

import importlib.util
import json
import sys
import zlib
from pathlib import Path
from types import ModuleType

import pytest

from spotter.safety import Action, moderate
from spotter.safety.classifier.features import MARKS, context_features, repeated, share_of, word_features
from spotter.safety.classifier.judging import Reading, reading
from spotter.safety.classifier.model import WEIGHTS, ZERO, Model, model
from spotter.safety.classifier.stretches import stretches
from spotter.safety.decision import CategoryName
from spotter.safety.findings import SURE, Finding
from spotter.safety.normalise import normalise
from spotter.safety.rules.gym_language import without_gym_language
from spotter.safety.words import words_of
from tests.safety.labels import every_text

ROOT = Path(__file__).resolve().parents[2]
SMALL_TALK = (
    "Morning coach, the new rowing machines are great and I finally found a locker that closes. "
    "Yesterday was leg day, five sets of squats and then some rowing, and I slept well. "
)


@pytest.fixture(scope="module")
def training() -> ModuleType:
    spec = importlib.util.spec_from_file_location("train_safety", ROOT / "scripts" / "train_safety.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["train_safety"] = module
    spec.loader.exec_module(module)
    return module


def test_the_weights_were_made_from_these_texts(training: ModuleType) -> None:
    made_from = model().about["corpus"]
    assert made_from == training.fingerprint(training.texts()), (
        "texts, features or thresholds changed: run scripts/train_safety.py"
    )


def test_training_twice_gives_the_same_bytes(training: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "ROUNDS", 2)
    some = training.texts()[::10]
    assert training.train(some, "x") == training.train(some, "x")


def test_nothing_held_out_was_learnt(training: ModuleType) -> None:
    """Whoever adds held-out texts to the corpus would measure nothing."""
    learnt = {one.words for one in training.texts()}
    held_out = [one.text for one in every_text() if one.set == "held_out"]
    assert [text for text in held_out if _words(text) in learnt] == []


def test_the_file_is_small() -> None:
    assert WEIGHTS.stat().st_size < 1_500_000


def test_packed_lanes_add_up_like_plain_numbers() -> None:
    """Every label of every labelled text, added up one weight at a time."""
    head, _, body = WEIGHTS.read_bytes().partition(b"\n")
    about = json.loads(head)
    names, _, rows = zlib.decompress(body).partition(b"\n\n")
    count = len(about["labels"])
    weights = {
        name: [value - ZERO for value in rows[at * count : (at + 1) * count]]
        for at, name in enumerate(names.decode().split("\n"))
    }
    for one in list(every_text())[::7]:
        words = _words(one.text)
        by_word: list[list[str]] = [list(word_features(word)) if word not in MARKS else [] for word in words]
        for index, feature in context_features(words):
            by_word[index].append(feature)
        for at in repeated(words):
            by_word[at] = []
        for at, one_score in enumerate(model().scores(words)):
            plain = max(
                sum(weights[name][at] for each in by_word[a:b] for name in each if name in weights)
                * share_of(b - a)
                for a, b in stretches(words)
            )
            assert one_score.score == pytest.approx(plain / about["scale"] + about["labels"][at]["bias"])


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("there is a heaviness behind my ribs that comes with every flight of stairs", "medical_emergency"),
        ("the left half of my face feels like after the dentist and i talk funny", "medical_emergency"),
        ("they would all manage better if i had never existed", "self_harm"),
        ("i have a way to make sure i never wake up again", "self_harm"),
        ("i bring up whatever i eat so that it does not stick to me", "eating_disorder"),
    ],
)
def test_small_talk_does_not_hide_it(text: str, category: str) -> None:
    for written in (text, SMALL_TALK + text, f"{text}. {SMALL_TALK}", SMALL_TALK + text + ". " + SMALL_TALK):
        assert category in {one.name.value for one in moderate(written).categories}, written


@pytest.mark.parametrize(
    "text",
    [
        "never had chest pain or breathing trouble, doctor says all good",
        "no chest pain, no numbness, no dizziness",
    ],
)
def test_what_is_denied_stops_nobody(text: str) -> None:
    assert moderate(text).action.rank <= Action.WARN.rank


def test_what_was_never_so_until_now_is_no_denial() -> None:
    assert moderate("never had pain like this across my chest and jaw").action is Action.EMERGENCY


def test_small_talk_is_fine() -> None:
    assert moderate(SMALL_TALK * 3).action is Action.ALLOW


def test_the_span_is_the_stretch_that_weighed_most() -> None:
    said = "they would all manage better if i had never existed"
    text = f"{SMALL_TALK}{said}. {SMALL_TALK}"
    (found,) = [one for one in _read(text).found if one.category == "self_harm"]
    ((start, end),) = found.spans
    assert said in text[start:end]
    assert end - start < len(text)


def test_words_of_a_model_are_left_to_the_rules() -> None:
    text = (
        "If you ever feel a heavy pressure across the chest and your left arm aches, stop and call for help."
    )
    assert moderate(text, "assistant").action is Action.ALLOW


@pytest.mark.parametrize("words", [[], ["."], [".", ".", ","], ["word"] * 500, ["a", ".", "b"]])
def test_stretches_cover_every_word_and_stay_inside(words: list[str]) -> None:
    parts = stretches(words)
    assert all(0 <= start < end <= len(words) for start, end in parts)
    covered = {at for start, end in parts for at in range(start, end)}
    assert {at for at, word in enumerate(words) if word != "."} <= covered
    Model(WEIGHTS.read_bytes()).scores(words)


def _read(text: str, *ruled: CategoryName) -> Reading:
    """As if rules had found these in the whole of it."""
    seen = normalise(text)
    found = [Finding(name, SURE, ((0, len(text)),), "a rule") for name in ruled]
    return reading(seen, without_gym_language(words_of(seen)), found)


def _words(text: str) -> tuple[str, ...]:
    return tuple(without_gym_language(words_of(normalise(text))).clean.split())


@pytest.mark.parametrize("word", ["word", "hello", "ha", "go"])
def test_a_word_said_often_is_no_alarm(word: str) -> None:
    assert moderate(f"{word} " * 200, "member").allowed


@pytest.mark.parametrize("phrase", ["la la land", "na na na hey hey", "run run walk", "one two three four"])
def test_a_phrase_said_often_is_no_alarm(phrase: str) -> None:
    assert moderate(f"{phrase} " * 50, "member").action is Action.ALLOW


JOINTS = ("my left knee", "my knee", "my shoulder", "my wrist", "my elbow", "my ankle", "my hip", "my foot")
ACHES = ("hurts", "hurts a bit", "is sore", "aches a little", "kinda hurts today", "is stiff")


@pytest.mark.parametrize("joint", JOINTS)
@pytest.mark.parametrize("ache", ACHES)
def test_a_joint_that_hurts_is_planned_around(joint: str, ache: str) -> None:
    for text in (f"{joint} {ache}", f"30 min upper body, {joint} {ache}", f"{joint} {ache}, swap the lunges"):
        assert moderate(text).allowed, text


def test_said_often_it_is_still_heard() -> None:
    assert moderate("i want to end my life. " * 20).action is Action.EMERGENCY


def test_where_all_other_words_speak_against_it_a_rule_only_warns() -> None:
    text = "how many tablets of magnesium do you suggest after training"
    assert "self_harm" in _read(text, CategoryName.SELF_HARM).doubted
    assert moderate(text).allowed


def test_of_a_language_it_does_not_know_it_doubts_nothing() -> None:
    text = "ich kriege beim treppensteigen plotzlich keine luft mehr"
    assert not _read(text, CategoryName.MEDICAL_EMERGENCY).doubted
    assert moderate("Ich kriege beim Treppensteigen plötzlich keine Luft mehr").action is Action.EMERGENCY


def test_a_family_gives_the_same_texts_every_time(training: ModuleType) -> None:
    family = "i {hope|pray} {it rains|the rack is free}{ today|}"
    assert training.members(family) == training.members(family)
    assert set(training.members(family)) <= {
        f"i {verb} {what}{when}"
        for verb in ("hope", "pray")
        for what in ("it rains", "the rack is free")
        for when in (" today", "")
    }
