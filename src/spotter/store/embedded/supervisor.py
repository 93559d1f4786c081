"""Starting, sharing and stopping the embedded server. The public face is `EmbeddedPostgres`."""

import asyncio
import hashlib
import logging
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from psycopg import pq

from spotter.errors import StartupRefused, Unavailable
from spotter.store.embedded.account import ServerAccount
from spotter.store.embedded.cluster import Cluster
from spotter.store.embedded.database import Database
from spotter.store.embedded.locks import Membership, turn
from spotter.store.embedded.patience import Patience
from spotter.store.embedded.programs import MAJOR, Programs, wheel_bin_dir
from spotter.store.embedded.server import Server

logger = logging.getLogger(__name__)

# A socket's whole address fits in 104 bytes on macOS, 108 on Linux; "/.s.PGSQL.5432" is part of it.
SOCKET_DIR_BYTES = 85
_LOOK_EVERY = 1.0
_ASK_EACH = 10  # looks
_MOST_SILENCES = 3


class EmbeddedPostgres:
    """A private PostgreSQL in a folder, shared by every Spotter process on the machine."""

    def __init__(self, data_dir: Path) -> None:
        # Resolved, because a process is recognised as ours by the real path of its working folder.
        self._data_dir = Path(os.path.realpath(data_dir.expanduser()))
        self._base = self._data_dir / "postgres"
        self._membership: Membership | None = None
        self._server: Server | None = None
        self._database: Database | None = None

    @property
    def owner_url(self) -> str:
        return self._started.owner_url

    @property
    def superuser_url(self) -> str:
        return self._started.superuser_url

    @property
    def bin_dir(self) -> Path:
        """`pg_dump` and the rest, in the version of the server."""
        return wheel_bin_dir(MAJOR)

    async def start(self) -> None:
        """Starts the server, or joins the one that runs."""
        patience = Patience()
        await _uninterrupted(lambda: self._start(patience), give_up=patience.give_up, undo=self._stop)

    async def stop(self) -> None:
        """Leaves. The last one out stops the server."""
        await _uninterrupted(self._stop)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def keep_running(self) -> None:
        """Brings the server back when it dies under us (killed, out of memory). Runs until it is cancelled."""
        pulse = _Pulse()
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            if await self._lives(pulse):
                continue
            pulse = _Pulse()
            logger.warning("the embedded database is gone; starting it again")
            try:
                await self._start_again()
            except (StartupRefused, Unavailable) as error:
                logger.error("the embedded database could not be started again: %s", error.detail)

    async def _start_again(self) -> None:
        patience = Patience()
        await _uninterrupted(lambda: self._revive(patience), give_up=patience.give_up)

    async def _lives(self, pulse: "_Pulse") -> bool:
        server = self._server
        if server is None or self._membership is None:
            return True
        if not server.has_process():
            return False
        if pulse.is_time_to_ask():
            pulse.answered(await asyncio.to_thread(server.ping) is not pq.Ping.NO_RESPONSE)
        return pulse.beats

    def _revive(self, patience: Patience) -> None:
        membership, server = self._membership, self._server
        if membership is None or server is None:
            return
        with turn(self._base / "start.lock", server.account, patience):
            server.ensure_running(membership.alone, patience)

    @property
    def _started(self) -> Database:
        if self._database is None:
            raise RuntimeError("the embedded database has not been started")
        return self._database

    def _start(self, patience: Patience) -> None:
        if self._membership is not None:
            return
        try:
            account = ServerAccount.choose(self._base)
            account.make_data_dir(self._data_dir)
            account.make_private_folder(self._base)
            with turn(self._base / "start.lock", account, patience):
                self._start_in_turn(account, patience)
        except OSError as error:
            raise StartupRefused(
                f"The embedded database cannot use {self._base}: {error}. Check the folder's owner and free "
                "space, or choose another one with SPOTTER_DATA_DIR."
            ) from error

    def _start_in_turn(self, account: ServerAccount, patience: Patience) -> None:
        socket_dir = self._socket_dir(account)
        account.make_private_folder(socket_dir)
        database = Database(
            socket_dir,
            superuser_password=account.secret(self._base / "superuser.password"),
            owner_password=account.secret(self._base / "owner.password"),
        )
        server = Server(
            major=MAJOR,
            pgdata=self._base / str(MAJOR),
            socket_dir=socket_dir,
            log=self._base / "server.log",
            account=account,
            programs=Programs(account, self._base / "programs"),
        )
        membership = Membership(self._base / "users.lock", account)
        with ExitStack() as undo:
            undo.callback(self._leave, membership, server)
            cluster = Cluster(server, self._base / "superuser.password")
            cluster.ensure_current(membership.alone, patience)
            if not database.ready():
                server.ensure_running(membership.alone, patience)
                database.ensure()
            undo.pop_all()
        self._membership, self._server, self._database = membership, server, database

    def _stop(self) -> None:
        membership, server = self._membership, self._server
        if membership is None or server is None:
            return
        self._membership = None
        try:
            with turn(self._base / "start.lock", server.account, Patience()):
                self._leave(membership, server)
        except FileNotFoundError:
            # Somebody deleted the folder under us. PostgreSQL notices by itself and ends.
            membership.leave()

    @staticmethod
    def _leave(membership: Membership, server: Server) -> None:
        try:
            if membership.alone():
                server.stop(Patience())
        finally:
            membership.leave()

    def _socket_dir(self, account: ServerAccount) -> Path:
        """In the data folder, unless that address is too long or has a comma (a list of hosts to libpq).

        Otherwise in /tmp rather than $TMPDIR or $XDG_RUNTIME_DIR: those differ between a shell, cron and a
        service, and all of them have to meet at the same socket."""
        beside = self._base / "socket"
        if len(os.fsencode(beside)) <= SOCKET_DIR_BYTES and "," not in str(beside):
            return beside
        digest = hashlib.sha256(os.fsencode(self._base)).hexdigest()[:16]
        return Path("/tmp") / f"spotter-{account.uid}-{digest}"  # noqa: S108 - 0700 and ownership are checked


@dataclass(slots=True)
class _Pulse:
    """A process proves little: its pid may be another postgres' by now, or it may have lost its socket. Asking costs
    the server a new process each time, so it is asked now and then; more often once it is silent, and given up only
    after several silences, for it may just be busy."""

    looks: int = 0
    silences: int = 0

    @property
    def beats(self) -> bool:
        return self.silences < _MOST_SILENCES

    def is_time_to_ask(self) -> bool:
        self.looks += 1
        return self.silences > 0 or self.looks % _ASK_EACH == 0

    def answered(self, yes: bool) -> None:
        self.silences = 0 if yes else self.silences + 1


async def _uninterrupted(
    work: Callable[[], None],
    *,
    give_up: Callable[[], None] = lambda: None,
    undo: Callable[[], None] = lambda: None,
) -> None:
    """Blocking work off the event loop. A thread cannot be cancelled, so a cancelled caller waits for its
    end: otherwise the server would be started, or left running, for nobody."""
    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        give_up()
        await asyncio.wait([running])
        if running.exception() is None:
            await asyncio.to_thread(undo)
        raise
