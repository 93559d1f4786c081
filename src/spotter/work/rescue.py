"""Handing back jobs whose worker died."""

import asyncio
import logging

from procrastinate import BaseConnector

from spotter.store.bus import Bus
from spotter.tasks import end_tasks
from spotter.work.handing_back import hand_back
from spotter.work.looking import looking_for

log = logging.getLogger(__name__)

_RUNNING = "SELECT id, worker_id, attempts FROM queue.procrastinate_jobs WHERE status = 'doing'"
_AT_ONCE = 3
_LONGEST_WAIT = 300


class Rescue:
    """A job is handed back when its worker's lock was missing in two looks in a row: a connection that is
    being re-established must not cost its worker its jobs. Should that happen all the same, the receipt
    keeps the effect from happening twice.

    `unwritten` are jobs of the worker in this process that ended while the database was away."""

    def __init__(
        self, connector: BaseConnector, bus: Bus, lock_class: int, *, every: float, unwritten: set[int]
    ) -> None:
        self._connector = connector
        self._bus = bus
        self._lock_class = lock_class
        self._every = every
        self._unwritten = unwritten
        self._suspects: set[tuple[int, int | None]] = set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._keep_looking(), name="rescue")

    async def stop(self) -> None:
        await end_tasks(self._task)

    async def _keep_looking(self) -> None:
        while True:
            with looking_for("abandoned jobs"):
                await self.look()
            await asyncio.sleep(self._every)

    async def look(self) -> None:
        rows = await self._connector.execute_query_all_async(_RUNNING)
        if not rows:
            self._suspects.clear()
            self._unwritten.clear()
            return
        alive = await self._bus.live_holders(self._lock_class)
        orphans = {(row["id"], row["worker_id"]) for row in rows if row["worker_id"] not in alive}
        for row in rows:
            key = (row["id"], row["worker_id"])
            if key in orphans & self._suspects or row["id"] in self._unwritten:
                await self._hand_back(*key, attempts=row["attempts"])
        self._suspects = orphans

    async def _hand_back(self, job_id: int, worker_id: int | None, *, attempts: int) -> None:
        # A job that takes its worker down each time must not do so without a pause.
        wait = 0 if attempts < _AT_ONCE else min(2 ** (attempts - _AT_ONCE + 1), _LONGEST_WAIT)
        if await hand_back(self._connector, job_id, worker_id, wait=wait):
            log.warning("handed back a job whose worker died", extra={"job_id": job_id, "wait": wait})
        self._unwritten.discard(job_id)
