"""The stock `@ag-ui/client` against our server, with nothing of ours on its side (F8)."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import httpx
import pytest

from spotter.ids import random_id
from tests.support import node_packages
from tests.support.people import Gym, Person

VERSION = "1.0.0"
SCRIPT = Path(__file__).with_name("agui_stock_client.mjs")


@pytest.fixture(scope="module")
def client() -> Path:
    folder = node_packages.installed("@ag-ui/client", VERSION)
    if folder is None:
        pytest.skip("There is no Node here.")
    return folder / "dist" / "index.mjs"


async def talk(client: Path, url: str, path: str, person: Person, *lines: str) -> list[dict[str, Any]]:
    """Each line is said, or answers what was asked; what the client then knows."""
    node = shutil.which("node") or "node"
    process = await asyncio.create_subprocess_exec(
        node, str(SCRIPT), str(client), f"{url}/api/agui/{path}", person.token, str(random_id()), *lines,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, errors = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 0, errors.decode()
    told = json.loads(output)
    assert told["warnings"] == [], "the client found something that is not in the protocol"
    runs: list[dict[str, Any]] = told["runs"]
    assert [run.get("error") for run in runs] == [None] * len(lines)
    return runs


async def test_a_tool_call_an_approval_and_a_resume(
    client: Path, server_url: str, http: httpx.AsyncClient, gym: Gym
) -> None:
    policy = {"tool": "generate_workout", "mode": "always"}
    await http.put("/api/approval-policies", json=policy, headers=gym.owner.headers)
    asked, resumed = await talk(
        client, server_url, "agents/trainer", gym.owner, "Give me a 20 minute workout", '{"approved": true}'
    )
    assert asked["outcome"] == "interrupt"
    names = [name for name, _ in asked["tools"]]
    assert "generate_workout" in names
    (interrupt,) = asked["interrupts"]
    assert interrupt["reason"] == "tool_call"
    assert interrupt["metadata"]["arguments"]["workout"]["exercises"], "what would be done is shown"
    assert asked["state"]["workout"] is None, "nothing was done yet"
    assert asked["messages"][0]["id"] == "mine-0"

    assert resumed["outcome"] == "success"
    assert resumed["interrupts"] == []
    assert resumed["state"]["workout"]["exercises"]
    results = {one["toolCallId"]: one for one in resumed["messages"] if one["role"] == "tool"}
    assert json.loads(results[interrupt["toolCallId"]]["content"])["success"] is True
    said = [
        one["content"] for one in resumed["messages"] if one["role"] == "assistant" and one.get("content")
    ]
    assert said
    assert len({one["id"] for one in resumed["messages"]}) == len(resumed["messages"])
    assert resumed["messages"][0]["content"] == "Give me a 20 minute workout"
    assert "spotter.cost" in resumed["custom"]


async def test_a_question_answered_by_a_resume(client: Path, server_url: str, gym: Gym) -> None:
    asked, answered = await talk(
        client,
        server_url,
        "agents/trainer",
        gym.member,
        "colourless green ideas sleep furiously",
        '{"answer": "1"}',
    )
    assert asked["outcome"] == "interrupt", asked
    (question,) = asked["interrupts"]
    assert question["reason"] == "input_required"
    assert question["message"] in asked["messages"][-1]["content"]
    assert question["metadata"]["options"]
    assert answered["state"]["question"] is None
    said = [one["content"] for one in answered["messages"] if one["role"] == "user"]
    assert said == ["colourless green ideas sleep furiously", "1"]
