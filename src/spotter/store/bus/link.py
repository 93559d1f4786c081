"""One life of the direct connection: LISTEN, NOTIFY and the advisory locks that die with it."""

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, LiteralString, Self

import psycopg
from psycopg import AsyncConnection, sql
from psycopg.rows import TupleRow

from spotter.store.waiting import NOTICE_A_DEAD_PEER

logger = logging.getLogger(__name__)

_NAME = "spotter bus"
_CONNECT: dict[str, Any] = {
    "application_name": _NAME,
    "client_encoding": "utf8",
    **NOTICE_A_DEAD_PEER,
}

# NOTIFY takes a transaction id, so its commit would wait for the disk; a notification does not outlive
# the server anyway. A host's idle limit must not end a connection whose job is to wait.
_SETTINGS = (
    "SELECT set_config('synchronous_commit', 'off', false), set_config('idle_session_timeout', '0', false)"
)

_LISTENING: LiteralString = """
    SELECT (SELECT count(*) FROM pg_listening_channels() AS channel WHERE channel = %s),
        (SELECT count(*) FROM pg_stat_activity AS a WHERE a.datname = current_database()
            AND a.application_name = %s AND a.pid <> pg_backend_pid())
"""


class Link:
    """The connection, used by one task. Payloads are handed over as soon as the socket has them.

    psycopg's own `notifies()` wakes ten times a second to look for signals and keeps the connection
    locked meanwhile. So we watch the socket ourselves whenever no statement runs; while one runs,
    psycopg reads the socket and calls the same handler.

    We watch a duplicate: libpq closes its own as soon as it reads the end, and the next caller of this
    process may get that number.
    """

    def __init__(
        self,
        connection: AsyncConnection[TupleRow],
        *,
        answer_timeout: float,
        on_payload: Callable[[str], None],
        on_loss: Callable[[], None],
    ) -> None:
        self._connection = connection
        self._socket = socket.socket(fileno=os.dup(connection.fileno()))
        self._answer_timeout = answer_timeout
        self._on_payload = on_payload
        self._on_loss = on_loss
        self._loop = asyncio.get_running_loop()
        self.failure: psycopg.Error | None = None
        self.held: set[tuple[int, int]] = set()
        connection.add_notify_handler(lambda notify: on_payload(notify.payload))

    @classmethod
    async def connect(
        cls,
        url: str,
        *,
        answer_timeout: float,
        on_payload: Callable[[str], None],
        on_loss: Callable[[], None],
    ) -> Self:
        connection = await AsyncConnection.connect(
            url,
            autocommit=True,
            prepare_threshold=None,
            connect_timeout=max(2, round(answer_timeout)),
            **_CONNECT,
        )
        return cls(connection, answer_timeout=answer_timeout, on_payload=on_payload, on_loss=on_loss)

    async def listen(self, channel: str, greeting: str) -> None:
        """From now on; whoever listens already is greeted, so that they know they are heard."""
        await self.run(_SETTINGS)
        await self.run(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        ((backend, _),) = await self.run("SELECT pg_backend_pid(), pg_notify(%s, %s)", [channel, greeting])
        if backend != self._connection.info.backend_pid:
            logger.warning(
                "the bus seems to talk to a pooler: in transaction mode LISTEN receives nothing "
                "and process locks are lost; give DATABASE_URL as a direct connection"
            )

    async def others(self, channel: str) -> int:
        """How many other processes may be listening. Those whose connection is older than this answer are counted;
        everybody else greets us."""
        ((listening, others),) = await self.run(_LISTENING, [channel, _NAME])
        if not listening:
            raise psycopg.OperationalError("no longer listening: is there a pooler in between?")
        return int(others)

    async def run(
        self, query: LiteralString | sql.Composed, parameters: Sequence[object] = ()
    ) -> list[TupleRow]:
        self._ignore_socket()
        # Cancelling a statement asks the server, which may be what has gone; cutting the socket asks nobody.
        alarm = self._loop.call_later(self._answer_timeout, self.cut)
        try:
            cursor = await self._connection.execute(query, parameters or None)
            return await cursor.fetchall() if cursor.description else []
        finally:
            alarm.cancel()
            self._watch_socket()

    async def take_lock(self, lock: tuple[int, int]) -> None:
        """Taken only if free; for a dead holder that the server still believes in, try again later."""
        ((taken,),) = await self.run("SELECT pg_try_advisory_lock(%s::int4, %s::int4)", lock)
        if taken:
            self.held.add(lock)

    async def drop_lock(self, lock: tuple[int, int]) -> None:
        await self.run("SELECT pg_advisory_unlock(%s::int4, %s::int4)", lock)
        self.held.discard(lock)

    def cut(self) -> None:
        """End the connection under psycopg's hands: whatever waits on it fails at once."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    async def close(self) -> None:
        self._ignore_socket()
        self._socket.close()
        await self._connection.close()

    def _watch_socket(self) -> None:
        if self._connection.closed:
            return
        self._loop.add_reader(self._socket, self._read_socket)
        self._hand_over()  # what came in one piece with the statement's result

    def _ignore_socket(self) -> None:
        self._loop.remove_reader(self._socket)

    def _read_socket(self) -> None:
        try:
            self._connection.pgconn.consume_input()
            self._hand_over()
        except psycopg.Error as error:
            self._ignore_socket()
            self.failure = error
            self._on_loss()

    def _hand_over(self) -> None:
        while notify := self._connection.pgconn.notifies():
            self._on_payload(notify.extra.decode())
