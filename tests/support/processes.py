"""Real `spotter` processes. Each is ended by its id, however a test goes."""

import asyncio
import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

import psutil

SPOTTER = str(Path(sys.executable).with_name("spotter"))
FORKED = "{spotter, by the fork server}"
_HANG = 240.0
READY = "{ready file}"
"""Stands for the path of the ready file in a command."""


def plain_environment(**more: str) -> dict[str, str]:
    """Of this process, without any of our settings."""
    ours = ("SPOTTER_", "DATABASE_", "QUEUE_", "PYTHONDONT", "PYTEST")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours) and key != "PORT"}
    return {**kept, "SPOTTER_LOG_FORMAT": "json", **more}


@dataclass(frozen=True, slots=True)
class Finished:
    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """What it printed, which must be one line."""
        assert self.code == 0, f"ended with {self.code}: {self.err}"
        (line,) = self.out.splitlines()
        return line


class Forked:
    """A process of the fork server, with the face of `subprocess.Popen`."""

    def __init__(self, pid: int, exit_path: Path) -> None:
        self.pid = pid
        self._exit_path = exit_path

    @property
    def returncode(self) -> int | None:
        return self.poll()

    def poll(self) -> int | None:
        return int(self._exit_path.read_text()) if self._exit_path.exists() else None

    def wait(self, timeout: float = _HANG) -> int:
        deadline = time.monotonic() + timeout
        while (code := self.poll()) is None:
            assert time.monotonic() < deadline, f"process {self.pid} does not end"
            time.sleep(0.002)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkServer:
    """See `forkserver.py`. One for each test process; it ends when that does."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forkserver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            env=plain_environment(),
            start_new_session=True,
        )
        self._turn = threading.Lock()
        atexit.register(self._close)

    def spawn(
        self, arguments: Sequence[str], environment: Mapping[str, str], out: Path, err: Path, exit_path: Path
    ) -> Forked:
        order = {
            "arguments": list(arguments),
            "environment": dict(environment),
            "out": str(out),
            "err": str(err),
            "exit": str(exit_path),
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._turn:
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
            return Forked(int(self._process.stdout.readline()), exit_path)

    def _close(self) -> None:
        self._process.communicate()


@cache
def fork_server() -> ForkServer:
    return ForkServer()


class Program:
    """A process that runs until it is told to end, or ends by itself."""

    def __init__(self, command: list[str], environment: Mapping[str, str], folder: Path, name: str) -> None:
        self._output = folder / f"{name}.out"
        self._errors = folder / f"{name}.err"
        self.ready_path = folder / f"{name}.ready"
        command = [part if part != READY else str(self.ready_path) for part in command]
        self._output.touch()
        self._errors.touch()
        self.process: subprocess.Popen[bytes] | Forked
        if command[0] == FORKED:
            exit_path = folder / f"{name}.exit"
            self.process = fork_server().spawn(
                command[1:], environment, self._output, self._errors, exit_path
            )
            return
        with self._output.open("wb") as out, self._errors.open("wb") as err:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=dict(environment),
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    @property
    def out(self) -> str:
        return self._output.read_text(errors="replace")

    @property
    def err(self) -> str:
        return self._errors.read_text(errors="replace")

    async def ready(self, timeout: float = _HANG) -> str:
        """Its address, once it answers."""
        await until(lambda: not self.running or self.ready_path.exists(), timeout)
        assert self.running, f"ended with {self.process.returncode} before it was ready: {self.err[-4000:]}"
        return str(json.loads(self.ready_path.read_text())["url"])

    async def says(self, text: str, timeout: float = _HANG) -> None:
        await until(lambda: not self.running or text in self.err or text in self.out, timeout)
        assert text in self.err or text in self.out, (
            f"it never said {text!r}: {self.out[-2000:]} {self.err[-4000:]}"
        )

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        """As a power cut would."""
        self.process.kill()
        self.process.wait()

    async def ended(self, timeout: float = _HANG) -> int:
        await until(lambda: not self.running, timeout)
        return self.process.wait()

    async def stop(self, timeout: float = _HANG) -> int:
        self.process.terminate()
        return await self.ended(timeout)

    async def finished(self, timeout: float = _HANG) -> Finished:
        return Finished(await self.ended(timeout), self.out, self.err)

    def close(self) -> None:
        if self.running:
            with suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGCONT)
            self.kill()


class Processes:
    """Starts processes and ends every one of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count(1)
        self._started: list[Program] = []

    def start(self, *command: str, environment: Mapping[str, str]) -> Program:
        program = Program(list(command), environment, self._folder, f"process-{next(self._numbers)}")
        self._started.append(program)
        return program

    def spotter(self, *arguments: str, environment: Mapping[str, str], program: str = "") -> Program:
        """Forked off, or started from nothing with `program=SPOTTER`."""
        return self.start(program or FORKED, *arguments, environment=environment)

    def server(
        self, command: str, *arguments: str, environment: Mapping[str, str], program: str = ""
    ) -> Program:
        """`up` or `serve`, on a free port, with a ready file."""
        given = (command, "--port", "0", "--ready-file", READY, *arguments)
        return self.spotter(*given, environment=environment, program=program)

    def close(self) -> None:
        for program in self._started:
            program.close()


async def spotter(*arguments: str, environment: Mapping[str, str], timeout: float = _HANG) -> Finished:
    """A command that ends by itself."""
    with tempfile.TemporaryDirectory() as folder:
        program = Program([FORKED, *arguments], environment, Path(folder), "command")
        try:
            return await program.finished(timeout)
        finally:
            program.close()


@contextmanager
def processes(folder: Path) -> Iterator[Processes]:
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    started = Processes(folder)
    try:
        yield started
    finally:
        started.close()


@asynccontextmanager
async def postgres_ended_in(data_dir: Path) -> AsyncIterator[Path]:
    """A data folder whose embedded PostgreSQL does not outlive the test."""
    try:
        yield data_dir
    finally:
        for process in postgres_of(data_dir):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        await until(lambda: not postgres_of(data_dir))


def postgres_of(data_dir: Path) -> list[psutil.Process]:
    """The embedded server of this folder and its children: a postgres is whose working folder it has."""
    found = []
    for process in psutil.process_iter(["name"]):
        try:
            if process.info["name"] == "postgres" and process.cwd().startswith(f"{data_dir}/"):
                found.append(process)
        except psutil.Error:
            continue
    return found


def kill_postgres(data_dir: Path) -> None:
    """The whole family at once."""
    for process in postgres_of(data_dir):
        with suppress(psutil.NoSuchProcess):
            process.kill()


async def until(condition: Callable[[], object], timeout: float = _HANG, every: float = 0.01) -> None:
    """Waits for it, and fails when it does not come."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"waited {timeout:.0f} s in vain"
        await asyncio.sleep(every)
