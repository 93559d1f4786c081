"""What guests cost is counted apart and can be capped; tickets for streams are good once."""

import sqlalchemy as sa
from alembic import op

from spotter.store.migrations import money_functions, policies, turn_functions

revision = "0018"
down_revision = "0012"
branch_labels = None
depends_on = None

_CHANGED = (money_functions.APPLICABLE, money_functions.SPENT, turn_functions.APPEND)


def upgrade() -> None:
    # A guest's account goes when they leave; what they cost stays in the ledger, as a guest's.
    op.add_column(
        "usage_entries", sa.Column("guest", sa.Boolean(), server_default=sa.text("false"), nullable=False)
    )
    op.drop_constraint("ck_spend_caps_scope", "spend_caps")
    op.create_check_constraint(
        op.f("ck_spend_caps_scope"),
        "spend_caps",
        "scope IN ('organisation', 'user', 'session', 'run', 'agent', 'guests')",
    )
    for function in _CHANGED:
        op.execute(function.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1))
    op.create_table(
        "used_tickets",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_used_tickets_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_used_tickets")),
    )
    op.create_index(op.f("ix_used_tickets_created_at"), "used_tickets", ["created_at"])
    policies.person_rows("used_tickets", policies.APPEND_ONLY)
    op.execute("CREATE POLICY used_tickets_job ON used_tickets TO spotter_job USING (true)")
    op.execute("GRANT SELECT (created_at), DELETE ON used_tickets TO spotter_job")
