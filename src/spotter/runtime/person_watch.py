"""Following a person: what happens in any of their sessions that a client wants to know. On whichever instance."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import func, select

from spotter.runtime.pushes import pushes
from spotter.runtime.speech import person_topic
from spotter.sessions.log import SessionLog
from spotter.sessions.tables import AgentSession
from spotter.store.bus import Bus, Highest, Notice, Resync
from spotter.store.database import Database
from spotter.store.scope import Scope

_BATCH: Final = 500
_MOST_KNOWN: Final = 1_000
"""Sessions whose place is remembered; the ones used last."""


@dataclass(slots=True)
class PersonWatch:
    """One reader. `after` says how much of which session it has seen; of others it is told what is new."""

    bus: Bus
    log: SessionLog
    database: Database
    scope: Scope
    after: Mapping[UUID, int]
    _seen: dict[UUID, int] = field(default_factory=dict)
    _looked_at: datetime | None = None

    async def follow(self) -> AsyncGenerator[dict[str, Any], None]:
        """Never ends by itself."""
        assert self.scope.user_id is not None
        async with self.bus.subscribe(person_topic(self.scope.user_id)) as notices:
            await self._begin()
            for session_id in [one for one in self.after if one in self._seen]:
                async for told in self._missing(session_id):
                    yield told
            while (heard := await notices.batch()) is not None:
                for session_id in await self._named_by(heard):
                    async for told in self._missing(session_id):
                        yield told

    async def _begin(self) -> None:
        for session_id, last in await self._sessions():
            self._seen[session_id] = min(self.after.get(session_id, last), last)

    async def _named_by(self, notices: list[Notice | Resync]) -> list[UUID]:
        """Which sessions have something new, in the order they were named."""
        if any(isinstance(notice, Resync) for notice in notices):
            return [known for known, last in await self._sessions() if last > self._seen.get(known, 0)]
        named: dict[UUID, None] = {}
        for notice in notices:
            if isinstance(notice, Highest):
                session_id = UUID(notice.key)
                if notice.value > self._seen.get(session_id, 0):
                    named[session_id] = None
        return list(named)

    async def _missing(self, session_id: UUID) -> AsyncGenerator[dict[str, Any], None]:
        while True:
            after = self._seen.get(session_id, 0)
            events = await self.log.read_together(self.scope, session_id, after=after, limit=_BATCH)
            for event in events:
                self._remember(session_id, event.sequence)
                for push in pushes(event):
                    place = {"session_id": str(session_id), "sequence": event.sequence}
                    yield {**push, **place, "at": event.at.isoformat()}
            if len(events) < _BATCH:
                return

    def _remember(self, session_id: UUID, sequence: int) -> None:
        self._seen.pop(session_id, None)
        self._seen[session_id] = sequence
        if len(self._seen) > _MOST_KNOWN:
            del self._seen[next(iter(self._seen))]

    async def _sessions(self) -> list[tuple[UUID, int]]:
        """The person's own, with how far each has come; after the first look, those that have changed since."""
        query = select(AgentSession.id, AgentSession.last_sequence).where(
            AgentSession.user_id == self.scope.user_id, AgentSession.erased_at.is_(None)
        )
        if self._looked_at is not None:
            query = query.where(AgentSession.updated_at >= self._looked_at)
        async with self.database.unit_of_work(self.scope) as uow:
            # A transaction that began before and commits after this look has an older time: look a little further back.
            began = await uow.session.scalar(select(func.now() - func.make_interval(0, 0, 0, 0, 0, 0, 60)))
            newest = query.order_by(AgentSession.updated_at.desc()).limit(_MOST_KNOWN)
            rows = (await uow.session.execute(newest)).all()
        self._looked_at = began
        return [(row[0], row[1]) for row in reversed(rows)]
