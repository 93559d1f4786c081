"""What is known of athletes: body, settings, goals, preferences, history, schedule, screening, experience."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from spotter.store.migrations import policies

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_CHANGING = (
    "body_stats",
    "exercise_distribution_tracking",
    "preferences",
    "scheduled_workouts",
    "session_workouts",
    "user_category_and_weight",
    "user_muscle_and_weight",
    "user_settings",
    "workout_history",
    "workout_sets",
)
_KEPT = ("screening_answers", "experience_entries")


def upgrade() -> None:
    _create_tables()
    for table in _CHANGING:
        policies.person_rows(table)
    for table in _KEPT:
        policies.person_rows(table, policies.APPEND_ONLY)
    policies.organisation_rows("own_exercises")


def _create_tables() -> None:
    op.create_table(
        "own_exercises",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("exercise", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("licence", sa.Text(), server_default="", nullable=False),
        sa.Column("licence_author", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organisations.id"], name=op.f("fk_own_exercises_org_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_own_exercises")),
        sa.UniqueConstraint(
            "org_id", "source", "source_id", name=op.f("uq_own_exercises_org_id_source_source_id")
        ),
    )
    op.create_table(
        "body_stats",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("age", sa.Integer(), nullable=True),
        sa.Column("height_cm", sa.Integer(), nullable=True),
        sa.Column("weight_g", sa.Integer(), nullable=True),
        sa.Column("gender", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_body_stats_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "user_id", name=op.f("pk_body_stats")),
    )
    op.create_table(
        "exercise_distribution_tracking",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column(
            "category_counts", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False
        ),
        sa.Column(
            "muscle_counts", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False
        ),
        sa.Column(
            "last_updated", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_exercise_distribution_tracking_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "user_id", name=op.f("pk_exercise_distribution_tracking")),
    )
    op.create_table(
        "experience_entries",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("amount", sa.Integer(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("earned_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("kind IN ('xp', 'badge', 'freeze')", name=op.f("ck_experience_entries_kind")),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_experience_entries_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_experience_entries")),
        sa.UniqueConstraint(
            "org_id", "user_id", "key", "rule", name=op.f("uq_experience_entries_org_id_user_id_key_rule")
        ),
    )
    op.create_table(
        "preferences",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("preference_type", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("duration_type", sa.Text(), server_default="permanent", nullable=False),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "duration_type IN ('permanent', 'session', 'temporary')",
            name=op.f("ck_preferences_duration_type"),
        ),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_preferences_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_preferences")),
        sa.UniqueConstraint(
            "org_id",
            "user_id",
            "preference_type",
            "value",
            name=op.f("uq_preferences_org_id_user_id_preference_type_value"),
        ),
    )
    op.create_table(
        "scheduled_workouts",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("scheduled_for", sa.DateTime(timezone=True), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("focus", postgresql.ARRAY(sa.Text()), server_default="{}", nullable=False),
        sa.Column("workout", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("notes", sa.Text(), server_default="", nullable=False),
        sa.Column("status", sa.Text(), server_default="planned", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "status IN ('planned', 'done', 'cancelled')", name=op.f("ck_scheduled_workouts_status")
        ),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_scheduled_workouts_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_scheduled_workouts")),
    )
    op.create_index(
        op.f("ix_scheduled_workouts_org_id_user_id_scheduled_for"),
        "scheduled_workouts",
        ["org_id", "user_id", "scheduled_for"],
        unique=False,
    )
    op.create_table(
        "screening_answers",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("answers", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("cleared", sa.Boolean(), nullable=False),
        sa.Column("consent_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_screening_answers_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_screening_answers")),
    )
    op.create_index(
        op.f("ix_screening_answers_org_id_user_id_created_at"),
        "screening_answers",
        ["org_id", "user_id", "created_at"],
        unique=False,
    )
    op.create_table(
        "session_workouts",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("workout", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("request", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("state", sa.Text(), server_default="open", nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("state IN ('open', 'logged')", name=op.f("ck_session_workouts_state")),
        sa.ForeignKeyConstraint(
            ["org_id", "session_id", "user_id"],
            ["agent_sessions.org_id", "agent_sessions.id", "agent_sessions.user_id"],
            name=op.f("fk_session_workouts_org_id_session_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "session_id", "user_id", name=op.f("pk_session_workouts")),
    )
    op.create_table(
        "user_category_and_weight",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("category_name", sa.Text(), nullable=False),
        sa.Column("weight", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("weight BETWEEN -10 AND 10", name=op.f("ck_user_category_and_weight_weight")),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_user_category_and_weight_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "org_id", "user_id", "category_name", name=op.f("pk_user_category_and_weight")
        ),
    )
    op.create_table(
        "user_muscle_and_weight",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("muscle_name", sa.Text(), nullable=False),
        sa.Column("weight", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("weight BETWEEN -10 AND 10", name=op.f("ck_user_muscle_and_weight_weight")),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_user_muscle_and_weight_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "user_id", "muscle_name", name=op.f("pk_user_muscle_and_weight")),
    )
    op.create_table(
        "user_settings",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("preferred_workout_duration", sa.Integer(), nullable=True),
        sa.Column("fitness_level", sa.Text(), nullable=True),
        sa.Column("available_equipment", postgresql.ARRAY(sa.Text()), server_default="{}", nullable=False),
        sa.Column("equipment_known", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("days_per_week", sa.Integer(), nullable=True),
        sa.Column("units", sa.Text(), server_default="metric", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("units IN ('metric', 'imperial')", name=op.f("ck_user_settings_units")),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_user_settings_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "user_id", name=op.f("pk_user_settings")),
    )
    op.create_table(
        "workout_history",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("exercises", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("notes", sa.Text(), server_default="", nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=True),
        sa.Column("session_id", sa.Uuid(), nullable=True),
        sa.Column("source", sa.Text(), server_default="spotter", nullable=False),
        sa.Column("source_key", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "user_id"],
            ["memberships.org_id", "memberships.user_id"],
            name=op.f("fk_workout_history_org_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "id", "user_id", name=op.f("pk_workout_history")),
        sa.UniqueConstraint(
            "org_id", "user_id", "source_key", name=op.f("uq_workout_history_org_id_user_id_source_key")
        ),
    )
    op.create_index(
        op.f("ix_workout_history_org_id_user_id_completed_at"),
        "workout_history",
        ["org_id", "user_id", "completed_at"],
        unique=False,
    )
    op.create_table(
        "workout_sets",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("workout_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("exercise_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("set_number", sa.Integer(), nullable=False),
        sa.Column("set_type", sa.Text(), server_default="normal", nullable=False),
        sa.Column("reps", sa.Integer(), nullable=True),
        sa.Column("seconds", sa.Integer(), nullable=True),
        sa.Column("weight_g", sa.Integer(), nullable=True),
        sa.Column("metres", sa.Integer(), nullable=True),
        sa.Column("rpe_tenths", sa.Integer(), nullable=True),
        sa.Column("notes", sa.Text(), server_default="", nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "workout_id", "user_id"],
            ["workout_history.org_id", "workout_history.id", "workout_history.user_id"],
            name=op.f("fk_workout_sets_org_id_workout_id_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "workout_id", "position", "user_id", name=op.f("pk_workout_sets")),
    )
    op.create_index(
        op.f("ix_workout_sets_org_id_user_id_exercise_id_completed_at"),
        "workout_sets",
        ["org_id", "user_id", "exercise_id", "completed_at"],
        unique=False,
    )
