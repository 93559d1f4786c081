"""Bringing a database to the schema: once or eight times at once, with a dump that can be restored."""

import asyncio
import os
import shutil
import stat
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from pydantic import SecretStr
from sqlalchemy import Connection, create_engine

from spotter.app import Ground, ground, house, migrated, require_current_schema
from spotter.errors import StartupRefused
from spotter.identity import audit
from spotter.identity.audit_verify import verify_audit
from spotter.schema import metadata
from spotter.settings import Settings
from spotter.store import backup, migrate, queue_schema
from spotter.store.embedded import EmbeddedPostgres
from spotter.store.scope import Scope
from tests.support.databases import fresh_database, migrated_ground, settings_for
from tests.support.people import open_gym
from tests.support.raw_sql import superuser_url
from tests.support.tenancy_rules import Catalogue, violations
from tests.support.tenant_rows import ALL_TABLES, FilledGym, contents

Scratch = Callable[[str], AbstractAsyncContextManager[Settings]]


@pytest.fixture
def scratch(postgres: EmbeddedPostgres, process_name: str, tmp_path: Path) -> Scratch:
    """An empty database of one's own."""

    @asynccontextmanager
    async def make(name: str) -> AsyncIterator[Settings]:
        async with fresh_database(postgres, f"{name}_{process_name}") as url:
            yield settings_for(url, tmp_path / name)

    return make


@contextmanager
def later_release(folder: Path) -> Iterator[None]:
    """One revision more than this release has."""
    folder.mkdir()
    (folder / "9999_later.py").write_text(
        f'revision, down_revision = "9999", "{migrate.head_revision()}"\n'
        "from alembic import op\n"
        'def upgrade(): op.execute("ALTER TABLE secrets ADD COLUMN later int")\n'
    )
    original = migrate._config

    def with_later(connection: Connection | None = None) -> Config:
        config = original(connection)
        ours = Path(config.get_main_option("script_location") or "") / "versions"
        config.set_main_option("path_separator", "os")
        config.set_main_option("version_locations", os.pathsep.join([str(ours), str(folder)]))
        return config

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrate, "_config", with_later)
        yield


def forced(base: Ground) -> set[str]:
    with psycopg.connect(base.urls.owner) as connection:
        return {
            row[0] for row in connection.execute("SELECT relname FROM pg_class WHERE relforcerowsecurity")
        }


def test_the_schema_is_what_the_tables_say(base: Ground) -> None:
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(base.urls.owner))
    with engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": True}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
    engine.dispose()


async def test_a_second_time_changes_nothing(base: Ground) -> None:
    before = _whole_schema(base)
    again = await migrated(base)
    assert again.before == again.after == migrate.head_revision()
    assert again.backup is None
    assert _whole_schema(base) == before


def _whole_schema(base: Ground) -> str:
    done = subprocess.run(
        [base.pg_dump, "--schema-only", "--restrict-key=x", f"--dbname={base.urls.owner}"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout


async def test_eight_at_once_on_an_empty_database(scratch: Scratch) -> None:
    async with scratch("eight") as settings, ground(settings) as base:
        results = await asyncio.gather(*(migrated(base) for _ in range(8)))
        assert [result.before for result in results].count(None) == 1
        assert {result.after for result in results} == {migrate.head_revision()}
        await require_current_schema(base)
        async with house(base):
            pass


async def test_a_dump_is_made_first_and_can_be_restored(
    scratch: Scratch, postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    """By the owner, who is no superuser, into an empty database; after which every rule holds again."""
    gym = FilledGym()
    async with scratch("dumped") as settings, scratch("restored") as elsewhere:
        async with migrated_ground(settings) as base:
            with psycopg.connect(superuser_url(base.urls.owner, postgres)) as connection:
                gym.fill(connection)
            before = _all_rows(base, postgres, gym)
            with later_release(tmp_path / "later"):
                done = await migrated(base)
            assert (done.before, done.after) == (migrate.head_revision(), "9999")
            assert done.backup is not None
            assert stat.S_IMODE(done.backup.stat().st_mode) == 0o600
            assert stat.S_IMODE(done.backup.parent.stat().st_mode) == 0o700
            assert forced(base) >= {"secrets", "users"}
        async with ground(elsewhere) as copy:
            _restore(copy, done.backup)
            assert _all_rows(copy, postgres, gym) == before
            assert (await migrated(copy)).before == migrate.head_revision()
            with psycopg.connect(superuser_url(copy.urls.owner, postgres)) as connection:
                assert violations(Catalogue(connection, logins(copy))) == []
            async with (
                house(copy) as home,
                home.services.database.unit_of_work(Scope(gym.org_id, gym.owner, "owner")) as uow,
            ):
                names = await (await uow.driver()).execute("SELECT name FROM secrets")
                assert await names.fetchall() == [(gym.rows["secrets"][0]["name"],)]


@contextmanager
def later_queue(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """One migration more than the queue's package has; the level it brings."""
    shutil.copytree(queue_schema._FOLDER, folder)
    level = "99.99.99_01_later.sql"
    (folder / "migrations" / level).write_text("ALTER TABLE procrastinate_jobs ADD COLUMN later int")
    with monkeypatch.context() as later:
        later.setattr(queue_schema, "_FOLDER", folder)
        yield level


async def test_a_newer_queue_is_migrated_after_a_dump_and_asked_for_before(
    scratch: Scratch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its package may be newer where no revision of ours is."""
    async with scratch("queue") as settings, migrated_ground(settings) as base:
        with later_queue(tmp_path / "later", monkeypatch) as level:
            with pytest.raises(
                StartupRefused, match=rf"queue's tables are at .*needs {level}.*spotter migrate"
            ):
                await require_current_schema(base)
            done = await migrated(base)
            assert done.before == done.after
            assert done.backup is not None
            await require_current_schema(base)
            assert (await migrated(base)).backup is None
        listed = subprocess.run(
            [base.pg_dump.with_name("pg_restore"), "--schema-only", "--file=-", done.backup],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        assert "CREATE TABLE queue.procrastinate_jobs" in listed.stdout
        assert "later integer" not in listed.stdout
        with psycopg.connect(base.urls.job) as job:
            job.execute("SELECT later FROM queue.procrastinate_jobs")
        await require_current_schema(base)  # the older package, beside a newer one


async def test_a_chain_survives_dump_and_restore(
    scratch: Scratch, postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    async with scratch("chained") as settings, scratch("rechained") as elsewhere:
        async with migrated_ground(settings) as base, house(base) as home:
            gym = await open_gym(home)
            before = await verify_audit(home.services.database)
            made = backup.dump(base.urls.owner, base.pg_dump, tmp_path / "backups", label="x", keep=1)
        async with ground(elsewhere) as copy:
            _restore(copy, made)
            await migrated(copy)
            async with house(copy) as home:
                after = await verify_audit(home.services.database)
                assert after.good
                assert [chain.head for chain in after.chains] == [chain.head for chain in before.chains]
                async with home.services.database.unit_of_work(gym.owner.scope) as uow:
                    await audit.record(uow, "test.restored")
                (chain,) = (await verify_audit(home.services.database)).chains
                assert (chain.good, chain.entries) == (True, before.chains[0].entries + 1)


def logins(base: Ground) -> tuple[str, str]:
    return base.urls.runtime_login.name, base.urls.job_login.name


def _all_rows(base: Ground, postgres: EmbeddedPostgres, gym: FilledGym) -> dict[str, list[str]]:
    with psycopg.connect(superuser_url(base.urls.owner, postgres)) as connection:
        return {table: contents(connection, table, gym) for table in ALL_TABLES}


def _restore(base: Ground, made: Path) -> None:
    done = subprocess.run(
        [base.pg_dump.with_name("pg_restore"), "--exit-on-error", f"--dbname={base.urls.owner}", made],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_only_the_last_dumps_are_kept(base: Ground, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    made = [backup.dump(base.urls.owner, base.pg_dump, folder, label=f"{n:04}", keep=2) for n in range(4)]
    assert sorted(folder.iterdir()) == made[-2:]


def test_a_dump_that_fails_leaves_everything_as_it_was(base: Ground, tmp_path: Path) -> None:
    before = forced(base)
    with pytest.raises(StartupRefused, match="nothing was migrated"):
        backup.dump(base.urls.owner, Path("/bin/false"), tmp_path / "backups", label="x", keep=2)
    assert forced(base) == before
    assert list((tmp_path / "backups").iterdir()) == []


def test_the_password_is_on_no_command_line(base: Ground, tmp_path: Path) -> None:
    spy = tmp_path / "pg_dump"
    spy.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/seen\nexit 1\n')
    spy.chmod(0o755)
    owner = make_conninfo(base.urls.owner, sslmode="prefer")
    with pytest.raises(StartupRefused):
        backup.dump(owner, spy, tmp_path / "backups", label="x", keep=2)
    seen = (tmp_path / "seen").read_text()
    assert str(conninfo_to_dict(owner)["password"]) not in seen
    assert "sslmode=prefer" in seen


async def test_force_lost_in_a_crash_comes_back(base: Ground) -> None:
    """kill -9 in the middle of a dump: the owner is not bound by the policies until the next start."""
    before = forced(base)
    with psycopg.connect(base.urls.owner, autocommit=True) as connection:
        connection.execute("ALTER TABLE secrets NO FORCE ROW LEVEL SECURITY")
    assert "secrets" not in forced(base)
    await migrated(base)
    assert forced(base) == before


async def test_a_newer_database_is_refused(scratch: Scratch, tmp_path: Path) -> None:
    async with scratch("newer") as settings, migrated_ground(settings) as base:
        with later_release(tmp_path / "later"):
            await migrated(base)
        with pytest.raises(
            StartupRefused, match=r"newer Spotter.*9999.*Install that version.*restore a dump"
        ):
            await migrated(base)
        with pytest.raises(StartupRefused, match="revision 9999, this Spotter needs"):
            await require_current_schema(base)


async def test_another_secret_is_refused_until_accepted(scratch: Scratch) -> None:
    async with scratch("secrets") as settings, migrated_ground(settings) as base:
        changed = settings.model_copy(
            update={"secret_key": SecretStr("another secret, also long enough to be one")}
        )
        async with ground(changed) as other:
            with pytest.raises(StartupRefused, match="another secret key"):
                await migrated(other)
            with pytest.raises(StartupRefused, match="use its secret key"):
                await require_current_schema(other)
            await require_current_schema(base)  # nobody was locked out by the attempt
            await migrated(other, accept_new_secret=True)
            await require_current_schema(other)
            with pytest.raises(StartupRefused, match="another secret key"):
                await migrated(base)
            with pytest.raises(StartupRefused):
                await require_current_schema(base)


@pytest.mark.parametrize("power", ["BYPASSRLS", "SUPERUSER"])
async def test_a_powerful_login_does_not_serve(
    scratch: Scratch, postgres: EmbeddedPostgres, power: str
) -> None:
    async with scratch("powerful") as settings, migrated_ground(settings) as base:
        role = sql.Identifier(base.urls.runtime_login.name)
        with psycopg.connect(postgres.superuser_url, autocommit=True) as connection:
            connection.execute(sql.SQL("ALTER ROLE {} {}").format(role, sql.SQL(power)))
            try:
                with pytest.raises(StartupRefused, match="may bypass row-level security"):
                    await house(base).__aenter__()
            finally:
                connection.execute(sql.SQL("ALTER ROLE {} NOSUPERUSER NOBYPASSRLS").format(role))


async def test_a_login_that_may_not_make_roles_is_told_what_to_do(
    scratch: Scratch, postgres: EmbeddedPostgres
) -> None:
    async with scratch("weak") as settings, ground(settings) as base:
        name = str(conninfo_to_dict(base.urls.owner)["dbname"])
        with psycopg.connect(postgres.superuser_url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'weak'").format(sql.Identifier(name)))
            connection.execute(sql.SQL("ALTER DATABASE {} OWNER TO {}").format(*[sql.Identifier(name)] * 2))
            weak = settings_for(make_conninfo(base.urls.owner, user=name, password="weak"), settings.data_dir)
            try:
                async with ground(weak) as poor:
                    with pytest.raises(StartupRefused, match="CREATEROLE"):
                        await migrated(poor)
            finally:
                connection.execute(
                    sql.SQL("ALTER DATABASE {} OWNER TO spotter_owner").format(sql.Identifier(name))
                )
                connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))
