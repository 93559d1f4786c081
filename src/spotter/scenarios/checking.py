"""Whether agents and scenarios can work: one check, for what ships with Spotter and for what is saved.

It finds everything at once, in words that say what to change.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from spotter.billing.tiers import Tier
from spotter.errors import InvalidInput
from spotter.scenarios.agent_files import AgentFile
from spotter.scenarios.scenario_files import ScenarioFile


@dataclass(frozen=True, slots=True)
class Problem:
    where: str
    """`agent NAME` or `scenario ID`."""
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Rules:
    """What definitions are held against."""

    tools: Collection[str]
    ending_tools: Collection[str]
    """Those that can end a turn."""
    model_allowed: Callable[[str], bool]


class CannotWork(InvalidInput):
    """A definition that was not saved. `problems` has them all."""

    code = "definition_invalid"
    title = "The definition cannot work"

    def __init__(self, problems: Iterable[Problem]) -> None:
        found = list(problems)
        super().__init__(
            "Nothing was saved. " + " ".join(f"{each.where}: {each.message}" for each in found[:10]),
            extra={
                "problems": [
                    {"where": each.where, "code": each.code, "message": each.message} for each in found
                ]
            },
        )


def check(
    agents: Mapping[str, AgentFile], scenarios: Mapping[str, ScenarioFile], rules: Rules
) -> list[Problem]:
    """Everything that is wrong with these definitions together."""
    return [
        *(problem for agent in agents.values() for problem in check_agent(agent, agents, rules)),
        *(problem for scenario in scenarios.values() for problem in check_scenario(scenario, agents, rules)),
    ]


def check_agent(agent: AgentFile, agents: Mapping[str, AgentFile], rules: Rules) -> Iterator[Problem]:
    where = f"agent {agent.name}"
    for tool in agent.tools:
        if tool not in rules.tools:
            yield Problem(where, "unknown_tool", f"There is no tool called {tool!r}.")
    if len(set(agent.tools)) < len(agent.tools):
        yield Problem(where, "tool_twice", "A tool is named twice.")
    for model in (agent.model, agent.small_model):
        if model is not None and not rules.model_allowed(model):
            yield Problem(where, "model_not_allowed", _not_allowed(model))
    targets = [handoff.to for handoff in agent.handoffs]
    for target in dict.fromkeys(targets):
        if target == agent.name:
            yield Problem(where, "handoff_to_itself", "It cannot hand over to itself.")
        elif target not in agents:
            yield Problem(
                where, "unknown_handoff", f"It hands over to {target!r}, but there is no such agent."
            )
        if targets.count(target) > 1:
            yield Problem(where, "handoff_twice", f"It hands over to {target!r} twice. Say it once.")
    if not _answers(agent, rules) and not agent.handoffs:
        yield Problem(
            where,
            "no_exit",
            "It must call a tool at every step, but none of its tools can end a turn. Give it one that does "
            "(message_ask_user, idle), or set tool_choice to auto.",
        )


def check_plan(agent: AgentFile, plan: Tier) -> Iterator[Problem]:
    """What the organisation's subscription allows. For what it saves itself: what ships with Spotter is everybody's."""
    most = plan.tools_per_agent
    if most is not None and len(agent.tools) > most:
        yield Problem(
            f"agent {agent.name}",
            "too_many_tools",
            f"It has {len(agent.tools)} tools, and the plan {plan.title} allows {most} for each agent. Take some away, "
            "or ask for a larger plan.",
        )


def check_scenario(
    scenario: ScenarioFile, agents: Mapping[str, AgentFile], rules: Rules
) -> Iterator[Problem]:
    where = f"scenario {scenario.id}"
    members = set(scenario.agents)
    if len(members) < len(scenario.agents):
        yield Problem(where, "agent_twice", "An agent is named twice.")
    for name in sorted(members - set(agents)):
        yield Problem(where, "unknown_agent", f"There is no agent called {name!r}.")
    if scenario.root not in members:
        yield Problem(
            where,
            "missing_root",
            f"Its root {scenario.root!r} is not among its agents. Add it, or choose another root.",
        )
    if scenario.model is not None and not rules.model_allowed(scenario.model):
        yield Problem(where, "model_not_allowed", _not_allowed(scenario.model))
    yield from _check_stages(scenario, where)
    cast = {name: agents[name] for name in scenario.agents if name in agents}
    yield from _check_ways(scenario, cast, rules, where)


def check_course(scenario: ScenarioFile, shipped: ScenarioFile | None) -> Iterator[Problem]:
    """The stages of a scenario that ships are moved by code that knows them; the rest of it may be changed."""
    if shipped is not None and shipped.stages is not None and scenario.stages != shipped.stages:
        yield Problem(
            f"scenario {scenario.id}",
            "course_changed",
            "Its course is part of Spotter: keep its stages and who answers in them, or save yours under another id.",
        )


def _check_stages(scenario: ScenarioFile, where: str) -> Iterator[Problem]:
    if scenario.stages is None:
        return
    if scenario.stages.first not in scenario.stages.agents:
        yield Problem(
            where,
            "stage_without_agent",
            f"Nobody answers in its first stage {scenario.stages.first!r}. Name an agent for it.",
        )
    for stage, agent in scenario.stages.agents.items():
        if agent not in scenario.agents:
            yield Problem(
                where,
                "stage_without_agent",
                f"In the stage {stage!r} {agent!r} should answer, but is not among its agents.",
            )


def _check_ways(
    scenario: ScenarioFile, cast: Mapping[str, AgentFile], rules: Rules, where: str
) -> Iterator[Problem]:
    """Everybody can be reached, and from everybody somebody who can answer."""
    ways = {
        name: {each.to for each in agent.handoffs if each.to in cast and each.to != name}
        for name, agent in cast.items()
    }
    begin = {scenario.root, *(scenario.stages.agents.values() if scenario.stages is not None else ())}
    reached = _reached(begin & set(cast), ways)
    if scenario.root in cast:
        for name in cast:
            if name not in reached:
                yield Problem(
                    where,
                    "unreachable_agent",
                    f"Nobody hands over to {name!r}. Let one of the others, or take it out.",
                )
    answering = {name for name, agent in cast.items() if _answers(agent, rules)}
    stuck = sorted(name for name in reached if not _reached({name}, ways) & answering)
    if stuck:
        names = " and ".join(stuck) if len(stuck) < 3 else ", ".join(stuck)
        yield Problem(
            where,
            "no_exit",
            f"{names} can only hand on, and never to anybody who can answer. Give one of them a tool that ends a turn "
            "(message_ask_user, idle), or set its tool_choice to auto.",
        )


def _reached(begin: Iterable[str], ways: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    left = list(begin)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left.extend(ways.get(name, ()))
    return found


def _answers(agent: AgentFile, rules: Rules) -> bool:
    """Whether it can end a turn without anybody else: by words, or by a tool that does."""
    return agent.tool_choice == "auto" or any(tool in rules.ending_tools for tool in agent.tools)


def _not_allowed(model: str) -> str:
    return (
        f"The model {model!r} may not be used here. The operator allows models with SPOTTER_ALLOWED_MODELS."
    )
