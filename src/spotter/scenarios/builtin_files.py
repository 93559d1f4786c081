"""What ships with Spotter: a folder for each scenario with its YAML file and its agents. An agent may be alone too."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final

from spotter.errors import StartupRefused
from spotter.scenarios import agent_files, scenario_files
from spotter.scenarios.agent_files import AgentFile
from spotter.scenarios.scenario_files import ScenarioFile

ASSISTANT: Final = "assistant"
"""Who answers when nobody else was asked for."""


@cache
def builtin_agents() -> dict[str, AgentFile]:
    found: dict[str, AgentFile] = {}
    for where, text in _texts(".md"):
        agent = agent_files.parse(text, where)
        if agent.name in found:
            raise StartupRefused(f"Two built-in agents are called {agent.name!r}; the second is {where}.")
        found[agent.name] = agent
    return found


@cache
def builtin_scenarios() -> dict[str, ScenarioFile]:
    found: dict[str, ScenarioFile] = {}
    for where, text in _texts(".yaml"):
        scenario = scenario_files.parse(text, where)
        if scenario.id in found:
            raise StartupRefused(f"Two built-in scenarios are called {scenario.id!r}; the second is {where}.")
        found[scenario.id] = scenario
    return found


def _texts(ending: str) -> Iterator[tuple[str, str]]:
    """In the order of their names, so that every process sees the same."""
    for folder in sorted((files("spotter.scenarios") / "builtin").iterdir(), key=lambda each: each.name):
        if folder.is_dir():
            for one in sorted(folder.iterdir(), key=lambda each: each.name):
                if one.name.endswith(ending):
                    yield f"{folder.name}/{one.name}", one.read_text(encoding="utf-8")
