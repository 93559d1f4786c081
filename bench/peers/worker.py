"""One subject in one process, told over stdin what to do and answering on stdout, a JSON object a line.

    python -m bench.peers.worker MODULE:CLASS

So all subjects can be alive at once and be measured in turns, seconds apart, on a machine others use too. Standard
library only, because it runs in every peer's venv.
"""

import asyncio
import importlib
import json
import os
import sys
import time
from typing import Any, Protocol

from bench.peers.cpu import cpu_of, cpu_seconds, rss_mb
from bench.peers.loops import run

SYSTEM = "You are a calculator. Use the add tool."
FINAL_START = "The sum of one and two"
CONCURRENT_LIMIT = 55.0


class Subject(Protocol):
    """What is measured. `session` is any name; `turn` gives back the answer's text."""

    async def open(self, model_url: str, store: str) -> None: ...

    async def prepare(self, session: str) -> None:
        """What comes before a turn and is not part of it: the session is there afterwards."""

    async def turn(self, session: str, text: str, stream: bool) -> str: ...

    async def close(self) -> None: ...


def add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


class Worker:
    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._turns = 0

    def _pids(self) -> list[int]:
        return getattr(self._subject, "pids", None) or [os.getpid()]

    async def do(self, request: dict[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "open":
                await self._subject.open(request["model_url"], request["store"])
                # Of this process so far: interpreter, imports, opening.
                return {"start_cpu_s": cpu_seconds(os.getpid()), "rss_mb": self._rss()}
            case "turns":
                return await self._measure(request["sessions"], request["stream"])
            case "seed":
                return await self._seed(request["sessions"][0], request["turns"])
            case "concurrent":
                return await self._together(request["sessions"], request["turns"])
            case "rss":
                return {"rss_mb": self._rss()}
            case _:
                return await self._subject.special(request)  # type: ignore[attr-defined,no-any-return]

    def _rss(self) -> float:
        return sum(map(rss_mb, self._pids()))

    async def _turn(self, session: str, stream: bool) -> None:
        self._turns += 1
        text = await self._subject.turn(session, f"Question {self._turns}: what is 1 + 2?", stream)
        if not text.startswith(FINAL_START):
            raise RuntimeError(f"not the expected answer: {text!r}")

    async def _measure(self, sessions: list[str], stream: bool) -> dict[str, Any]:
        """One turn in each of the sessions."""
        for session in sessions:
            await self._subject.prepare(session)
        pids = self._pids()
        cpu, wall = cpu_of(pids), time.perf_counter()
        for session in sessions:
            await self._turn(session, stream)
        wall, cpu = time.perf_counter() - wall, cpu_of(pids) - cpu
        return {"cpu_ms": cpu * 1e3 / len(sessions), "wall_ms": wall * 1e3 / len(sessions)}

    async def _seed(self, session: str, turns: int) -> dict[str, Any]:
        """History, quickly: without what the openai client spends on looking through its arguments."""
        await self._subject.prepare(session)
        restore = _without_transform()
        try:
            for _ in range(turns):
                await self._turn(session, stream=False)
        finally:
            restore()
        return {}

    async def _together(self, sessions: list[str], turns: int) -> dict[str, Any]:
        for session in sessions:
            await self._subject.prepare(session)
        done, failures = 0, []

        async def one(session: str) -> None:
            nonlocal done
            for _ in range(turns):
                try:
                    await self._turn(session, stream=False)
                    done += 1
                except Exception as error:  # noqa: BLE001 - a turn that fails is what we count here
                    failures.append(f"{type(error).__name__}: {error}"[:200])

        cpu, wall = cpu_of(self._pids()), time.perf_counter()
        tasks = [asyncio.create_task(one(session)) for session in sessions]
        _, late = await asyncio.wait(tasks, timeout=CONCURRENT_LIMIT)
        wall, cpu = time.perf_counter() - wall, cpu_of(self._pids()) - cpu
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return {
            "turns": done,
            "turns_s": done / wall,
            "cpu_ms": cpu * 1e3 / max(1, done),
            "failed": len(sessions) * turns - done,
            "first_failure": failures[0] if failures else None,
        }


def _without_transform() -> Any:
    """Switches the openai client's walk through all messages off; gives back what switches it on."""
    completions = sys.modules.get("openai.resources.chat.completions.completions")
    kept = getattr(completions, "async_maybe_transform", None)
    if kept is None:
        return lambda: None

    async def as_it_is(data: Any, _: object) -> Any:
        """Only arguments that were not given are taken out, as the original does."""
        return {key: value for key, value in data.items() if type(value).__name__ not in {"NotGiven", "Omit"}}

    completions.async_maybe_transform = as_it_is  # type: ignore[union-attr]
    return lambda: setattr(completions, "async_maybe_transform", kept)


async def work(name: str) -> None:
    module, _, kind = name.partition(":")
    subject: Subject = getattr(importlib.import_module(module), kind)()
    worker = Worker(subject)
    # What libraries print must not get into our answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    reader = asyncio.StreamReader(limit=2**24)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(0), "rb")
    )
    while line := await reader.readline():
        request = json.loads(line)
        try:
            if request["do"] == "close":
                await subject.close()
                return
            answer = await worker.do(request)
        except Exception as error:  # noqa: BLE001 - the driver decides what a failure means
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    run(work(sys.argv[1]))
