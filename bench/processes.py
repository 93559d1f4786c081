"""The processes of a run: the fake model server, the database server, one worker for each subject. Each ended by id."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil
import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from bench.peers.cpu import cpu_seconds
from spotter.store.embedded import EmbeddedPostgres

ROOT = Path(__file__).parents[1]
_PATIENCE = 180.0
_GRACE = 20.0


class SubjectFailed(Exception):
    pass


@asynccontextmanager
async def ended(process: asyncio.subprocess.Process) -> AsyncIterator[asyncio.subprocess.Process]:
    try:
        yield process
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            try:
                await asyncio.wait_for(process.wait(), _GRACE)
            except TimeoutError:
                process.kill()
                await process.wait()


@asynccontextmanager
async def fake_openai() -> AsyncIterator[str]:
    """The base URL of a model server that costs nothing."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.fake_openai", cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    async with ended(process):
        assert process.stdout is not None
        port = int(await process.stdout.readline())
        yield f"http://127.0.0.1:{port}/v1"


class Postgres:
    """The embedded server, and what it costs."""

    def __init__(self, server: EmbeddedPostgres, postmaster: int) -> None:
        self._server = server
        self._postmaster = psutil.Process(postmaster)

    @classmethod
    @asynccontextmanager
    async def started(cls, folder: Path) -> AsyncIterator["Postgres"]:
        async with EmbeddedPostgres(folder) as server:
            found = next((folder / "postgres").glob("*/postmaster.pid"))
            yield cls(server, int(found.read_text(encoding="ascii").split()[0]))

    async def create(self, name: str) -> str:
        """An empty database; its owner's URL."""
        async with await self._superuser() as connection:
            await connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER spotter_owner").format(sql.Identifier(name))
            )
        return _as_url(make_conninfo(self._server.owner_url, dbname=name))

    async def _superuser(self, name: str | None = None) -> "psycopg.AsyncConnection[Any]":
        url = make_conninfo(self._server.superuser_url, **({"dbname": name} if name else {}))
        return await psycopg.AsyncConnection.connect(url, autocommit=True)

    def cpu(self, name: str) -> dict[int, float]:
        """Of the backends that serve a database and of the server's own processes, by process."""
        found: dict[int, float] = {}
        for process in (self._postmaster, *self._postmaster.children()):
            with suppress(psutil.Error, OSError):
                title = " ".join(process.cmdline())
                # "postgres: login database [local] idle"; the server's own processes name no login.
                other = "[local]" in title and f" {name} [local]" not in title
                if not other:
                    found[process.pid] = cpu_seconds(process.pid)
        return found

    async def size(self, name: str) -> int:
        """Bytes of all tables with their indexes and TOAST, after a checkpoint."""
        async with await self._superuser(name) as connection:
            await connection.execute("CHECKPOINT")
            row = await (
                await connection.execute(
                    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
                    "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'm') "
                    "AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')"
                )
            ).fetchone()
        assert row is not None
        return int(row[0])

    async def tables(self, name: str) -> dict[str, int]:
        async with await self._superuser(name) as connection:
            rows = await (
                await connection.execute(
                    "SELECT relname, pg_total_relation_size(relid) FROM pg_stat_user_tables "
                    "WHERE pg_total_relation_size(relid) > 65536 ORDER BY 2 DESC"
                )
            ).fetchall()
        return dict(rows)

    async def vacuum(self, name: str) -> None:
        async with await self._superuser(name) as connection:
            await connection.execute("VACUUM")

    def rss_mb(self) -> float:
        """Private memory of all its processes; the shared buffers are not counted again for each of them."""
        total = 0
        for process in (self._postmaster, *self._postmaster.children()):
            with suppress(psutil.Error):
                info = process.memory_info()
                total += info.rss - getattr(info, "shared", 0)
        return total / 2**20


def difference(before: dict[int, float], after: dict[int, float]) -> float:
    """Seconds. A backend that has come meanwhile counts from its start."""
    return sum(seconds - before.get(pid, 0.0) for pid, seconds in after.items())


def _as_url(conninfo: str) -> str:
    """As a URL with the socket's folder in its query, which every driver understands."""
    parts = conninfo_to_dict(conninfo)
    return (
        f"postgresql://{parts['user']}:{parts['password']}@/{parts['dbname']}"
        f"?host={parts['host']}&port={parts.get('port', 5432)}"
    )


@dataclass(slots=True)
class Subject:
    """What is measured: a class, the Python it runs in, where it keeps its data."""

    name: str
    target: str
    python: str
    store: str
    postgres: Postgres | None = None
    database: str = ""
    peer: bool = True
    process: asyncio.subprocess.Process | None = None
    failure: str | None = None
    results: dict[str, Any] = field(default_factory=dict)

    async def start(self, model_url: str, log: Path, environment: dict[str, str]) -> dict[str, Any]:
        with log.open("ab") as errors:
            self.process = await asyncio.create_subprocess_exec(
                self.python,
                "-m",
                "bench.peers.worker",
                self.target,
                cwd=ROOT,
                env={**_clean_environment(), **environment},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                limit=2**24,
            )
        return await self.ask("open", model_url=model_url, store=self.store)

    async def ask(self, do: str, **more: Any) -> dict[str, Any]:
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"do": do, **more}).encode() + b"\n")
        try:
            line = await asyncio.wait_for(self.process.stdout.readline(), _PATIENCE)
        except TimeoutError:
            raise SubjectFailed(f"{self.name}: {do} took longer than {_PATIENCE:.0f} s") from None
        answer: dict[str, Any] = json.loads(line) if line else {"error": "the process ended"}
        if "error" in answer:
            raise SubjectFailed(f"{self.name}: {do}: {answer['error']}")
        return answer

    def postgres_cpu(self) -> dict[int, float]:
        return {} if self.postgres is None else self.postgres.cpu(self.database)

    async def stop(self) -> None:
        if self.process is None:
            return
        async with ended(self.process):
            assert self.process.stdin is not None
            self.process.stdin.write(b'{"do": "close"}\n')
            with suppress(TimeoutError):
                await asyncio.wait_for(self.process.wait(), _GRACE)
        self.process = None

    def again(self) -> "Subject":
        """The same in a fresh process."""
        return replace(self, process=None, failure=None, results={})


def _clean_environment() -> dict[str, str]:
    """Nothing of ours, and nobody calls home."""
    left_out = ("SPOTTER_", "DATABASE_", "OPENAI_", "ANTHROPIC_", "LANG", "PYTHONDONT")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
    return {
        **kept,
        "LANG": "C.UTF-8",
        "OPENAI_API_KEY": "none",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "AGNO_TELEMETRY": "false",
        "LANGSMITH_TRACING": "false",
    }


def rotated(subjects: Iterable[Subject], by: int) -> list[Subject]:
    alive = [subject for subject in subjects if subject.failure is None]
    by %= max(1, len(alive))
    return alive[by:] + alive[:by]
