"""Following a session: what is missing, then what is being said, then what happens. On whichever instance."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from uuid import UUID

from spotter.runtime.speech import topic_of
from spotter.runtime.turns import EVERYBODY
from spotter.sessions.codec import Event
from spotter.sessions.log import SessionLog
from spotter.store.bus import Bus, Delta, Highest, Notice, Resync
from spotter.store.scope import Scope

_BATCH: Final = 500
_REMEMBERED: Final = 8  # answers; words of older ones do not come any more


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of an answer that is being spoken. `offset` counts characters of the answer `key`."""

    key: str
    offset: int
    text: str


Item: TypeAlias = Event | Said


@dataclass(slots=True)
class Watch:
    """One reader of one session. `after` moves on as events are handed out, so nothing comes twice."""

    bus: Bus
    log: SessionLog
    scope: Scope
    session_id: UUID
    after: int = 0
    _heard: dict[str, int] = field(default_factory=dict)
    """How many characters of each answer; of the last few answers."""
    _asked_for: str | None = None

    async def follow(self) -> AsyncGenerator[Item, None]:
        """Never ends by itself: the session may always go on. Close it when you have seen enough."""
        async with aclosing(self.batches()) as batches:
            async for batch in batches:
                for item in batch:
                    yield item

    async def batches(self, patience: float | None = None) -> AsyncGenerator[list[Item], None]:
        """As `follow`, but everything that is there at once. An empty batch after `patience` seconds of silence."""
        clock = asyncio.get_running_loop().time
        async with self.bus.subscribe(topic_of(self.session_id)) as notices:
            async for events in self._missing():
                yield events
            self._ask_for_text_so_far()
            spoke = clock()
            while True:
                left = None if patience is None else max(0.0, spoke + patience - clock())
                heard = await notices.batch(left)
                if heard is None:
                    return
                async for batch in self._told_by(heard):
                    yield batch
                    spoke = clock()
                if patience is not None and clock() - spoke >= patience:
                    yield []
                    spoke = clock()

    async def _told_by(self, notices: list[Notice | Resync]) -> AsyncGenerator[list[Item], None]:
        words: list[Delta] = []
        for notice in notices:
            match notice:
                case Delta():
                    words.append(notice)
                case Highest(value=value) if value <= self.after:
                    # The event after these words has been handed out already, and has them all.
                    words.clear()
                case Highest() | Resync():
                    batch = self._new_parts(words)
                    words = []
                    async for events in self._missing():
                        yield batch + events
                        batch = []
                    if batch:
                        yield batch
                    self._asked_for = None
                case _:
                    continue
        if batch := self._new_parts(words):
            yield batch

    async def _missing(self) -> AsyncGenerator[list[Item], None]:
        while True:
            events = await self.log.read_together(self.scope, self.session_id, after=self.after, limit=_BATCH)
            if events:
                self.after = events[-1].sequence
                yield list(events)
            if len(events) < _BATCH:
                return

    def _new_parts(self, words: list[Delta]) -> list[Item]:
        """What of them we have not heard yet. After a gap they are of no use: we ask for the whole once more."""
        new: list[Item] = []
        for delta in words:
            key, heard = delta.key, self._heard.get(delta.key, 0)
            if delta.offset > heard:
                if self._asked_for != key:
                    self._asked_for = key
                    self._ask_for_text_so_far()
            elif text := delta.text[heard - delta.offset :]:
                self._asked_for = None
                self._remember(key, heard + len(text))
                new.append(Said(key, heard, text))
        return new

    def _remember(self, key: str, heard: int) -> None:
        self._heard[key] = heard
        if len(self._heard) > _REMEMBERED:
            del self._heard[next(iter(self._heard))]

    def _ask_for_text_so_far(self) -> None:
        """Of whoever runs the turn, if there is one. Readers who ask at the same time ask once."""
        self.bus.publish_latest(EVERYBODY, str(self.session_id), "tell")
