"""Statements as somebody else would write them: no unit of work, no services, only the login and the scope."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from spotter.app import Ground
from spotter.store.embedded import EmbeddedPostgres

Connection = psycopg.Connection[Any]


def superuser_url(owner_url: str, server: EmbeddedPostgres) -> str:
    """The same database, as one who sees everything."""
    return make_conninfo(server.superuser_url, dbname=str(conninfo_to_dict(owner_url)["dbname"]))


@contextmanager
def as_superuser(base: Ground, server: EmbeddedPostgres) -> Iterator[Connection]:
    with psycopg.connect(superuser_url(base.urls.owner, server), autocommit=True) as connection:
        yield connection


def act(connection: Connection, org: UUID | None, user: UUID | None = None, role: str = "") -> None:
    connection.execute(
        "SELECT set_config('spotter.org_id', %s, true), set_config('spotter.user_id', %s, true),"
        " set_config('spotter.role', %s, true)",
        (str(org or ""), str(user or ""), role),
    )


def statement(text: LiteralString, table: str, **names: str) -> sql.Composed:
    parts = {key: sql.Identifier(name) for key, name in names.items()}
    return sql.SQL(text).format(table=sql.Identifier(table), **parts)


@contextmanager
def attempt(connection: Connection) -> Iterator[list[str]]:
    """What came of it, in words; nothing stays."""
    said: list[str] = []
    try:
        with connection.transaction(force_rollback=True):
            yield said
            said.append("done")
    except psycopg.Error as error:
        said += [error.sqlstate or "", str(error), str(error.diag.message_detail)]


def visible(connection: Connection, table: str) -> list[str]:
    return [row[0] for row in connection.execute(statement("SELECT t::text FROM {table} t", table))]
