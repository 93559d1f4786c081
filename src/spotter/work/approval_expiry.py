"""Requests that nobody decided about in time: they are denied, and their turns go on."""

import logging
from uuid import UUID

from spotter.errors import NotFound
from spotter.runtime import approval_decisions
from spotter.runtime.speech import announce
from spotter.sessions.log import SessionLog
from spotter.store.scope import Scope
from spotter.work.job import JobCall, Workshop

log = logging.getLogger(__name__)

_RUN_OUT = """
    SELECT org_id, id FROM approvals WHERE settled_at IS NULL AND decided_at IS NULL AND expires_at <= now()
    ORDER BY expires_at LIMIT 1000
"""


async def expire_approvals(call: JobCall) -> None:
    async with await call.workshop.as_job() as connection:
        rows = await (await connection.execute(_RUN_OUT.encode())).fetchall()
    for org_id, approval_id in rows:
        await _expire(call.workshop, org_id, approval_id)


async def _expire(workshop: Workshop, org_id: UUID, approval_id: UUID) -> None:
    database = workshop.database
    try:
        async with database.unit_of_work(Scope(org_id, None, "service")) as uow:
            expired = await approval_decisions.expire(uow, SessionLog(database.hot), approval_id)
    except NotFound:
        log.info("a request was gone before it ran out", extra={"approval_id": str(approval_id)})
        return
    if expired is not None:
        approval = expired.approval
        announce(workshop.bus, approval.session_id, expired.sequence, approval.user_id)
