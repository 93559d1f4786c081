"""What people must approve: the organisation's policies, and the requests."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Double, Index, UniqueConstraint, false, func, text
from sqlalchemy.orm import Mapped, mapped_column

from spotter.sessions.tables import in_session
from spotter.store.tables import Base, OrganisationRow, PersonRow, Timestamped, in_organisation

_ROLES = "('member', 'staff', 'admin', 'owner')"


class ApprovalPolicy(OrganisationRow, Timestamped, Base):
    """Seen by everybody: a member's turn has to follow it. An empty name means any."""

    __tablename__ = "approval_policies"

    tool: Mapped[str] = mapped_column(server_default="")
    agent: Mapped[str] = mapped_column(server_default="")
    role: Mapped[str] = mapped_column(server_default="")
    mode: Mapped[str]
    argument: Mapped[str] = mapped_column(server_default="")
    above: Mapped[float] = mapped_column(Double, server_default=text("0"))
    approver_role: Mapped[str]
    four_eyes: Mapped[bool] = mapped_column(server_default=false())
    trusts_tainted: Mapped[bool] = mapped_column(server_default=false())

    __table_args__ = (
        in_organisation(),
        UniqueConstraint("org_id", "tool", "agent", "role"),
        CheckConstraint("mode IN ('never', 'always', 'above')", name="mode"),
        CheckConstraint(f"approver_role IN {_ROLES}", name="approver_role"),
    )


class Approval(PersonRow, Base):
    """A request to carry out one call with exactly these arguments, once. `user_id` is the session's person.

    `decided_at` without `settled_at` means: its call waits to be answered. `settled_at` is set with the call's
    result, in the same transaction, or when the request became void.
    """

    __tablename__ = "approvals"

    session_id: Mapped[UUID]
    call_id: Mapped[str]
    agent: Mapped[str]
    tool: Mapped[str]
    tool_version: Mapped[str]
    arguments: Mapped[str]
    """JSON in its one spelling: what is hashed, shown and carried out."""
    args_hash: Mapped[str]
    why: Mapped[str]
    approver_role: Mapped[str]
    four_eyes: Mapped[bool] = mapped_column(server_default=false())
    replaces: Mapped[UUID | None]
    edited: Mapped[bool] = mapped_column(server_default=false())
    requested_by: Mapped[UUID | None]
    requested_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    state: Mapped[str] = mapped_column(server_default="pending")
    decided_by: Mapped[UUID | None]
    decided_at: Mapped[datetime | None]
    decision_reason: Mapped[str] = mapped_column(server_default="")
    settled_at: Mapped[datetime | None]

    __table_args__ = (
        in_session(),
        CheckConstraint(
            "state IN ('pending', 'approved', 'denied', 'expired', 'superseded', 'used')", name="state"
        ),
        CheckConstraint(f"approver_role IN {_ROLES}", name="approver_role"),
        Index("ix_approvals_unsettled", "org_id", "session_id", postgresql_where=text("settled_at IS NULL")),
        Index(None, "org_id", "requested_at"),
    )
