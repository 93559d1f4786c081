"""Voice: who may speak how long and for how much, and what is held back for it."""

import sqlalchemy as sa
from alembic import op

from spotter.store.migrations import policies, voice_functions

revision = "0011"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "voice_sessions",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("budget", sa.BigInteger(), nullable=True),
        sa.Column("budget_tokens", sa.BigInteger(), nullable=False),
        sa.Column("spent", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("spent_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("reports", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("reservation_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("end_reason", sa.Text(), server_default="", nullable=False),
        sa.CheckConstraint(
            "budget >= 0 AND budget_tokens >= 0 AND spent >= 0 AND spent_tokens >= 0 AND reports >= 0",
            name=op.f("ck_voice_sessions_amounts"),
        ),
        sa.ForeignKeyConstraint(
            ["org_id", "session_id", "user_id"],
            ["agent_sessions.org_id", "agent_sessions.id", "agent_sessions.user_id"],
            name=op.f("fk_voice_sessions_org_id_session_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_voice_sessions")),
    )
    op.create_index("ix_voice_sessions_session", "voice_sessions", ["org_id", "session_id"])
    op.create_index(
        "ix_voice_sessions_open", "voice_sessions", ["ends_at"], postgresql_where=sa.text("ended_at IS NULL")
    )
    policies.person_rows("voice_sessions", ("SELECT", "INSERT", "UPDATE"))
    # The sweeper finds conversations whose time is over; it sees nothing of them.
    op.execute("CREATE POLICY voice_sessions_job ON voice_sessions FOR SELECT TO spotter_job USING (true)")
    op.execute("GRANT SELECT (org_id, id, ends_at, ended_at) ON voice_sessions TO spotter_job")
    for function in voice_functions.ALL:
        op.execute(function)
