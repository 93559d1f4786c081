"""What waits to be sent to other processes: bounded, and coalesced while it waits."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

from spotter.store.bus.notices import Counters, Delta, Highest, Latest, Message, Notice, Resync, ResyncReason
from spotter.store.bus.wire import encode

_LOST_TOPICS = 1_000  # beyond this many, "everything" is the shorter thing to say

_Slot = tuple[type[Latest] | type[Highest], str, str]


@dataclass(slots=True)
class _Entry:
    topic: str
    content: list[str] | Delta | Highest
    """Callers' own values are encoded at once, which bounds their size; the rest when it leaves."""
    slot: _Slot | None = None
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    items: list[str]
    notices: int
    topics: set[str]
    """Whose readers must re-read if the batch cannot be sent; with `everything_lost` all of them."""
    everything_lost: bool


class Outbox:
    def __init__(self, limit: int, counters: Counters) -> None:
        self._limit = limit
        self._counters = counters
        self._serials = count()
        self._entries: OrderedDict[int, _Entry] = OrderedDict()
        self._slots: dict[_Slot, int] = {}
        self._tails: dict[str, int] = {}  # topic -> its newest entry
        self._lost: set[str] = set()
        self._everything_lost = False

    def __bool__(self) -> bool:
        return bool(self._entries or self._lost or self._everything_lost)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, notice: Notice) -> None:
        match notice:
            case Delta():
                self._append(notice)
            case Latest(topic, key):
                self._replace(notice, (Latest, topic, key), rank=0)
            case Highest(topic, key, value):
                self._replace(notice, (Highest, topic, key), rank=value)
            case Message(topic):
                self._put(_Entry(topic, encode(notice)))

    def lose(self, topics: Iterable[str], *, everything: bool = False) -> None:
        """The readers of these topics will be told to re-read, once that can be sent."""
        self._everything_lost |= everything
        self._lost.update(topics)
        if self._everything_lost or len(self._lost) > _LOST_TOPICS:
            self._everything_lost = True
            self._lost.clear()

    def take(self, most: int) -> Batch:
        """The oldest `most` notices, after the marks for what was lost before them."""
        everything, self._everything_lost = self._everything_lost, False
        topics, self._lost = self._lost, set()
        marks = [None] if everything else topics
        items = [item for topic in marks for item in encode(Resync(ResyncReason.MISSED, topic))]
        notices = min(most, len(self._entries))
        for _ in range(notices):
            entry = self._pop_oldest()
            content = entry.content
            items += content if isinstance(content, list) else encode(content)
            topics.add(entry.topic)
        return Batch(items, notices, topics, everything)

    def _append(self, delta: Delta) -> None:
        tail = self._entries.get(self._tails.get(delta.topic, -1))
        # Only the newest entry of the topic grows: the order of a topic is kept.
        if tail is not None and isinstance(tail.content, Delta):
            joined = tail.content.joined(delta)
            if joined is not None:
                tail.content = joined
                return
        for piece in delta.cut():
            self._put(_Entry(delta.topic, piece))

    def _replace(self, notice: Latest | Highest, slot: _Slot, *, rank: int) -> None:
        serial = self._slots.get(slot)
        if serial is not None:
            if self._entries[serial].rank > rank:
                return
            # The newer one goes to the end: nothing overtakes what was published between the two.
            self._remove(serial)
        content = notice if isinstance(notice, Highest) else encode(notice)
        self._put(_Entry(notice.topic, content, slot, rank))

    def _put(self, entry: _Entry) -> None:
        if len(self._entries) >= self._limit:
            self.lose([self._pop_oldest().topic])
            self._counters.dropped += 1
        serial = next(self._serials)
        self._entries[serial] = entry
        self._tails[entry.topic] = serial
        if entry.slot is not None:
            self._slots[entry.slot] = serial

    def _pop_oldest(self) -> _Entry:
        return self._remove(next(iter(self._entries)))

    def _remove(self, serial: int) -> _Entry:
        entry = self._entries.pop(serial)
        if entry.slot is not None:
            del self._slots[entry.slot]
        if self._tails.get(entry.topic) == serial:
            del self._tails[entry.topic]
        return entry
