"""What is kept how long: finished jobs a day, failed ones a week, stored answers and used tickets a day,
snapshots of pages 90 days."""

import logging

from spotter.work.job import JobCall

log = logging.getLogger(__name__)

_STATEMENTS = {
    "succeeded jobs": """
        DELETE FROM queue.procrastinate_jobs j
        WHERE j.status IN ('succeeded', 'cancelled', 'aborted') AND coalesce(
            (SELECT max(e.at) FROM queue.procrastinate_events e WHERE e.job_id = j.id), now()
        ) < now() - interval '24 hours'
    """,
    "failed jobs": """
        DELETE FROM queue.procrastinate_jobs j
        WHERE j.status = 'failed' AND coalesce(
            (SELECT max(e.at) FROM queue.procrastinate_events e WHERE e.job_id = j.id), now()
        ) < now() - interval '7 days'
    """,
    # A receipt outlives its job: only then can no run of it come any more.
    "receipts": """
        DELETE FROM queue.spotter_receipts r
        WHERE r.at < now() - interval '24 hours'
            AND NOT EXISTS (SELECT 1 FROM queue.procrastinate_jobs j WHERE j.id = r.job_id)
    """,
    "context snapshots": "DELETE FROM context_snapshots WHERE created_at < now() - interval '90 days'",
    # They are good for half a minute, so nobody can bring one again.
    "used tickets": "DELETE FROM used_tickets WHERE created_at < now() - interval '24 hours'",
    "stored answers": "DELETE FROM idempotent_answers WHERE created_at < now() - interval '24 hours'",
}


async def sweep(call: JobCall) -> None:
    connection = await call.workshop.as_job()
    async with connection:
        for what, statement in _STATEMENTS.items():
            gone = await connection.execute(statement.encode())
            if gone.rowcount:
                log.info("swept", extra={"what": what, "rows": gone.rowcount})
