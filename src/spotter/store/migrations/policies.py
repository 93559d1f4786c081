"""Row-level security as statements. Migrations call these; the isolation test checks what they leave behind."""

from collections.abc import Sequence

from alembic import op

ORG = "nullif(current_setting('spotter.org_id', true), '')::uuid"
USER = "nullif(current_setting('spotter.user_id', true), '')::uuid"
STAFF = "coalesce(current_setting('spotter.role', true), '') IN ('owner', 'admin', 'staff', 'service')"
ADMIN = "coalesce(current_setting('spotter.role', true), '') IN ('owner', 'admin')"

MANAGES = "coalesce(current_setting('spotter.role', true), '') IN ('owner', 'admin', 'service')"

ALL = ("SELECT", "INSERT", "UPDATE", "DELETE")
APPEND_ONLY = ("SELECT", "INSERT")


def enable(table: str) -> None:
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def grant(table: str, privileges: Sequence[str] = ALL) -> None:
    op.execute(f"GRANT {', '.join(privileges)} ON {table} TO spotter_runtime")


def organisation_rows(table: str, privileges: Sequence[str] = ALL) -> None:
    enable(table)
    op.execute(
        f"CREATE POLICY {table}_org ON {table} TO spotter_runtime"
        f" USING (org_id = {ORG}) WITH CHECK (org_id = {ORG})"
    )
    grant(table, privileges)


def person_rows(table: str, privileges: Sequence[str] = ALL) -> None:
    """Both must hold: the row is the organisation's, and it is one's own or one is staff."""
    organisation_rows(table, privileges)
    own = f"user_id = {USER} OR {STAFF}"
    op.execute(
        f"CREATE POLICY {table}_person ON {table} AS RESTRICTIVE TO spotter_runtime"
        f" USING ({own}) WITH CHECK ({own})"
    )


def staff_rows(table: str, privileges: Sequence[str] = ALL, *, members_may_add: bool = False) -> None:
    """Seen and changed by staff only. An audit entry is also written when a member does something."""
    organisation_rows(table, privileges)
    commands = ("SELECT", "UPDATE", "DELETE") if members_may_add else ("ALL",)
    for command in commands:
        check = f" WITH CHECK ({STAFF})" if command in ("ALL", "UPDATE") else ""
        op.execute(
            f"CREATE POLICY {table}_staff_{command.lower()} ON {table} AS RESTRICTIVE FOR {command}"
            f" TO spotter_runtime USING ({STAFF}){check}"
        )


def readable_before_sign_in(table: str) -> None:
    """For the look-up functions that run before the organisation is known, and for nobody else."""
    op.execute(f"CREATE POLICY {table}_auth ON {table} FOR SELECT TO spotter_auth USING (true)")
    op.execute(f"GRANT SELECT ON {table} TO spotter_auth")


def auth_function(name: str, arguments: str, returns: str, body: str, *, volatile: bool = False) -> None:
    """A look-up for callers who have no organisation yet. Refuses inside a tenant's transaction, so that
    nobody who acts for one organisation can ask about another through it."""
    op.execute(
        f"""
        CREATE FUNCTION spotter_auth.{name}({arguments}) RETURNS {returns}
        LANGUAGE plpgsql {"VOLATILE" if volatile else "STABLE"} SECURITY DEFINER
        SET search_path = public, pg_temp
        AS $function$
        #variable_conflict use_column
        BEGIN
            PERFORM spotter_auth.refuse_inside_tenant();
            {body}
        END
        $function$
        """
    )
    types = ", ".join(part.strip().split(" ", 1)[1] for part in arguments.split(",") if part.strip())
    op.execute(f"ALTER FUNCTION spotter_auth.{name}({types}) OWNER TO spotter_auth")
    op.execute(f"REVOKE ALL ON FUNCTION spotter_auth.{name}({types}) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION spotter_auth.{name}({types}) TO spotter_runtime")
