"""The coach: sets of a workout that is going on; guests, and organisations that let them in."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from spotter.store.migrations import policies
from spotter.store.migrations.policies import ORG, STAFF

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

# Everything kept about a guest hangs on their account, but for what they said: that is handed on, or shredded.
_RETIRE = f"""
CREATE FUNCTION spotter_auth.retire_guest(p_guest uuid, p_adopted boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org uuid := {ORG};
BEGIN
    IF NOT ({STAFF}) OR NOT EXISTS (
        SELECT 1 FROM memberships m WHERE m.org_id = org AND m.user_id = p_guest AND m.guest_until IS NOT NULL
    ) THEN
        RETURN false;
    END IF;
    IF p_adopted THEN
        DELETE FROM agent_sessions s WHERE s.org_id = org AND s.user_id = p_guest;
    ELSE
        PERFORM spotter_auth.erase_session(s.id) FROM agent_sessions s
            WHERE s.org_id = org AND s.user_id = p_guest AND s.erased_at IS NULL;
    END IF;
    DELETE FROM users u WHERE u.id = p_guest;
    RETURN true;
END $$
"""


def upgrade() -> None:
    op.add_column(
        "session_workouts",
        sa.Column("sets", postgresql.JSONB(astext_type=sa.Text()), server_default="[]", nullable=False),
    )
    op.add_column(
        "organisations", sa.Column("guests", sa.Boolean(), server_default=sa.text("false"), nullable=False)
    )
    op.execute("GRANT UPDATE (guests) ON organisations TO spotter_runtime")
    op.add_column("memberships", sa.Column("guest_until", sa.DateTime(timezone=True), nullable=True))
    op.create_check_constraint(
        op.f("ck_memberships_guest_is_no_member"),
        "memberships",
        "guest_until IS NULL OR removed_at IS NOT NULL",
    )
    # The hourly job finds out whose guests have stayed too long; it sees nobody else.
    op.execute(
        "CREATE POLICY memberships_guests ON memberships FOR SELECT TO spotter_job USING (guest_until IS NOT NULL)"
    )
    op.execute("GRANT SELECT (org_id, user_id, guest_until) ON memberships TO spotter_job")
    op.execute("GRANT CREATE ON SCHEMA spotter_auth TO spotter_auth")
    _let_in()
    _let_go()
    op.execute("REVOKE CREATE ON SCHEMA spotter_auth FROM spotter_auth")


def _let_in() -> None:
    policies.auth_function(
        "find_host",
        "wanted_slug text",
        "uuid",
        """
        RETURN (SELECT CASE WHEN count(*) = 1 THEN (array_agg(o.id))[1] END FROM organisations o
            WHERE o.guests AND (wanted_slug IS NULL OR o.slug = wanted_slug));
        """,
    )
    policies.auth_function(
        "admit_guest",
        "organisation uuid, person uuid, until timestamptz, most integer",
        "boolean",
        """
        IF NOT EXISTS (SELECT 1 FROM organisations o WHERE o.id = organisation AND o.guests)
            OR (SELECT count(*) FROM memberships m WHERE m.org_id = organisation AND m.guest_until > now()) >= most
        THEN
            RETURN false;
        END IF;
        INSERT INTO users (id, email, name)
            VALUES (person, replace(person::text, '-', '') || '@guest.invalid', 'Guest');
        INSERT INTO memberships (org_id, user_id, role, removed_at, guest_until)
            VALUES (organisation, person, 'member', now(), until);
        RETURN true;
        """,
        volatile=True,
    )


def _let_go() -> None:
    op.execute(
        f"CREATE POLICY agent_sessions_adopted ON agent_sessions FOR DELETE TO spotter_auth"
        f" USING (org_id = {ORG} AND ({STAFF}))"
    )
    op.execute("GRANT DELETE ON agent_sessions TO spotter_auth")
    op.execute(
        "CREATE POLICY users_guests ON users FOR DELETE TO spotter_auth USING (EXISTS ("
        "SELECT 1 FROM memberships m WHERE m.user_id = users.id AND m.guest_until IS NOT NULL))"
    )
    op.execute("GRANT DELETE ON users TO spotter_auth")
    op.execute(_RETIRE)
    op.execute("ALTER FUNCTION spotter_auth.retire_guest(uuid, boolean) OWNER TO spotter_auth")
    op.execute("REVOKE ALL ON FUNCTION spotter_auth.retire_guest(uuid, boolean) FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION spotter_auth.retire_guest(uuid, boolean) TO spotter_runtime")
