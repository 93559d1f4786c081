"""Projects, drafts, context snapshots; sessions that belong to a project or are no conversation."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from spotter.store.migrations import call_functions, policies, project_functions
from spotter.store.migrations.policies import ORG, USER

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_MANAGES = "coalesce(current_setting('spotter.role', true), '') IN ('owner', 'admin', 'service')"
_NOW = sa.text("now()")


def upgrade() -> None:
    op.add_column("agent_sessions", sa.Column("project_id", sa.Uuid(), nullable=True))
    op.add_column(
        "agent_sessions", sa.Column("kind", sa.Text(), server_default="conversation", nullable=False)
    )
    op.create_check_constraint(
        op.f("ck_agent_sessions_kind"), "agent_sessions", "kind IN ('conversation', 'call', 'proxy')"
    )
    _create_projects()
    _create_drafts()
    _create_snapshots()
    _add_default_projects()
    _protect()
    for function in call_functions.ALL:
        op.execute(function)


def _create_projects() -> None:
    op.create_table(
        "projects",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("is_default", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_projects_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_projects")),
    )
    op.create_index(
        "ix_projects_default", "projects", ["org_id"], unique=True, postgresql_where=sa.text("is_default")
    )
    op.create_table(
        "project_members",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("added_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        _in_project("project_members"),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_project_members_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "project_id", "user_id", name=op.f("pk_project_members")),
    )
    op.create_index(
        op.f("ix_project_members_org_id_user_id"), "project_members", ["org_id", "user_id"], unique=False
    )


def _in_project(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["org_id", "project_id"],
        ["projects.org_id", "projects.id"],
        name=op.f(f"fk_{table}_org_id_project_id"),
        ondelete="CASCADE",
    )


def _create_drafts() -> None:
    op.create_table(
        "drafts",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("content", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("updated_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        _in_project("drafts"),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_drafts")),
        sa.UniqueConstraint(
            "org_id", "project_id", "key", "user_id", name=op.f("uq_drafts_org_id_project_id_key_user_id")
        ),
    )
    op.create_index(
        op.f("ix_drafts_org_id_project_id_updated_at"),
        "drafts",
        ["org_id", "project_id", "updated_at"],
        unique=False,
    )
    op.create_table(
        "draft_versions",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("draft_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("content", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "draft_id"],
            ["drafts.org_id", "drafts.id"],
            name=op.f("fk_draft_versions_org_id_draft_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "draft_id", "version", name=op.f("pk_draft_versions")),
    )


def _create_snapshots() -> None:
    op.create_table(
        "context_snapshots",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("page", sa.Text(), nullable=False),
        sa.Column("block", sa.Text(), nullable=False),
        sa.Column("reference_ids", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("labels", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("access", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("drafts", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("untrusted", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        _in_project("context_snapshots"),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_context_snapshots")),
    )
    op.create_index(
        op.f("ix_context_snapshots_org_id_created_at"),
        "context_snapshots",
        ["org_id", "created_at"],
        unique=False,
    )
    op.create_table(
        "session_contexts",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("context_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "session_id", "user_id"],
            ["agent_sessions.org_id", "agent_sessions.id", "agent_sessions.user_id"],
            name=op.f("fk_session_contexts_org_id_session_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["org_id", "context_id", "user_id"],
            ["context_snapshots.org_id", "context_snapshots.id", "context_snapshots.user_id"],
            name=op.f("fk_session_contexts_org_id_context_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "org_id", "session_id", "context_id", "user_id", name=op.f("pk_session_contexts")
        ),
    )


def _add_default_projects() -> None:
    """For organisations that are there already. Their table binds its owner too, but for this moment."""
    op.execute("ALTER TABLE organisations NO FORCE ROW LEVEL SECURITY")
    op.execute(
        "INSERT INTO projects (org_id, id, name, description, is_default)"
        " SELECT id, gen_random_uuid(), 'General', 'Everybody''s: what names no other project.', true"
        " FROM organisations"
    )
    op.execute("ALTER TABLE organisations FORCE ROW LEVEL SECURITY")


def _protect() -> None:
    policies.organisation_rows("projects", ("SELECT", "INSERT", "UPDATE"))
    policies.person_rows("project_members", ("SELECT", "INSERT", "DELETE"))
    policies.organisation_rows("drafts", ("SELECT", "INSERT", "UPDATE"))
    policies.organisation_rows("draft_versions", policies.APPEND_ONLY)
    policies.person_rows("context_snapshots", policies.APPEND_ONLY)
    policies.person_rows("session_contexts", policies.APPEND_ONLY)
    # The sweeper forgets old snapshots: they hold what people did.
    op.execute("CREATE POLICY context_snapshots_job ON context_snapshots TO spotter_job USING (true)")
    op.execute("GRANT SELECT (created_at), DELETE ON context_snapshots TO spotter_job")
    for table in ("projects", "project_members"):
        # Nobody logs in as spotter_auth: this is only the right of the two functions that policies ask.
        op.execute(f"CREATE POLICY {table}_find ON {table} FOR SELECT TO spotter_auth USING (org_id = {ORG})")
        op.execute(f"GRANT SELECT ON {table} TO spotter_auth")
    op.execute("GRANT CREATE ON SCHEMA spotter_auth TO spotter_auth")
    for function in project_functions.ALL:
        op.execute(function)
    for name in ("sees_project", "shares_project"):
        op.execute(f"ALTER FUNCTION spotter_auth.{name}(uuid) OWNER TO spotter_auth")
        op.execute(f"REVOKE ALL ON FUNCTION spotter_auth.{name}(uuid) FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION spotter_auth.{name}(uuid) TO spotter_runtime")
    op.execute("REVOKE CREATE ON SCHEMA spotter_auth FROM spotter_auth")
    _restrict("projects", "SELECT", "spotter_auth.sees_project(id)")
    _restrict("project_members", "SELECT", "spotter_auth.sees_project(project_id)")
    _restrict("projects", "INSERT", _MANAGES)
    _restrict("projects", "UPDATE", _MANAGES)
    _restrict("project_members", "INSERT", _MANAGES)
    _restrict("project_members", "DELETE", _MANAGES)
    shared = "spotter_auth.shares_project(project_id)"
    own = f"user_id = {USER} AND spotter_auth.sees_project(project_id)"
    for table in ("drafts", "draft_versions"):
        _restrict(table, "ALL", f"{shared} OR ({own})")
    _restrict("context_snapshots", "ALL", "spotter_auth.sees_project(project_id)")


def _restrict(table: str, command: str, condition: str) -> None:
    using = "" if command == "INSERT" else f" USING ({condition})"
    check = f" WITH CHECK ({condition})" if command in ("INSERT", "UPDATE", "ALL") else ""
    op.execute(
        f"CREATE POLICY {table}_project_{command.lower()} ON {table} AS RESTRICTIVE FOR {command}"
        f" TO spotter_runtime{using}{check}"
    )
