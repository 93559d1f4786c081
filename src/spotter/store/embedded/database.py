"""The owner role and the database in the cluster. Each step can be repeated, so a crash in between heals."""

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from spotter.errors import StartupRefused
from spotter.store.embedded.cluster import SUPERUSER
from spotter.store.embedded.server import PORT

OWNER = "spotter_owner"
DATABASE = "spotter"


@dataclass(frozen=True)
class Database:
    socket_dir: Path
    superuser_password: str = field(repr=False)
    owner_password: str = field(repr=False)

    @property
    def owner_url(self) -> str:
        return self._url(OWNER, self.owner_password, DATABASE)

    @property
    def superuser_url(self) -> str:
        return self._url(SUPERUSER, self.superuser_password, DATABASE)

    def ready(self) -> bool:
        """One connection proves server, role, password and database at once, which makes joining fast."""
        try:
            psycopg.connect(self.owner_url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def ensure(self) -> None:
        try:
            with psycopg.connect(
                self._url(SUPERUSER, self.superuser_password, "postgres"), autocommit=True, connect_timeout=10
            ) as connection:
                self._ensure_role(connection)
                self._ensure_database(connection)
        except psycopg.OperationalError as error:
            raise StartupRefused(
                f"The embedded PostgreSQL runs but does not let Spotter in: {error}. Put back the *.password "
                "files that belong to this data folder, then start again."
            ) from error

    def _ensure_role(self, connection: psycopg.Connection) -> None:
        exists = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [OWNER]).fetchone() is not None
        # Hashed here, so that the password itself never appears in a statement or a log.
        verifier = connection.pgconn.encrypt_password(
            self.owner_password.encode(), OWNER.encode(), b"scram-sha-256"
        ).decode()
        connection.execute(
            sql.SQL("{verb} ROLE {owner} LOGIN CREATEROLE NOSUPERUSER PASSWORD {verifier}").format(
                verb=sql.SQL("ALTER" if exists else "CREATE"),
                owner=sql.Identifier(OWNER),
                verifier=sql.Literal(verifier),
            )
        )

    def _ensure_database(self, connection: psycopg.Connection) -> None:
        if connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).fetchone() is None:
            connection.execute(
                sql.SQL("CREATE DATABASE {name} OWNER {owner}").format(
                    name=sql.Identifier(DATABASE), owner=sql.Identifier(OWNER)
                )
            )

    def _url(self, user: str, password: str, database: str) -> str:
        # The port is given so that a PGPORT in somebody's environment does not lead elsewhere.
        return f"postgresql://{user}:{password}@/{database}?host={quote(str(self.socket_dir))}&port={PORT}"
