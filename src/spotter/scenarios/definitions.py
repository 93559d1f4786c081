"""Which agents and scenarios hold for whom: what ships with Spotter, and what organisations have of their own."""

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
from spotter.store.database import Database
from spotter.store.scope import Scope


def rules_of(registry: ToolRegistry, models: AllowedModels) -> Rules:
    tools = list(registry)
    return Rules(
        tools={tool.name for tool in tools},
        ending_tools={tool.name for tool in tools if tool.ends_turn},
        model_allowed=models.allow,
    )


class Definitions:
    """One per process. Remembers what it has read until somebody changes it, here or elsewhere."""

    def __init__(self, database: Database, rules: Rules, default_model: str) -> None:
        self.rules = rules
        self.builtin = Book.of(builtin_agents(), builtin_scenarios(), default_model)
        refuse_broken(self.builtin, rules)
        self._database = database
        # As the organisation itself: whoever talks to an agent of a project need not see the project's shelf.
        self._kept = database.kept(read_own)

    async def book(self, scope: Scope, project_id: UUID | None = None) -> Book:
        return (await self._own(scope)).book(self.builtin, project_id)

    async def agent(self, scope: Scope, part: Part) -> Agent:
        """The runtime's source of agents."""
        own = await self._own(scope)
        project_id = await self._project_of(scope, part.session_id) if own.projects else None
        return own.book(self.builtin, project_id).cast(part)

    async def _own(self, scope: Scope) -> Own:
        assert scope.org_id is not None
        return await self._kept.of(scope.org_id)

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
