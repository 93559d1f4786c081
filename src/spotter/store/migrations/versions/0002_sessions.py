"""Sessions: the log of events, turns, waiting messages, effects outside."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from spotter.store.migrations import policies, session_functions
from spotter.store.migrations.policies import ORG, STAFF, USER

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_tables()
    _protect()
    for function in session_functions.ALL:
        op.execute(function)
    _let_erase()


def _create_tables() -> None:
    op.create_table(
        "agent_sessions",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("scenario", sa.Text(), nullable=True),
        sa.Column("stage", sa.Text(), nullable=True),
        sa.Column("overrides", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("last_sequence", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("context_start_sequence", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("forked_from", sa.Uuid(), nullable=True),
        sa.Column("forked_at", sa.Integer(), nullable=True),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("fence", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("turn_open", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("lease_owner", sa.Integer(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_agent_sessions_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_agent_sessions")),
        postgresql_with={"fillfactor": 50},
    )
    op.create_index(
        "ix_agent_sessions_open_turns",
        "agent_sessions",
        ["org_id"],
        unique=False,
        postgresql_where=sa.text("turn_open"),
    )
    op.create_index(
        op.f("ix_agent_sessions_org_id_user_id"), "agent_sessions", ["org_id", "user_id"], unique=False
    )
    op.create_table(
        "outbox",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=True),
        sa.Column("call_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_outbox_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_outbox")),
    )
    op.create_table(
        "agent_message_keys",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "session_id", "user_id"],
            ["agent_sessions.org_id", "agent_sessions.id", "agent_sessions.user_id"],
            name=op.f("fk_agent_message_keys_org_id_session_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "session_id", "key", "user_id", name=op.f("pk_agent_message_keys")),
    )
    op.create_table(
        "agent_effects",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('attempting', 'done', 'uncertain')", name=op.f("ck_agent_effects_state")
        ),
        sa.ForeignKeyConstraint(
            ["org_id", "session_id", "user_id"],
            ["agent_sessions.org_id", "agent_sessions.id", "agent_sessions.user_id"],
            name=op.f("fk_agent_effects_org_id_session_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "session_id", "call_id", "user_id", name=op.f("pk_agent_effects")),
    )
    op.create_table(
        "agent_events",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("sequence_number", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("content", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "session_id", "user_id"],
            ["agent_sessions.org_id", "agent_sessions.id", "agent_sessions.user_id"],
            name=op.f("fk_agent_events_org_id_session_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "org_id", "session_id", "sequence_number", "user_id", name=op.f("pk_agent_events")
        ),
    )
    op.create_table(
        "agent_inbox",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("content", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "session_id", "user_id"],
            ["agent_sessions.org_id", "agent_sessions.id", "agent_sessions.user_id"],
            name=op.f("fk_agent_inbox_org_id_session_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "session_id", "position", "user_id", name=op.f("pk_agent_inbox")),
    )


def _protect() -> None:
    policies.person_rows("agent_sessions", ("SELECT", "INSERT", "UPDATE"))
    policies.person_rows("agent_events", policies.APPEND_ONLY)
    policies.person_rows("agent_inbox", ("SELECT", "INSERT", "DELETE"))
    policies.person_rows("agent_message_keys", policies.APPEND_ONLY)
    policies.person_rows("agent_effects", ("SELECT", "INSERT", "UPDATE"))
    policies.person_rows("outbox", ("SELECT", "INSERT", "UPDATE"))
    # The sweeper finds turns whose process died and messages nobody took up; it sees ids and leases, no content.
    for table in ("agent_sessions", "agent_inbox"):
        op.execute(f"CREATE POLICY {table}_job ON {table} FOR SELECT TO spotter_job USING (true)")
    op.execute(
        "GRANT SELECT (org_id, id, user_id, fence, turn_open, lease_owner, lease_until, erased_at)"
        " ON agent_sessions TO spotter_job"
    )
    op.execute("GRANT SELECT (org_id, session_id, user_id, created_at) ON agent_inbox TO spotter_job")


def _let_erase() -> None:
    """Runtime may add events but not change them. Shredding is done by a function that does only that, under
    the same rule of whose rows they are."""
    mine = f"org_id = {ORG} AND (user_id = {USER} OR {STAFF})"
    for table, command, rights in (
        ("agent_sessions", "UPDATE", "SELECT, UPDATE"),
        ("agent_events", "UPDATE", "SELECT, UPDATE (content)"),
        ("agent_inbox", "DELETE", "SELECT, DELETE"),
    ):
        check = f" WITH CHECK ({mine})" if command == "UPDATE" else ""
        op.execute(
            f"CREATE POLICY {table}_erase ON {table} FOR {command} TO spotter_auth USING ({mine}){check}"
        )
        op.execute(f"CREATE POLICY {table}_find ON {table} FOR SELECT TO spotter_auth USING ({mine})")
        op.execute(f"GRANT {rights} ON {table} TO spotter_auth")
    op.execute("GRANT CREATE ON SCHEMA spotter_auth TO spotter_auth")
    op.execute(session_functions.ERASE)
    op.execute("ALTER FUNCTION spotter_auth.erase_session(uuid) OWNER TO spotter_auth")
    op.execute("REVOKE CREATE ON SCHEMA spotter_auth FROM spotter_auth")
    op.execute("REVOKE ALL ON FUNCTION spotter_auth.erase_session(uuid) FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION spotter_auth.erase_session(uuid) TO spotter_runtime")
