"""Credits that say when they come again, and that a call takes as many of as it is charged; decisions are recorded with
who made them and from where; people are told when a budget runs low."""

import sqlalchemy as sa
from alembic import op

from spotter.store.migrations import (
    audit_functions,
    money_functions,
    turn_functions,
    voice_functions,
    warning_functions,
)

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

# Their arguments are not the same any more.
_OLD = ("spotter_settle(uuid, uuid, bigint, uuid, text, uuid, json)",)
_CHANGED = (
    money_functions.RESERVE,
    voice_functions.RESERVE,
    money_functions.SPEND_CREDITS,
    warning_functions.WARNINGS,
    money_functions.SETTLE,
    turn_functions.APPEND,
    audit_functions.AUDIT_EVENTS,
)


def upgrade() -> None:
    op.add_column("usage_entries", sa.Column("credit_rate", sa.BigInteger(), nullable=True))
    op.add_column("spend_counters", sa.Column("told_at", sa.DateTime(timezone=True), nullable=True))
    for name in _OLD:
        op.execute(f"DROP FUNCTION IF EXISTS {name}")
    for function in _CHANGED:
        op.execute(function.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1))
