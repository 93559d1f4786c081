"""The parts of the bus that need no database: wire format, outbox, subscriptions."""

import asyncio
import json
from collections.abc import Iterable
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.errors import StartupRefused
from spotter.store.bus import Bus, Counters, Delta, Highest, Latest, Message, Notice, Resync, ResyncReason
from spotter.store.bus.outbox import Outbox
from spotter.store.bus.subscribers import Subscribers, Subscription
from spotter.store.bus.wire import PAYLOAD_LIMIT, PayloadError, encode, pack, sender_mark, unpack

ME = "0123456789abcdef"
MISSED = ResyncReason.MISSED

# The codec keeps two lone surrogates from standing side by side, which JSON would read as one character.
texts = st.text(st.characters(codec="utf-8"))
numbers = st.integers(-(2**63), 2**63)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=20,
)
notices: st.SearchStrategy[Notice] = st.one_of(
    st.builds(Message, texts, json_values),
    st.builds(Latest, texts, texts, json_values),
    st.builds(Highest, texts, texts, numbers),
    st.builds(Delta, texts, texts, st.integers(0, 2**40), texts),
)


def payloads_of(items: list[str]) -> list[str]:
    return pack(items, sender=ME, numbers=count())


def travelled(sent: list[Notice | Resync]) -> list[Notice | Resync]:
    payloads = payloads_of([item for notice in sent for item in encode(notice)])
    assert all(len(payload.encode()) <= PAYLOAD_LIMIT for payload in payloads)
    assert all(payload.startswith(sender_mark(ME)) for payload in payloads)
    assert all("\x00" not in payload for payload in payloads)
    return [item for payload in payloads for item in unpack(payload)]


@given(st.lists(notices, max_size=40))
def test_what_is_packed_comes_out_the_same_and_in_order(sent: list[Notice]) -> None:
    assert travelled(list(sent)) == sent


@given(st.integers(0, 30_000), st.sampled_from(["a", "ß", "漢", "😀", "\x00", '"', "\ud83d"]))
def test_long_texts_are_cut_without_loss(length: int, character: str) -> None:
    received = travelled([Delta("t", "k", 7, character * length)])
    text = ""
    for part in received:
        assert isinstance(part, Delta)
        assert part.offset == 7 + len(text)
        text += part.text
    assert text == character * length


def test_what_cannot_travel_becomes_a_mark_to_re_read() -> None:
    assert travelled([Message("t", "x" * 8_000)]) == [Resync(MISSED, "t")]
    assert travelled([Latest("t", "k", ["😀"] * 3_000)]) == [Resync(MISSED, "t")]
    assert travelled([Message("t" * 8_000, 1)]) == [Resync(MISSED)]
    assert set(travelled([Delta("t" * 8_000, "k", 0, "x" * 500)])) == {Resync(MISSED)}


def test_a_payload_that_is_no_json_is_reported_and_becomes_a_mark(caplog: pytest.LogCaptureFixture) -> None:
    assert travelled([Message("t", object())]) == [Resync(MISSED, "t")]  # type: ignore[arg-type]
    assert "no JSON" in caplog.text


@pytest.mark.parametrize(
    "payload",
    ["", "hello", "{}", "[]", '["x",1,["?"]]', '["x",1,["h","t","k","1"]]', "[" * 7_000, "9" * 7_000],
)
def test_strange_payloads_are_refused_by_name(payload: str) -> None:
    with pytest.raises(PayloadError):
        unpack(payload)


def test_equal_notices_make_unequal_payloads() -> None:
    payloads = payloads_of([item for _ in range(10) for item in encode(Message("t", "x" * 7_000))])
    assert len(set(payloads)) == 10


def taken(outbox: Outbox, most: int = 1_000) -> list[Notice | Resync]:
    items = outbox.take(most).items
    return [found for payload in payloads_of(items) for found in unpack(payload)]


def filled(*sent: Notice, limit: int = 100) -> Outbox:
    outbox = Outbox(limit, Counters())
    for notice in sent:
        outbox.add(notice)
    return outbox


def test_sequence_numbers_keep_the_highest_and_values_the_last() -> None:
    outbox = filled(
        Highest("s", "events", 3),
        Latest("s", "state", "thinking"),
        Highest("s", "events", 5),
        Highest("s", "events", 4),
        Latest("s", "state", "idle"),
        Highest("other", "events", 1),
    )
    assert taken(outbox) == [
        Highest("s", "events", 5),
        Latest("s", "state", "idle"),
        Highest("other", "events", 1),
    ]
    assert not outbox


def test_text_that_continues_is_joined_and_a_gap_is_not() -> None:
    outbox = filled(
        Delta("s", "t", 0, "ab"), Delta("s", "t", 2, "cd"), Delta("s", "t", 9, "x"), Delta("s", "u", 10, "y")
    )
    assert taken(outbox) == [Delta("s", "t", 0, "abcd"), Delta("s", "t", 9, "x"), Delta("s", "u", 10, "y")]


def test_text_is_not_joined_past_another_notice_of_its_topic() -> None:
    sent: list[Notice] = [Delta("s", "t", 0, "ab"), Highest("s", "events", 1), Delta("s", "t", 2, "cd")]
    assert taken(filled(*sent)) == sent
    assert taken(filled(sent[0], Highest("other", "events", 1), sent[2]))[0] == Delta("s", "t", 0, "abcd")


@given(st.lists(st.tuples(st.sampled_from("st"), st.sampled_from("kl"), st.text(max_size=900)), max_size=60))
def test_joined_texts_are_the_texts_that_were_published(pieces: list[tuple[str, str, str]]) -> None:
    outbox = Outbox(1_000, Counters())
    written: dict[tuple[str, str], str] = {}
    for topic, key, text in pieces:
        outbox.add(Delta(topic, key, len(written.get((topic, key), "")), text))
        written[topic, key] = written.get((topic, key), "") + text
    read: dict[tuple[str, str], str] = {}
    for part in taken(outbox):
        assert isinstance(part, Delta)
        assert part.offset == len(read.get((part.topic, part.key), ""))
        read[part.topic, part.key] = read.get((part.topic, part.key), "") + part.text
    assert read == written


def test_a_full_outbox_drops_the_oldest_and_tells_their_readers() -> None:
    counters = Counters()
    outbox = Outbox(3, counters)
    for number in range(5):
        outbox.add(Message(f"t{number}", number))
    assert len(outbox) == 3
    assert counters.dropped == 2
    received = taken(outbox)
    assert set(received[:2]) == {Resync(MISSED, "t0"), Resync(MISSED, "t1")}
    assert received[2:] == [Message("t2", 2), Message("t3", 3), Message("t4", 4)]


def test_a_long_outage_ends_in_one_mark_for_everything_and_no_growth() -> None:
    outbox = Outbox(10, Counters())
    for number in range(5_000):
        outbox.add(Latest(f"t{number}", "k", number))
        outbox.add(Delta(f"t{number}", "k", 0, "x"))
    assert len(outbox._slots) <= 10
    assert len(outbox._tails) <= 10
    assert not outbox._lost
    batch = outbox.take(1_000)
    assert batch.everything_lost
    outbox.lose(batch.topics, everything=batch.everything_lost)
    assert taken(outbox) == [Resync(MISSED)]


async def test_a_slow_reader_gets_one_resync_in_place_of_its_buffer() -> None:
    counters = Counters()
    readers = Subscribers(counters)
    async with (
        Subscription(frozenset("t"), 4, readers) as slow,
        Subscription(frozenset("t"), 100, readers) as quick,
    ):
        for number in range(7):
            readers.deliver(Message("t", number))
        readers.resync_all(ResyncReason.POLL)
        readers.resync_all(ResyncReason.POLL)
    assert [item async for item in slow] == [
        Resync(ResyncReason.OVERFLOW),
        Message("t", 5),
        Message("t", 6),
        Resync(ResyncReason.POLL),
    ]
    assert [item async for item in quick] == [*(Message("t", n) for n in range(7)), Resync(ResyncReason.POLL)]
    assert counters.overflows == 1
    assert len(readers) == 0
    assert not readers._by_topic


async def test_cancelling_a_waiting_reader_loses_nothing() -> None:
    readers = Subscribers(Counters())
    async with Subscription(frozenset("t"), 4, readers) as reader:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(reader), 0.01)
        readers.deliver(Message("t", 1))
        assert await anext(reader) == Message("t", 1)


async def test_words_that_were_not_read_yet_are_joined_once_for_all() -> None:
    readers = Subscribers(Counters())
    async with (
        Subscription(frozenset("t"), 4, readers) as slow,
        Subscription(frozenset("t"), 4, readers) as slow_too,
        Subscription(frozenset("t"), 4, readers) as quick,
    ):
        heard: list[Notice | Resync] = []
        for number in range(50):
            readers.deliver(Delta("t", "k", number, "x"))
            heard += await quick.batch() or []
        assert heard == [Delta("t", "k", number, "x") for number in range(50)]
        (joined,), (joined_too,) = await slow.batch() or [], await slow_too.batch() or []
        assert joined == Delta("t", "k", 0, "x" * 50)
        assert joined is joined_too


@given(
    st.lists(
        st.one_of(
            st.builds(Delta, st.just("t"), st.sampled_from("ab"), st.integers(0, 9), st.text(max_size=900)),
            st.builds(Highest, st.just("t"), st.just("sequence"), st.integers(0, 9)),
        ),
        max_size=30,
    )
)
async def test_joining_changes_neither_order_nor_text(sent: list[Notice]) -> None:
    readers = Subscribers(Counters())
    async with Subscription(frozenset("t"), 100, readers) as slow:
        for notice in sent:
            readers.deliver(notice)
        got = await slow.batch(0) or []
    assert all(len(one.text) <= 2_000 for one in got if isinstance(one, Delta))
    assert _characters(got) == _characters(sent)


def _characters(notices: Iterable[Notice | Resync]) -> list[object]:
    """Each character with its place; everything else as it is."""
    return [
        part
        for notice in notices
        for part in (
            [(notice.key, notice.offset + place, char) for place, char in enumerate(notice.text)]
            if isinstance(notice, Delta)
            else [notice]
        )
    ]


async def test_a_reader_who_never_reads_keeps_little() -> None:
    counters = Counters()
    readers = Subscribers(counters)
    async with Subscription(frozenset("t"), 4, readers) as sleeper:
        for number in range(20):
            readers.deliver(Delta("t", "k", number * 1_000, "x" * 1_000))
        kept = sum(len(one.text) for one in sleeper._buffer if isinstance(one, Delta))
        assert kept <= 4 * 2_000
        assert counters.overflows > 0


async def test_waiting_for_a_batch_ends_with_patience_or_the_bus() -> None:
    readers = Subscribers(Counters())
    async with Subscription(frozenset("t"), 4, readers) as reader:
        assert await reader.batch(0.01) == []
        waiting = asyncio.create_task(reader.batch())
        await asyncio.sleep(0)
        readers.deliver(Message("t", 1))
        assert await waiting == [Message("t", 1)]
        readers.deliver(Message("t", 2))
        readers.close_all()
        assert await reader.batch() == [Message("t", 2)]
        assert await reader.batch() is None


def test_an_unreadable_address_is_refused_without_quoting_it() -> None:
    with pytest.raises(StartupRefused) as refusal:
        Bus("postgresql://user:se cret@host:port/x?nonsense=1&password=hunter2")
    assert "hunter2" not in str(refusal.value)


def test_a_payload_is_json() -> None:
    (payload,) = payloads_of(encode(Message("t", {"a": [1, "ü"]})))
    assert json.loads(payload) == [ME, 0, ["m", "t", {"a": [1, "ü"]}]]
