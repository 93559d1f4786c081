"""The sentence gate: everything that is harmless comes out as it went in; of a blocked sentence, nothing does."""

from hypothesis import given, settings
from hypothesis import strategies as st

from spotter.safety import Action, ModerationDecision, SentenceGate, moderate

HARMLESS = ["Do three sets. ", "Rest 90 s! ", "Add 2.5 kg.\n", "1. Squat\n", "e.g. rows. "]
BAD = "You should kill yourself."


def _allow(text: str) -> ModerationDecision:
    return ModerationDecision(
        allowed=True, action=Action.ALLOW, categories=(), redacted=None, source="assistant", reason=""
    )


def _check(text: str) -> ModerationDecision:
    return moderate(text, "assistant")


def _through(gate: SentenceGate, deltas: list[str]) -> list[str]:
    pieces = [piece.text for delta in deltas for piece in gate.feed(delta)]
    return pieces + [piece.text for piece in gate.finish()]


@given(st.lists(st.text(alphabet="ab .!?\n1,e.g", max_size=30), max_size=30))
@settings(max_examples=300, deadline=None)
def test_harmless_text_comes_out_whole(deltas: list[str]) -> None:
    gate = SentenceGate(_allow)
    assert "".join(_through(gate, deltas)) == "".join(deltas)
    assert gate.blocked is None


@given(
    st.lists(st.sampled_from(HARMLESS), max_size=6),
    st.integers(1, 7),
)
@settings(max_examples=100, deadline=None)
def test_of_a_blocked_sentence_nothing_is_shown(before: list[str], size: int) -> None:
    text = "".join(before) + BAD + " And more. Even more."
    deltas = [text[at : at + size] for at in range(0, len(text), size)]
    gate = SentenceGate(_check)
    shown = "".join(_through(gate, deltas))
    assert shown.rstrip() == "".join(before).rstrip()
    assert gate.blocked is not None
    assert gate.replacement
    assert gate.feed("More. ") == []
    assert gate.finish() == []


def test_it_waits_for_the_end_of_a_sentence() -> None:
    gate = SentenceGate(_allow)
    assert gate.feed("Lift 2") == []
    assert gate.feed(".5 kg more") == []
    assert gate.feed(", e.g. with plates") == []
    assert [piece.text for piece in gate.feed(". Then rest")] == ["Lift 2.5 kg more, e.g. with plates. "]
    assert [piece.text for piece in gate.finish()] == ["Then rest"]


def test_numbers_of_lists_are_no_sentences() -> None:
    gate = SentenceGate(_allow)
    assert _through(gate, ["1. Squat\n2. Bench\n"]) == ["1. Squat\n", "2. Bench\n"]


def test_a_sentence_without_an_end_is_cut() -> None:
    gate = SentenceGate(_allow)
    pieces = [piece.text for piece in gate.feed("word " * 1000)]
    assert pieces
    assert max(map(len, pieces)) <= 1200


def test_personal_data_of_others_is_taken_out() -> None:
    gate = SentenceGate(_check)
    assert _through(gate, ["Ask eva@exam", "ple.com about it. ", "Bye."]) == [
        "Ask [email] about it.",
        " Bye.",
    ]


def test_what_shows_only_across_two_sentences_stops_it_too() -> None:
    def only_together(text: str) -> ModerationDecision:
        bad = "one" in text and "two" in text
        return _allow(text).model_copy(
            update={"allowed": not bad, "action": Action.BLOCK if bad else Action.ALLOW}
        )

    gate = SentenceGate(only_together)
    assert _through(gate, ["Part one. ", "Part two. ", "Part three."]) == ["Part one."]
