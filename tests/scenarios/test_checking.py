"""One check for what ships and for what is saved. Each row breaks one thing and is told so in words."""

from typing import Any

import pytest

from spotter.errors import InvalidInput, StartupRefused
from spotter.llm.allowed import AllowedModels
from spotter.runtime.registry import ToolRegistry
from spotter.scenarios import agent_files, scenario_files
from spotter.scenarios.agent_files import AgentFile
from spotter.scenarios.book import Book
from spotter.scenarios.builtin_files import builtin_agents, builtin_scenarios
from spotter.scenarios.checking import check
from spotter.scenarios.definitions import refuse_broken, rules_of
from spotter.scenarios.scenario_files import ScenarioFile
from spotter.tools import TOOLS

RULES = rules_of(ToolRegistry(TOOLS), AllowedModels(["openai:gpt-*"], "offline"))


def agent(name: str, **given: Any) -> AgentFile:
    return AgentFile.model_validate({"name": name, "instructions": "You help.", **given})


def scenario(agents: list[str], **given: Any) -> ScenarioFile:
    return ScenarioFile.model_validate(
        {"id": "shop", "name": "Shop", "root": agents[0], "agents": agents, **given}
    )


def problems(agents: list[AgentFile], scenarios: list[ScenarioFile]) -> list[tuple[str, str]]:
    found = check({each.name: each for each in agents}, {each.id: each for each in scenarios}, RULES)
    assert all(problem.message.endswith((".", "”")) for problem in found)
    return [(problem.where, problem.code) for problem in found]


def test_what_ships_can_work() -> None:
    assert check(builtin_agents(), builtin_scenarios(), RULES) == []
    assert {"trainer", "retail"} <= set(builtin_scenarios())
    assert builtin_scenarios()["retail"].root == "supervisor"


ROUTES = {"tool_choice": "required"}
"""Can do nothing but hand on."""
TABLE = {
    "fine": ([agent("aa", handoffs=["bb"]), agent("bb")], [scenario(["aa", "bb"])], []),
    "unknown tool": ([agent("aa", tools=["fly"])], [], [("agent aa", "unknown_tool")]),
    "tool twice": ([agent("aa", tools=["idle", "idle"])], [], [("agent aa", "tool_twice")]),
    "model": ([agent("aa", model="openai:o1-pro")], [], [("agent aa", "model_not_allowed")]),
    "small model": ([agent("aa", small_model="what?")], [], [("agent aa", "model_not_allowed")]),
    "allowed models": ([agent("aa", model="gpt-4o", small_model="offline")], [], []),
    "unknown handoff": ([agent("aa", handoffs=["cc"])], [], [("agent aa", "unknown_handoff")]),
    "to itself": ([agent("aa", handoffs=["aa"])], [], [("agent aa", "handoff_to_itself")]),
    "handoff twice": ([agent("aa", handoffs=["bb", "bb"]), agent("bb")], [], [("agent aa", "handoff_twice")]),
    "alone and mute": ([agent("aa", **ROUTES)], [], [("agent aa", "no_exit")]),
    "unknown agent": ([agent("aa")], [scenario(["aa", "bb"])], [("scenario shop", "unknown_agent")]),
    "missing root": (
        [agent("aa"), agent("bb")],
        [scenario(["aa"], root="bb")],
        [("scenario shop", "missing_root")],
    ),
    "unreachable": (
        [agent("aa", handoffs=["bb"]), agent("bb"), agent("cc", handoffs=["aa"])],
        [scenario(["aa", "bb", "cc"])],
        [("scenario shop", "unreachable_agent")],
    ),
    "a loop": (
        [agent("aa", handoffs=["bb"], **ROUTES), agent("bb", handoffs=["aa"], **ROUTES)],
        [scenario(["aa", "bb"])],
        [("scenario shop", "no_exit")],
    ),
    "a loop with an exit": (
        [agent("aa", handoffs=["bb"], **ROUTES), agent("bb", handoffs=["aa"], tools=["idle"], **ROUTES)],
        [scenario(["aa", "bb"])],
        [],
    ),
    "the exit is outside": (
        [agent("aa", handoffs=["bb", "cc"], **ROUTES), agent("bb", handoffs=["aa"], **ROUTES), agent("cc")],
        [scenario(["aa", "bb"])],
        [("scenario shop", "no_exit")],
    ),
    "stages reach": (
        [agent("aa"), agent("bb")],
        [
            scenario(
                ["aa", "bb"],
                routing="stages",
                stages={"first": "start", "agents": {"start": "aa", "end": "bb"}},
            )
        ],
        [],
    ),
    "nobody in the first stage": (
        [agent("aa")],
        [scenario(["aa"], routing="stages", stages={"first": "start", "agents": {"end": "aa"}})],
        [("scenario shop", "stage_without_agent")],
    ),
    "a stage with a stranger": (
        [agent("aa"), agent("bb")],
        [
            scenario(
                ["aa"], routing="stages", stages={"first": "start", "agents": {"start": "aa", "end": "bb"}}
            )
        ],
        [("scenario shop", "stage_without_agent")],
    ),
    "the scenario's model": (
        [agent("aa")],
        [scenario(["aa"], model="anthropic:claude-opus-5")],
        [("scenario shop", "model_not_allowed")],
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_what_is_wrong_is_found(name: str) -> None:
    agents, scenarios, expected = TABLE[name]
    assert problems(agents, scenarios) == expected


def test_a_broken_one_that_ships_keeps_it_from_starting() -> None:
    with pytest.raises(StartupRefused, match="no tool called 'fly'"):
        refuse_broken(Book.of({"aa": agent("aa", tools=["fly"])}, {}, "offline"), RULES)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hello", "front matter"),
        ("---\nname: x y\n---\nHi", "name: String should match"),
        ("---\nname: desk\nfly: 1\n---\nHi", "fly: Extra inputs"),
        ("---\nname: desk\n---\n", "instructions: String should have"),
        ("---\n- a\n---\nHi", "not a list of settings"),
        ("---\n{\n---\nHi", "not YAML"),
    ],
)
def test_files_that_cannot_be_read_say_why(text: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        agent_files.parse(text, "desk.md")


def test_stages_come_with_their_routing() -> None:
    with pytest.raises(InvalidInput, match="give `stages` with the routing `stages`"):
        scenario_files.parse("id: shop\nname: Shop\nroot: aa\nagents: [aa]\nrouting: stages")
