"""What travels on the bus."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from pydantic import JsonValue

_JOINED_TEXT: Final = 2_000  # characters; longer texts are not joined further, so that each stays small


@dataclass(frozen=True, slots=True)
class Message:
    """Sent as it is; never merged with another. Readers share `payload`: do not change it."""

    topic: str
    payload: JsonValue


@dataclass(frozen=True, slots=True)
class Latest:
    """The newest value under `key`; older ones may be skipped."""

    topic: str
    key: str
    value: JsonValue


@dataclass(frozen=True, slots=True)
class Highest:
    """The highest number under `key`, e.g. "events up to sequence number N". Commits may be announced
    out of order; for other processes the number does not go back within one flush."""

    topic: str
    key: str
    value: int


@dataclass(frozen=True, slots=True)
class Delta:
    """Text of `key` from character `offset` on, counted in code points. Neighbours may arrive joined or cut
    elsewhere; a gap or an overlap shows in the offsets."""

    topic: str
    key: str
    offset: int
    text: str

    def joined(self, other: "Delta") -> "Delta | None":
        """Both in one, if `other` goes on where this one ends and the two are not too long for one."""
        continues = (
            other.offset == self.offset + len(self.text)
            and other.key == self.key
            and other.topic == self.topic
        )
        if not continues or len(self.text) + len(other.text) > _JOINED_TEXT:
            return None
        return Delta(self.topic, self.key, self.offset, self.text + other.text)

    def cut(self) -> "list[Delta]":
        """In pieces that others may be joined to."""
        return [
            Delta(self.topic, self.key, self.offset + start, self.text[start : start + _JOINED_TEXT])
            for start in range(0, max(len(self.text), 1), _JOINED_TEXT)
        ]


class ResyncReason(StrEnum):
    POLL = "poll"
    RECONNECTED = "reconnected"
    OVERFLOW = "overflow"  # this reader was too slow
    MISSED = "missed"  # a sender dropped something, or it was too big to travel


@dataclass(frozen=True, slots=True)
class Resync:
    """Notices may be missing: re-read the log of `topic`, or of every topic subscribed to if it is None."""

    reason: ResyncReason
    topic: str | None = None


Notice: TypeAlias = Message | Latest | Highest | Delta


@dataclass(slots=True)
class Counters:
    """Totals since the process started, for the metrics page."""

    published: int = 0
    sent: int = 0
    """NOTIFYs sent; each carries many notices."""
    received: int = 0
    """Notices that came from other processes."""
    dropped: int = 0
    """Notices that other processes did not get; they were told to re-read instead."""
    overflows: int = 0
    """Times a slow reader lost its buffer."""
    malformed: int = 0
    reconnects: int = 0
