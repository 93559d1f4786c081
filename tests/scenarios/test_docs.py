"""What the documentation shows works."""

import re
from pathlib import Path

from spotter.scenarios import agent_files, scenario_files
from spotter.scenarios.builtin_files import builtin_agents
from spotter.scenarios.checking import check
from tests.scenarios.test_checking import RULES

PAGE = Path(__file__).parents[2] / "docs" / "scenarios.md"
EXAMPLE = re.compile(r"<!-- example: (\S+) -->\n```\w+\n(.*?)\n```", re.DOTALL)


def test_the_examples_can_be_loaded() -> None:
    examples = dict(EXAMPLE.findall(PAGE.read_text(encoding="utf-8")))
    desk = agent_files.parse(examples["desk.md"], "desk.md")
    welcome = scenario_files.parse(examples["scenario.yaml"], "scenario.yaml")
    assert check({**builtin_agents(), "desk": desk}, {"welcome": welcome}, RULES) == []
    assert desk.agent("offline", builtin_agents()).handoffs[0].when.startswith("They want a workout")
