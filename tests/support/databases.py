"""One embedded PostgreSQL for the whole test run, one migrated database for each test process."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from spotter.app import Ground, ground, migrated
from spotter.settings import Settings
from spotter.store.embedded import EmbeddedPostgres

SECRET = "a secret that only the tests know, long enough"


def database_url(server_url: str, name: str) -> str:
    return make_conninfo(server_url, dbname=name)


@asynccontextmanager
async def fresh_database(server: EmbeddedPostgres, name: str) -> AsyncIterator[str]:
    """An empty database owned by the owner login; its URL. Dropped afterwards."""
    await _recreate(server.superuser_url, name)
    try:
        yield database_url(server.owner_url, name)
    finally:
        await _drop(server.superuser_url, name)


def settings_for(url: str, data_dir: Path, **more: object) -> Settings:
    values: dict[str, object] = {
        "database_url": url,
        "secret_key": SECRET,
        "data_dir": data_dir,
        "host": "127.0.0.1",
        "port": 0,
        "rate_limits": False,
        "sign_up": "open",
        "billing_by": "organisation",
        "log_level": "WARNING",
        **more,
    }
    return Settings.model_validate(values)


def environment_for(settings: Settings, **more: str) -> dict[str, str]:
    """The same settings for a process of its own."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("SPOTTER_", "DATABASE_", "PYTHONDONT"))
    }
    assert settings.database_url is not None
    return {
        **kept,
        "DATABASE_URL": settings.database_url.get_secret_value(),
        "SPOTTER_SECRET_KEY": SECRET,
        "SPOTTER_DATA_DIR": str(settings.data_dir),
        "SPOTTER_RATE_LIMITS": "false",
        "SPOTTER_SIGN_UP": "open",
        "SPOTTER_BILLING_BY": "organisation",
        "SPOTTER_LOG_FORMAT": "json",
        **more,
    }


@asynccontextmanager
async def migrated_ground(settings: Settings) -> AsyncIterator[Ground]:
    async with ground(settings) as base:
        await migrated(base)
        yield base


async def _recreate(superuser_url: str, name: str) -> None:
    await _drop(superuser_url, name)
    async with await psycopg.AsyncConnection.connect(superuser_url, autocommit=True) as connection:
        await connection.execute(
            sql.SQL("CREATE DATABASE {} OWNER spotter_owner").format(sql.Identifier(name))
        )


async def _drop(superuser_url: str, name: str) -> None:
    async with await psycopg.AsyncConnection.connect(superuser_url, autocommit=True) as connection:
        await connection.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )
