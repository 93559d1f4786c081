"""Scenarios: organisations' own agents and scenarios, with every version they had."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from spotter.store.migrations import policies
from spotter.store.migrations.policies import MANAGES

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_NOW = sa.text("now()")


def upgrade() -> None:
    for table, versions in (("ai_agents", "ai_agent_versions"), ("scenarios", "scenario_versions")):
        _create_definitions(table)
        _create_versions(versions, table)
        policies.organisation_rows(table, ("SELECT", "INSERT", "UPDATE"))
        policies.staff_rows(versions, policies.APPEND_ONLY)
        _restrict(table, "SELECT", "project_id IS NULL OR spotter_auth.sees_project(project_id)")
        for command in ("INSERT", "UPDATE"):
            _restrict(table, command, MANAGES)
        _restrict(versions, "INSERT", MANAGES)
        # Who does not see it does not see what it was either.
        _restrict(
            versions,
            "SELECT",
            f"EXISTS (SELECT 1 FROM {table} d WHERE d.org_id = {versions}.org_id AND d.id = definition_id)",
        )


def _restrict(table: str, command: str, condition: str) -> None:
    using = "" if command == "INSERT" else f" USING ({condition})"
    check = f" WITH CHECK ({condition})" if command != "SELECT" else ""
    op.execute(
        f"CREATE POLICY {table}_{command.lower()} ON {table} AS RESTRICTIVE FOR {command}"
        f" TO spotter_runtime{using}{check}"
    )


def _create_definitions(table: str) -> None:
    op.create_table(
        table,
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("definition", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("updated_by", sa.Uuid(), nullable=True),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f(f"fk_{table}_org_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["org_id", "project_id"],
            ["projects.org_id", "projects.id"],
            name=op.f(f"fk_{table}_org_id_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f(f"pk_{table}")),
    )
    op.create_index(
        f"ix_{table}_name",
        table,
        ["org_id", "project_id", "name"],
        unique=True,
        postgresql_where=sa.text("archived_at IS NULL"),
        postgresql_nulls_not_distinct=True,
    )


def _create_versions(table: str, parent: str) -> None:
    op.create_table(
        table,
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("definition_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("definition", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "definition_id"],
            [f"{parent}.org_id", f"{parent}.id"],
            name=op.f(f"fk_{table}_org_id_definition_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "definition_id", "version", name=op.f(f"pk_{table}")),
    )
