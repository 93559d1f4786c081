"""The server process: is it there, start it, stop it.

Alive means that it answers on its socket. A pid in a file proves nothing: it may be stale, cut short or a
stranger's by now. A process is ours when it is a postgres whose working folder is our cluster.
"""

import logging
import os
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGQUIT, Signals
from subprocess import DEVNULL, STDOUT

import psutil
from psycopg import pq
from psycopg.conninfo import make_conninfo

from spotter.errors import StartupRefused, Unavailable
from spotter.store.embedded.account import ServerAccount
from spotter.store.embedded.patience import Patience
from spotter.store.embedded.programs import ENVIRONMENT, Programs, cannot_run

logger = logging.getLogger(__name__)

PORT = 5432  # only names the socket file; nothing listens on TCP
LOG_LIMIT = 10_000_000
READY_SECONDS = 120.0
SILENCE_SECONDS = 3.0
END_SECONDS = 2.0
FAST_STOP_SECONDS = 60.0

# Small, for a laptop. fsync and synchronous_commit keep their defaults: on.
SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "shared_buffers": "64MB",
    "max_connections": "120",  # three of our processes, each with its pools full
    "jit": "off",
    "huge_pages": "off",  # "try" dies of SIGBUS in some containers
    "timezone": "UTC",
    "log_timezone": "UTC",
    # What a client did wrong is told to the client; here it would fill the disk with people's data.
    "log_min_messages": "log",
    "log_checkpoints": "off",
}


@dataclass(frozen=True)
class Server:
    major: int
    pgdata: Path
    socket_dir: Path
    log: Path
    account: ServerAccount
    programs: Programs

    def ping(self) -> pq.Ping:
        address = make_conninfo(host=str(self.socket_dir), port=PORT, user="-", dbname="-", connect_timeout=2)
        return pq.Ping(pq.PGconn.ping(address.encode()))

    def processes(self) -> list[psutil.Process]:
        """All processes of this cluster; zombies have no working folder and do not count."""
        found = []
        for process in psutil.process_iter(["name"]):
            if process.info["name"] != "postgres":
                continue
            try:
                ours = process.cwd() == str(self.pgdata)
            except psutil.Error:  # gone meanwhile, or not ours to look at
                continue
            if ours:
                found.append(process)
        return found

    def has_process(self) -> bool:
        """A cheap sign of life, not a proof: a postgres has the pid that our server left."""
        try:
            first, *_ = (self.pgdata / "postmaster.pid").read_text().split("\n", 1)
            process = psutil.Process(int(first))
            return process.name() == "postgres" and process.status() != psutil.STATUS_ZOMBIE
        except psutil.AccessDenied:
            return True
        except (OSError, ValueError, psutil.NoSuchProcess):
            return False

    def ensure_running(self, alone: Callable[[], bool], patience: Patience) -> None:
        if self.ping() is pq.Ping.OK:
            return
        if not patience.until(self._settled, SILENCE_SECONDS, 0.05):
            if self.ping() is not pq.Ping.REJECT:
                self._end_silent(alone, patience)
            elif not patience.until(self._settled, READY_SECONDS, 0.05):
                raise self._not_ready()
        if self.ping() is not pq.Ping.OK:
            self._launch(patience)

    def stop(self, patience: Patience) -> None:
        """Fast shutdown: running statements are rolled back, everything committed is on disk."""
        if postmaster := self._postmaster():
            self._signal([postmaster], SIGINT)
            if patience.until(self._gone, FAST_STOP_SECONDS, 0.02):
                return
            logger.warning("the embedded database did not stop in %.0f s; ending it", FAST_STOP_SECONDS)
        self._end(patience)

    def _settled(self) -> bool:
        """Up, or certainly not there. In between: starting, recovering, stopping, orphans about to end."""
        state = self.ping()
        return state is pq.Ping.OK or (state is not pq.Ping.REJECT and self._gone())

    def _gone(self) -> bool:
        return not self.processes()

    def _postmaster(self) -> psutil.Process | None:
        leaders = []
        for process in self.processes():
            try:
                # Children rename themselves "postgres: checkpointer" and so on.
                if not process.cmdline()[0].startswith("postgres:"):
                    leaders.append((process.create_time(), process.pid, process))
            except (psutil.Error, IndexError):
                continue
        return min(leaders)[2] if leaders else None

    def _end_silent(self, alone: Callable[[], bool], patience: Patience) -> None:
        """A living server without its socket, or children that outlived it, would block every later start."""
        if (postmaster := self._postmaster()) and not alone():
            raise Unavailable(
                f"The embedded database (process {postmaster.pid}) runs but cannot be reached through "
                f"{self.socket_dir}, and other Spotter processes use it. Stop them, then start again."
            )
        self._end(patience)

    def _end(self, patience: Patience) -> None:
        for signal in (SIGQUIT, SIGKILL):
            self._signal(self.processes(), signal)
            if patience.until(self._gone, END_SECONDS, 0.02):
                return
        pids = ", ".join(str(process.pid) for process in self.processes())
        raise Unavailable(
            f"Processes {pids} of the embedded database do not end. Restart the machine, then Spotter."
        )

    @staticmethod
    def _signal(processes: list[psutil.Process], signal: Signals) -> None:
        for process in processes:
            try:
                process.send_signal(signal)  # psutil refuses when the pid has been reused
            except psutil.NoSuchProcess:
                continue

    def _launch(self, patience: Patience) -> None:
        self.account.require_reach(self.pgdata)
        self._clear_stale_files()
        child = self._spawn()
        # Reaps it whenever it ends, so that it is never our zombie, also when another process stops it.
        threading.Thread(target=child.wait, name="postgres-reaper", daemon=True).start()
        ready = patience.until(lambda: child.poll() is not None or self.ping() is pq.Ping.OK, READY_SECONDS)
        if child.poll() is not None:
            raise StartupRefused(
                f"The embedded PostgreSQL ended while starting (code {child.returncode}); the data is still "
                f"in {self.pgdata}. Its last words, from {self.log}:\n{self._log_tail()}"
            )
        if not ready:
            raise self._not_ready()

    def _spawn(self) -> subprocess.Popen[bytes]:
        command = [str(self.programs.bin_dir(self.major) / "postgres"), "-D", str(self.pgdata)]
        quoted_socket_dir = '"' + str(self.socket_dir).replace('"', '""') + '"'  # it is a list to PostgreSQL
        for name, value in {**SETTINGS, "unix_socket_directories": quoted_socket_dir}.items():
            command += ["-c", f"{name}={value}"]
        log = self._open_log()
        try:
            return subprocess.Popen(  # noqa: S603 - the wheel's own program
                command,
                stdin=DEVNULL,
                stdout=log,
                stderr=STDOUT,
                cwd=self.pgdata,
                env=ENVIRONMENT,
                close_fds=True,  # an inherited lock would never be freed
                start_new_session=True,  # Ctrl-C in the terminal is for us, not for the database
                **self.account.spawn_options(),
            )
        except OSError as error:
            raise cannot_run(command[0], error) from error
        finally:
            os.close(log)

    def _clear_stale_files(self) -> None:
        """Nothing of ours is alive, and we hold the turn: what lies here was left by a crash."""
        socket = self.socket_dir / f".s.PGSQL.{PORT}"
        for path in (self.pgdata / "postmaster.pid", socket, socket.with_name(socket.name + ".lock")):
            path.unlink(missing_ok=True)

    def _open_log(self) -> int:
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT:
            self.log.replace(self.log.with_name(self.log.name + ".1"))
        return self.account.open_private(self.log, os.O_WRONLY | os.O_APPEND)

    def _log_tail(self) -> str:
        text = self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""
        return "\n".join(text[-4000:].splitlines()[-15:])

    def _not_ready(self) -> Unavailable:
        return Unavailable(
            f"The embedded PostgreSQL is still recovering or stopping after {READY_SECONDS:.0f} s. Nothing "
            f"is lost: start again in a while. Its last words, from {self.log}:\n{self._log_tail()}",
            retry_after=30.0,
        )
