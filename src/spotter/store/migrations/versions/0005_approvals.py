"""Approvals: policies, requests, and turns that go on when a person has decided."""

import sqlalchemy as sa
from alembic import op

from spotter.store.migrations import approval_functions, policies

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_ROLES = "('member', 'staff', 'admin', 'owner')"


def upgrade() -> None:
    _create_policies()
    _create_approvals()
    policies.organisation_rows("approval_policies")
    policies.person_rows("approvals", ("SELECT", "INSERT", "UPDATE"))
    # The sweeper finds requests that have run out and decisions that wait for their turn; it sees no arguments.
    op.execute("CREATE POLICY approvals_job ON approvals FOR SELECT TO spotter_job USING (true)")
    op.execute(
        "GRANT SELECT (org_id, id, user_id, session_id, expires_at, decided_at, settled_at)"
        " ON approvals TO spotter_job"
    )
    for function in approval_functions.ALL:
        op.execute(function)


def _create_policies() -> None:
    op.create_table(
        "approval_policies",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("tool", sa.Text(), server_default="", nullable=False),
        sa.Column("agent", sa.Text(), server_default="", nullable=False),
        sa.Column("role", sa.Text(), server_default="", nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("argument", sa.Text(), server_default="", nullable=False),
        sa.Column("above", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("approver_role", sa.Text(), nullable=False),
        sa.Column("four_eyes", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("trusts_tainted", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("mode IN ('never', 'always', 'above')", name=op.f("ck_approval_policies_mode")),
        sa.CheckConstraint(f"approver_role IN {_ROLES}", name=op.f("ck_approval_policies_approver_role")),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_approval_policies_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_approval_policies")),
        sa.UniqueConstraint(
            "org_id", "tool", "agent", "role", name=op.f("uq_approval_policies_org_id_tool_agent_role")
        ),
    )


def _create_approvals() -> None:
    op.create_table(
        "approvals",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("tool_version", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("args_hash", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("approver_role", sa.Text(), nullable=False),
        sa.Column("four_eyes", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("replaces", sa.Uuid(), nullable=True),
        sa.Column("edited", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("requested_by", sa.Uuid(), nullable=True),
        sa.Column(
            "requested_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), server_default="pending", nullable=False),
        sa.Column("decided_by", sa.Uuid(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decision_reason", sa.Text(), server_default="", nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('pending', 'approved', 'denied', 'expired', 'superseded', 'used')",
            name=op.f("ck_approvals_state"),
        ),
        sa.CheckConstraint(f"approver_role IN {_ROLES}", name=op.f("ck_approvals_approver_role")),
        sa.ForeignKeyConstraint(
            ["org_id", "session_id", "user_id"],
            ["agent_sessions.org_id", "agent_sessions.id", "agent_sessions.user_id"],
            name=op.f("fk_approvals_org_id_session_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_approvals")),
    )
    op.create_index(
        "ix_approvals_unsettled",
        "approvals",
        ["org_id", "session_id"],
        unique=False,
        postgresql_where=sa.text("settled_at IS NULL"),
    )
    op.create_index(
        op.f("ix_approvals_org_id_requested_at"), "approvals", ["org_id", "requested_at"], unique=False
    )
