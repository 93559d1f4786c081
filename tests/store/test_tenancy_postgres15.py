"""The oldest PostgreSQL we promise: migrations, rules and a tenant's transaction on Debian's own."""

import secrets
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from spotter.app import house
from spotter.store.embedded.account import ServerAccount
from spotter.store.scope import Scope
from tests.support.databases import migrated_ground, settings_for
from tests.support.tenancy_rules import Catalogue, violations
from tests.support.tenant_rows import ALL_TABLES, FilledGym

PROGRAMS = Path("/usr/lib/postgresql/15/bin")

pytestmark = pytest.mark.skipif(
    not (PROGRAMS / "initdb").exists(), reason=f"PostgreSQL 15 is not installed in {PROGRAMS}"
)


@pytest.fixture(scope="module")
def superuser_url() -> Iterator[str]:
    """A cluster that lives for this file, reached through a socket in a private folder."""
    with tempfile.TemporaryDirectory(prefix="spotter-pg15-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        account = ServerAccount.choose(folder / "cluster")
        account.make_private_folder(home := folder / "cluster")
        password = secrets.token_urlsafe()
        (home / "password").write_text(password)
        (home / "password").chmod(0o644)  # inside a 0700 folder; the server's account must read it

        def run(program: str, *arguments: str) -> None:
            command = [str(PROGRAMS / program), *arguments]
            subprocess.run(
                command,
                check=True,
                cwd=home,
                stdout=subprocess.DEVNULL,
                timeout=60,
                **account.spawn_options(),
            )

        run(
            "initdb", f"--pgdata={home}/data", "--username=postgres", "--auth=scram-sha-256",
            f"--pwfile={home}/password", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync",
        )  # fmt: skip
        options = f"-c listen_addresses= -c unix_socket_directories={home} -c fsync=off -c max_connections=40"
        run("pg_ctl", "start", "--wait", f"--pgdata={home}/data", f"--log={home}/log", f"--options={options}")
        try:
            yield make_conninfo(
                host=str(home), port=5432, user="postgres", password=password, dbname="postgres"
            )
        finally:
            run("pg_ctl", "stop", "--wait", "--mode=immediate", f"--pgdata={home}/data")


async def test_migrations_and_rules_hold(superuser_url: str, tmp_path: Path) -> None:
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        assert connection.info.server_version // 10_000 == 15
        connection.execute("CREATE ROLE spotter_owner LOGIN CREATEROLE NOSUPERUSER PASSWORD 'owner'")
        connection.execute("CREATE DATABASE gym OWNER spotter_owner")
    owner = make_conninfo(superuser_url, user="spotter_owner", password="owner", dbname="gym")
    gym, other = FilledGym(), FilledGym()
    async with migrated_ground(settings_for(owner, tmp_path)) as base:
        with psycopg.connect(make_conninfo(superuser_url, dbname="gym"), autocommit=True) as connection:
            logins = (base.urls.runtime_login.name, base.urls.job_login.name)
            assert violations(Catalogue(connection, logins)) == []
            gym.fill(connection)
            other.fill(connection)
        async with house(base) as home:
            scope = Scope(gym.org_id, gym.owner, "owner")
            async with home.services.database.unit_of_work(scope) as uow:
                driver = await uow.driver()
                for table in ALL_TABLES:
                    rows = await (await driver.execute(f"SELECT t::text FROM {table} t".encode())).fetchall()
                    assert rows, table
                    assert not [row for row in rows if any(mark in row[0] for mark in other.marks)], table
                assert await uow.defer("not.a.job", queue_name="nobody") is not None
