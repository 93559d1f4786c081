"""The pool of runtime connections, and the way into a transaction."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, LiteralString, Self, TypeAlias, TypeVar
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg_pool import AsyncConnectionPool
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from spotter.errors import StartupRefused
from spotter.settings import Settings
from spotter.store.scope import Scope
from spotter.store.stamps import Kept, Stamps
from spotter.store.unit_of_work import UnitOfWork
from spotter.store.urls import DatabaseUrls
from spotter.store.waiting import NOTICE_A_DEAD_PEER

log = logging.getLogger(__name__)

T = TypeVar("T")
Row: TypeAlias = tuple[Any, ...]

_AS_ORGANISATION: Final = (
    "SELECT set_config('spotter.org_id', {}, true), set_config('spotter.user_id', '', true),"
    " set_config('spotter.role', 'service', true)"
)


class Database:
    def __init__(self, urls: DatabaseUrls, settings: Settings) -> None:
        self.urls = urls
        self.engine = _engine(urls, settings)
        self.hot: AsyncConnectionPool[psycopg.AsyncConnection[Any]] = _hot_pool(urls, settings)
        """Bare psycopg connections that commit each statement: for the log, where every call is one statement."""
        self.stamps = Stamps(self.hot)

    def unit_of_work(self, scope: Scope) -> UnitOfWork:
        return UnitOfWork(self.engine, scope, self.stamps)

    def kept(self, read: Callable[[UnitOfWork], Awaitable[T]]) -> Kept[T]:
        """Settings of organisations, read as the organisation itself: whoever is bound by them need not see them."""

        async def read_for(org_id: UUID) -> T:
            async with self.unit_of_work(Scope(org_id, None, "service")) as uow:
                return await read(uow)

        return Kept(self.stamps, read_for)

    def kept_rows(self, statement: LiteralString, load: Callable[[list[Row]], T]) -> Kept[T]:
        """The same by one bare statement in one round trip: for what every turn needs. A fresh process reads it in its
        first turn, and would build a query, begin, ask and commit for it."""

        async def read_for(org_id: UUID) -> T:
            for_whom = sql.SQL(_AS_ORGANISATION).format(sql.Literal(str(org_id)))
            async with self.hot.connection() as connection:
                # Sent together they are one transaction, and still two statements: see `unit_of_work.py`.
                cursor = await connection.execute(sql.SQL("{}; {}").format(for_whom, sql.SQL(statement)))
                cursor.nextset()
                return load(await cursor.fetchall())

        return Kept(self.stamps, read_for)

    async def rows_of_each(self, questions: Mapping[UUID, sql.Composed]) -> dict[UUID, list[Row]]:
        """What each organisation answers to its question, asked as the organisation itself: all in one round trip."""
        parts = [
            sql.SQL("{}; {}").format(sql.SQL(_AS_ORGANISATION).format(sql.Literal(str(org_id))), question)
            for org_id, question in questions.items()
        ]
        answers: dict[UUID, list[Row]] = {}
        async with self.hot.connection() as connection:
            cursor = await connection.execute(sql.SQL("; ").join(parts))
            for org_id in questions:
                cursor.nextset()
                answers[org_id] = await cursor.fetchall()
                cursor.nextset()
        return answers

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
            **NOTICE_A_DEAD_PEER,
        },
        configure=None if urls.pooled else _plan_once,
        name="spotter-hot",
    )


async def _plan_once(connection: psycopg.AsyncConnection[Any]) -> None:
    """Every statement here finds its rows by their keys, so the plan never depends on the values. Left to itself
    PostgreSQL plans some of them anew with each call, and all of them five times on each connection."""
    await connection.execute("SELECT set_config('plan_cache_mode', 'force_generic_plan', false)")


def _engine(urls: DatabaseUrls, settings: Settings) -> AsyncEngine:
    async def connect() -> psycopg.AsyncConnection:
        # A transaction-mode pooler gives each transaction another server: no prepared statements there.
        threshold = None if urls.pooled else 5
        return await psycopg.AsyncConnection.connect(
            urls.runtime,
            prepare_threshold=threshold,
            connect_timeout=5,
            application_name="spotter",
            **NOTICE_A_DEAD_PEER,
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
