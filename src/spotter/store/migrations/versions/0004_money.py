"""Money: prices, what was used, caps, credits; and the turn's functions that count it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from spotter.store.migrations import money_functions, policies, turn_functions
from spotter.store.migrations.policies import ADMIN

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for column in ("task_id", "run_id"):
        op.add_column("agent_sessions", sa.Column(column, sa.Uuid(), nullable=True))
    _create_prices_and_accounts()
    _create_entries()
    _create_caps()
    _create_credits()
    _protect()
    for statement in (*money_functions.ALL, *turn_functions.ALL):
        op.execute(statement)
    _keep_true()
    _show_bills()


def _create_prices_and_accounts() -> None:
    op.create_table(
        "ai_model_pricing",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("input", sa.BigInteger(), nullable=False),
        sa.Column("output", sa.BigInteger(), nullable=False),
        sa.Column("cache_read", sa.BigInteger(), nullable=True),
        sa.Column("cache_write", sa.BigInteger(), nullable=True),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.Column("valid_to", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "input >= 0 AND output >= 0 AND cache_read >= 0 AND cache_write >= 0",
            name=op.f("ck_ai_model_pricing_amounts"),
        ),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_ai_model_pricing_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_ai_model_pricing")),
    )
    op.create_index(
        op.f("ix_ai_model_pricing_org_id_provider_model_valid_from"),
        "ai_model_pricing",
        ["org_id", "provider", "model", "valid_from"],
        unique=False,
    )
    op.create_table(
        "billing_accounts",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("markup", sa.Integer(), server_default=sa.text("2000"), nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("prepaid", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("credit_rate", sa.BigInteger(), server_default=sa.text("10000"), nullable=False),
        sa.Column("unpriced_rate", sa.BigInteger(), nullable=True),
        sa.Column("concurrent_turns", sa.Integer(), nullable=True),
        sa.Column("monthly_credits", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "concurrent_turns > 0 AND monthly_credits >= 0", name=op.f("ck_billing_accounts_limits")
        ),
        sa.CheckConstraint("credit_rate > 0 AND unpriced_rate >= 0", name=op.f("ck_billing_accounts_rates")),
        sa.CheckConstraint("markup BETWEEN 0 AND 100000", name=op.f("ck_billing_accounts_markup")),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_billing_accounts_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", name=op.f("pk_billing_accounts")),
    )


def _create_entries() -> None:
    op.create_table(
        "usage_entries",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("sequence_number", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("billing_day", sa.Date(), nullable=False),
        sa.Column("billing_month", sa.Date(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Uuid(), nullable=True),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("input", sa.Integer(), nullable=False),
        sa.Column("output", sa.Integer(), nullable=False),
        sa.Column("cache_read", sa.Integer(), nullable=False),
        sa.Column("cache_write", sa.Integer(), nullable=False),
        sa.Column("reported", sa.Boolean(), nullable=False),
        sa.Column("cost", sa.BigInteger(), nullable=False),
        sa.Column("charge", sa.BigInteger(), nullable=False),
        sa.Column("markup", sa.Integer(), nullable=False),
        sa.Column("price", sa.Text(), nullable=True),
        sa.Column("counted", sa.BigInteger(), nullable=False),
        sa.Column("counted_tokens", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "input >= 0 AND output >= 0 AND cache_read >= 0 AND cache_write >= 0"
            " AND cost >= 0 AND charge >= cost AND counted >= charge AND counted_tokens >= 0",
            name=op.f("ck_usage_entries_amounts"),
        ),
        sa.PrimaryKeyConstraint(
            "org_id", "session_id", "sequence_number", "n", "user_id", name=op.f("pk_usage_entries")
        ),
    )
    op.create_index(
        op.f("ix_usage_entries_org_id_billing_day"), "usage_entries", ["org_id", "billing_day"], unique=False
    )
    op.create_index(
        "ix_usage_entries_runs",
        "usage_entries",
        ["org_id", "run_id"],
        unique=False,
        postgresql_where=sa.text("run_id IS NOT NULL"),
    )


def _create_caps() -> None:
    op.create_table(
        "spend_caps",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), server_default="", nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("soft", sa.BigInteger(), nullable=True),
        sa.Column("hard", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.CheckConstraint("period IN ('day', 'month', 'total')", name=op.f("ck_spend_caps_period")),
        sa.CheckConstraint(
            "scope IN ('organisation', 'user', 'session', 'run', 'agent')", name=op.f("ck_spend_caps_scope")
        ),
        sa.CheckConstraint("unit IN ('money', 'tokens')", name=op.f("ck_spend_caps_unit")),
        sa.CheckConstraint(
            "(soft IS NOT NULL OR hard IS NOT NULL) AND soft >= 0 AND hard >= 0",
            name=op.f("ck_spend_caps_amounts"),
        ),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_spend_caps_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_spend_caps")),
        sa.UniqueConstraint(
            "org_id",
            "scope",
            "subject",
            "period",
            "unit",
            name=op.f("uq_spend_caps_org_id_scope_subject_period_unit"),
        ),
    )
    op.create_table(
        "spend_counters",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("cap_id", sa.Uuid(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("spent", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("reserved", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("warned_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("spent >= 0 AND reserved >= 0", name=op.f("ck_spend_counters_amounts")),
        sa.ForeignKeyConstraint(
            ["org_id", "cap_id"],
            ["spend_caps.org_id", "spend_caps.id"],
            name=op.f("fk_spend_counters_org_id_cap_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_spend_counters")),
        sa.UniqueConstraint(
            "org_id",
            "cap_id",
            "subject",
            "period_start",
            name=op.f("uq_spend_counters_org_id_cap_id_subject_period_start"),
        ),
    )
    op.create_table(
        "spend_reservations",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=True),
        sa.Column("fence", sa.BigInteger(), nullable=True),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.Column("counters", postgresql.ARRAY(sa.Uuid()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_spend_reservations_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_spend_reservations")),
        sa.UniqueConstraint(
            "org_id", "session_id", "fence", name=op.f("uq_spend_reservations_org_id_session_id_fence")
        ),
    )


def _create_credits() -> None:
    op.create_table(
        "credit_accounts",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("balance", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.CheckConstraint("balance >= 0", name=op.f("ck_credit_accounts_balance")),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_credit_accounts_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", name=op.f("pk_credit_accounts")),
    )
    op.create_table(
        "credit_entries",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.CheckConstraint(
            "CASE WHEN kind IN ('spend', 'reserve') THEN amount <= 0 WHEN kind = 'settle' THEN true"
            " ELSE amount >= 0 END",
            name=op.f("ck_credit_entries_direction"),
        ),
        sa.CheckConstraint(
            "kind IN ('grant', 'purchase', 'spend', 'refund', 'reserve', 'settle', 'release')",
            name=op.f("ck_credit_entries_kind"),
        ),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_credit_entries_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_credit_entries")),
        sa.UniqueConstraint(
            "org_id", "kind", "reference", name=op.f("uq_credit_entries_org_id_kind_reference")
        ),
    )
    op.create_index(op.f("ix_credit_entries_org_id_at"), "credit_entries", ["org_id", "at"], unique=False)


def _protect() -> None:
    policies.organisation_rows("ai_model_pricing", ("SELECT", "INSERT", "UPDATE"))
    policies.organisation_rows("billing_accounts", ("SELECT", "INSERT", "UPDATE"))
    policies.organisation_rows("spend_caps")
    policies.organisation_rows("credit_accounts", ("SELECT", "INSERT", "UPDATE"))
    policies.person_rows("usage_entries", policies.APPEND_ONLY)
    policies.staff_rows("spend_counters", ("SELECT", "INSERT", "UPDATE"))
    policies.staff_rows("spend_reservations", ("SELECT", "INSERT", "DELETE"))
    policies.staff_rows("credit_entries", policies.APPEND_ONLY)
    # Everybody's turn reads these; only an administrator decides them.
    for table in ("ai_model_pricing", "billing_accounts", "spend_caps"):
        for command, rule in (
            ("INSERT", f"WITH CHECK ({ADMIN})"),
            ("UPDATE", f"USING ({ADMIN}) WITH CHECK ({ADMIN})"),
            ("DELETE", f"USING ({ADMIN})"),
        ):
            op.execute(
                f"CREATE POLICY {table}_{command.lower()} ON {table} AS RESTRICTIVE FOR {command}"
                f" TO spotter_runtime {rule}"
            )
    # The sweeper finds reservations nobody will settle, and whom to give this month's credits.
    for table, columns in (
        ("spend_reservations", "org_id, id, session_id, fence, expires_at"),
        ("billing_accounts", "org_id, monthly_credits"),
        ("credit_accounts", "org_id"),
    ):
        op.execute(f"CREATE POLICY {table}_job ON {table} FOR SELECT TO spotter_job USING (true)")
        op.execute(f"GRANT SELECT ({columns}) ON {table} TO spotter_job")


def _keep_true() -> None:
    op.execute(
        "CREATE TRIGGER organisations_zone BEFORE INSERT OR UPDATE OF timezone ON organisations"
        " FOR EACH ROW EXECUTE FUNCTION spotter_check_zone()"
    )
    op.execute(
        # After: a row that is there already is no movement.
        "CREATE TRIGGER credit_entries_balance AFTER INSERT ON credit_entries"
        " FOR EACH ROW EXECUTE FUNCTION spotter_keep_balance()"
    )


def _show_bills() -> None:
    """The bill of a month is its entries, added up when somebody looks: it cannot differ from them."""
    op.execute(
        """
        CREATE VIEW ai_usage_billing WITH (security_invoker = true) AS
        SELECT org_id, billing_month, provider, model, count(*) AS calls,
            sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read,
            sum(cache_write) AS cache_write, sum(cost)::bigint AS cost, sum(charge)::bigint AS charge,
            count(*) FILTER (WHERE price IS NULL) AS unpriced_calls,
            count(*) FILTER (WHERE NOT reported) AS unreported_calls
        FROM usage_entries GROUP BY org_id, billing_month, provider, model
        """
    )
    op.execute("GRANT SELECT ON ai_usage_billing TO spotter_runtime")
