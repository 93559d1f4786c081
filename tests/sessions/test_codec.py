"""Events on paper: what was written once can always be read again, byte for byte."""

import json
from pathlib import Path

import pytest

from spotter.sessions import codec
from spotter.sessions.events import KINDS, Action, Ending, Erased, Outcome, Result, UsageRecord, UserMessage

GOLDEN = Path(__file__).parent / "golden" / "events.jsonl"


def golden() -> list[tuple[str, str]]:
    return [tuple(json.loads(line)) for line in GOLDEN.read_text().splitlines()]


@pytest.mark.parametrize(("kind", "text"), golden())
def test_what_older_versions_wrote_is_read(kind: str, text: str) -> None:
    content = codec.load(kind, text)
    assert content.event_type == kind
    assert codec.dump(content) == text


def test_every_kind_has_a_golden_line() -> None:
    assert {kind for kind, _ in golden()} == set(KINDS)


def test_raw_arguments_survive_as_they_were() -> None:
    raw = '{ "a" :1.0,  "b":"\\u00e9" }'
    action = codec.load("action", codec.dump(Action(tool="t", args=raw, call_id="c")))
    assert isinstance(action, Action)
    assert action.args == raw


def test_an_older_version_is_brought_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(codec.UPCASTERS, ("user_message", 1), lambda data: {"text": data["words"]})
    content = codec.load("user_message", '{"words":"hello"}')
    assert content == UserMessage(v=2, text="hello")


@pytest.mark.parametrize("text", ['{"text":1}', '{"nothing":true}', "[]"])
def test_what_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(codec.UnreadableEvent):
        codec.load("user_message", text)


def test_an_unknown_kind_says_so() -> None:
    with pytest.raises(codec.UnreadableEvent, match="newer"):
        codec.load("telepathy", "{}")


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_is_left_of_any_erased_event_is_read(kind: str) -> None:
    assert isinstance(codec.load(kind, '{"erased": true}'), Erased)


@pytest.mark.parametrize(
    ("given", "kept"),
    [("a\x00b", "a\ufffdb"), ("\ud800x", "\ufffdx"), ("ok ✓", "ok ✓")],
    ids=["nul", "half a pair", "fine"],
)
def test_what_cannot_be_stored_is_replaced_visibly(given: str, kept: str) -> None:
    assert codec.storable(given) == kept


def test_defaults_are_not_written() -> None:
    result = Result(tool="t", call_id="c", outcome=Outcome.OK, formatted="x")
    assert codec.dump(result) == '{"tool":"t","call_id":"c","formatted":"x"}'
    assert UsageRecord(model="m").reported
    assert Ending("final") is Ending.FINAL
