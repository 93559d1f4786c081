"""What is being said right now, on its way to whoever listens. Deltas are not stored; the log has the whole."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from spotter.store.bus import Bus


def topic_of(session_id: UUID) -> str:
    return f"session:{session_id}"


def person_topic(user_id: UUID) -> str:
    return f"person:{user_id}"


def announce(bus: Bus, session_id: UUID, sequence: int, owner: UUID | None) -> None:
    """After the commit: there is something new in this session, up to `sequence`. Told to whoever follows the session,
    and to whoever follows all that happens to its owner."""
    bus.publish_highest(topic_of(session_id), "sequence", sequence)
    if owner is not None:
        bus.publish_highest(person_topic(owner), str(session_id), sequence)


@dataclass(slots=True)
class Speech:
    """The text so far of one answer. `key` tells answers apart: a retry begins anew under another one."""

    bus: Bus
    session_id: UUID
    key: str
    text: str = ""
    verdict: Callable[[], dict[str, Any]] | None = field(default=None, repr=False)
    """What safety has said about it so far."""
    _length: int = field(default=0, repr=False)
    _topic: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._topic = topic_of(self.session_id)

    def say(self, piece: str) -> None:
        self.bus.publish_append(self._topic, self.key, piece, self._length)
        self.text += piece
        self._length += len(piece)

    def repeat(self) -> None:
        """Everything so far once more, for somebody who has just begun to listen. Others know it by its offset."""
        if self.text:
            self.bus.publish_append(self._topic, self.key, self.text, 0)
