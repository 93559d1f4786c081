"""What a clever caller tries with raw SQL when a plain SELECT shows nothing."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import errors as pg
from psycopg import sql
from psycopg.types.json import Jsonb

from spotter.app import Ground
from spotter.ids import new_id
from spotter.store.embedded import EmbeddedPostgres
from tests.support.raw_sql import Connection, act, as_superuser, attempt, statement, visible
from tests.support.tenant_rows import ALL_TABLES, TENANT_TABLES, FilledGym, insert


@pytest.fixture(scope="module")
def superuser(base: Ground, postgres: EmbeddedPostgres) -> Iterator[Connection]:
    with as_superuser(base, postgres) as connection:
        yield connection


@pytest.fixture(scope="module")
def ours(superuser: Connection) -> FilledGym:
    return FilledGym.filled(superuser)


@pytest.fixture(scope="module")
def theirs(superuser: Connection) -> FilledGym:
    return FilledGym.filled(superuser)


@pytest.fixture
def runtime(base: Ground, ours: FilledGym, theirs: FilledGym) -> Iterator[Connection]:
    with psycopg.connect(base.urls.runtime_direct) as connection:
        act(connection, ours.org_id, ours.owner, "owner")
        yield connection
        connection.rollback()


def gives_away(text: str, gym: FilledGym) -> bool:
    return any(mark in text for mark in gym.marks)


@pytest.mark.parametrize("role", ["spotter_owner", "spotter_auth", "spotter_job", "postgres"])
def test_no_other_role_can_be_taken(runtime: Connection, role: str) -> None:
    for text in ("SET ROLE {}", "SET SESSION AUTHORIZATION {}", "SET LOCAL ROLE {}"):
        with pytest.raises(psycopg.Error) as refused, runtime.transaction():
            runtime.execute(sql.SQL(text).format(sql.Identifier(role)))
        assert isinstance(refused.value, pg.InsufficientPrivilege)


def test_resetting_the_role_changes_nothing(runtime: Connection, ours: FilledGym, theirs: FilledGym) -> None:
    runtime.execute("RESET ROLE")
    runtime.execute("SET LOCAL ROLE spotter_runtime")
    for table in ALL_TABLES:
        assert not gives_away("".join(visible(runtime, table)), theirs), table
    assert visible(runtime, "secrets")
    runtime.execute("RESET SESSION AUTHORIZATION")
    assert len(visible(runtime, "secrets")) == len(ours.rows["secrets"])


@pytest.mark.parametrize("table", ALL_TABLES)
def test_row_security_cannot_be_switched_off(table: str, runtime: Connection) -> None:
    runtime.execute("SET LOCAL row_security = off")
    with pytest.raises(pg.InsufficientPrivilege, match="row-level security"):
        visible(runtime, table)


def test_the_table_cannot_be_altered(runtime: Connection) -> None:
    for text in (
        "ALTER TABLE {table} DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY",
        "DROP TABLE {table}",
        "TRUNCATE {table}",
        "CREATE POLICY more ON {table} USING (true)",
        "CREATE INDEX ON {table} (org_id)",
        "LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE",
    ):
        for table in TENANT_TABLES:
            with attempt(runtime) as said:
                runtime.execute(statement(text, table))
            assert said[0] == "42501" or (text.startswith("LOCK") and said == ["done"]), (text, table, said)


@pytest.mark.parametrize("table", ALL_TABLES)
def test_copy_and_explain_show_only_ones_own(table: str, runtime: Connection, theirs: FilledGym) -> None:
    with runtime.cursor().copy(statement("COPY {table} TO STDOUT", table)) as copy:
        copied = b"".join(bytes(block) for block in copy).decode()
    assert copied
    assert not gives_away(copied, theirs)
    plan = runtime.execute(statement("EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM {table}", table)).fetchall()
    assert not gives_away(str(plan), theirs)


def test_copy_in_goes_through_the_policies(runtime: Connection, theirs: FilledGym) -> None:
    with pytest.raises(pg.FeatureNotSupported), runtime.cursor().copy("COPY secrets FROM STDIN") as copy:
        copy.write_row([theirs.org_id, new_id(), "x", "y"])


@pytest.mark.parametrize("table", TENANT_TABLES)
def test_errors_and_notices_tell_only_ones_own(table: str, runtime: Connection, theirs: FilledGym) -> None:
    """A function that talks about each row it is shown, and one that fails on it: the policy comes first."""
    heard: list[str] = []
    runtime.add_notice_handler(lambda notice: heard.append(notice.message_primary or ""))
    runtime.execute(
        "CREATE FUNCTION pg_temp.tell(row_text text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS"
        " $$ BEGIN RAISE NOTICE '%', row_text; RETURN true; END $$"
    )
    runtime.execute(statement("SELECT 1 FROM {table} t WHERE pg_temp.tell(t::text)", table))
    assert heard
    assert not gives_away("".join(heard), theirs)
    for text in (
        "SELECT (t::text)::integer FROM {table} t",
        "SELECT 1 FROM {table} t WHERE (t::text)::integer = 1",
        "SELECT 1 / (CASE WHEN org_id = %s THEN 0 ELSE 1 END) FROM {table}",
    ):
        with attempt(runtime) as said:
            runtime.execute(statement(text, table), (theirs.org_id,) if "%s" in text else ())
        assert not gives_away("".join(said), theirs)
        assert said[0] != "22012"  # no division by zero: the row was never there


def test_statistics_are_hidden(superuser: Connection, runtime: Connection, theirs: FilledGym) -> None:
    superuser.execute("ANALYZE")
    shown = runtime.execute("SELECT s::text FROM pg_stats s WHERE schemaname = 'public'").fetchall()
    assert not gives_away(str(shown), theirs)
    with pytest.raises(pg.InsufficientPrivilege):
        runtime.execute("SELECT * FROM pg_statistic")


def test_the_scope_ends_with_the_transaction(runtime: Connection, ours: FilledGym) -> None:
    assert visible(runtime, "secrets")
    for end in (runtime.commit, runtime.rollback):
        end()
        for table in ALL_TABLES:
            assert visible(runtime, table) == [], table
        end()
        act(runtime, ours.org_id, ours.owner, "owner")


def test_a_prepared_statement_asks_anew_for_whom(
    runtime: Connection, ours: FilledGym, theirs: FilledGym
) -> None:
    """A plan that is kept must not keep the tenant it was first made for."""
    query = "SELECT org_id FROM secrets"
    for _ in range(8):
        for gym in (ours, theirs):
            act(runtime, gym.org_id, gym.owner, "owner")
            assert set(runtime.execute(query, prepare=True).fetchall()) == {(gym.org_id,)}
        act(runtime, None)
        assert runtime.execute(query, prepare=True).fetchall() == []


def test_look_ups_across_organisations_refuse_tenants(runtime: Connection, superuser: Connection) -> None:
    found = superuser.execute(
        "SELECT p.proname, array(SELECT t::regtype::text FROM unnest(p.proargtypes) t) FROM pg_proc p"
        " WHERE p.pronamespace = 'spotter_auth'::regnamespace AND p.prosecdef AND p.prosrc ~ 'refuse_inside_tenant'"
    ).fetchall()
    assert len(found) >= 12
    for name, types in found:
        call = sql.SQL("SELECT spotter_auth.{}({})").format(
            sql.Identifier(name), sql.SQL(", ").join(sql.SQL("NULL::" + kind) for kind in types)
        )
        with attempt(runtime) as said:
            runtime.execute(call)
        assert said[0] == "42501", name
        assert "without an organisation" in said[1], name


def test_the_queue_shows_nothing_and_locks_are_ones_own(
    runtime: Connection, ours: FilledGym, theirs: FilledGym
) -> None:
    """Neither can a tenant see another one's jobs, nor tell from a lock that one waits, nor call one done."""
    defer = "SELECT queue.spotter_defer('default', 'nothing', 0, 'a lock', 'the same lock', '{}', now())"
    jobs = []
    for gym in (ours, theirs):
        act(runtime, gym.org_id, gym.owner, "owner")
        jobs.append(runtime.execute(defer).fetchone())
        assert runtime.execute(defer).fetchone() == (None,)
    assert None not in jobs
    assert jobs[0] != jobs[1]
    act(runtime, ours.org_id, ours.owner, "owner")
    outcomes = []
    for job in (jobs[1], (2**60,)):
        with attempt(runtime) as said:
            runtime.execute("SELECT queue.spotter_leave_receipt(%s)", job)
        outcomes.append([text.replace(str(job[0] if job else ""), "?") for text in said])
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == "42501"
    assert runtime.execute("SELECT queue.spotter_leave_receipt(%s)", jobs[0]).fetchone() == (True,)
    assert runtime.execute("SELECT queue.spotter_leave_receipt(%s)", jobs[0]).fetchone() == (False,)
    for table in ("procrastinate_jobs", "procrastinate_events", "spotter_receipts"):
        with attempt(runtime) as said:
            runtime.execute(sql.SQL("SELECT * FROM queue.{}").format(sql.Identifier(table)))
        assert said[0] == "42501"


def test_the_job_login_sees_no_content(base: Ground, ours: FilledGym) -> None:
    with psycopg.connect(base.urls.job) as connection:
        for table in ALL_TABLES:
            with attempt(connection) as said:
                visible(connection, table)
            assert said[0] == "42501", table


def test_the_audit_log_is_only_added_to(base: Ground, runtime: Connection, ours: FilledGym) -> None:
    """Not even the owner of the table changes or removes what was recorded."""
    with psycopg.connect(base.urls.owner) as owner:
        act(owner, ours.org_id, ours.owner, "owner")
        for text in (
            "UPDATE audit_log SET action = 'nothing happened'",
            "DELETE FROM audit_log",
            "TRUNCATE audit_log",
            "TRUNCATE organisations CASCADE",
        ):
            for connection in (owner, runtime):
                with pytest.raises(pg.InsufficientPrivilege), connection.transaction():
                    connection.execute(text.encode())


def test_a_member_adds_to_the_audit_log_unseen(
    runtime: Connection, ours: FilledGym, theirs: FilledGym
) -> None:
    entry = {
        "org_id": ours.org_id,
        "id": new_id(),
        "actor_kind": "user",
        "action": "tested",
        "detail": Jsonb({}),
    }
    act(runtime, ours.org_id, ours.member, "member")
    insert(runtime, "audit_log", entry, returning=False)
    assert visible(runtime, "audit_log") == []
    with attempt(runtime) as said:
        insert(runtime, "audit_log", {**entry, "id": new_id()})  # reading it back is reading
    assert said[0] == "42501"
    with attempt(runtime) as said:
        insert(runtime, "audit_log", {**entry, "org_id": theirs.org_id}, returning=False)
    assert said[0] == "42501"
    act(runtime, ours.org_id, ours.owner, "owner")
    assert [row for row in visible(runtime, "audit_log") if str(entry["id"]) in row]
