"""Drafts and their versions, snapshots, and which sessions have been given which."""

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import (
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    UniqueConstraint,
    false,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from spotter.store.tables import Base, OrganisationRow, PersonRow, Tenancy, Timestamped, belongs_to


class Draft(OrganisationRow, Timestamped, Base):
    """Kept by key. `user_id` is the person whose own it is, or the nil UUID where it is the project's: those who
    share a project share its drafts, and in the default project members have only their own."""

    __tablename__ = "drafts"

    project_id: Mapped[UUID]
    user_id: Mapped[UUID]
    key: Mapped[str]
    title: Mapped[str] = mapped_column(server_default="")
    content: Mapped[Any] = mapped_column(JSONB)
    version: Mapped[int] = mapped_column(Integer, server_default=text("1"))
    updated_by: Mapped[UUID | None]

    __table_args__ = (
        belongs_to("project_id", "projects"),
        UniqueConstraint("org_id", "project_id", "key", "user_id"),
        Index(None, "org_id", "project_id", "updated_at"),
    )


class DraftVersion(Base):
    """As it was. Added, never changed."""

    __tablename__ = "draft_versions"
    tenancy: ClassVar[Tenancy] = Tenancy.ORGANISATION

    org_id: Mapped[UUID]
    draft_id: Mapped[UUID]
    version: Mapped[int] = mapped_column(Integer)
    project_id: Mapped[UUID]
    user_id: Mapped[UUID]
    title: Mapped[str] = mapped_column(server_default="")
    content: Mapped[Any] = mapped_column(JSONB)
    created_by: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        PrimaryKeyConstraint("org_id", "draft_id", "version"),
        belongs_to("draft_id", "drafts"),
    )


class ContextSnapshot(PersonRow, Base):
    """What one person's page showed at one moment. `reference_ids` maps references to what they stand for; it never
    leaves the server."""

    __tablename__ = "context_snapshots"

    project_id: Mapped[UUID]
    page: Mapped[str]
    block: Mapped[str]
    reference_ids: Mapped[dict[str, Any]]
    labels: Mapped[dict[str, Any]]
    access: Mapped[dict[str, Any]]
    drafts: Mapped[dict[str, Any]]
    """`{"items": [...]}`: the recent ones, as they were shown."""
    untrusted: Mapped[bool] = mapped_column(server_default=false())
    """Words of others are in it."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (belongs_to("project_id", "projects"), Index(None, "org_id", "created_at"))


class SessionContext(Base):
    """A snapshot that a session was given. The newest one's references count first."""

    __tablename__ = "session_contexts"
    tenancy: ClassVar[Tenancy] = Tenancy.PERSON

    org_id: Mapped[UUID]
    session_id: Mapped[UUID]
    context_id: Mapped[UUID]
    user_id: Mapped[UUID]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        PrimaryKeyConstraint("org_id", "session_id", "context_id", "user_id"),
        ForeignKeyConstraint(
            ["org_id", "session_id", "user_id"],
            ["agent_sessions.org_id", "agent_sessions.id", "agent_sessions.user_id"],
            ondelete="CASCADE",
        ),
        ForeignKeyConstraint(
            ["org_id", "context_id", "user_id"],
            ["context_snapshots.org_id", "context_snapshots.id", "context_snapshots.user_id"],
            ondelete="CASCADE",
        ),
    )
