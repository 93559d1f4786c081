"""Organisations, people, keys, audit, idempotency."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from spotter.store.migrations import policies
from spotter.store.migrations.policies import ADMIN, ORG, STAFF, USER

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
    op.execute("GRANT SELECT ON alembic_version TO spotter_runtime")
    op.execute("GRANT USAGE ON SCHEMA public TO spotter_runtime, spotter_job, spotter_auth")
    _create_tables()
    _protect_accounts()
    _protect_tenant_rows()
    _seal_audit_log()
    _create_auth_functions()


def _create_tables() -> None:
    op.create_table(
        "installation",
        sa.Column("singleton", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("key_fingerprint", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("singleton", name=op.f("ck_installation_one_row")),
        sa.PrimaryKeyConstraint("singleton", name=op.f("pk_installation")),
    )
    op.create_table(
        "idempotent_answers",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.Text(), nullable=False),
        sa.Column("claimed_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("sealed_answer", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("org_id", "user_id", "caller", "key", name=op.f("pk_idempotent_answers")),
    )
    op.create_index(
        op.f("ix_idempotent_answers_created_at"), "idempotent_answers", ["created_at"], unique=False
    )
    op.create_table(
        "organisations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("timezone", sa.Text(), server_default="UTC", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_organisations")),
        sa.UniqueConstraint("slug", name=op.f("uq_organisations_slug")),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("email = lower(email)", name=op.f("ck_users_email_lower")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
    )
    op.create_table(
        "api_keys",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("scopes", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role IN ('admin', 'staff')", name=op.f("ck_api_keys_role")),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_api_keys_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_api_keys")),
    )
    op.create_index(op.f("ix_api_keys_key_hash"), "api_keys", ["key_hash"], unique=False)
    op.create_table(
        "audit_log",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("actor_kind", sa.Text(), nullable=False),
        sa.Column("actor_id", sa.Uuid(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), server_default="", nullable=False),
        sa.Column("ip", sa.Text(), nullable=True),
        sa.Column("correlation_id", sa.Text(), nullable=True),
        sa.Column("detail", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_audit_log_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_audit_log")),
    )
    op.create_index(op.f("ix_audit_log_org_id_at"), "audit_log", ["org_id", "at"], unique=False)
    op.create_table(
        "credentials",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_credentials_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_credentials")),
    )
    op.create_table(
        "external_identities",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_external_identities_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_external_identities")),
    )
    op.create_index(op.f("ix_external_identities_user_id"), "external_identities", ["user_id"], unique=False)
    op.create_table(
        "invitations",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("invited_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role IN ('admin', 'staff', 'member')", name=op.f("ck_invitations_role")),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_invitations_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_invitations")),
    )
    op.create_index(op.f("ix_invitations_token_hash"), "invitations", ["token_hash"], unique=False)
    op.create_table(
        "memberships",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("role IN ('owner', 'admin', 'staff', 'member')", name=op.f("ck_memberships_role")),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_memberships_org_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_memberships_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "user_id", name=op.f("pk_memberships")),
    )
    op.create_index(op.f("ix_memberships_user_id"), "memberships", ["user_id"], unique=False)
    op.create_table(
        "secrets",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_secrets_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_secrets")),
        sa.UniqueConstraint("org_id", "name", name=op.f("uq_secrets_org_id_name")),
    )
    op.create_table(
        "sign_in_links",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_sign_in_links_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_sign_in_links")),
    )
    op.create_index(op.f("ix_sign_in_links_token_hash"), "sign_in_links", ["token_hash"], unique=False)
    op.create_table(
        "sign_in_sessions",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column(
            "last_used_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_because", sa.Text(), nullable=True),
        sa.Column("device", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_sign_in_sessions_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_sign_in_sessions")),
    )
    op.create_index(
        op.f("ix_sign_in_sessions_org_id_user_id"), "sign_in_sessions", ["org_id", "user_id"], unique=False
    )
    op.create_table(
        "refresh_tokens",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["org_id", "session_id", "user_id"],
            ["sign_in_sessions.org_id", "sign_in_sessions.id", "sign_in_sessions.user_id"],
            name=op.f("fk_refresh_tokens_org_id_session_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_refresh_tokens")),
    )
    op.create_index(
        op.f("ix_refresh_tokens_org_id_session_id"), "refresh_tokens", ["org_id", "session_id"], unique=False
    )
    op.create_index(op.f("ix_refresh_tokens_token_hash"), "refresh_tokens", ["token_hash"], unique=False)


def _protect_accounts() -> None:
    """Organisations and people are seen from inside one organisation: oneself, and for staff their members.

    Runtime can neither add a person nor join one to an organisation: a clash or a foreign key would tell it
    who exists elsewhere. That goes through `spotter_auth`, before any organisation is set.
    """
    for table in ("organisations", "users", "credentials", "external_identities"):
        policies.enable(table)
    op.execute(
        "CREATE POLICY organisations_org ON organisations TO spotter_runtime"
        f" USING (id = {ORG}) WITH CHECK (id = {ORG})"
    )
    op.execute("GRANT SELECT, UPDATE (name, timezone, updated_at) ON organisations TO spotter_runtime")
    op.execute(
        f"CREATE POLICY users_self ON users TO spotter_runtime USING (id = {USER}) WITH CHECK (id = {USER})"
    )
    op.execute(
        "CREATE POLICY users_members ON users FOR SELECT TO spotter_runtime USING ("
        f"{STAFF} AND EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = users.id AND m.org_id = {ORG}))"
    )
    op.execute("GRANT SELECT, UPDATE (name, updated_at) ON users TO spotter_runtime")
    for table in ("credentials", "external_identities"):
        op.execute(
            f"CREATE POLICY {table}_self ON {table} TO spotter_runtime"
            f" USING (user_id = {USER}) WITH CHECK (user_id = {USER})"
        )
    op.execute("GRANT SELECT, INSERT, UPDATE ON credentials TO spotter_runtime")
    op.execute("GRANT SELECT ON external_identities TO spotter_runtime")


def _protect_tenant_rows() -> None:
    policies.person_rows("memberships", ("SELECT",))
    op.execute("GRANT UPDATE (role, removed_at, updated_at) ON memberships TO spotter_runtime")
    # One's own row is one's own to read, not to promote oneself with.
    op.execute(
        f"CREATE POLICY memberships_change ON memberships AS RESTRICTIVE FOR UPDATE TO spotter_runtime"
        f" USING ({ADMIN}) WITH CHECK ({ADMIN})"
    )
    policies.person_rows("sign_in_sessions", ("SELECT", "INSERT", "UPDATE"))
    policies.person_rows("refresh_tokens")
    policies.person_rows("sign_in_links", ("SELECT", "INSERT", "UPDATE"))
    policies.person_rows("idempotent_answers")
    policies.staff_rows("invitations", ("SELECT", "INSERT", "UPDATE"))
    policies.staff_rows("api_keys", ("SELECT", "INSERT", "UPDATE"))
    policies.staff_rows("secrets")
    policies.staff_rows("audit_log", policies.APPEND_ONLY, members_may_add=True)
    # Old answers are swept across organisations, by age alone.
    op.execute("CREATE POLICY idempotent_answers_job ON idempotent_answers TO spotter_job USING (true)")
    op.execute("GRANT SELECT (created_at), DELETE ON idempotent_answers TO spotter_job")


def _seal_audit_log() -> None:
    """Not even the owner changes what was recorded."""
    op.execute(
        """
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
        END $$
        """
    )
    op.execute(
        "CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log"
        " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )


def _create_auth_functions() -> None:
    op.execute("CREATE SCHEMA spotter_auth")
    op.execute("GRANT USAGE ON SCHEMA spotter_auth TO spotter_runtime")
    op.execute("GRANT USAGE, CREATE ON SCHEMA spotter_auth TO spotter_auth")
    op.execute(
        f"""
        CREATE FUNCTION spotter_auth.refuse_inside_tenant() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            IF {ORG} IS NOT NULL THEN
                RAISE EXCEPTION 'this look-up is for callers without an organisation'
                    USING ERRCODE = 'insufficient_privilege';
            END IF;
        END $$
        """
    )
    for table in (
        "organisations", "users", "credentials", "external_identities", "memberships", "sign_in_sessions",
        "refresh_tokens", "sign_in_links", "invitations", "api_keys",
    ):  # fmt: skip
        policies.readable_before_sign_in(table)
    _create_look_ups()
    _create_joins()
    # Its schema is its own: otherwise pg_restore, run by the owner, could not hand the functions over again.
    op.execute("ALTER SCHEMA spotter_auth OWNER TO spotter_auth")


def _create_look_ups() -> None:
    policies.auth_function(
        "find_login",
        "wanted_email text",
        "TABLE (user_id uuid, password_hash text)",
        """
        RETURN QUERY SELECT u.id, c.password_hash FROM users u LEFT JOIN credentials c ON c.user_id = u.id
            WHERE u.email = lower(wanted_email) AND u.disabled_at IS NULL;
        """,
    )
    policies.auth_function(
        "memberships_of",
        "person uuid",
        "TABLE (org_id uuid, slug text, name text, role text, joined_at timestamptz)",
        """
        RETURN QUERY SELECT o.id, o.slug, o.name, m.role, m.created_at
            FROM memberships m JOIN organisations o ON o.id = m.org_id
            WHERE m.user_id = person AND m.removed_at IS NULL ORDER BY m.created_at, o.id;
        """,
    )
    policies.auth_function(
        "find_organisation",
        "wanted_slug text",
        "TABLE (org_id uuid, name text)",
        "RETURN QUERY SELECT o.id, o.name FROM organisations o WHERE o.slug = wanted_slug;",
    )
    policies.auth_function(
        "find_external",
        "wanted_issuer text, wanted_subject text",
        "TABLE (user_id uuid)",
        """
        RETURN QUERY SELECT e.user_id FROM external_identities e JOIN users u ON u.id = e.user_id
            WHERE e.issuer = wanted_issuer AND e.subject = wanted_subject AND u.disabled_at IS NULL;
        """,
    )
    for name, table, column, returns in (
        ("find_api_key", "api_keys", "key_hash", "TABLE (org_id uuid, id uuid)"),
        ("find_invitation", "invitations", "token_hash", "TABLE (org_id uuid, id uuid)"),
        ("find_refresh_token", "refresh_tokens", "token_hash", "TABLE (org_id uuid, id uuid, user_id uuid)"),
        ("find_sign_in_link", "sign_in_links", "token_hash", "TABLE (org_id uuid, id uuid, user_id uuid)"),
    ):
        columns = "t.org_id, t.id, t.user_id" if "user_id" in returns else "t.org_id, t.id"
        policies.auth_function(
            name,
            "wanted_hash text",
            returns,
            f"RETURN QUERY SELECT {columns} FROM {table} t WHERE t.{column} = wanted_hash LIMIT 1;",
        )


def _create_joins() -> None:
    """Adding people and organisations, which no tenant may do from inside."""
    for table, privileges in (
        ("organisations", "INSERT"),
        ("users", "INSERT"),
        ("memberships", "INSERT, UPDATE"),
        ("external_identities", "INSERT"),
    ):
        op.execute(f"GRANT {privileges} ON {table} TO spotter_auth")
        op.execute(f"CREATE POLICY {table}_auth_add ON {table} FOR INSERT TO spotter_auth WITH CHECK (true)")
    op.execute(
        "CREATE POLICY memberships_auth_rejoin ON memberships FOR UPDATE TO spotter_auth"
        " USING (true) WITH CHECK (true)"
    )
    policies.auth_function(
        "create_user",
        "new_id uuid, new_email text, new_name text",
        "boolean",
        """
        INSERT INTO users (id, email, name) VALUES (new_id, lower(new_email), new_name) ON CONFLICT DO NOTHING;
        RETURN FOUND;
        """,
        volatile=True,
    )
    policies.auth_function(
        "create_organisation",
        "new_id uuid, new_slug text, new_name text, new_timezone text",
        "boolean",
        """
        INSERT INTO organisations (id, slug, name, timezone)
            VALUES (new_id, new_slug, new_name, new_timezone) ON CONFLICT DO NOTHING;
        RETURN FOUND;
        """,
        volatile=True,
    )
    policies.auth_function(
        "join_organisation",
        "organisation uuid, person uuid, wanted_role text",
        "boolean",
        """
        INSERT INTO memberships AS m (org_id, user_id, role) VALUES (organisation, person, wanted_role)
            ON CONFLICT (org_id, user_id) DO UPDATE
                SET role = excluded.role, removed_at = NULL, updated_at = now()
                WHERE m.removed_at IS NOT NULL;
        RETURN FOUND;
        """,
        volatile=True,
    )
    policies.auth_function(
        "link_external",
        "new_issuer text, new_subject text, person uuid",
        "boolean",
        """
        INSERT INTO external_identities (issuer, subject, user_id)
            VALUES (new_issuer, new_subject, person) ON CONFLICT DO NOTHING;
        RETURN FOUND;
        """,
        volatile=True,
    )
