"""A dump before each migration, the last few kept. `pg_restore` brings one back."""

import logging
import os
import subprocess
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from spotter.clock import now
from spotter.errors import StartupRefused

log = logging.getLogger(__name__)


def dump(owner_url: str, pg_dump: Path, folder: Path, *, label: str, keep: int) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = folder / f"{now():%Y%m%dT%H%M%S}-{label}.dump"
    partial = target.with_suffix(".partial")
    partial.touch(mode=0o600)
    with psycopg.connect(owner_url, autocommit=True) as connection:
        forced = _forced_tables(connection)
        try:
            # FORCE binds only the owner, that is pg_dump itself: the runtime login stays under its policies.
            _set_force(connection, forced, on=False)
            _run(owner_url, pg_dump, partial)
        finally:
            _set_force(connection, forced, on=True)
    partial.rename(target)
    _drop_old(folder, keep)
    log.info("database dumped before migrating", extra={"file": str(target)})
    return target


def _run(owner_url: str, pg_dump: Path, target: Path) -> None:
    address = conninfo_to_dict(owner_url)
    # The password travels by environment: command lines are readable by every user of the machine.
    hidden = {"PGPASSWORD": str(address.pop("password"))} if "password" in address else {}
    # The rest goes on whole: leaving out sslmode or options would connect otherwise than the operator said.
    where = make_conninfo("", **address)
    done = subprocess.run(  # noqa: S603 - our own binary, fixed arguments
        [pg_dump, "--format=custom", "--no-password", f"--file={target}", f"--dbname={where}"],
        env={**os.environ, **hidden},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        target.unlink(missing_ok=True)
        raise StartupRefused(
            "The database could not be dumped before migrating, so nothing was migrated. "
            f"pg_dump said: {done.stderr.strip()[-500:]}"
        )


def force_row_security(connection: psycopg.Connection) -> None:
    """A dump that was killed half-way, or a restored one, leaves tables whose owner is not bound."""
    rows = connection.execute(
        "SELECT oid::regclass::text FROM pg_class"
        " WHERE relrowsecurity AND NOT relforcerowsecurity AND relowner = current_user::regrole"
    )
    _set_force(connection, [row[0] for row in rows.fetchall()], on=True)


def _forced_tables(connection: psycopg.Connection) -> list[str]:
    rows = connection.execute(
        "SELECT oid::regclass::text FROM pg_class WHERE relforcerowsecurity AND relowner = current_user::regrole"
    )
    return [row[0] for row in rows]


def _set_force(connection: psycopg.Connection, tables: list[str], *, on: bool) -> None:
    word = sql.SQL("FORCE" if on else "NO FORCE")
    for table in tables:
        # regclass::text is already quoted where it has to be.
        connection.execute(sql.SQL("ALTER TABLE {} {} ROW LEVEL SECURITY").format(sql.SQL(table), word))


def _drop_old(folder: Path, keep: int) -> None:
    for old in sorted(folder.glob("*.dump"))[:-keep]:
        old.unlink()
