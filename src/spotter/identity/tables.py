"""Organisations, people and what lets them in.

Hashes of tokens are looked up across tenants by `spotter_auth` functions; they are indexed but not unique,
because a refused duplicate would tell one tenant what another one holds.
"""

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    PrimaryKeyConstraint,
    UniqueConstraint,
    false,
    func,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from spotter.ids import random_id
from spotter.store.tables import (
    Base,
    OrganisationRow,
    PersonRow,
    StaffRow,
    Tenancy,
    Timestamped,
    belongs_to,
    belongs_to_same_person,
    in_membership,
    in_organisation,
)


class Organisation(Timestamped, Base):
    __tablename__ = "organisations"
    tenancy: ClassVar[Tenancy] = Tenancy.ACCOUNT

    id: Mapped[UUID] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    timezone: Mapped[str] = mapped_column(server_default="UTC")
    guests: Mapped[bool] = mapped_column(server_default=false())
    """Whether people may talk to the coach without signing in."""
    facts: Mapped[dict[str, str]] = mapped_column(JSONB, server_default="{}")
    """What it has written down about itself, by topic: opening hours, prices. Everybody it talks to may read it."""
    settings_stamp: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    """Raised by the database with every change of its settings: see `store/stamps.py`."""


class User(Timestamped, Base):
    """A person, across organisations. The id is random: its age must not tell who was here before."""

    __tablename__ = "users"
    tenancy: ClassVar[Tenancy] = Tenancy.ACCOUNT

    id: Mapped[UUID] = mapped_column(primary_key=True, default=random_id)
    email: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str] = mapped_column(server_default="")
    disabled_at: Mapped[datetime | None]

    __table_args__ = (CheckConstraint("email = lower(email)", name="email_lower"),)


class Credential(Base):
    """The password hash, apart from the person: staff who may see a member never see this."""

    __tablename__ = "credentials"
    tenancy: ClassVar[Tenancy] = Tenancy.ACCOUNT

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    password_hash: Mapped[str]
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ExternalIdentity(Base):
    """Somebody else's sign-in that stands for a person here."""

    __tablename__ = "external_identities"
    tenancy: ClassVar[Tenancy] = Tenancy.ACCOUNT

    issuer: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Membership(Timestamped, Base):
    """A person's place in an organisation. Kept after removal: history refers to it."""

    __tablename__ = "memberships"
    tenancy: ClassVar[Tenancy] = Tenancy.PERSON

    org_id: Mapped[UUID]
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    role: Mapped[str]
    removed_at: Mapped[datetime | None]
    guest_until: Mapped[datetime | None]
    """Of somebody who has not said who they are; they count as removed from the start."""

    __table_args__ = (
        PrimaryKeyConstraint("org_id", "user_id"),
        CheckConstraint("guest_until IS NULL OR removed_at IS NOT NULL", name="guest_is_no_member"),
        in_organisation(),
        CheckConstraint("role IN ('owner', 'admin', 'staff', 'member')", name="role"),
    )


class SignInSession(PersonRow, Base):
    """One signed-in device. Its refresh tokens form a chain; using an old one ends it."""

    __tablename__ = "sign_in_sessions"

    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_used_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    revoked_because: Mapped[str | None]
    device: Mapped[str] = mapped_column(server_default="")

    __table_args__ = (in_membership(), Index(None, "org_id", "user_id"))


class RefreshToken(PersonRow, Base):
    __tablename__ = "refresh_tokens"

    session_id: Mapped[UUID]
    token_hash: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    used_at: Mapped[datetime | None]

    __table_args__ = (
        belongs_to_same_person("session_id", "sign_in_sessions"),
        Index(None, "token_hash"),
        Index(None, "org_id", "session_id"),
    )


class SignInLink(PersonRow, Base):
    """Signs one person in, once."""

    __tablename__ = "sign_in_links"

    token_hash: Mapped[str] = mapped_column(index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]

    __table_args__ = (in_membership(),)


class Invitation(StaffRow, Base):
    __tablename__ = "invitations"

    email: Mapped[str]
    role: Mapped[str]
    token_hash: Mapped[str] = mapped_column(index=True)
    invited_by: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    accepted_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]

    __table_args__ = (
        in_organisation(),
        CheckConstraint("role IN ('admin', 'staff', 'member')", name="role"),
    )


class ApiKey(StaffRow, Base):
    """A key that acts for the organisation as a service principal, with the rights of `role` and `scopes`."""

    __tablename__ = "api_keys"

    name: Mapped[str]
    prefix: Mapped[str]
    key_hash: Mapped[str] = mapped_column(index=True)
    role: Mapped[str]
    scopes: Mapped[list[str]]
    created_by: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]

    __table_args__ = (
        in_organisation(),
        CheckConstraint("role IN ('admin', 'staff')", name="role"),
    )


class Widget(OrganisationRow, Timestamped, Base):
    """A chat on other people's pages: which pages, and who can be talked to there."""

    __tablename__ = "widgets"

    name: Mapped[str]
    origins: Mapped[list[str]]
    """As browsers write them; exactly these may show it."""
    scenario: Mapped[str | None]
    agents: Mapped[list[str]]
    """One tab each, in this order."""
    enabled: Mapped[bool] = mapped_column(server_default=true())
    created_by: Mapped[UUID | None]

    __table_args__ = (in_organisation(),)


class Project(OrganisationRow, Timestamped, Base):
    """A part of an organisation's work. Who is not in it, and no admin, sees nothing of it; the default one is
    everybody's."""

    __tablename__ = "projects"

    name: Mapped[str]
    description: Mapped[str] = mapped_column(server_default="")
    is_default: Mapped[bool] = mapped_column(server_default=false())
    created_by: Mapped[UUID | None]
    archived_at: Mapped[datetime | None]

    __table_args__ = (
        in_organisation(),
        Index("ix_projects_default", "org_id", unique=True, postgresql_where=text("is_default")),
    )


class ProjectMember(Base):
    __tablename__ = "project_members"
    tenancy: ClassVar[Tenancy] = Tenancy.PERSON

    org_id: Mapped[UUID]
    project_id: Mapped[UUID]
    user_id: Mapped[UUID]
    added_by: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        PrimaryKeyConstraint("org_id", "project_id", "user_id"),
        belongs_to("project_id", "projects"),
        in_membership(),
        Index(None, "org_id", "user_id"),
    )


class UsedTicket(PersonRow, Base):
    """A ticket for a stream that has opened one: it opens no other."""

    __tablename__ = "used_tickets"

    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (in_membership(), Index(None, "created_at"))


class Secret(StaffRow, Timestamped, Base):
    """A connector's credential, sealed by the vault."""

    __tablename__ = "secrets"

    name: Mapped[str]
    sealed: Mapped[str]

    __table_args__ = (in_organisation(), UniqueConstraint("org_id", "name"))


class AuditEntry(StaffRow, Base):
    """Who did what. Rows are added, never changed: the database refuses both.

    Once committed, an entry is sealed: it gets the next number of its organisation's chain and a hash over itself and
    the hash before it. `at` is the writer's word, `sealed_at` the database's.
    """

    __tablename__ = "audit_log"

    at: Mapped[datetime] = mapped_column(server_default=func.now())
    actor_kind: Mapped[str]
    actor_id: Mapped[UUID | None]
    action: Mapped[str]
    target: Mapped[str] = mapped_column(server_default="")
    ip: Mapped[str | None]
    correlation_id: Mapped[str | None]
    detail: Mapped[dict[str, Any]] = mapped_column(server_default="{}")
    chain_number: Mapped[int | None] = mapped_column(BigInteger)
    hash: Mapped[bytes | None] = mapped_column(LargeBinary)
    sealed_at: Mapped[datetime | None]
    ip_salt: Mapped[UUID | None]
    ip_digest: Mapped[bytes | None] = mapped_column(LargeBinary)
    """Stands for the address in the hash, so that the address can be forgotten."""

    __table_args__ = (
        in_organisation(),
        Index(None, "org_id", "at"),
        Index(
            "ix_audit_log_chain",
            "org_id",
            "chain_number",
            unique=True,
            postgresql_where=text("chain_number IS NOT NULL"),
        ),
        Index("ix_audit_log_unsealed", "org_id", postgresql_where=text("chain_number IS NULL")),
    )


class AuditHead(Base):
    """The end of an organisation's chain: without it, taking away the newest entries would not show."""

    __tablename__ = "audit_heads"
    tenancy: ClassVar[Tenancy] = Tenancy.STAFF

    org_id: Mapped[UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger)
    hash: Mapped[bytes] = mapped_column(LargeBinary)
    sealed_at: Mapped[datetime]

    __table_args__ = (in_organisation(),)
