"""What is known of an athlete. Names of the tables and columns the seeds speak of are theirs (C3)."""

from datetime import datetime
from typing import Any, ClassVar, Final
from uuid import UUID

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    UniqueConstraint,
    func,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from spotter.store.tables import (
    Base,
    PersonRow,
    Tenancy,
    Timestamped,
    belongs_to_same_person,
    in_membership,
    in_organisation,
)


class _OfAthlete(Timestamped):
    """One row for a person in an organisation."""

    tenancy: ClassVar[Tenancy] = Tenancy.PERSON
    org_id: Mapped[UUID] = mapped_column(primary_key=True, sort_order=-2)
    user_id: Mapped[UUID] = mapped_column(primary_key=True, sort_order=-1)


class BodyStats(_OfAthlete, Base):
    __tablename__ = "body_stats"

    age: Mapped[int | None] = mapped_column(Integer)
    height_cm: Mapped[int | None] = mapped_column(Integer)
    weight_g: Mapped[int | None] = mapped_column(Integer)
    gender: Mapped[str | None]

    __table_args__ = (in_membership(),)


class UserSettings(_OfAthlete, Base):
    __tablename__ = "user_settings"

    preferred_workout_duration: Mapped[int | None] = mapped_column(Integer)
    """Minutes."""
    fitness_level: Mapped[str | None]
    available_equipment: Mapped[list[str]] = mapped_column(server_default="{}")
    equipment_known: Mapped[bool] = mapped_column(Boolean, server_default=text("false"))
    """Whether an empty list means «nothing at all» or only that nobody has asked yet."""
    days_per_week: Mapped[int | None] = mapped_column(Integer)
    units: Mapped[str] = mapped_column(server_default="metric")
    timezone: Mapped[str | None]
    """Of the person; the organisation's holds for who has none."""

    __table_args__ = (
        in_membership(),
        CheckConstraint("units IN ('metric', 'imperial')", name="units"),
    )


class CategoryGoal(_OfAthlete, Base):
    __tablename__ = "user_category_and_weight"

    category_name: Mapped[str] = mapped_column(primary_key=True)
    weight: Mapped[int] = mapped_column(Integer)

    __table_args__ = (in_membership(), CheckConstraint("weight BETWEEN -10 AND 10", name="weight"))


class MuscleGoal(_OfAthlete, Base):
    __tablename__ = "user_muscle_and_weight"

    muscle_name: Mapped[str] = mapped_column(primary_key=True)
    weight: Mapped[int] = mapped_column(Integer)

    __table_args__ = (in_membership(), CheckConstraint("weight BETWEEN -10 AND 10", name="weight"))


class Preference(PersonRow, Timestamped, Base):
    """`session` ones end with their session, `temporary` ones at `expires_at`. Deleting only switches one off."""

    __tablename__ = "preferences"

    preference_type: Mapped[str]
    value: Mapped[str]
    duration_type: Mapped[str] = mapped_column(server_default="permanent")
    details: Mapped[dict[str, Any]] = mapped_column("metadata", server_default="{}")
    is_active: Mapped[bool] = mapped_column(Boolean, server_default=true())
    session_id: Mapped[UUID | None]
    expires_at: Mapped[datetime | None]

    __table_args__ = (
        in_membership(),
        UniqueConstraint("org_id", "user_id", "preference_type", "value"),
        CheckConstraint("duration_type IN ('permanent', 'session', 'temporary')", name="duration_type"),
    )


class LoggedWorkout(PersonRow, Base):
    """A workout that was done. `source_key` makes importing the same file twice harmless."""

    __tablename__ = "workout_history"

    completed_at: Mapped[datetime]
    title: Mapped[str] = mapped_column(server_default="")
    exercises: Mapped[dict[str, Any]]
    """`{"items": [...]}`: what was planned and done, as it was shown."""
    notes: Mapped[str] = mapped_column(server_default="")
    minutes: Mapped[int | None] = mapped_column(Integer)
    session_id: Mapped[UUID | None]
    source: Mapped[str] = mapped_column(server_default="spotter")
    source_key: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        in_membership(),
        UniqueConstraint("org_id", "user_id", "source_key"),
        Index(None, "org_id", "user_id", "completed_at"),
    )


NOT_WORK: Final = ("warmup", "cooldown", "skipped")
"""Types of sets that are in the log, but no training of anything."""


class LoggedSet(Base):
    __tablename__ = "workout_sets"
    tenancy: ClassVar[Tenancy] = Tenancy.PERSON

    org_id: Mapped[UUID]
    workout_id: Mapped[UUID]
    position: Mapped[int] = mapped_column(Integer)
    user_id: Mapped[UUID]
    exercise_id: Mapped[str]
    """Of the catalogue, or what the exercise was called where it is not in it."""
    name: Mapped[str]
    set_number: Mapped[int] = mapped_column(Integer)
    set_type: Mapped[str] = mapped_column(server_default="normal")
    reps: Mapped[int | None] = mapped_column(Integer)
    seconds: Mapped[int | None] = mapped_column(Integer)
    weight_g: Mapped[int | None] = mapped_column(Integer)
    metres: Mapped[int | None] = mapped_column(Integer)
    rpe_tenths: Mapped[int | None] = mapped_column(Integer)
    notes: Mapped[str] = mapped_column(server_default="")
    completed_at: Mapped[datetime]

    __table_args__ = (
        PrimaryKeyConstraint("org_id", "workout_id", "position", "user_id"),
        belongs_to_same_person("workout_id", "workout_history"),
        Index(None, "org_id", "user_id", "exercise_id", "completed_at"),
    )


class Distribution(_OfAthlete, Base):
    """How often what was trained: a projection of the history, kept by what writes it."""

    __tablename__ = "exercise_distribution_tracking"

    category_counts: Mapped[dict[str, Any]] = mapped_column(server_default="{}")
    muscle_counts: Mapped[dict[str, Any]] = mapped_column(server_default="{}")
    last_updated: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (in_membership(),)


class WorkoutOnTable(Base):
    """The workout a session is about: a projection of its tools' results, changed in their transactions."""

    __tablename__ = "session_workouts"
    tenancy: ClassVar[Tenancy] = Tenancy.PERSON

    org_id: Mapped[UUID]
    session_id: Mapped[UUID]
    user_id: Mapped[UUID]
    workout: Mapped[dict[str, Any]]
    request: Mapped[dict[str, Any]] = mapped_column(server_default="{}")
    """What was asked for, so that «make it shorter» can be answered."""
    sets: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    """What has been done of it so far, in order; it goes into the history when the workout is over."""
    state: Mapped[str] = mapped_column(server_default="open")
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())

    __table_args__ = (
        PrimaryKeyConstraint("org_id", "session_id", "user_id"),
        ForeignKeyConstraint(
            ["org_id", "session_id", "user_id"],
            ["agent_sessions.org_id", "agent_sessions.id", "agent_sessions.user_id"],
            ondelete="CASCADE",
        ),
        CheckConstraint("state IN ('open', 'logged')", name="state"),
    )


class ScheduledWorkout(PersonRow, Timestamped, Base):
    __tablename__ = "scheduled_workouts"

    scheduled_for: Mapped[datetime]
    minutes: Mapped[int | None] = mapped_column(Integer)
    title: Mapped[str]
    focus: Mapped[list[str]] = mapped_column(server_default="{}")
    workout: Mapped[dict[str, Any] | None]
    notes: Mapped[str] = mapped_column(server_default="")
    status: Mapped[str] = mapped_column(server_default="planned")

    __table_args__ = (
        in_membership(),
        Index(None, "org_id", "user_id", "scheduled_for"),
        CheckConstraint("status IN ('planned', 'done', 'cancelled')", name="status"),
    )


class Screening(PersonRow, Base):
    """Answers to the health questions, as they were asked then. Never changed; a new round is a new row."""

    __tablename__ = "screening_answers"

    version: Mapped[int] = mapped_column(Integer)
    answers: Mapped[dict[str, Any]]
    cleared: Mapped[bool] = mapped_column(Boolean)
    consent_at: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (in_membership(), Index(None, "org_id", "user_id", "created_at"))


class ExperienceEntry(PersonRow, Base):
    """XP, badges and streak freezes: append-only. What an athlete has is the sum; undoing is a negative entry."""

    __tablename__ = "experience_entries"

    kind: Mapped[str]
    amount: Mapped[int] = mapped_column(Integer)
    rule: Mapped[str]
    key: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column("metadata", server_default="{}")
    earned_at: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        in_membership(),
        UniqueConstraint("org_id", "user_id", "key", "rule"),
        CheckConstraint("kind IN ('xp', 'badge', 'freeze')", name="kind"),
    )


class OwnExercise(Timestamped, Base):
    """An exercise an organisation has added or imported. The catalogue that ships is not in the database."""

    __tablename__ = "own_exercises"
    tenancy: ClassVar[Tenancy] = Tenancy.ORGANISATION

    org_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    exercise: Mapped[dict[str, Any]]
    source: Mapped[str]
    source_id: Mapped[str]
    licence: Mapped[str] = mapped_column(server_default="")
    licence_author: Mapped[str] = mapped_column(server_default="")

    __table_args__ = (in_organisation(), UniqueConstraint("org_id", "source", "source_id"))
