"""The queue's own connections. Its statements are all short; one without an answer is an outage, not a wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, LiteralString

from procrastinate import PsycopgConnector, exceptions
from typing_extensions import override

from spotter.store.waiting import NOTICE_A_DEAD_PEER

# The queue's own triggers name their tables without the schema.
QUEUE_PATH = "-c search_path=queue,public,pg_temp"


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

    @asynccontextmanager
    async def _answer_awaited(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._patience):
                yield
        except TimeoutError as error:
            raise exceptions.ConnectorException(f"no answer in {self._patience:.0f} s") from error
