"""What an organisation has written down about itself, for its front desk."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "organisations",
        sa.Column("facts", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
    )
    op.execute("GRANT UPDATE (facts) ON organisations TO spotter_runtime")
