"""The README's lines, literally, in a shell, against a real `spotter up` that is stopped and killed between them."""

import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from spotter.ids import random_id
from tests.support.processes import (
    SPOTTER,
    Processes,
    Program,
    plain_environment,
    postgres_ended_in,
    processes,
)

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"^```\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
ADDRESS = "http://127.0.0.1:8420"

MUST_SHOW = (
    "30 min upper body, no equipment, my left knee hurts",
    "swap the second one",
    "I hate burpees, never again",
    "make it 20 minutes",
    "log it, did everything but the last",
    "how did my week go?",
    "put legs on Thursday 7am",
)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Processes]:
    with processes(tmp_path) as running:
        yield running


def block(word: str) -> str:
    (found,) = [each for each in BLOCKS if word in each and "TOKEN" in each]
    return str(found)


def preparation(url: str) -> str:
    """Up to and with the shell function that says something, with the address of this server."""
    signing = block("spotter token")
    assert ADDRESS in signing
    speaking, _, _ = block("say()").partition('say "')
    return signing.replace(ADDRESS, url) + speaking


def shell(script: str, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        check=False,
        cwd=ROOT,
        env={**environment, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


async def answers(
    server: Program, lines: tuple[str, ...], environment: Mapping[str, str]
) -> tuple[str, list[str]]:
    """What was said to each line, and the token of whoever said it."""
    url = await server.ready()
    mark = f"--{random_id().hex}--"
    said = "\n".join(f'echo "{mark}"; say "{line}"' for line in lines)
    out = shell(f'{preparation(url)}\n{said}\necho "{mark}"; echo "$TOKEN"', environment)
    _, *told, token = out.split(mark)
    return token.strip(), [one.strip() for one in told]


async def seen(url: str, token: str, path: str) -> Any:
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:
        answer = await http.get(path, headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def everything(url: str, token: str) -> dict[str, Any]:
    """What the lines left behind, with every event of the conversation."""
    (session,) = (await seen(url, token, "/api/agent/sessions"))["sessions"]
    nouns = ("history", "preferences", "schedule", "standing", "goals")
    found = {noun: await seen(url, token, f"/api/training/{noun}") for noun in nouns}
    return {
        **found,
        "session": session,
        "events": await seen(url, token, f"/api/sessions/{session['id']}/events?limit=1000"),
    }


def test_the_readme_has_the_lines() -> None:
    assert tuple(re.findall(r'^say "(.+)"$', block("say()"), re.MULTILINE)) == MUST_SHOW


@pytest.mark.skipif(shutil.which("curl") is None, reason="the README's lines are for curl")
async def test_the_readme_in_a_shell_through_a_stop_and_a_power_cut(
    run_folder: Path, started: Processes
) -> None:
    async with postgres_ended_in(run_folder / f"readme-{random_id().hex[:8]}") as data_dir:
        environment = plain_environment(SPOTTER_DATA_DIR=str(data_dir))

        server = started.server("up", environment=environment, program=SPOTTER)
        _, (made, swapped, banned) = await answers(server, MUST_SHOW[:3], environment)
        assert "min" in made
        assert "knee" in made
        assert "Swapped" in swapped
        assert "burpee" in banned.lower()
        server.signal(signal.SIGTERM)
        assert await server.ended() == 0

        server = started.server("up", environment=environment, program=SPOTTER)
        _, (shorter, logged) = await answers(server, MUST_SHOW[3:5], environment)
        assert "20 min" in shorter, shorter
        assert logged.startswith("Logged"), logged
        server.kill()

        server = started.server("up", environment=environment, program=SPOTTER)
        token, (week, planned) = await answers(server, MUST_SHOW[5:], environment)
        assert "1 workout" in week, week
        assert "Thu" in planned, planned
        assert "07:00" in planned, planned
        url = await server.ready()
        (done,) = (await seen(url, token, "/api/training/history"))["items"]
        assert done["exercises"]
        kept = await seen(url, token, "/api/training/preferences")
        assert {"knee", "burpee"} <= set(re.findall(r"knee|burpee", str(kept).lower()))
        assert len((await seen(url, token, "/api/training/schedule"))["items"]) == 1
        before = await everything(url, token)
        server.kill()

        server = started.server("up", environment=environment, program=SPOTTER)
        assert await everything(await server.ready(), token) == before
        assert await server.stop() == 0
