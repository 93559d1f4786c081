"""The worker: Procrastinate on our database, kept running through every outage.

Each worker holds an advisory lock on the bus's connection for as long as its process lives. A job that is
marked as running by a worker whose lock is gone was abandoned, and is handed back within seconds.
"""

import asyncio
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any
from uuid import UUID

import procrastinate
import psycopg
from procrastinate import exceptions, retry
from procrastinate.job_context import JobContext
from procrastinate.jobs import Job as QueuedJob
from procrastinate.jobs import Notification, Status
from procrastinate.manager import JobManager, NotificationCallback
from psycopg_pool import PoolTimeout
from typing_extensions import override

from spotter import traces
from spotter.clock import now
from spotter.logs import bind_log_context, correlation_id
from spotter.store.bus import Bus
from spotter.store.faults import is_connection_lost
from spotter.work.connector import QueueConnector
from spotter.work.handing_back import announce_waiting, hand_back
from spotter.work.job import AlreadyDone, Job, JobCall, Workshop
from spotter.work.rescue import Rescue
from spotter.work.sealing import Sealer
from spotter.work.watch import Pulse, Stuck, end_run, watched

log = logging.getLogger(__name__)

WORKER_LOCK = 7264
MOST_OUTAGES = 20
_LONGEST_PAUSE = 2.0
_LONGEST_WAIT = 300
_LOOK_EVERY = 2.0  # for jobs whose time comes; new ones are announced
_OUTAGES = (exceptions.ConnectorException, psycopg.Error, PoolTimeout, OSError)


class Attempts(retry.BaseRetryStrategy):
    """Exponential waits between attempts. A job cut off by a shutdown is handed back as if it had not run; an
    outage of the database is no fault of the job, which may outlast several."""

    def __init__(self, most: int, interrupted: set[int]) -> None:
        self._most = most
        self._interrupted = interrupted

    @override
    def get_retry_decision(self, *, exception: BaseException, job: QueuedJob) -> retry.RetryDecision | None:
        assert job.id is not None
        if isinstance(exception, asyncio.CancelledError | exceptions.JobAborted):
            self._interrupted.add(job.id)
            return retry.RetryDecision(retry_in={"seconds": 0})
        most = max(self._most, MOST_OUTAGES) if is_connection_lost(exception) else self._most
        if job.attempts + 1 >= most:
            return None
        return retry.RetryDecision(retry_in={"seconds": min(2 ** (job.attempts + 1), _LONGEST_WAIT)})


class _WatchedManager(JobManager):
    """Registers a worker only once its lock is held, so that it never looks abandoned while it lives.

    Also keeps note of the jobs whose end could not be written: they run no more, but look as if they did."""

    def __init__(self, connector: procrastinate.BaseConnector, bus: Bus) -> None:
        super().__init__(connector)
        self._bus = bus
        self._held: int | None = None
        self.interrupted: set[int] = set()
        self.unwritten: set[int] = set()
        self.pulse = Pulse()
        self._told = 0

    @override
    async def listen_for_jobs(
        self, *, on_notification: NotificationCallback, queues: Iterable[str] | None = None
    ) -> None:
        async def counted(*, channel: str, notification: Notification) -> None:
            self._told += 1
            await on_notification(channel=channel, notification=notification)

        await super().listen_for_jobs(on_notification=counted, queues=queues)

    @override
    async def register_worker(self) -> int:
        await self.let_go()
        self._held = worker_id = await super().register_worker()
        try:
            while not await self._bus.hold(WORKER_LOCK, worker_id):  # noqa: ASYNC110 - the bus reconnects by itself
                await asyncio.sleep(0.1)
        except asyncio.CancelledError:
            # Asked to stop before it began: its row must not look like a worker that died.
            await asyncio.shield(self.unregister_worker(worker_id))
            raise
        return worker_id

    async def let_go(self) -> None:
        if self._held is not None:
            await self._bus.release(WORKER_LOCK, self._held)
            self._held = None

    @override
    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> QueuedJob | None:
        """Once more if a job was announced meanwhile: the worker forgets all it was told when it has fetched."""
        while True:
            told = self._told
            job = await super().fetch_job(queues, worker_id)
            self.pulse.beat()
            if job is not None or told == self._told:
                return job

    @override
    async def update_heartbeat(self, worker_id: int) -> None:
        await super().update_heartbeat(worker_id)
        self.pulse.beat()  # with all hands busy nothing is fetched

    @override
    async def finish_job(self, job: QueuedJob, status: Status, delete_job: bool) -> None:
        with self._noting(job):
            await super().finish_job(job, status, delete_job)
            if job.lock is not None:
                await announce_waiting(self.connector)

    @override
    async def retry_job(
        self,
        job: QueuedJob,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        assert job.id is not None
        counted = job.id not in self.interrupted
        self.interrupted.discard(job.id)
        wait = max(0.0, (retry_at - now()).total_seconds()) if retry_at else 0.0
        with self._noting(job):
            await hand_back(self.connector, job.id, job.worker_id, counted=counted, wait=wait)

    @contextmanager
    def _noting(self, job: QueuedJob) -> Iterator[None]:
        assert job.id is not None
        try:
            yield
        except exceptions.ConnectorException as error:
            if isinstance(error.__cause__, psycopg.errors.RaiseException):
                log.info("this job was handed to another worker and ended there", extra={"job_id": job.id})
                return
            self.unwritten.add(job.id)
            log.warning("the end of a job could not be written", extra={"job_id": job.id})
            raise


class Worker:
    def __init__(self, workshop: Workshop, jobs: tuple[Job, ...], *, patience: float = 30.0) -> None:
        """`patience`: seconds that a statement of the queue's may take, and what has no other limit."""
        self._workshop = workshop
        self._jobs = jobs
        self._patience = patience
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._keep_running(), name="worker")

    async def stop(self) -> None:
        """Finishes what runs, up to the grace; hands the rest back."""
        self._stopping.set()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _keep_running(self) -> None:
        pause = 0.2
        while not self._stopping.is_set():
            try:
                await self._run_once()
                pause = 0.2
            except _OUTAGES as error:
                log.warning("the worker lost its database and will try again: %s", type(error).__name__)
            except Stuck:
                log.error("the worker was stuck although the database is there, and starts again")
            except Exception:  # a process that lives on without its worker would go unnoticed
                log.exception("the worker died of a bug and starts again")
            if not self._stopping.is_set():
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)

    async def _run_once(self) -> None:
        settings, bus = self._workshop.settings, self._workshop.bus
        while not bus.connected:  # noqa: ASYNC110 - it tries more often than the queue's own pool would
            await asyncio.sleep(0.1)
        app, manager = self._build()
        run = asyncio.create_task(self._run(app, manager), name="worker run")
        ending = settings.shutdown_grace + self._patience
        try:
            await watched(run, manager.pulse, bus, longest_silence=settings.worker_heartbeat + ending)
        finally:
            try:
                await end_run(run, grace=ending)
            finally:
                await asyncio.shield(manager.let_go())

    async def _run(self, app: procrastinate.App, manager: _WatchedManager) -> None:
        settings, workshop = self._workshop.settings, self._workshop
        async with app.open_async():
            if self._stopping.is_set():  # Python 3.11 may lose a cancellation while the pool opens
                return
            rescue = Rescue(
                manager.connector,
                workshop.bus,
                WORKER_LOCK,
                every=settings.worker_rescue_every,
                unwritten=manager.unwritten,
            )
            sealer = Sealer(manager.connector, workshop.database, every=settings.audit_seal_every)
            rescue.start()
            sealer.start()
            try:
                await app.run_worker_async(
                    concurrency=settings.queue_concurrency,
                    install_signal_handlers=False,
                    listen_notify=True,
                    fetch_job_polling_interval=_LOOK_EVERY,
                    update_heartbeat_interval=settings.worker_heartbeat,
                    stalled_worker_timeout=settings.worker_stalled_after,
                    shutdown_graceful_timeout=settings.shutdown_grace,
                )
            finally:
                await sealer.stop()
                await rescue.stop()

    def _build(self) -> tuple[procrastinate.App, _WatchedManager]:
        connector = QueueConnector(
            self._workshop.database.urls.job,
            max_size=self._workshop.settings.queue_concurrency + 2,
            patience=self._patience,
        )
        app = procrastinate.App(connector=connector)
        manager = _WatchedManager(connector, self._workshop.bus)
        app.job_manager = manager
        for job in self._jobs:
            self._register(app, job, Attempts(job.attempts, manager.interrupted))
        return app, manager

    def _register(self, app: procrastinate.App, job: Job, attempts: Attempts) -> None:
        async def run(context: JobContext, /, timestamp: int | None = None, **arguments: Any) -> None:
            await self._call(job, context, arguments)

        task = app.task(name=job.name, queue=job.queue, pass_context=True, retry=attempts)(run)
        if job.cron is not None:
            app.periodic(cron=job.cron)(task)

    async def _call(self, job: Job, context: JobContext, arguments: dict[str, Any]) -> None:
        org_id = arguments.pop("org_id", None)
        correlation_id.set(arguments.pop("correlation_id", None))
        assert context.job.id is not None
        call = JobCall(
            context.job.id,
            context.job.attempts + 1,
            UUID(org_id) if org_id else None,
            arguments,
            self._workshop,
        )
        with bind_log_context(job=job.name, job_id=call.id, org_id=org_id):
            try:
                with traces.span(f"job {job.name}", "CONSUMER", messaging__message__id=str(call.id)):
                    await job.handler(call)
            except AlreadyDone:
                log.info("this job's effect was committed by an earlier run")
