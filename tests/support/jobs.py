"""The queue as its administrator sees it: what a test checks, and what it breaks on purpose."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from spotter.store.embedded.database import Database

_WAKE = 'SELECT pg_notify(\'procrastinate_any_queue_v1\', \'{"type": "job_inserted", "job_id": 0}\')'


@dataclass(frozen=True, slots=True)
class Queue:
    """Through a superuser's connection: neither rights nor policies are in its way."""

    connection: psycopg.AsyncConnection[dict[str, Any]]

    async def rows(self, query: str, *parameters: object) -> list[dict[str, Any]]:
        cursor = await self.connection.execute(query.encode(), parameters)
        return await cursor.fetchall() if cursor.description else []

    async def job(self, job_id: int) -> dict[str, Any]:
        (row,) = await self.rows("SELECT * FROM queue.procrastinate_jobs WHERE id = %s", job_id)
        return row

    async def status(self, job_id: int) -> str:
        return str((await self.job(job_id))["status"])

    async def reaches(self, job_id: int, *statuses: str, timeout: float = 150) -> dict[str, Any]:
        """The job once it is in one of these states."""
        deadline = time.monotonic() + timeout
        while (row := await self.job(job_id))["status"] not in statuses:
            assert time.monotonic() < deadline, f"the job is {row['status']} after {timeout} s: {row}"
            await asyncio.sleep(0.02)
        return row

    async def counts(self) -> dict[str, int]:
        rows = await self.rows("SELECT status, count(*) FROM queue.procrastinate_jobs GROUP BY status")
        return {row["status"]: row["count"] for row in rows}

    async def settles(self, timeout: float = 300) -> dict[str, int]:
        """How many jobs are in which final state, once nothing waits or runs any more."""
        deadline = time.monotonic() + timeout
        while (counts := await self.counts()).keys() & {"todo", "doing", "aborting"}:
            assert time.monotonic() < deadline, f"after {timeout} s there is still something to do: {counts}"
            await asyncio.sleep(0.05)
        return counts

    async def defer(self, org_id: UUID, label: str, pause: float, task: str = "work.selftest") -> int:
        """As the application does it, in one statement."""
        rows = await self.rows(
            "SELECT queue.spotter_defer('upkeep', %s, 0, NULL, NULL, %s, NULL) AS id"
            " FROM set_config('spotter.org_id', %s, false)",
            task,
            Jsonb({"label": label, "pause": pause}),
            str(org_id),
        )
        return int(rows[0]["id"])

    async def demo(self) -> UUID:
        (row,) = await self.rows("SELECT id FROM organisations WHERE slug = 'demo'")
        return UUID(str(row["id"]))

    async def make_due(self) -> None:
        await self.rows("UPDATE queue.procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo'")
        await self.rows(_WAKE)

    async def receipts(self) -> set[int]:
        return {row["job_id"] for row in await self.rows("SELECT job_id FROM queue.spotter_receipts")}

    async def ran(self, org_id: UUID) -> dict[str, int]:
        """How often each label of `work.selftest` took effect."""
        rows = await self.rows(
            "SELECT target, count(*) FROM audit_log WHERE org_id = %s AND action = 'selftest.ran' GROUP BY target",
            org_id,
        )
        return {row["target"]: row["count"] for row in rows}

    async def clear(self) -> None:
        await self.rows("TRUNCATE queue.procrastinate_jobs, queue.spotter_receipts CASCADE")


def superuser_of(data_dir: Path) -> str:
    """The administrator's address of an embedded server, without joining it."""
    folder = data_dir / "postgres"
    secrets = [(folder / f"{name}.password").read_text().strip() for name in ("superuser", "owner")]
    return Database(folder / "socket", *secrets).superuser_url


@asynccontextmanager
async def queue_at(superuser_url: str) -> AsyncIterator[Queue]:
    async with await psycopg.AsyncConnection.connect(
        superuser_url, autocommit=True, row_factory=dict_row, options="-c search_path=queue,public"
    ) as connection:
        yield Queue(connection)
