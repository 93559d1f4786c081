"""What Spotter costs when nobody uses it: seconds to the first answer, CPU and memory while idle.

    python bench/idle.py [--seconds 20] [--runs 5]

Measures `spotter up` with its own database, in a folder that is deleted afterwards. Run it on a quiet machine.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil

SPOTTER = str(Path(sys.executable).with_name("spotter"))
_HANG = 60.0


@dataclass(frozen=True)
class Use:
    cpu: float
    rss: float
    pss: float | None


def _environment(data_dir: Path) -> dict[str, str]:
    ours = ("SPOTTER_", "DATABASE_", "PYTHONDONT")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    return {**kept, "SPOTTER_DATA_DIR": str(data_dir)}


@contextmanager
def running(data_dir: Path) -> Iterator[tuple[psutil.Process, float]]:
    """The server, and the seconds from its start to its first answer."""
    ready = data_dir.with_name(data_dir.name + ".ready")
    command = [SPOTTER, "up", "--port", "0", "--ready-file", str(ready)]
    began = time.monotonic()
    with subprocess.Popen(
        command, env=_environment(data_dir), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            while not ready.exists():
                if server.poll() is not None or time.monotonic() - began > _HANG:
                    raise SystemExit("spotter up does not start")
                time.sleep(0.01)
            with urllib.request.urlopen(json.loads(ready.read_text())["url"] + "/api/health") as answer:
                answer.read()
            yield psutil.Process(server.pid), time.monotonic() - began
        finally:
            server.terminate()
            try:
                server.wait(_HANG)
            except subprocess.TimeoutExpired:
                server.kill()


def postgres_of(data_dir: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["name"]):
        with suppress(psutil.Error):
            if process.info["name"] == "postgres" and process.cwd().startswith(f"{data_dir}/"):
                found.append(process)
    return found


def cpu_seconds(processes: list[psutil.Process]) -> float:
    """Of these and of the children they have waited for: connections that came and went count too."""
    total = 0.0
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def memory(processes: list[psutil.Process]) -> tuple[float, float | None]:
    """Megabytes. PSS shares what is shared fairly; of several processes RSS counts it several times."""
    rss, pss = 0.0, 0.0
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            rss += process.memory_info().rss
            with suppress(psutil.AccessDenied, AttributeError):
                pss += process.memory_full_info().pss
    return rss / 1e6, pss / 1e6 or None


def idle(data_dir: Path, seconds: float) -> dict[str, Use]:
    with running(data_dir) as (server, _):
        time.sleep(5)  # what follows a start
        groups = {"server": [server], "PostgreSQL": postgres_of(data_dir)}
        before = {name: cpu_seconds(group) for name, group in groups.items()}
        began = time.monotonic()
        time.sleep(seconds)
        passed = time.monotonic() - began
        return {
            name: Use(100 * (cpu_seconds(group) - before[name]) / passed, *memory(group))
            for name, group in groups.items()
        }


def help_cpu() -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([SPOTTER, "--help"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="spotter-idle-"))
    folder.chmod(0o755)  # as root, PostgreSQL runs as somebody else
    try:
        data_dir = folder / "data"
        with running(data_dir) as (_, first):
            pass
        starts = []
        for _ in range(options.runs):
            with running(data_dir) as (_, took):
                starts.append(took)
        used = idle(data_dir, options.seconds)
        print(f"load of the machine          {os.getloadavg()[0]:8.2f}")
        print(f"spotter --help               {min(help_cpu() for _ in range(3)):8.2f} s of CPU")
        print(f"first start, from nothing    {first:8.2f} s")
        print(f"start to first answer        {median(starts):8.2f} s   (best {min(starts):.2f})")
        for name, use in used.items():
            pss = f", {use.pss:.0f} MB PSS" if use.pss else ""
            print(f"idle {name:<23} {use.cpu:8.2f} % of a core, {use.rss:.0f} MB RSS{pss}")
        print(f"idle together                {sum(use.cpu for use in used.values()):8.2f} % of a core")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
