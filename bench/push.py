"""What being told costs: CPU of idle WebSockets, and how long an event takes from one process to a client of another.

    python bench/push.py [--sockets 500] [--seconds 30] [--events 300]

Two real servers on one database of their own, in a folder that is deleted afterwards. Run it on a quiet machine.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psutil
import websockets

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.idle import SPOTTER, cpu_seconds, postgres_of

_HANG = 90.0


def _environment(data_dir: Path) -> dict[str, str]:
    ours = ("SPOTTER_", "DATABASE_", "PYTHONDONT")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    return {**kept, "SPOTTER_DATA_DIR": str(data_dir), "SPOTTER_RATE_LIMITS": "false"}


@contextmanager
def server(data_dir: Path, name: str, command: str) -> Iterator[tuple[psutil.Process, str]]:
    ready = data_dir.with_name(f"{data_dir.name}.{name}")
    arguments = [SPOTTER, command, "--port", "0", "--ready-file", str(ready)]
    began = time.monotonic()
    with subprocess.Popen(
        arguments, env=_environment(data_dir), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while not ready.exists():
                if process.poll() is not None or time.monotonic() - began > _HANG:
                    raise SystemExit(f"spotter {command} does not start")
                time.sleep(0.02)
            yield psutil.Process(process.pid), json.loads(ready.read_text())["url"]
        finally:
            process.terminate()
            try:
                process.wait(_HANG)
            except subprocess.TimeoutExpired:
                process.kill()


def token_for(data_dir: Path) -> str:
    done = subprocess.run(
        [SPOTTER, "token", "--email", "owner@demo.spotter"],
        env=_environment(data_dir),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def post(url: str, path: str, token: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(  # our own address
        url + path,
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        found: dict[str, Any] = json.loads(answer.read())
        return found


class Idle:
    """Many clients, each on a session of its own. They read nothing, because nothing is said."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url.replace("http", "ws", 1)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._stack: list[websockets.ClientConnection] = []

    async def open(self, sessions: list[str]) -> None:
        for session in sessions:
            address = f"{self._url}/api/sessions/{session}/ws"
            self._stack.append(
                await websockets.connect(
                    address, additional_headers=self._headers, proxy=None, ping_interval=None
                )
            )

    async def close(self) -> None:
        await asyncio.gather(*(one.close() for one in self._stack))


async def used(groups: dict[str, list[psutil.Process]], seconds: float) -> dict[str, float]:
    before = {name: cpu_seconds(group) for name, group in groups.items()}
    began = time.monotonic()
    await asyncio.sleep(seconds)
    passed = time.monotonic() - began
    return {name: 100 * (cpu_seconds(group) - before[name]) / passed for name, group in groups.items()}


async def latencies(urls: list[str], token: str, events: int) -> list[float]:
    """From the answer of the one server, which has committed, to the client of the other. Seconds."""
    session = post(urls[0], "/api/sessions", token, {})["id"]
    address = urls[1].replace("http", "ws", 1) + f"/api/sessions/{session}/ws"
    arrived: dict[int, float] = {}
    sent: list[tuple[int, float]] = []
    async with websockets.connect(
        address, additional_headers={"Authorization": f"Bearer {token}"}, proxy=None
    ) as socket:

        async def read() -> None:
            async for text in socket:
                message = json.loads(text)
                if "sequence" in message:
                    arrived[message["sequence"]] = time.monotonic()

        reading = asyncio.create_task(read())
        for _ in range(events):
            made = await asyncio.to_thread(
                post, urls[0], f"/api/sessions/{session}/messages", token, {"text": "hello"}
            )
            sent.append((made["events"][-1]["sequence"], time.monotonic()))
            await asyncio.sleep(0.05)
        deadline = time.monotonic() + 10
        while len(arrived) < sent[-1][0] and time.monotonic() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        reading.cancel()
    # The event may be there before the answer to who caused it is.
    return [max(0.0, arrived[sequence] - at) for sequence, at in sent]


async def measure(data_dir: Path, options: argparse.Namespace) -> None:
    with ExitStack() as stack:
        first, url = stack.enter_context(server(data_dir, "one", "up"))
        token = token_for(data_dir)
        await asyncio.sleep(8)
        groups = {"server": [first], "PostgreSQL": postgres_of(data_dir)}
        alone = await used(groups, options.seconds)
        sessions = [post(url, "/api/sessions", token, {})["id"] for _ in range(options.sockets)]
        idle = Idle(url, token)
        await idle.open(sessions)
        # Until what follows a connection is over, and polls have become rare.
        await asyncio.sleep(options.settle)
        with_sockets = await used(groups, options.seconds)
        await idle.close()
        print(f"load of the machine                 {os.getloadavg()[0]:8.2f}")
        for name, percent in with_sockets.items():
            print(f"idle {name:<12} without sockets     {alone[name]:8.2f} % of a core")
            print(f"idle {name:<12} with {options.sockets} sockets   {percent:8.2f} % of a core")
        extra = sum(with_sockets.values()) - sum(alone.values())
        print(f"{options.sockets} idle WebSockets cost            {extra:8.2f} % of a core")
        _, other = stack.enter_context(server(data_dir, "two", "serve"))
        took = sorted(await latencies([url, other], token, options.events))
        milliseconds = [1000 * one for one in took]
        print(f"push to a client of another process, {len(took)} events")
        print(f"  median                            {median(milliseconds):8.2f} ms")
        print(f"  p95                               {quantiles(milliseconds, n=20)[-1]:8.2f} ms")
        print(f"  worst                             {milliseconds[-1]:8.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sockets", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--settle", type=float, default=75)
    parser.add_argument("--events", type=int, default=300)
    folder = Path(tempfile.mkdtemp(prefix="spotter-push-"))
    folder.chmod(0o755)  # as root, PostgreSQL runs as somebody else
    try:
        asyncio.run(measure(folder / "data", parser.parse_args()))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
