"""Databases and processes of their own, to be ill-treated."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from spotter.ids import random_id
from tests.support.processes import Processes, postgres_ended_in, processes


@pytest.fixture
async def data_dir(run_folder: Path) -> AsyncIterator[Path]:
    """Of an embedded server that does not outlive the test."""
    async with postgres_ended_in(run_folder / f"chaos-{random_id().hex[:8]}") as folder:
        yield folder


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Processes]:
    with processes(tmp_path) as running:
        yield running
