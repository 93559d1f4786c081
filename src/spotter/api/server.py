"""The HTTP server: binds, says when it answers, ends gracefully. Signals are the caller's."""

import asyncio
import errno
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from typing_extensions import override

from spotter.errors import StartupRefused
from spotter.settings import Settings

_LOOK_EVERY = 0.01
_BACKLOG = 2048
_PING_EVERY = 45.0  # seconds: proxies let go after 60; of idle WebSockets, pings are what costs most


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ending = asyncio.Event()

    def end(self) -> None:
        self.should_exit = True
        self._ending.set()

    @override
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Uvicorn would end the process by re-raising the signal, before the database is stopped properly."""
        yield

    @override
    async def main_loop(self) -> None:
        """Uvicorn wakes ten times a second to see whether it is to end. Told when it is, it wakes for the date only."""
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), timeout=1.0)


class Listener:
    """A bound socket, so that the port is known (and refused) before anything else starts."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._socket = _bind(settings)

    @property
    def url(self) -> str:
        if self._settings.public_url is not None:
            return str(self._settings.public_url).rstrip("/")
        host, port = self._socket.getsockname()[:2]
        if host in ("0.0.0.0", "::"):  # noqa: S104 - read, not bound
            host = "127.0.0.1"
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    def close(self) -> None:
        self._socket.close()

    async def serve(self, app: FastAPI, ready: asyncio.Event, stop: asyncio.Event) -> None:
        """Until `stop` is set; then open requests get the grace to end. `ready` once requests are answered."""
        server = _Server(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=True,
                backlog=_BACKLOG,
                lifespan="off",
                timeout_graceful_shutdown=max(1, int(self._settings.shutdown_grace)),
                ws="websockets-sansio",
                ws_ping_interval=_PING_EVERY,
                ws_max_size=self._settings.max_body_bytes,
            )
        )
        serving = asyncio.create_task(server.serve(sockets=[self._socket]), name="http")
        stopping = asyncio.create_task(stop.wait())
        try:
            while not server.started and not serving.done():  # noqa: ASYNC110
                await asyncio.sleep(_LOOK_EVERY)  # uvicorn has a flag, not an event
            ready.set()
            await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            server.end()
            stopping.cancel()
            await serving


def _bind(settings: Settings) -> socket.socket:
    refuse_unsafe_address(settings)
    family = socket.AF_INET6 if _is_ipv6(settings.host) else socket.AF_INET
    # The protocol is named because asyncio turns Nagle off only for sockets that say TCP; with it on, every
    # answer on a kept connection waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        # Two that are only bound may share a port; who listens has it.
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise StartupRefused(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror or error}. "
            "Is another Spotter running? Choose another port with --port, or --port 0 for any free one."
        ) from error
    return listener


def refuse_unsafe_address(settings: Settings) -> None:
    if settings.binds_public_address and settings.secret_key is None:
        raise StartupRefused(
            f"Listening on {settings.host} makes Spotter reachable by others. For that, set SPOTTER_SECRET_KEY to a "
            "long random value of your own (for example from `openssl rand -hex 32`) and keep it safe."
        )


def _is_ipv6(host: str) -> bool:
    try:
        return isinstance(ip_address(host), IPv6Address)
    except ValueError:
        return False


def forget_ready_file(path: Path | None) -> None:
    """One that a killed server left behind would say that this one answers already."""
    if path is None:
        return
    try:
        path.unlink(missing_ok=True)
        if not os.access(path.parent, os.W_OK):
            raise FileNotFoundError(errno.ENOENT, "its folder does not exist or cannot be written to")
    except OSError as error:
        raise StartupRefused(
            f"The ready file {path} cannot be written: {error.strerror or error}. Choose another place for it."
        ) from error


@contextmanager
def ready_file(path: Path | None, url: str, data_dir: Path) -> Iterator[None]:
    """JSON `{url, pid, data_dir}` for scripts, there exactly while the server answers."""
    if path is None:
        yield
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(json.dumps({"url": url, "pid": os.getpid(), "data_dir": str(data_dir)}) + "\n")
    draft.replace(path)
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            path.unlink()
