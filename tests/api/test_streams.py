"""What a stream sends: the same bytes to all who are told the same, and only to them."""

from datetime import UTC, datetime

from spotter.api import streams
from spotter.runtime.watch import Item, Said
from spotter.sessions.codec import Event
from spotter.sessions.events import Erased, UserMessage

AT = datetime(2026, 1, 1, tzinfo=UTC)


def test_events_and_words_in_one_piece() -> None:
    items: list[Item] = [Event(7, AT, UserMessage(text="hi")), Said("1.0", 0, "ho")]
    assert streams.sse(items) == (
        b"id: 7\nevent: user_message\n"
        b'data: {"sequence":7,"type":"user_message","at":"2026-01-01T00:00:00+00:00","content":{"text":"hi"}}\n\n'
        b'event: delta\ndata: {"type":"delta","key":"1.0","offset":0,"text":"ho"}\n\n'
    )


def test_what_was_erased_since_is_not_told_again() -> None:
    assert b"secret" in streams.sse([Event(7, AT, UserMessage(text="secret"))])
    for _ in range(1_000):
        assert b"secret" not in streams.sse([Event(7, AT, Erased())])


def test_what_is_kept_is_bounded() -> None:
    for number in range(1_000):
        event = Event(number, AT, UserMessage(text=str(number)))
        assert streams.sse([event]) == streams.sse([event])
    assert len(streams._EVENTS._known) <= streams._KEPT
