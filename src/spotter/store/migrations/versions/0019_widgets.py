"""Widgets: chats on other people's pages, and the question whose a widget is before anybody is signed in."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from spotter.store.migrations import policies
from spotter.store.migrations.policies import MANAGES

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_NOW = sa.text("now()")
_TEXTS = postgresql.ARRAY(sa.Text())


def upgrade() -> None:
    op.create_table(
        "widgets",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("origins", _TEXTS, nullable=False),
        sa.Column("scenario", sa.Text(), nullable=True),
        sa.Column("agents", _TEXTS, nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_widgets_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_widgets")),
    )
    # Everybody reads them: who comes through one is a member. Only who manages the organisation changes them.
    policies.organisation_rows("widgets")
    op.execute(
        f"CREATE POLICY widgets_insert ON widgets AS RESTRICTIVE FOR INSERT TO spotter_runtime WITH CHECK ({MANAGES})"
    )
    op.execute(
        f"CREATE POLICY widgets_update ON widgets AS RESTRICTIVE FOR UPDATE TO spotter_runtime"
        f" USING ({MANAGES}) WITH CHECK ({MANAGES})"
    )
    op.execute(
        f"CREATE POLICY widgets_delete ON widgets AS RESTRICTIVE FOR DELETE TO spotter_runtime USING ({MANAGES})"
    )
    policies.readable_before_sign_in("widgets")
    op.execute("GRANT CREATE ON SCHEMA spotter_auth TO spotter_auth")
    policies.auth_function(
        "find_widget",
        "wanted uuid",
        "TABLE (org_id uuid, name text, origins text[])",
        "RETURN QUERY SELECT w.org_id, w.name, w.origins FROM widgets w WHERE w.id = wanted AND w.enabled LIMIT 1;",
    )
    op.execute("REVOKE CREATE ON SCHEMA spotter_auth FROM spotter_auth")
