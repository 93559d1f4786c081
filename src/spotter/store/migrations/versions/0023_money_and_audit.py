"""Credits that say when they come again."""

from alembic import op

from spotter.store.migrations import money_functions, voice_functions

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_CHANGED = (money_functions.RESERVE, voice_functions.RESERVE)


def upgrade() -> None:
    for function in _CHANGED:
        op.execute(function.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1))
