"""Fixtures for all tests: a real PostgreSQL, a real server on loopback."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from spotter.api.server import Listener
from spotter.app import Ground, House, build_app, conversing, house
from spotter.ids import random_id
from spotter.settings import Settings
from spotter.store.embedded import EmbeddedPostgres
from spotter.store.embedded.server import SETTINGS
from tests.support.databases import fresh_database, migrated_ground, settings_for
from tests.support.people import Gym, open_gym

HANG = 120.0
"""Seconds until something counts as stuck; none of this takes that long on any machine."""

# Set by the first process and inherited by those that xdist starts.
RUN = os.environ.setdefault("SPOTTER_TEST_RUN", random_id().hex[:12])


def pytest_unconfigure() -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(_run_folder(), ignore_errors=True)


def _run_folder() -> Path:
    """Not pytest's own temporary folder: as root, PostgreSQL runs as another user, who may not enter that."""
    return Path(tempfile.gettempdir()) / f"spotter-tests-{RUN}"


@pytest.fixture(scope="session")
def run_folder() -> Path:
    """Shared by all processes of one test run."""
    folder = _run_folder()
    folder.mkdir(mode=0o755, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def process_name() -> str:
    return os.environ.get("PYTEST_XDIST_WORKER", "single")


@pytest.fixture(scope="session")
async def postgres(run_folder: Path) -> AsyncIterator[EmbeddedPostgres]:
    """The embedded server, shared by all processes of the run; the last one out stops it."""
    # Many more processes than on a laptop share it here.
    monkey = pytest.MonkeyPatch()
    monkey.setitem(SETTINGS, "max_connections", "400")
    async with EmbeddedPostgres(run_folder / "embedded") as server:
        monkey.undo()
        yield server


@pytest.fixture(scope="session")
async def settings(
    postgres: EmbeddedPostgres, process_name: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Settings]:
    """Of this test process: a database of its own."""
    async with fresh_database(postgres, f"test_{process_name}") as url:
        # A busy machine is no reason to refuse: these tests are not about speed.
        yield settings_for(url, tmp_path_factory.mktemp("data"), database_pool_wait=HANG)


@pytest.fixture(scope="session")
async def base(settings: Settings) -> AsyncIterator[Ground]:
    async with migrated_ground(settings) as ready:
        yield ready


@pytest.fixture(scope="session")
async def home(base: Ground) -> AsyncIterator[House]:
    async with house(base) as ready:
        yield ready


@pytest.fixture(scope="session")
async def server_url(home: House, settings: Settings) -> AsyncIterator[str]:
    """A server that answers over HTTP."""
    listener = Listener(settings)
    ready, stop = asyncio.Event(), asyncio.Event()
    async with conversing(home):
        serving = asyncio.create_task(listener.serve(build_app(home.services), ready, stop))
        await ready.wait()
        yield listener.url
        stop.set()
        await serving
    listener.close()


@pytest.fixture
async def http(server_url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server_url, timeout=HANG) as client:
        yield client


@pytest.fixture
async def gym(home: House) -> Gym:
    return await open_gym(home)


@pytest.fixture
async def other_gym(home: House) -> Gym:
    return await open_gym(home, "rival")
