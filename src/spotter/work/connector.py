"""The queue's own connections. Its statements are all short; one without an answer is an outage, not a wait."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, LiteralString

import psycopg
from procrastinate import PsycopgConnector, exceptions
from procrastinate.connector import LISTEN_TIMEOUT, Notify
from psycopg import AsyncConnection
from typing_extensions import override

from spotter.store.bus.link import Link
from spotter.store.waiting import NOTICE_A_DEAD_PEER

log = logging.getLogger(__name__)

# The queue's own triggers name their tables without the schema.
QUEUE_PATH = "-c search_path=queue,public,pg_temp"

_SOME_JOB = '{"type": "job_inserted", "job_id": 0}'  # whichever: a worker asks the queue for the next one


async def _autocommit(connection: AsyncConnection[Any]) -> None:
    """Each call of the queue's is one statement: a transaction around it would be two more round trips, for ever."""
    await connection.set_autocommit(True)


class QueueConnector(PsycopgConnector):
    def __init__(self, url: str, *, max_size: int, patience: float) -> None:
        super().__init__(
            conninfo=url,
            kwargs={
                "options": QUEUE_PATH,
                "application_name": "spotter worker",
                "connect_timeout": 5,
                **NOTICE_A_DEAD_PEER,
            },
            min_size=1,
            max_size=max_size,
            configure=_autocommit,
            timeout=3.0,  # in an outage: better a new pool as soon as the bus is back
        )
        self._patience = patience

    @override
    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:
        async with self._answer_awaited():
            await super().execute_query_async(query, **arguments)

    @override
    async def execute_query_one_async(self, query: LiteralString, **arguments: Any) -> dict[str, Any]:
        async with self._answer_awaited():
            row: dict[str, Any] = await super().execute_query_one_async(query, **arguments)
            return row

    @override
    async def execute_query_all_async(self, query: LiteralString, **arguments: Any) -> list[dict[str, Any]]:
        async with self._answer_awaited():
            rows: list[dict[str, Any]] = await super().execute_query_all_async(query, **arguments)
            return rows

    @override
    async def _loop_notify(
        self, on_notification: Notify, connection: AsyncConnection[Any], timeout: float = LISTEN_TIMEOUT
    ) -> None:
        """Returns when the connection is lost; a new one is made then. psycopg's own wait for notifications wakes ten
        times a second: that was half of what an idle Spotter cost."""
        arrived: asyncio.Queue[str | None] = asyncio.Queue()
        lost = partial(arrived.put_nowait, None)
        link = Link(connection, answer_timeout=self._patience, on_payload=arrived.put_nowait, on_loss=lost)
        try:
            # A job that came before LISTEN, or whose notice was read together with LISTEN's own reply, is announced to
            # nobody: psycopg keeps such notices for a reader it does not have here.
            await on_notification(channel="", payload=_SOME_JOB)
            while True:
                await link.run("SELECT 1")
                with suppress(TimeoutError):
                    while (payload := await asyncio.wait_for(arrived.get(), timeout)) is not None:
                        await on_notification(channel="", payload=payload)
                    return
        except psycopg.OperationalError as error:
            log.debug("the queue's listener lost its connection: %s", error)
        finally:
            await link.close()

    @asynccontextmanager
    async def _answer_awaited(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._patience):
                yield
        except TimeoutError as error:
            raise exceptions.ConnectorException(f"no answer in {self._patience:.0f} s") from error
