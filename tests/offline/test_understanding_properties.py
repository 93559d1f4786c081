"""Whatever is written: no exception, the same meaning twice, and places that exist."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from spotter.offline.evals import NOW, TABLES, cases
from spotter.offline.summarising import Said, summarise
from spotter.offline.understanding import Intent, Span, Understander
from spotter.offline.understanding.text import LONGEST_TEXT

UNDERSTANDER = Understander()
WORDS = sorted({word for case in cases("tuning") for word in case.text.split()})
ODD = [
    "1h15",
    "½",
    "10,9,8",
    "@",
    "#3",
    "27:30",
    "99999999999",
    "0x0",
    "7/10",
    "on the 31st",
    "in 9999 days",
    "٣",
    "😀",
    "\x00",
    "İ",
]

TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(WORDS + ODD), max_size=25).map(" ".join),
    st.lists(st.sampled_from(WORDS + ODD), max_size=25).map("".join),
)
AT = st.sampled_from(sorted(TABLES))


def spans_in(value: Any) -> Iterator[Span]:
    if isinstance(value, Span):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from spans_in(each)
    elif is_dataclass(value):
        for each in fields(value):
            yield from spans_in(getattr(value, each.name))


@settings(max_examples=400, deadline=None)
@given(text=TEXTS, table=AT)
def test_any_text(text: str, table: str) -> None:
    understood = UNDERSTANDER.understand(text, NOW, TABLES[table])
    assert understood.asked
    assert understood == Understander.understand(UNDERSTANDER, text, NOW, TABLES[table])
    for span in spans_in(understood):
        assert 0 <= span.start <= span.end <= len(text)
    for asked in understood.asked:
        assert 0.0 < asked.confidence <= 1.0
    known = {item.id for item in TABLES[table].workout}
    for reference in understood.slots.references:
        assert set(reference.ids) <= known
    assert set(understood.slots.left_out) <= known


@settings(max_examples=60, deadline=None)
@given(text=TEXTS)
def test_another_understander_understands_the_same(text: str) -> None:
    assert OTHER.understand(text, NOW) == UNDERSTANDER.understand(text, NOW)


OTHER = Understander()


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, sign=st.sampled_from(["I have chest pain", "my heart is racing", "I feel faint"]))
def test_a_red_flag_is_never_talked_over(text: str, sign: str) -> None:
    understood = UNDERSTANDER.understand(f"{sign}. {text[: LONGEST_TEXT // 2]}", NOW)
    assert understood.intents == (Intent.RED_FLAG,)


@settings(max_examples=60, deadline=None)
@given(
    said=st.lists(
        st.builds(Said, st.sampled_from(["user", "assistant", "action", "summary"]), TEXTS), max_size=8
    ),
    longest=st.integers(min_value=1, max_value=600),
)
def test_a_summary_keeps_its_bound(said: list[Said], longest: int) -> None:
    summary = summarise(said, UNDERSTANDER, NOW, longest)
    assert summary == summarise(said, UNDERSTANDER, NOW, longest)
    assert len(summary) <= max(longest, len("Nothing was settled yet."))


def test_a_very_long_message_is_read_in_part() -> None:
    text = "swap the squats and " * 5_000
    assert Intent.SWAP in UNDERSTANDER.understand(text, NOW, TABLES["workout"]).intents
