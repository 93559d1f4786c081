"""A stamp that every change of an organisation's settings raises, and that opening a turn tells. The functions of turns
ask fewer questions for it."""

import sqlalchemy as sa
from alembic import op

from spotter.store.migrations import (
    approval_functions,
    audit_functions,
    call_functions,
    session_functions,
    turn_functions,
)
from spotter.store.migrations.policies import ORG

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

# What processes keep in memory of an organisation: see `store/stamps.py`.
SETTINGS = (
    "ai_agents",
    "ai_model_pricing",
    "approval_policies",
    "billing_accounts",
    "safety_policies",
    "scenarios",
    "secrets",
)

# Before the rows are touched, so that whoever changes settings waits here and nowhere later. Row-level security sees to
# it that the rows are this organisation's. By hand and outside of any organisation, everybody's stamp is raised.
_CHANGED = f"""
CREATE FUNCTION spotter_auth.settings_changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE organisations o SET settings_stamp = o.settings_stamp + 1 WHERE o.id = coalesce({ORG}, o.id);
    RETURN NULL;
END $$
"""

_STAMP = """
CREATE FUNCTION spotter_settings_stamp(p_org uuid) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('spotter.org_id', p_org::text, true);
    RETURN (SELECT o.settings_stamp FROM organisations o WHERE o.id = p_org);
END $$
"""

_TURN_FUNCTIONS = {
    "spotter_open_turn(uuid, uuid, text, uuid, integer, double precision, text, boolean, uuid)": (
        turn_functions.OPEN_TURN
    ),
    "spotter_take_over(uuid, uuid, text, uuid, integer, double precision, bigint)": turn_functions.TAKE_OVER,
    "spotter_open_call(uuid, uuid, text, uuid, integer, double precision, text, uuid)": (
        call_functions.OPEN_CALL
    ),
    "spotter_reopen_turn(uuid, uuid, text, uuid, integer, double precision, text[], text[])": (
        approval_functions.REOPEN_TURN
    ),
    "spotter_next_turn(uuid, uuid, text, uuid, integer, double precision)": approval_functions.NEXT_TURN,
}


def upgrade() -> None:
    op.add_column(
        "organisations",
        sa.Column("settings_stamp", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
    )
    op.execute(_STAMP)
    op.execute("GRANT CREATE ON SCHEMA spotter_auth TO spotter_auth")
    op.execute(_CHANGED)
    for table in SETTINGS:
        op.execute(
            f"CREATE TRIGGER {table}_stamp BEFORE INSERT OR UPDATE OR DELETE ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION spotter_auth.settings_changed()"
        )
    op.execute("GRANT UPDATE (settings_stamp) ON organisations TO spotter_auth")
    op.execute(
        "CREATE POLICY organisations_stamp ON organisations FOR UPDATE TO spotter_auth USING (true) WITH CHECK (true)"
    )
    op.execute("ALTER FUNCTION spotter_auth.settings_changed() OWNER TO spotter_auth")
    op.execute("REVOKE ALL ON FUNCTION spotter_auth.settings_changed() FROM PUBLIC")
    op.execute("REVOKE CREATE ON SCHEMA spotter_auth FROM spotter_auth")
    for name, function in _TURN_FUNCTIONS.items():
        op.execute(f"DROP FUNCTION {name}")
        op.execute(function)
    op.execute(audit_functions.INSERT_EVENTS)
    for function in (session_functions.RENEW, session_functions.READ, turn_functions.APPEND):
        op.execute(function.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1))
