"""Bringing the database to the schema this code expects: roles, a dump, Alembic, the queue's own schema."""

import logging
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine

from spotter.errors import StartupRefused
from spotter.store import queue_schema
from spotter.store.backup import dump, force_row_security
from spotter.store.roles import ensure_roles
from spotter.store.urls import DatabaseUrls

log = logging.getLogger(__name__)

_LOCK = 7_264_190_115_032_001  # any number nobody else uses; one migrator at a time per database


@dataclass(frozen=True, slots=True)
class Migrated:
    before: str | None
    after: str
    backup: Path | None


def head_revision() -> str:
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None
    return head


@dataclass(frozen=True, slots=True)
class Plan:
    """How to migrate."""

    pg_dump: Path
    backups: Path
    key_fingerprint: str
    backups_kept: int = 5
    statement_timeout: float = 30.0
    accept_new_secret: bool = False


def migrate(urls: DatabaseUrls, plan: Plan) -> Migrated:
    """Blocking; call it off the event loop. Safe to call from any number of processes at once."""
    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(urls.owner, connect_timeout=10)
    )
    try:
        with psycopg.connect(urls.owner, autocommit=True, connect_timeout=10) as guard:
            guard.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
            _refuse_other_secret(guard, plan)
            ensure_roles(guard, urls, statement_timeout=plan.statement_timeout)
            with engine.connect() as connection:
                before = _current(connection)
            _refuse_unknown(before)
            after, backup = head_revision(), None
            # A newer queue package changes tables as well, also where our own stay as they are.
            if before is not None and (before != after or queue_schema.is_outdated(guard)):
                backup = dump(urls.owner, plan.pg_dump, plan.backups, label=before, keep=plan.backups_kept)
            if before != after:
                with engine.begin() as connection:
                    command.upgrade(_config(connection), "head")
            queue_schema.upgrade(guard)
            force_row_security(guard)
            guard.execute(
                "INSERT INTO installation (key_fingerprint) VALUES (%s)"
                " ON CONFLICT (singleton) DO UPDATE SET key_fingerprint = excluded.key_fingerprint",
                (plan.key_fingerprint,),
            )
    finally:
        engine.dispose()
    if before != after:
        log.info("database migrated", extra={"from": before, "to": after})
    return Migrated(before, after, backup)


def _refuse_other_secret(guard: psycopg.Connection, plan: Plan) -> None:
    """The logins' passwords follow the secret: setting them by another one would lock the others out."""
    if plan.accept_new_secret or guard.execute("SELECT to_regclass('installation')").fetchone() == (None,):
        return
    row = guard.execute("SELECT key_fingerprint FROM installation").fetchone()
    if row is not None and row[0] != plan.key_fingerprint:
        raise StartupRefused(
            "This database was set up with another secret key. Set SPOTTER_SECRET_KEY (or copy secret.key into the "
            "data folder) to the one its other processes use. If that one is lost, `spotter migrate "
            "--accept-new-secret` goes on with this one: everybody signs in anew, stored secrets are unreadable."
        )


def _current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _refuse_unknown(revision: str | None) -> None:
    if revision is None:
        return
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if revision not in known:
        raise StartupRefused(
            f"This database was migrated by a newer Spotter (revision {revision}). "
            "Install that version or a later one; going back is not supported. "
            "To return to the older state, restore a dump from the backups folder into an empty database."
        )


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(resources.files("spotter.store") / "migrations"))
    config.attributes["connection"] = connection
    return config
