"""Sealing the audit log: what was committed since the last look gets its place in the chain."""

import asyncio
from typing import Final

from procrastinate import BaseConnector

from spotter.identity import audit_chain
from spotter.store.database import Database
from spotter.tasks import end_tasks
from spotter.work.looking import helping_one, looking_for

# Found by an index of unsealed entries only. The limit keeps one look short after a long outage; the next goes on.
_UNSEALED: Final = """
    SELECT DISTINCT org_id FROM (
        SELECT org_id FROM public.audit_log WHERE chain_number IS NULL LIMIT 10000
    ) AS unsealed
"""


class Sealer:
    """Any number may run: of one organisation only one seals at a time, the others leave it to that one."""

    def __init__(self, connector: BaseConnector, database: Database, *, every: float) -> None:
        self._connector = connector
        self._database = database
        self._every = every
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._keep_looking(), name="sealer")

    async def stop(self) -> None:
        await end_tasks(self._task)

    async def _keep_looking(self) -> None:
        while True:
            with looking_for("what is to be sealed"):
                await self.look()
            await asyncio.sleep(self._every)

    async def look(self) -> None:
        for row in await self._connector.execute_query_all_async(_UNSEALED):
            with helping_one(f"what organisation {row['org_id']} has to be sealed"):
                await audit_chain.seal(self._database, row["org_id"])
