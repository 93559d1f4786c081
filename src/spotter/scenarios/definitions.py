"""Which agents and scenarios hold for whom: what ships with Spotter, and what organisations have of their own."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final
from uuid import UUID

from sqlalchemy import select

from spotter.errors import StartupRefused
from spotter.llm.allowed import AllowedModels
from spotter.runtime.agent import Agent
from spotter.runtime.kit import Part
from spotter.runtime.registry import ToolRegistry
from spotter.scenarios.book import Book
from spotter.scenarios.builtin_files import builtin_agents, builtin_scenarios
from spotter.scenarios.checking import Rules, check
from spotter.scenarios.own import Own, read_own
from spotter.sessions.tables import AgentSession
from spotter.store.bus import Bus, Message, Resync, ResyncReason
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork
from spotter.tasks import end_tasks

TOPIC: Final = "definitions"
_FRESH_SECONDS: Final = 5.0
"""For the case that the bus is away; else a change is told at once."""
_MOST_KEPT: Final = 5_000


def rules_of(registry: ToolRegistry, models: AllowedModels) -> Rules:
    tools = list(registry)
    return Rules(
        tools={tool.name for tool in tools},
        ending_tools={tool.name for tool in tools if tool.ends_turn},
        model_allowed=models.allow,
    )


class Definitions:
    """One per process. Remembers what it has read until somebody changes it, here or elsewhere."""

    def __init__(self, database: Database, bus: Bus, rules: Rules, default_model: str) -> None:
        self.rules = rules
        self.builtin = Book.of(builtin_agents(), builtin_scenarios(), default_model)
        refuse_broken(self.builtin, rules)
        self._database = database
        self._bus = bus
        self._known: dict[UUID, tuple[float, Own]] = {}
        self._changes = 0

    async def book(self, scope: Scope, project_id: UUID | None = None) -> Book:
        return (await self._own(scope)).book(self.builtin, project_id)

    async def agent(self, scope: Scope, part: Part) -> Agent:
        """The runtime's source of agents."""
        own = await self._own(scope)
        project_id = await self._project_of(scope, part.session_id) if own.projects else None
        return own.book(self.builtin, project_id).cast(part)

    def changed(self, uow: UnitOfWork) -> None:
        """With the commit: the next turn, wherever it runs, is with the new ones."""
        assert uow.scope.org_id is not None
        uow.after_commit(partial(self._tell, uow.scope.org_id))

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """To changes that other processes make."""
        async with self._bus.subscribe(TOPIC) as notices:

            async def listen() -> None:
                async for notice in notices:
                    if isinstance(notice, Message) and isinstance(notice.payload, str):
                        self.forget(UUID(notice.payload))
                    elif isinstance(notice, Resync) and notice.reason is not ResyncReason.POLL:
                        self._changes += 1
                        self._known.clear()

            task = asyncio.create_task(listen(), name="definitions")
            try:
                yield
            finally:
                await end_tasks(task)

    def forget(self, org_id: UUID) -> None:
        self._changes += 1
        self._known.pop(org_id, None)

    def _tell(self, org_id: UUID) -> None:
        self.forget(org_id)
        self._bus.publish(TOPIC, str(org_id))

    async def _own(self, scope: Scope) -> Own:
        assert scope.org_id is not None
        known = self._known.get(scope.org_id)
        if known is not None and known[0] > time.monotonic():
            return known[1]
        changes = self._changes
        # As the organisation itself: whoever talks to an agent of a project need not see the project's shelf.
        async with self._database.unit_of_work(Scope(scope.org_id, None, "service")) as uow:
            own = await read_own(uow)
        # What was changed while we read is read again next time.
        if changes == self._changes:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[scope.org_id] = (time.monotonic() + _FRESH_SECONDS, own)
        return own

    async def _project_of(self, scope: Scope, session_id: UUID | None) -> UUID | None:
        if session_id is None:
            return None
        async with self._database.unit_of_work(Scope(scope.org_id, None, "service")) as uow:
            return await uow.session.scalar(
                select(AgentSession.project_id).where(AgentSession.id == session_id)
            )


def refuse_broken(book: Book, rules: Rules) -> None:
    """At start: what ships with Spotter must work with the tools that are there."""
    problems = check(book.agents, book.scenarios, rules)
    if problems:
        found = " ".join(f"{each.where}: {each.message}" for each in problems)
        raise StartupRefused(f"The built-in agents and scenarios cannot work. {found}")
