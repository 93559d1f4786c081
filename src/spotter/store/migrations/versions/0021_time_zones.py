"""Where somebody lives, when that is not where their organisation is."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("user_settings", sa.Column("timezone", sa.Text(), nullable=True))
