"""With raw SQL, as the login Spotter serves with: nothing of another organisation or another member can be
read, written, moved, referred to or detected."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from spotter.app import Ground
from spotter.ids import new_id, random_id
from spotter.schema import metadata
from spotter.store.embedded import EmbeddedPostgres
from spotter.store.tables import Tenancy
from tests.support.raw_sql import Connection, act, as_superuser, attempt, statement, visible
from tests.support.tenant_rows import (
    ALL_TABLES,
    TENANT_TABLES,
    FilledGym,
    Row,
    contents,
    insert,
    made_up,
    tables_of,
)

PERSONAL = tables_of(Tenancy.PERSON)
STAFF_ONLY = tables_of(Tenancy.STAFF)


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
def runtime(base: Ground) -> Iterator[Connection]:
    with psycopg.connect(base.urls.runtime_direct) as connection:
        yield connection
        connection.rollback()


def columns_of(table: str) -> list[str]:
    return [column.name for column in metadata.tables[table].columns]


def test_every_table_has_rows_of_both(superuser: Connection, ours: FilledGym, theirs: FilledGym) -> None:
    for table in ALL_TABLES:
        assert contents(superuser, table, ours), table
        assert contents(superuser, table, theirs), table


def test_nothing_of_another_organisation_is_read(
    runtime: Connection, ours: FilledGym, theirs: FilledGym
) -> None:
    for role in ("owner", "service"):
        act(runtime, ours.org_id, ours.owner, role)
        for table in ALL_TABLES:
            rows = visible(runtime, table)
            assert rows, f"{table} shows nothing at all, so this proves nothing"
            assert [row for row in rows if any(mark in row for mark in theirs.marks)] == [], table
            if table in TENANT_TABLES:
                assert all(str(ours.org_id) in row for row in rows), table


def test_without_a_scope_there_is_nothing(runtime: Connection, ours: FilledGym) -> None:
    for table in ALL_TABLES:
        assert visible(runtime, table) == [], table
    act(runtime, None, None, "owner")
    for table in ALL_TABLES:
        assert visible(runtime, table) == [], table


def test_nothing_of_another_organisation_is_written(
    runtime: Connection, superuser: Connection, ours: FilledGym, theirs: FilledGym
) -> None:
    before = {table: contents(superuser, table, theirs) for table in ALL_TABLES}
    for table in ALL_TABLES:
        act(runtime, ours.org_id, ours.owner, "owner")
        for column in columns_of(table):
            with attempt(runtime) as said:
                done = runtime.execute(
                    statement("UPDATE {table} SET {column} = {column}", table, column=column)
                )
                said.append(f"{done.rowcount} rows")
            assert said[-1] != "done" or said[0] == f"{len(_own(ours, table))} rows", (table, column, said)
        with attempt(runtime) as said:
            gone = runtime.execute(statement("DELETE FROM {table}", table))
            assert gone.rowcount <= len(ours.rows[table])
    assert {table: contents(superuser, table, theirs) for table in ALL_TABLES} == before


def _own(gym: FilledGym, table: str) -> list[Row]:
    """What an owner may change: the organisation's rows, and of accounts their own."""
    if table in TENANT_TABLES or table == "organisations":
        return gym.rows[table]
    return [gym.row_of(table, gym.owner)]


@pytest.mark.parametrize("table", TENANT_TABLES)
def test_rows_cannot_be_put_into_another_organisation(
    table: str, runtime: Connection, ours: FilledGym, theirs: FilledGym
) -> None:
    act(runtime, ours.org_id, ours.owner, "owner")
    with attempt(runtime) as said:
        insert(runtime, table, _with_new_ids(table, theirs.rows[table][0]), returning=False)
    assert said[0] == "42501", said
    with attempt(runtime) as said:
        runtime.execute(statement("UPDATE {table} SET org_id = %s", table), (theirs.org_id,))
    assert said[0] == "42501", said


def _with_new_ids(table: str, row: Row) -> Row:
    """The same row under ids that nobody has."""
    fresh = dict(row)
    if "id" in fresh:
        fresh["id"] = new_id()
    return {name: value for name, value in fresh.items() if metadata.tables[table].c[name].identity is None}


@pytest.mark.parametrize("table", TENANT_TABLES)
def test_what_another_organisation_has_cannot_be_detected(
    table: str, runtime: Connection, ours: FilledGym, theirs: FilledGym
) -> None:
    """Adding their exact row as one's own ends as with a row that never was: keys do not clash, references
    into the other organisation are as good as into nothing."""
    real = _with_ours(table, theirs.rows[table][-1], ours)
    invented = {name: _never_was(table, name, value, ours) for name, value in real.items()}
    act(runtime, ours.org_id, ours.owner, "owner")
    outcomes = []
    for row in (real, invented):
        with attempt(runtime) as said:
            insert(runtime, table, row, returning=False)
        for value in sorted((str(value) for value in row.values()), key=len, reverse=True):
            said[:] = [text.replace(value, "?") for text in said]
        outcomes.append(said)
    assert outcomes[0] == outcomes[1]
    assert not [text for text in outcomes[0] if any(mark in text for mark in theirs.marks)]


def _with_ours(table: str, row: Row, gym: FilledGym) -> Row:
    writable = _with_new_ids(table, row)
    return {**writable, "org_id": gym.org_id} | ({"id": row["id"]} if "id" in row else {})


def _never_was(table: str, name: str, value: Any, gym: FilledGym) -> Any:
    if name == "org_id":
        return gym.org_id
    return made_up(metadata.tables[table].c[name], f"never {random_id().hex}") if value is not None else None


def _is_common(table: str, name: str) -> bool:
    """Whether it names something the organisation has in common, which the member sees anyway."""
    return any(
        Tenancy(key.column.table.info["tenancy"]) is Tenancy.ORGANISATION
        for key in metadata.tables[table].c[name].foreign_keys
    )


def test_accounts_cannot_be_detected(runtime: Connection, ours: FilledGym, theirs: FilledGym) -> None:
    act(runtime, ours.org_id, ours.owner, "owner")
    outcomes = []
    for person in (theirs.owner, random_id()):
        with attempt(runtime) as said:
            insert(runtime, "credentials", {"user_id": person, "password_hash": "x"}, returning=False)
        outcomes.append(said)
        for table, key in (("users", "email"), ("external_identities", "subject"), ("organisations", "slug")):
            with attempt(runtime) as said:
                taken = theirs.rows[table][0][key] if person == theirs.owner else "free"
                runtime.execute(statement("UPDATE {table} SET {key} = %s", table, key=key), (taken,))
            outcomes.append(said)
    assert outcomes[: len(outcomes) // 2] == outcomes[len(outcomes) // 2 :]
    assert {said[0] for said in outcomes} == {"42501"}


@pytest.mark.parametrize("table", PERSONAL)
def test_members_are_kept_apart(
    table: str, runtime: Connection, superuser: Connection, ours: FilledGym
) -> None:
    before = contents(superuser, table, ours)
    act(runtime, ours.org_id, ours.member, "member")
    rows = visible(runtime, table)
    assert len(rows) == 1
    assert str(ours.member) in rows[0]
    assert str(ours.other_member) not in rows[0]
    for column in columns_of(table):
        with attempt(runtime) as said:
            done = runtime.execute(statement("UPDATE {table} SET {column} = {column}", table, column=column))
            assert done.rowcount <= 1
    with attempt(runtime) as said:
        assert runtime.execute(statement("DELETE FROM {table}", table)).rowcount <= 1
    for user_id in (ours.other_member, random_id()):
        with attempt(runtime) as said:
            insert(
                runtime,
                table,
                {**_with_new_ids(table, ours.rows[table][1]), "user_id": user_id},
                returning=False,
            )
        assert said[0] == "42501", said
        with attempt(runtime) as said:
            runtime.execute(statement("UPDATE {table} SET user_id = %s", table), (user_id,))
        assert said[0] == "42501", said
    assert contents(superuser, table, ours) == before


@pytest.mark.parametrize("table", PERSONAL)
def test_what_another_member_has_cannot_be_detected(table: str, runtime: Connection, ours: FilledGym) -> None:
    act(runtime, ours.org_id, ours.member, "member")
    outcomes = []
    for source in (ours.row_of(table, ours.other_member), None):
        real = {
            **_with_ours(table, source or ours.row_of(table, ours.other_member), ours),
            "user_id": ours.member,
        }
        row = real if source else {
            name: value if name == "user_id" or _is_common(table, name) else _never_was(table, name, value, ours)
            for name, value in real.items()
        }  # fmt: skip
        with attempt(runtime) as said:
            insert(runtime, table, row, returning=False)
        for value in sorted((str(value) for value in row.values()), key=len, reverse=True):
            said[:] = [text.replace(value, "?") for text in said]
        outcomes.append(said)
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("table", STAFF_ONLY)
def test_members_see_nothing_of_staff(
    table: str, runtime: Connection, superuser: Connection, ours: FilledGym
) -> None:
    before = contents(superuser, table, ours)
    for person, role in ((ours.member, "member"), (ours.member, ""), (None, "")):
        act(runtime, ours.org_id, person, role)
        assert visible(runtime, table) == []
        with attempt(runtime) as said:
            assert runtime.execute(statement("UPDATE {table} SET id = id", table)).rowcount == 0
        with attempt(runtime) as said:
            assert runtime.execute(statement("DELETE FROM {table}", table)).rowcount == 0
        if table != "audit_log":  # which everybody adds to and nobody but staff reads
            with attempt(runtime) as said:
                insert(runtime, table, _with_new_ids(table, ours.rows[table][0]), returning=False)
            assert said[0] == "42501"
    assert contents(superuser, table, ours) == before


def test_a_member_cannot_promote_itself(runtime: Connection, superuser: Connection, ours: FilledGym) -> None:
    act(runtime, ours.org_id, ours.member, "member")
    changed = runtime.execute("UPDATE memberships SET role = 'owner' WHERE user_id = %s", (ours.member,))
    assert changed.rowcount == 0
    runtime.commit()
    roles = superuser.execute("SELECT role FROM memberships WHERE user_id = %s", (ours.member,)).fetchall()
    assert roles == [("member",)]
