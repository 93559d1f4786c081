"""Rows for every table there is, made from the tables' own description. A table whose rows cannot be made up
fails the tests that use this, so nobody forgets to think about it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from uuid import UUID

import psycopg
import sqlalchemy as sa
from psycopg import sql
from psycopg.types.json import Json, Jsonb
from sqlalchemy.dialects.postgresql import JSON, JSONB

from spotter.ids import new_id, random_id
from spotter.schema import metadata
from spotter.store.tables import Tenancy

Row = dict[str, Any]

# Where a check constraint allows only some values.
CHOSEN: dict[str, Any] = {
    "memberships.role": "member",
    "invitations.role": "member",
    "api_keys.role": "staff",
    "agent_effects.state": "done",
    "agent_sessions.kind": "conversation",
    "user_settings.units": "metric",
    "preferences.duration_type": "permanent",
    "session_workouts.state": "open",
    "scheduled_workouts.status": "planned",
    "experience_entries.kind": "xp",
    # Only the sealer gives these.
    "audit_log.chain_number": None,
    "audit_log.hash": None,
    "audit_log.sealed_at": None,
    "audit_log.ip_salt": None,
    "audit_log.ip_digest": None,
    "approvals.state": "used",
    "approvals.approver_role": "staff",
    "approval_policies.mode": "always",
    "approval_policies.approver_role": "staff",
    "organisations.timezone": "UTC",
    "spend_caps.scope": "organisation",
    "spend_caps.period": "day",
    "spend_caps.unit": "money",
    "spend_reservations.counters": [],
    "credit_entries.kind": "grant",
}


def tenancy_of(table: str) -> Tenancy:
    return Tenancy(metadata.tables[table].info["tenancy"])


def tables_of(*kinds: Tenancy) -> list[str]:
    """In an order in which rows can be added."""
    return [table.name for table in metadata.sorted_tables if tenancy_of(table.name) in kinds]


TENANT_TABLES = tables_of(Tenancy.ORGANISATION, Tenancy.PERSON, Tenancy.STAFF)
ALL_TABLES = tables_of(*(kind for kind in Tenancy if kind is not Tenancy.SYSTEM))


@dataclass
class FilledGym:
    """An organisation with something in every table, all of whose texts carry one word nobody else uses."""

    org_id: UUID = field(default_factory=random_id)
    owner: UUID = field(default_factory=random_id)
    member: UUID = field(default_factory=random_id)
    other_member: UUID = field(default_factory=random_id)
    canary: str = field(default_factory=lambda: f"canary{random_id().hex}")
    rows: dict[str, list[Row]] = field(default_factory=dict)

    @property
    def people(self) -> tuple[UUID, UUID, UUID]:
        return (self.owner, self.member, self.other_member)

    @property
    def marks(self) -> tuple[str, ...]:
        """What gives this organisation away wherever it appears."""
        return (self.canary, str(self.org_id), *(str(person) for person in self.people))

    def row_of(self, table: str, person: UUID) -> Row:
        return next(row for row in self.rows[table] if row.get("user_id", row.get("id")) == person)

    @classmethod
    def filled(cls, connection: psycopg.Connection[Any]) -> Self:
        gym = cls()
        gym.fill(connection)
        return gym

    def fill(self, connection: psycopg.Connection[Any]) -> None:
        for table in ALL_TABLES:
            self.rows[table] = []
            for row in self._rows_for(metadata.tables[table]):
                self.rows[table].append(insert(connection, table, row))

    def _rows_for(self, table: sa.Table) -> Iterator[Row]:
        if table.name == "organisations":
            yield self._row(table, {"id": self.org_id})
        elif tenancy_of(table.name) is Tenancy.ACCOUNT or tenancy_of(table.name) is Tenancy.PERSON:
            key = "id" if table.name == "users" else "user_id"
            for person in self.people:
                yield self._row(table, {key: person})
        else:
            yield self._row(table, {})

    def _row(self, table: sa.Table, row: Row) -> Row:
        person = row.get("user_id", row.get("id"))
        if "org_id" in table.c:
            row["org_id"] = self.org_id
        for constraint in table.foreign_key_constraints:
            target = constraint.referred_table.name
            parents = [r for r in self.rows[target] if r.get("user_id", r.get("id")) == person]
            for element in constraint.elements:
                row.setdefault(element.parent.name, (parents or self.rows[target])[0][element.column.name])
        for column in table.columns:
            if column.name not in row and column.identity is None:
                row[column.name] = made_up(column, f"{self.canary} {person} {table.name}.{column.name}")
        return row


# The first that fits. A type that is missing here is a type nobody has thought about.
MAKERS: tuple[tuple[type[Any], Callable[[str], Any]], ...] = (
    (sa.Uuid, lambda _: new_id()),
    (sa.DateTime, lambda _: datetime.now(UTC) + timedelta(hours=1)),
    (sa.Date, lambda _: datetime.now(UTC).date()),
    (sa.String, str),
    (sa.ARRAY, lambda words: [words]),
    (JSONB, lambda words: Jsonb({"words": words})),
    (JSON, lambda words: Json({"words": words})),
    (sa.Boolean, lambda _: False),
    (sa.Integer, lambda _: 7),
    (sa.Float, lambda _: 7.5),
    (sa.LargeBinary, str.encode),
)


def made_up(column: sa.Column[Any], words: str) -> Any:
    if (name := f"{column.table.name}.{column.name}") in CHOSEN:
        return CHOSEN[name]
    for kind, make in MAKERS:
        if isinstance(column.type, kind):
            return make(words)
    raise AssertionError(f"tests/support/tenant_rows.py cannot make up {name} of type {column.type!r}")


def insert(connection: psycopg.Connection[Any], table: str, row: Row, *, returning: bool = True) -> Row:
    """The row as stored, what the database made up included."""
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(table),
        sql.SQL(", ").join(sql.Identifier(name) for name in row),
        sql.SQL(", ").join([sql.Placeholder()] * len(row)),
    )
    if not returning:
        connection.execute(statement, list(row.values()))
        return row
    cursor = connection.execute(statement + sql.SQL(" RETURNING *"), list(row.values()))
    stored = cursor.fetchone()
    assert stored is not None
    assert cursor.description is not None
    return {**dict(zip((c.name for c in cursor.description), stored, strict=True)), **row}


def contents(connection: psycopg.Connection[Any], table: str, gym: FilledGym) -> list[str]:
    """Everything of this organisation, as text, to see whether anything changed. For one who sees everything."""
    statement = sql.SQL("SELECT t::text FROM {} t ORDER BY 1").format(sql.Identifier(table))
    return [row[0] for row in connection.execute(statement) if any(mark in row[0] for mark in gym.marks)]
