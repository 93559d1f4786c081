"""What an audited tool call costs more than one that is not: CPU of the database and of the client, bytes, and sealing.

Both kinds are appended in turn to sessions of one database, with the function of this version and with the one before
it. Run: .venv/bin/python -m bench.audit_cost [appends]
"""

import asyncio
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
import psycopg

from spotter.app import Ground, House, ground, house, migrated
from spotter.identity import audit_chain
from spotter.sessions import directory
from spotter.sessions.events import Result, UserMessage
from spotter.sessions.log import Lease, SessionLog, Turn
from spotter.settings import Settings
from spotter.store.migrations import audit_functions, session_functions
from tests.support.people import Gym, open_gym

_OLD = session_functions.INSERT_EVENTS.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
_SIZES = "SELECT pg_table_size('audit_log') + pg_indexes_size('audit_log') AS size"


def _server_cpu(server: psutil.Process) -> float:
    """Seconds of the server's processes."""
    processes = [server, *server.children()]
    return sum(times.user + times.system for times in (process.cpu_times() for process in processes))


async def _append(home: House, gym: Gym, server: psutil.Process, count: int) -> tuple[float, float, float]:
    """Microseconds of wall, server and client for each append."""
    log, scope = SessionLog(home.services.database.hot), gym.member.scope
    async with home.services.database.unit_of_work(scope) as uow:
        session_id = (await directory.create(uow, "tester")).id
    turn = await log.open_turn(scope, session_id, UserMessage(text="go"), Lease(owner=1, seconds=3600))
    assert isinstance(turn, Turn)
    results = [
        Result(tool="view_class_schedule", call_id=f"call_{n:024}", formatted="x" * 400, ms=12)
        for n in range(count)
    ]
    for result in results[:50]:
        await log.append(scope, session_id, [result], fence=turn.fence)
    before, client, started = (
        _server_cpu(server),
        resource.getrusage(resource.RUSAGE_SELF),
        time.perf_counter(),
    )
    for result in results:
        await log.append(scope, session_id, [result], fence=turn.fence)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_SELF)
    used = after.ru_utime + after.ru_stime - client.ru_utime - client.ru_stime
    return tuple(each / count * 1e6 for each in (wall, _server_cpu(server) - before, used))  # type: ignore[return-value]


async def _size(owner: psycopg.AsyncConnection[Any]) -> int:
    await owner.execute("VACUUM audit_log")
    row = await (await owner.execute(_SIZES)).fetchone()
    assert row is not None
    return int(row[0])


async def _measure(base: Ground, home: House, count: int, rounds: int) -> None:
    (file,) = base.settings.data_dir.rglob("postmaster.pid")
    server = psutil.Process(int(file.read_text().split()[0]))
    gym = await open_gym(home)
    async with await psycopg.AsyncConnection.connect(base.urls.owner, autocommit=True) as owner:
        best: dict[str, list[tuple[float, float, float]]] = {"before": [], "audited": []}
        for _ in range(rounds):
            for name, function in (("before", _OLD), ("audited", audit_functions.INSERT_EVENTS)):
                await owner.execute(function.encode())
                best[name].append(await _append(home, gym, server, count))
        for name, runs in best.items():
            wall, theirs, ours = (min(column) for column in zip(*runs, strict=True))
            print(f"{name:8}  wall {wall:6.0f} µs  server CPU {theirs:6.0f} µs  client CPU {ours:6.0f} µs")
        entries = rounds * (count + 50)
        unsealed = await _size(owner)
        before, started = _server_cpu(server), time.perf_counter()
        sealed = await audit_chain.seal(home.services.database, gym.org_id)
        wall = time.perf_counter() - started
        used = _server_cpu(server) - before
        print(f"sealing   wall {wall / sealed * 1e6:6.0f} µs  server CPU {used / sealed * 1e6:6.0f} µs each")
        await owner.execute("VACUUM FULL audit_log")
        print(
            f"bytes     {unsealed / entries:.0f} unsealed, {await _size(owner) / entries:.0f} sealed (rewritten)"
        )
        async with home.services.database.unit_of_work(gym.owner.scope) as uow:
            started = time.perf_counter()
            found = await audit_chain.check(await uow.driver(), gym.org_id)
            took = time.perf_counter() - started
        print(f"checking  {took / found.entries * 1e6:6.0f} µs each, good: {found.good}")


async def _run(folder: Path, count: int, rounds: int) -> None:
    settings = Settings(data_dir=folder / "data", log_level="WARNING")
    async with ground(settings) as base:
        await migrated(base)
        async with house(base) as home:
            await _measure(base, home, count, rounds)


def main(count: int, rounds: int = 5) -> None:
    with tempfile.TemporaryDirectory(prefix="audit-bench-") as folder:
        Path(folder).chmod(0o755)
        asyncio.run(_run(Path(folder), count, rounds))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
