"""What a job is: a name, a handler, how often it may be tried, and (for periodic ones) when."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from uuid import UUID

import psycopg

from spotter.settings import Settings
from spotter.store import queue
from spotter.store.bus import Bus
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork
from spotter.store.waiting import NOTICE_A_DEAD_PEER
from spotter.work.connector import QUEUE_PATH

Deliverer: TypeAlias = Callable[[Mapping[str, Any], UUID], Awaitable[None]]
"""Sends a payload outside, under an idempotency key."""


class AlreadyDone(Exception):
    """An earlier run committed this job's effect and died before saying so. Nothing is left to do."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """What handlers work with."""

    settings: Settings
    database: Database
    bus: Bus
    deliverers: Mapping[str, Deliverer] = field(default_factory=dict)
    """How each kind of outbox message reaches the outside."""

    async def as_job(self) -> psycopg.AsyncConnection[Any]:
        """A connection as the job login: finds work across organisations, sees none of their data."""
        return await psycopg.AsyncConnection.connect(
            self.database.urls.job,
            autocommit=True,
            options=QUEUE_PATH,
            application_name="spotter job",
            connect_timeout=5,
            **NOTICE_A_DEAD_PEER,
        )


@dataclass(frozen=True, slots=True)
class JobCall:
    """One run of one job."""

    id: int
    attempt: int
    org_id: UUID | None
    args: Mapping[str, Any]
    workshop: Workshop = field(repr=False)

    @asynccontextmanager
    async def unit_of_work(self) -> AsyncIterator[UnitOfWork]:
        """The transaction of this job's effect, for its organisation. It happens once, however often the job
        is run: the receipt is in it."""
        scope = Scope(self.org_id, None, "service")
        async with self.workshop.database.unit_of_work(scope) as uow:
            if not await queue.leave_receipt(await uow.driver(), self.id):
                raise AlreadyDone
            yield uow


Handler: TypeAlias = Callable[[JobCall], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Job:
    name: str
    handler: Handler
    queue: str = "default"
    attempts: int = 3
    cron: str | None = None
