"""Where definitions come from."""

from spotter.errors import StartupRefused
from spotter.llm.allowed import AllowedModels
from spotter.runtime.agent import Agent
from spotter.runtime.kit import Part
from spotter.runtime.registry import ToolRegistry
from spotter.scenarios.book import Book
from spotter.scenarios.builtin_files import builtin_agents, builtin_scenarios
from spotter.scenarios.checking import Rules, check
from spotter.store.scope import Scope


def rules_of(registry: ToolRegistry, models: AllowedModels) -> Rules:
    tools = list(registry)
    return Rules(
        tools={tool.name for tool in tools},
        ending_tools={tool.name for tool in tools if tool.ends_turn},
        model_allowed=models.allow,
    )


class Definitions:
    """One per process."""

    def __init__(self, rules: Rules, default_model: str) -> None:
        self.rules = rules
        self._builtin = Book.of(builtin_agents(), builtin_scenarios(), default_model)
        refuse_broken(self._builtin, rules)

    async def book(self, scope: Scope) -> Book:
        return self._builtin

    async def agent(self, scope: Scope, part: Part) -> Agent:
        """The runtime's source of agents."""
        return (await self.book(scope)).cast(part)


def refuse_broken(book: Book, rules: Rules) -> None:
    """At start: what ships with Spotter must work with the tools that are there."""
    problems = check(book.agents, book.scenarios, rules)
    if problems:
        found = " ".join(f"{each.where}: {each.message}" for each in problems)
        raise StartupRefused(f"The built-in agents and scenarios cannot work. {found}")
