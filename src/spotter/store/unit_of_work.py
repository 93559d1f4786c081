"""One transaction for one purpose. The only place that commits.

It opens with a single statement that tells the database for whom it runs. (Never fold that into a query:
the planner may evaluate the policy first and return nothing.) Jobs deferred inside leave with the commit;
`after_commit` hooks run only once the commit is certain.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime
from functools import partial
from typing import Any, Self, TypeAlias, cast

import psycopg
from sqlalchemy import exc as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession

from spotter.errors import Unavailable
from spotter.store import queue
from spotter.store.faults import is_connection_lost
from spotter.store.scope import Scope
from spotter.store.stamps import Stamps

log = logging.getLogger(__name__)

Hook: TypeAlias = Callable[[], None]

_SET_SCOPE = (
    "SELECT set_config('spotter.org_id', %(org)s, true),"
    " set_config('spotter.user_id', %(user)s, true),"
    " set_config('spotter.role', %(role)s, true)"
)
_OPEN_ATTEMPTS = 3
_OPEN_PAUSE = 0.15


class UnitOfWork:
    def __init__(self, engine: AsyncEngine, scope: Scope, stamps: Stamps) -> None:
        self.scope = scope
        self._stamps = stamps
        self._engine = engine
        self._connection: AsyncConnection | None = None
        self._session: AsyncSession | None = None
        self._after_commit: list[Hook] = []
        self._commit_wanted = True

    @property
    def session(self) -> AsyncSession:
        assert self._session is not None, "the unit of work is not open"
        return self._session

    async def driver(self) -> psycopg.AsyncConnection[Any]:
        """The psycopg connection underneath, inside this same transaction. For the hot path."""
        await self.session.flush()
        connection = await self.session.connection()
        raw = await connection.get_raw_connection()
        return cast("psycopg.AsyncConnection[Any]", raw.driver_connection)

    def after_commit(self, hook: Hook) -> None:
        """Run once the transaction is committed. Hooks are quick and local (wake a watcher, bump a counter)."""
        self._after_commit.append(hook)

    def settings_changed(self) -> None:
        """With the commit: what is kept of the organisation's settings is read anew in this process. Others find out
        by themselves."""
        self.after_commit(partial(self._stamps.changed, self.scope.org_id))

    def give_up(self) -> None:
        """End without committing, though nothing was raised."""
        self._commit_wanted = False

    async def act_for(self, scope: Scope) -> None:
        """Go on for somebody else in the same transaction: joining a person to an organisation is done
        outside of any tenant, and recorded inside."""
        connection = await self.session.connection()
        await self.session.flush()
        await connection.exec_driver_sql(_SET_SCOPE, scope.parameters())
        # What was loaded for the one must not be found by the other.
        self.session.expunge_all()
        self.scope = scope

    async def defer(
        self,
        task: str,
        *,
        queue_name: str = "default",
        priority: int = 0,
        lock: str | None = None,
        queueing_lock: str | None = None,
        at: datetime | None = None,
        **args: queue.JobArgument,
    ) -> int | None:
        """Enqueue a job that exists only if this transaction commits. Arguments are ids, not data.

        None when `queueing_lock` is given and such a job is already waiting.
        """
        job = queue.JobToDefer(task, queue_name, priority, lock, queueing_lock, at, args)
        return await queue.defer(await self.driver(), job)

    async def __aenter__(self) -> Self:
        self._connection = await self._open()
        self._session = AsyncSession(self._connection, expire_on_commit=False)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        await _uninterrupted(self._end(commit=kind is None and self._commit_wanted))

    async def _end(self, *, commit: bool) -> None:
        assert self._connection is not None
        try:
            if commit:
                await self.session.commit()
                await self._connection.commit()
                self._run_hooks()
        finally:
            await self._close()

    def _run_hooks(self) -> None:
        for hook in self._after_commit:
            try:
                hook()
            except Exception:
                # The transaction is committed: a broken wake-up must not make it look as if it had failed.
                log.exception("a hook broke after the commit")

    async def _open(self) -> AsyncConnection:
        """A connection the server closed while it lay in the pool is replaced: nothing has been done on it yet."""
        for attempt in range(1, _OPEN_ATTEMPTS + 1):
            try:
                return await self._connect()
            except (sa.DBAPIError, psycopg.Error) as error:
                if not is_connection_lost(error) or attempt == _OPEN_ATTEMPTS:
                    raise
                await asyncio.sleep(_OPEN_PAUSE * attempt)
        raise Unavailable(
            "The database cannot be reached right now."
        )  # pragma: no cover - the loop returns or raises

    async def _connect(self) -> AsyncConnection:
        connection = await self._engine.connect()
        try:
            await connection.exec_driver_sql(_SET_SCOPE, self.scope.parameters())
        except BaseException:  # a cancelled caller, too, gives the connection back
            await _uninterrupted(_ended(connection.close))
            raise
        return connection

    async def _close(self) -> None:
        session, connection = self._session, self._connection
        self._session = self._connection = None
        assert session is not None
        assert connection is not None
        try:
            await _ended(session.close)
        finally:
            await _ended(connection.close)


async def _uninterrupted(work: Coroutine[Any, Any, None]) -> None:
    """A commit that was sent cannot be called back, so a cancelled caller hears of it only once hooks have run
    and the connection is where it belongs."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("a cancelled transaction did not end well: %s", error)
        raise


async def _ended(end: Callable[[], Awaitable[None]]) -> None:
    """Whatever ended the transaction is the caller's news; that the server is gone as well changes nothing."""
    try:
        await end()
    except sa.DBAPIError as error:
        if not is_connection_lost(error):
            raise
        log.debug("the connection was lost before the rollback")
