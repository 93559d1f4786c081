"""CPU time of whole processes, those that are not ours too. Standard library only: every peer's venv loads it."""

import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path


def cpu_seconds(pid: int) -> float:
    """All threads, those that have ended too. To the nanosecond: Linux has a clock for every process."""
    if pid == os.getpid():
        return time.process_time()
    if sys.platform != "linux":
        import psutil  # noqa: PLC0415 - only there

        times = psutil.Process(pid).cpu_times()
        return float(times.user + times.system)
    return time.clock_gettime((~pid << 3) | 2)


def cpu_of(pids: Iterable[int]) -> float:
    return sum(map(cpu_seconds, pids))


def rss_mb(pid: int | str = "self") -> float:
    """Memory in use now; 0 where there is no /proc."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0.0
    lines = status.read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))
