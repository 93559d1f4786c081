"""As many connections to Postgres as Spotter's log has, each used for one statement at a time."""

import asyncio
from typing import Any

import psycopg

_MOST = 8


class Connections:
    def __init__(self, url: str) -> None:
        self._url = url
        self._free: list[psycopg.AsyncConnection[Any]] = []
        self._places = asyncio.Semaphore(_MOST)

    async def run(self, statement: str, *values: object) -> "psycopg.AsyncCursor[Any]":
        async with self._places:
            connection = self._free.pop() if self._free else await self._connect()
            try:
                return await connection.execute(statement, values)
            finally:
                self._free.append(connection)

    async def _connect(self) -> "psycopg.AsyncConnection[Any]":
        return await psycopg.AsyncConnection.connect(self._url, autocommit=True)

    async def close(self) -> None:
        for connection in self._free:
            await connection.close()
