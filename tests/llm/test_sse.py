"""Server-sent events: the same however the bytes are cut and the lines are ended."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.llm.sse import EventParser, ServerEvent

STREAM = (
    ": a comment\n\n"
    'data: {"text":"grüß dich"}\n\n'
    "event: message_start\ndata: {}\nid: 7\n\n"
    "\n\n"
    "event: ping\n\n"
    "data:first\ndata:  second\nunknown: x\n\n"
    "data\n\n"
    "data: [DONE]\n\n"
    "data: never ended\n"
).encode()
EVENTS = [
    ServerEvent("", '{"text":"grüß dich"}'.encode()),
    ServerEvent("message_start", b"{}"),
    ServerEvent("", b"first\n second"),
    ServerEvent("", b""),
    ServerEvent("", b"[DONE]"),
]


@given(
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.lists(st.integers(0, 2 * len(STREAM)), max_size=30).map(sorted),
)
def test_any_cut_gives_the_same_events(line_end: bytes, cuts: list[int]) -> None:
    stream = STREAM.replace(b"\n", line_end)
    parser = EventParser()
    events: list[ServerEvent] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        events += parser.feed(stream[start : max(start, end)])
    assert events == EVENTS


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_an_event_comes_as_soon_as_it_is_whole(line_end: bytes) -> None:
    parser = EventParser()
    assert parser.feed(b"data: 1" + line_end) == []
    assert parser.feed(line_end) == [ServerEvent("", b"1")]


def test_a_long_event_in_many_pieces() -> None:
    parser = EventParser()
    for _ in range(500):
        assert parser.feed(b"data: " + b"x" * 1_000 + b"\n") == []
    (event,) = parser.feed(b"\n")
    assert event.data == b"\n".join([b"x" * 1_000] * 500)
