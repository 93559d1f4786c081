"""Enqueueing a job in the transaction that makes it necessary.

Runtime may only call three functions of the `queue` schema: defer, leave a receipt, count workers. It
cannot read jobs, so it cannot read another tenant's. The organisation of a job is taken by the database
from the transaction, never from the caller.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

import psycopg
from psycopg.types.json import Jsonb

from spotter.logs import correlation_id

JobArgument: TypeAlias = str | int | bool | None


@dataclass(frozen=True, slots=True)
class JobToDefer:
    task: str
    queue_name: str
    priority: int
    lock: str | None
    queueing_lock: str | None
    at: datetime | None
    args: dict[str, JobArgument]


async def defer(connection: psycopg.AsyncConnection[Any], job: JobToDefer) -> int | None:
    cursor = await connection.execute(
        "SELECT queue.spotter_defer(%s, %s, %s, %s, %s, %s, %s)",
        (
            job.queue_name,
            job.task,
            job.priority,
            job.lock,
            job.queueing_lock,
            Jsonb({**job.args, "correlation_id": correlation_id.get()}),
            job.at,
        ),
    )
    row = await cursor.fetchone()
    assert row is not None
    return None if row[0] is None else int(row[0])


async def leave_receipt(connection: psycopg.AsyncConnection[Any], job_id: int) -> bool:
    """True the first time; False when this job's effect is already committed. A second worker on the same
    job waits here until the first one has committed or rolled back, so the effect happens once."""
    cursor = await connection.execute("SELECT queue.spotter_leave_receipt(%s)", (job_id,))
    row = await cursor.fetchone()
    assert row is not None
    return bool(row[0])
