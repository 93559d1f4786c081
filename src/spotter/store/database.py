"""The pool of runtime connections, and the way into a transaction."""

import logging
from typing import Any, Self

import psycopg
from psycopg_pool import AsyncConnectionPool
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from spotter.errors import StartupRefused
from spotter.settings import Settings
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork
from spotter.store.urls import DatabaseUrls

log = logging.getLogger(__name__)


class Database:
    def __init__(self, urls: DatabaseUrls, settings: Settings) -> None:
        self.urls = urls
        self.engine = _engine(urls, settings)
        self.hot: AsyncConnectionPool[psycopg.AsyncConnection[Any]] = _hot_pool(urls, settings)
        """Bare psycopg connections that commit each statement: for the log, where every call is one statement."""

    def unit_of_work(self, scope: Scope) -> UnitOfWork:
        return UnitOfWork(self.engine, scope)

    async def refuse_powerful_login(self) -> None:
        """Row-level security does not bind superusers: serving as one would serve everybody's data."""
        async with self.engine.connect() as connection:
            row = (
                await connection.execute(
                    text(
                        "SELECT rolname, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
                    )
                )
            ).one()
        if row[1]:
            raise StartupRefused(
                f"The database login {row[0]!r} may bypass row-level security. "
                "Spotter serves only through a login that may not (NOBYPASSRLS, not a superuser)."
            )

    async def ping(self) -> None:
        async with self.engine.connect() as connection:
            await connection.execute(text("SELECT 1"))

    async def close(self) -> None:
        await self.hot.close()
        await self.engine.dispose()

    async def __aenter__(self) -> Self:
        # Without waiting for a connection: a database that is away for a moment must not keep us from starting.
        await self.hot.open(wait=False)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _hot_pool(urls: DatabaseUrls, settings: Settings) -> AsyncConnectionPool[psycopg.AsyncConnection[Any]]:
    return AsyncConnectionPool(
        urls.runtime,
        open=False,
        min_size=1,
        max_size=settings.database_hot_pool_size,
        timeout=settings.database_pool_wait,
        max_lifetime=1800,
        kwargs={
            "autocommit": True,
            "prepare_threshold": None if urls.pooled else 5,
            "connect_timeout": 5,
            "application_name": "spotter",
        },
        name="spotter-hot",
    )


def _engine(urls: DatabaseUrls, settings: Settings) -> AsyncEngine:
    async def connect() -> psycopg.AsyncConnection:
        # A transaction-mode pooler gives each transaction another server: no prepared statements there.
        threshold = None if urls.pooled else 5
        return await psycopg.AsyncConnection.connect(
            urls.runtime, prepare_threshold=threshold, connect_timeout=5, application_name="spotter"
        )

    return create_async_engine(
        "postgresql+psycopg://",
        async_creator=connect,
        pool_size=settings.database_pool_size,
        max_overflow=settings.database_pool_overflow,
        pool_timeout=settings.database_pool_wait,
        pool_recycle=1800,
        hide_parameters=True,  # an error's text is logged; what was in the statement is people's data
    )
