"""Conversations by voice whose time is over: ended, settled, and whoever still speaks is told to stop."""

from spotter.billing.ledger import Ledger
from spotter.runtime.speech import announce
from spotter.sessions.log import SessionLog
from spotter.voice.transcripts import end_overdue
from spotter.work.job import JobCall

_OVERDUE = """
    SELECT org_id, id FROM voice_sessions WHERE ended_at IS NULL AND ends_at < now() ORDER BY ends_at LIMIT 1000
"""


async def end_voices(call: JobCall) -> None:
    workshop = call.workshop
    async with await workshop.as_job() as connection:
        rows = await (await connection.execute(_OVERDUE.encode())).fetchall()
    if not rows:
        return
    log = SessionLog(workshop.database.hot, Ledger.for_database(workshop.database))
    for org_id, voice_id in rows:
        ended = await end_overdue(workshop.database, log, org_id, voice_id)
        if ended is not None:
            announce(workshop.bus, *ended)
