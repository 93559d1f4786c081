"""Conversations by voice."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Index, Integer, func, text
from sqlalchemy.orm import Mapped, mapped_column

from spotter.sessions.tables import in_session
from spotter.store.tables import Base, PersonRow


class VoiceSession(PersonRow, Base):
    """One client secret, and all that was agreed on with it: whose it is, for which session, agent and model, until
    when and for how much. Amounts are micro-dollars, as charged."""

    __tablename__ = "voice_sessions"

    session_id: Mapped[UUID]
    agent: Mapped[str]
    provider: Mapped[str]
    model: Mapped[str]
    budget: Mapped[int | None] = mapped_column(BigInteger)
    """The most it may cost; None where nobody knows the model's price and nothing limits spending."""
    budget_tokens: Mapped[int] = mapped_column(BigInteger)
    spent: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    spent_tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    reports: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    """How often somebody said what was used."""
    reservation_id: Mapped[UUID | None]
    """What is held back for it; changes with each report."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    ends_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    end_reason: Mapped[str] = mapped_column(server_default="")

    __table_args__ = (
        in_session(),
        Index("ix_voice_sessions_session", "org_id", "session_id"),
        Index("ix_voice_sessions_open", "ends_at", postgresql_where=text("ended_at IS NULL")),
        CheckConstraint(
            "budget >= 0 AND budget_tokens >= 0 AND spent >= 0 AND spent_tokens >= 0 AND reports >= 0",
            name="amounts",
        ),
    )
