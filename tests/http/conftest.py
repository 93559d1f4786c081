"""For tests over HTTP: a look into the database as its superuser, and people who have just arrived."""

from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from psycopg.rows import TupleRow

from spotter.app import House
from spotter.store.embedded import EmbeddedPostgres
from tests.http.actions import Desk
from tests.support.databases import database_url

Superuser = psycopg.AsyncConnection[TupleRow]


@pytest.fixture
async def superuser(postgres: EmbeddedPostgres, process_name: str, settings: Any) -> AsyncIterator[Superuser]:
    """Sees every tenant's rows, and turns back the clock of some."""
    url = database_url(postgres.superuser_url, f"test_{process_name}")
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def desk(home: House) -> Desk:
    return Desk(home)
