"""What the documentation shows works."""

import re
from pathlib import Path

import httpx

from spotter.scenarios import agent_files, scenario_files
from spotter.scenarios.builtin_files import builtin_agents
from spotter.scenarios.checking import check
from tests.http.test_sessions import say
from tests.scenarios.test_checking import RULES
from tests.support.people import Gym

PAGE = Path(__file__).parents[2] / "docs" / "scenarios.md"
EXAMPLE = re.compile(r"<!-- example: (\S+) -->\n```\w+\n(.*?)\n```", re.DOTALL)


def test_the_examples_can_be_loaded() -> None:
    examples = dict(EXAMPLE.findall(PAGE.read_text(encoding="utf-8")))
    desk = agent_files.parse(examples["desk.md"], "desk.md")
    welcome = scenario_files.parse(examples["scenario.yaml"], "scenario.yaml")
    assert check({**builtin_agents(), "desk": desk}, {"welcome": welcome}, RULES) == []
    assert desk.agent("offline", builtin_agents()).handoffs[0].when.startswith("They want a workout")


async def test_the_examples_work(http: httpx.AsyncClient, gym: Gym) -> None:
    """Saved by the API as they stand there, they answer without a key, and the trainer goes on where the desk ends."""
    examples = dict(EXAMPLE.findall(PAGE.read_text(encoding="utf-8")))
    desk = agent_files.parse(examples["desk.md"], "desk.md").model_dump(mode="json")
    welcome = scenario_files.parse(examples["scenario.yaml"], "scenario.yaml").model_dump(mode="json")
    saved = await http.post("/api/ai-agents", json=desk, headers=gym.admin.headers)
    assert saved.status_code == 201, saved.text
    path = f"/api/scenarios/{welcome.pop('id')}"
    stored = await http.put(path, json=welcome, headers=gym.admin.headers)
    assert stored.status_code == 200, stored.text
    made = await http.post("/api/sessions", json={"scenario": "welcome"}, headers=gym.member.headers)
    reply = await say(http, gym.member, made.json()["id"], "Make me a 20 minute workout with dumbbells")
    kinds = [event["type"] for event in reply["events"]]
    assert kinds.count("handoff") == 1
    tools = [event["content"]["tool"] for event in reply["events"] if event["type"] == "action"]
    assert tools[0] == "transfer_to_trainer"
    assert "generate_workout" in tools
    assert reply["ending"] == "idle"
