"""From running back to waiting: after an error, a shutdown, or the death of the worker."""

import json

from procrastinate import BaseConnector

# - Only from the worker that had it: meanwhile another may have taken the job over, or it may have ended.
# - At most one job with the same queueing lock may wait; if another does, this one waits without it.
# - Idle workers are told, or they would find the job at their next look only.
_HAND_BACK = """
    WITH back AS (
        UPDATE queue.procrastinate_jobs AS job
        SET status = 'todo',
            attempts = attempts + %(counted)s,
            scheduled_at = now() + make_interval(secs => %(wait)s),
            worker_id = NULL,
            abort_requested = false,
            queueing_lock = CASE WHEN EXISTS (
                SELECT 1 FROM queue.procrastinate_jobs AS other
                WHERE other.status = 'todo' AND other.queueing_lock = job.queueing_lock
            ) THEN NULL ELSE queueing_lock END
        WHERE id = %(job_id)s AND status = 'doing' AND worker_id IS NOT DISTINCT FROM %(worker_id)s
        RETURNING id
    )
    SELECT pg_notify(
        'procrastinate_any_queue_v1', json_build_object('type', 'job_inserted', 'job_id', id)::text
    ) FROM back
"""


async def hand_back(
    connector: BaseConnector,
    job_id: int,
    worker_id: int | None,
    *,
    counted: bool = True,
    wait: float = 0,
) -> bool:
    """False when the job was not this worker's any more. What is not `counted` leaves it as if it had not run."""
    rows = await connector.execute_query_all_async(
        _HAND_BACK, job_id=job_id, worker_id=worker_id, counted=int(counted), wait=wait
    )
    return bool(rows)


async def announce_waiting(connector: BaseConnector) -> None:
    """Who waited for a lock may go on: workers look at once instead of at their next look."""
    await connector.execute_query_async(
        "SELECT pg_notify('procrastinate_any_queue_v1', %(payload)s)",
        payload=json.dumps({"type": "job_inserted", "job_id": 0}),
    )
