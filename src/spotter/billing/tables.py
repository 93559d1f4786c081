"""What was used, what it costs, who may spend how much, and the credits of an organisation.

Entries are added and never changed: runtime has no right to. Sums that are kept (counters, balances) are kept in the
transaction of the entry they count, and `spotter verify` adds them up again.
"""

from datetime import date, datetime
from typing import ClassVar
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Date,
    Index,
    Integer,
    PrimaryKeyConstraint,
    UniqueConstraint,
    Uuid,
    false,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from spotter.store.tables import (
    Base,
    OrganisationRow,
    StaffRow,
    Tenancy,
    Timestamped,
    belongs_to,
    in_organisation,
)


class ModelPrice(OrganisationRow, Base):
    """An organisation's own price of a model, from a moment to a moment (half-open). Micro-dollars per million tokens;
    a kind of cached tokens without a price costs what input costs."""

    __tablename__ = "ai_model_pricing"

    provider: Mapped[str]
    model: Mapped[str]
    input: Mapped[int] = mapped_column(BigInteger)
    output: Mapped[int] = mapped_column(BigInteger)
    cache_read: Mapped[int | None] = mapped_column(BigInteger)
    cache_write: Mapped[int | None] = mapped_column(BigInteger)
    valid_from: Mapped[datetime]
    valid_to: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        in_organisation(),
        Index(None, "org_id", "provider", "model", "valid_from"),
        CheckConstraint(
            "input >= 0 AND output >= 0 AND cache_read >= 0 AND cache_write >= 0", name="amounts"
        ),
    )


class BillingAccount(Timestamped, Base):
    """How an organisation is billed. An organisation without one has the defaults."""

    __tablename__ = "billing_accounts"
    tenancy: ClassVar[Tenancy] = Tenancy.ORGANISATION

    org_id: Mapped[UUID]
    markup: Mapped[int] = mapped_column(Integer, server_default=text("2000"))
    """Basis points on top of what the provider charges."""
    tier: Mapped[str]
    prepaid: Mapped[bool] = mapped_column(server_default=false())
    """Model calls also spend credits, and end where they do."""
    credit_rate: Mapped[int] = mapped_column(BigInteger, server_default=text("10000"))
    """Micro-dollars a credit is worth."""
    unpriced_rate: Mapped[int | None] = mapped_column(BigInteger)
    """Micro-dollars per million tokens that a model nobody knows a price of counts against caps with."""
    concurrent_turns: Mapped[int | None] = mapped_column(Integer)
    monthly_credits: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    """In millionths, as all credits."""

    __table_args__ = (
        PrimaryKeyConstraint("org_id"),
        in_organisation(),
        CheckConstraint("markup BETWEEN 0 AND 100000", name="markup"),
        CheckConstraint("credit_rate > 0 AND unpriced_rate >= 0", name="rates"),
        CheckConstraint("concurrent_turns > 0 AND monthly_credits >= 0", name="limits"),
    )


class UsageEntry(Base):
    """One model call: what it used and what is charged for it. The event that caused it is (session, sequence).

    `billing_day` and `billing_month` are those of the organisation's time zone when it happened, so that a bill stays
    as it is when the organisation moves. A call outside of any session has an id of its own as session, and number 0.
    """

    __tablename__ = "usage_entries"
    tenancy: ClassVar[Tenancy] = Tenancy.PERSON

    org_id: Mapped[UUID]
    session_id: Mapped[UUID]
    sequence_number: Mapped[int] = mapped_column(Integer)
    n: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    user_id: Mapped[UUID]
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    billing_day: Mapped[date] = mapped_column(Date)
    billing_month: Mapped[date] = mapped_column(Date)
    """The first of the month."""
    kind: Mapped[str]
    """The type of the event."""
    agent: Mapped[str]
    task_id: Mapped[UUID | None]
    run_id: Mapped[UUID | None]
    provider: Mapped[str]
    model: Mapped[str]
    input: Mapped[int] = mapped_column(Integer)
    output: Mapped[int] = mapped_column(Integer)
    cache_read: Mapped[int] = mapped_column(Integer)
    cache_write: Mapped[int] = mapped_column(Integer)
    reported: Mapped[bool]
    cost: Mapped[int] = mapped_column(BigInteger)
    charge: Mapped[int] = mapped_column(BigInteger)
    markup: Mapped[int] = mapped_column(Integer)
    price: Mapped[str | None]
    """Which price, in words. None when there was none: then nothing is charged, and this says so."""
    counted: Mapped[int] = mapped_column(BigInteger)
    """Micro-dollars that count against caps: the charge, or the most it can have been where nobody knows."""
    counted_tokens: Mapped[int] = mapped_column(BigInteger)
    guest: Mapped[bool] = mapped_column(server_default=false())
    """Whether the person was a guest then: nobody can tell later."""
    credit_rate: Mapped[int | None] = mapped_column(BigInteger)
    """Micro-dollars a credit was worth, where the call spent credits: as many as its charge comes to."""

    __table_args__ = (
        # No reference to the organisation: checking it would lock that one row with every call. Nor to the event: the
        # ledger outlives it, and the statement that adds an entry adds its event.
        PrimaryKeyConstraint("org_id", "session_id", "sequence_number", "n", "user_id"),
        Index(None, "org_id", "billing_day"),
        Index("ix_usage_entries_runs", "org_id", "run_id", postgresql_where=text("run_id IS NOT NULL")),
        CheckConstraint(
            "input >= 0 AND output >= 0 AND cache_read >= 0 AND cache_write >= 0"
            " AND cost >= 0 AND charge >= cost AND counted >= charge AND counted_tokens >= 0",
            name="amounts",
        ),
    )


class SpendCap(OrganisationRow, Base):
    """How much may be spent: by the organisation, by all its guests together, by each (or one) person, session, run
    or agent, in each day or month
    of the organisation's time zone or in total. `soft` warns, `hard` stops."""

    __tablename__ = "spend_caps"

    scope: Mapped[str]
    subject: Mapped[str] = mapped_column(server_default="")
    """The id (an agent's name) it holds for; empty for each of them."""
    period: Mapped[str]
    unit: Mapped[str]
    soft: Mapped[int | None] = mapped_column(BigInteger)
    hard: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    created_by: Mapped[UUID | None]

    __table_args__ = (
        in_organisation(),
        UniqueConstraint("org_id", "scope", "subject", "period", "unit"),
        CheckConstraint(
            "scope IN ('organisation', 'user', 'session', 'run', 'agent', 'guests')", name="scope"
        ),
        CheckConstraint("period IN ('day', 'month', 'total')", name="period"),
        CheckConstraint("unit IN ('money', 'tokens')", name="unit"),
        CheckConstraint("(soft IS NOT NULL OR hard IS NOT NULL) AND soft >= 0 AND hard >= 0", name="amounts"),
    )


class SpendCounter(StaffRow, Base):
    """What one cap has counted for one subject in one period: the sum of its entries, and what is being spent now."""

    __tablename__ = "spend_counters"

    cap_id: Mapped[UUID]
    subject: Mapped[str]
    period_start: Mapped[date] = mapped_column(Date)
    spent: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    reserved: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    warned_at: Mapped[datetime | None]
    """When it came to the amount for a warning."""
    told_at: Mapped[datetime | None]
    """When somebody whom it concerns was told so, in a conversation of theirs."""

    __table_args__ = (
        belongs_to("cap_id", "spend_caps"),
        UniqueConstraint("org_id", "cap_id", "subject", "period_start"),
        CheckConstraint("spent >= 0 AND reserved >= 0", name="amounts"),
    )


class SpendReservation(StaffRow, Base):
    """What a model call that is going on may cost at most. Gone when it is settled or released.

    A turn has one at a time and it lives as long as the turn's fence is the newest; one without a session lives until
    it expires.
    """

    __tablename__ = "spend_reservations"

    session_id: Mapped[UUID | None]
    fence: Mapped[int | None] = mapped_column(BigInteger)
    amount: Mapped[int] = mapped_column(BigInteger)
    tokens: Mapped[int] = mapped_column(BigInteger)
    credits: Mapped[int] = mapped_column(BigInteger)
    counters: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid()))
    """The ones that hold it."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]

    __table_args__ = (in_organisation(), UniqueConstraint("org_id", "session_id", "fence"))


class CreditAccount(Base):
    """An organisation's credits, in millionths: the sum of its entries, kept by a trigger, never below nothing."""

    __tablename__ = "credit_accounts"
    tenancy: ClassVar[Tenancy] = Tenancy.ORGANISATION

    org_id: Mapped[UUID]
    balance: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))

    __table_args__ = (
        PrimaryKeyConstraint("org_id"),
        in_organisation(),
        CheckConstraint("balance >= 0", name="balance"),
    )


class CreditEntry(StaffRow, Base):
    """A movement of credits. `reserve` takes what a call may cost, `release` gives it back, `spend` takes what it was
    charged. `reference` says what it is for (`call:SESSION:EVENT:N`); the same thing is booked once. Until 0023 one
    `settle` stood for both of the latter."""

    __tablename__ = "credit_entries"

    at: Mapped[datetime] = mapped_column(server_default=func.now())
    kind: Mapped[str]
    amount: Mapped[int] = mapped_column(BigInteger)
    reference: Mapped[str]
    note: Mapped[str] = mapped_column(server_default="")
    created_by: Mapped[UUID | None]

    __table_args__ = (
        in_organisation(),
        UniqueConstraint("org_id", "kind", "reference"),
        Index(None, "org_id", "at"),
        CheckConstraint(
            "kind IN ('grant', 'purchase', 'spend', 'refund', 'reserve', 'settle', 'release')", name="kind"
        ),
        CheckConstraint(
            "CASE WHEN kind IN ('spend', 'reserve') THEN amount <= 0 WHEN kind = 'settle' THEN true"
            " ELSE amount >= 0 END",
            name="direction",
        ),
    )
