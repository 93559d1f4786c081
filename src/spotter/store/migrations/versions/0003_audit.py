"""The audit log becomes a chain, and tells of what agents do."""

import sqlalchemy as sa
from alembic import op

from spotter.store.migrations import audit_functions, policies
from spotter.store.migrations.policies import ORG

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_tables()
    _protect()
    op.execute(audit_functions.CONTENT)
    op.execute("GRANT CREATE ON SCHEMA spotter_auth TO spotter_auth")
    _lend(audit_functions.SEAL, "seal_audit(integer, boolean)")
    _lend(audit_functions.FORGET, "forget_addresses(uuid)")
    op.execute("REVOKE CREATE ON SCHEMA spotter_auth FROM spotter_auth")
    for function in audit_functions.EVENTS:
        op.execute(function)
    op.execute(audit_functions.ACTIVITY)
    op.execute("GRANT SELECT ON ai_agent_activity_log TO spotter_runtime")


def _create_tables() -> None:
    op.add_column("audit_log", sa.Column("chain_number", sa.BigInteger(), nullable=True))
    op.add_column("audit_log", sa.Column("hash", sa.LargeBinary(), nullable=True))
    op.add_column("audit_log", sa.Column("sealed_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("audit_log", sa.Column("ip_salt", sa.Uuid(), nullable=True))
    op.add_column("audit_log", sa.Column("ip_digest", sa.LargeBinary(), nullable=True))
    op.create_index(
        "ix_audit_log_chain",
        "audit_log",
        ["org_id", "chain_number"],
        unique=True,
        postgresql_where=sa.text("chain_number IS NOT NULL"),
    )
    op.create_index(
        "ix_audit_log_unsealed",
        "audit_log",
        ["org_id"],
        unique=False,
        postgresql_where=sa.text("chain_number IS NULL"),
    )
    op.create_table(
        "audit_heads",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_audit_heads_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", name=op.f("pk_audit_heads")),
    )


def _protect() -> None:
    policies.staff_rows("audit_heads", ("SELECT",))
    # A writer cannot put a seal on its own entry.
    op.execute(
        "CREATE POLICY audit_log_unsealed ON audit_log AS RESTRICTIVE FOR INSERT TO spotter_runtime WITH CHECK"
        " (num_nonnulls(chain_number, hash, sealed_at, ip_salt, ip_digest) = 0)"
    )
    # Nobody logs in as spotter_auth: these rights are only those of the functions that seal and forget.
    for table, command in (("audit_log", "UPDATE"), ("audit_heads", "INSERT"), ("audit_heads", "UPDATE")):
        using = f" USING (org_id = {ORG})" if command == "UPDATE" else ""
        op.execute(
            f"CREATE POLICY {table}_seal_{command.lower()} ON {table} FOR {command} TO spotter_auth"
            f"{using} WITH CHECK (org_id = {ORG})"
        )
    for table in ("audit_log", "audit_heads"):
        op.execute(f"CREATE POLICY {table}_find ON {table} FOR SELECT TO spotter_auth USING (org_id = {ORG})")
    op.execute(
        "GRANT SELECT, UPDATE (chain_number, hash, sealed_at, ip, ip_salt, ip_digest) ON audit_log TO spotter_auth"
    )
    op.execute("GRANT SELECT, INSERT, UPDATE ON audit_heads TO spotter_auth")
    # The sealer finds where there is something to seal, `spotter verify` which organisations there are: ids only.
    op.execute(
        "CREATE POLICY audit_log_job ON audit_log FOR SELECT TO spotter_job USING (chain_number IS NULL)"
    )
    op.execute("GRANT SELECT (org_id, chain_number) ON audit_log TO spotter_job")
    op.execute("CREATE POLICY organisations_job ON organisations FOR SELECT TO spotter_job USING (true)")
    op.execute("GRANT SELECT (id) ON organisations TO spotter_job")
    _let_seal()


def _let_seal() -> None:
    """Still not even the owner changes what was recorded; the sealer adds a seal, once."""
    op.execute("DROP TRIGGER audit_log_append_only ON audit_log")
    op.execute(
        "CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log"
        " FOR EACH STATEMENT WHEN (current_user <> 'spotter_auth') EXECUTE FUNCTION refuse_change()"
    )
    sealed = ", ".join(f"{{row}}.{name}" for name in ("chain_number", "hash", "sealed_at", "ip_digest"))
    op.execute(
        "CREATE TRIGGER audit_log_sealed_once BEFORE UPDATE ON audit_log FOR EACH ROW"
        f" WHEN (OLD.chain_number IS NOT NULL AND ({sealed.format(row='OLD')}) IS DISTINCT FROM"
        f" ({sealed.format(row='NEW')})) EXECUTE FUNCTION refuse_change()"
    )


def _lend(function: str, signature: str) -> None:
    op.execute(function)
    op.execute(f"ALTER FUNCTION spotter_auth.{signature} OWNER TO spotter_auth")
    op.execute(f"REVOKE ALL ON FUNCTION spotter_auth.{signature} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION spotter_auth.{signature} TO spotter_runtime")
