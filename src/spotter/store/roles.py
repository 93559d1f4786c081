"""The logins Spotter uses, made by the owner before migrations run.

`spotter_runtime`, `spotter_job` and `spotter_auth` are groups that hold the rights and are named in the
policies; nobody can log in as them. Each installation has two logins of its own in those groups.
"""

import logging
import time

import psycopg
from psycopg import errors as pg
from psycopg import sql

from spotter.errors import StartupRefused
from spotter.store.urls import DatabaseUrls, Login

log = logging.getLogger(__name__)

GROUPS = ("spotter_runtime", "spotter_job", "spotter_auth")
_LOGIN_SETTINGS = {
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "60s",
}
_ATTEMPTS = 10


def ensure_roles(owner: psycopg.Connection, urls: DatabaseUrls, *, statement_timeout: float) -> None:
    """Idempotent. Roles belong to the whole server, so another installation may be doing the same now."""
    for attempt in range(_ATTEMPTS):
        try:
            with owner.transaction():
                _ensure(owner, urls, statement_timeout)
        except (pg.DuplicateObject, pg.UniqueViolation, pg.InternalError_) as clash:
            if attempt == _ATTEMPTS - 1:
                raise
            log.info("another installation is changing roles, trying again: %s", clash.diag.message_primary)
            time.sleep(0.1 * (attempt + 1))
        except pg.InsufficientPrivilege as refused:
            raise StartupRefused(
                "The login in DATABASE_URL may not create Spotter's roles "
                f"({refused.diag.message_primary}). Give it the right: ALTER ROLE … CREATEROLE; and if "
                f"another Spotter made the roles: GRANT {', '.join(GROUPS)} TO … WITH ADMIN OPTION."
            ) from refused
        else:
            return


def _ensure(owner: psycopg.Connection, urls: DatabaseUrls, statement_timeout: float) -> None:
    for group in GROUPS:
        if not _exists(owner, group):
            owner.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOBYPASSRLS").format(sql.Identifier(group)))
    if not _is_superuser(owner):
        # Look-up functions are handed over to spotter_auth, which takes membership in it.
        owner.execute("GRANT spotter_auth TO CURRENT_USER")
    _ensure_login(owner, urls.runtime_login, "spotter_runtime", statement_timeout)
    _ensure_login(owner, urls.job_login, "spotter_job", statement_timeout)


def _ensure_login(owner: psycopg.Connection, login: Login, group: str, statement_timeout: float) -> None:
    name = sql.Identifier(login.name)
    if not _exists(owner, login.name):
        owner.execute(sql.SQL("CREATE ROLE {} LOGIN NOBYPASSRLS NOCREATEROLE").format(name))
    # The password follows the installation's secret, so that changing the secret is one restart.
    owner.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(name, sql.Literal(login.password)))
    owner.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(group), name))
    settings = {**_LOGIN_SETTINGS, "statement_timeout": f"{int(statement_timeout * 1000)}ms"}
    for setting, value in settings.items():
        owner.execute(
            sql.SQL("ALTER ROLE {} SET {} = {}").format(name, sql.Identifier(setting), sql.Literal(value))
        )
    owner.execute(
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(sql.Identifier(owner.info.dbname), name)
    )


def _exists(owner: psycopg.Connection, name: str) -> bool:
    return owner.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (name,)).fetchone() is not None


def _is_superuser(owner: psycopg.Connection) -> bool:
    row = owner.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
    return row is not None and bool(row[0])
