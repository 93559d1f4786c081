"""Sessions, their events, and messages that wait for their turn."""

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Text,
    false,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSON, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from spotter.store.tables import Base, PersonRow, Tenancy, in_organisation


class AgentSession(PersonRow, Base):
    """One conversation. `user_id` is the nil UUID where no person owns it (a service's own work).

    Not indexed by `updated_at` on purpose: each append changes it, and an index would make every one of those
    updates rewrite all indexes of the row.
    """

    __tablename__ = "agent_sessions"

    agent: Mapped[str]
    """Who answers now. It and `stage` are moved by the log's own events (`spotter_append`), never by hand."""
    scenario: Mapped[str | None]
    stage: Mapped[str | None]
    overrides: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    """What this session's agent has different from its definition: see `runtime/kit.py`."""
    title: Mapped[str] = mapped_column(server_default="")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_sequence: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    context_start_sequence: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    details: Mapped[dict[str, Any]] = mapped_column("metadata", JSONB, server_default="{}")
    forked_from: Mapped[UUID | None]
    forked_at: Mapped[int | None]
    erased_at: Mapped[datetime | None]
    task_id: Mapped[UUID | None]
    run_id: Mapped[UUID | None]
    """What it works for, where it is not a person's conversation: its costs are theirs."""
    project_id: Mapped[UUID | None]
    """Where drafts and context of it belong; the organisation's default project where none is named."""
    kind: Mapped[str] = mapped_column(server_default="conversation")
    """A `call` holds one tool call that was made without a conversation, a `proxy` one call of a model that somebody
    else's program made. Both are records: they are in no list."""

    # The turn: whoever holds the newest fence may append; everybody else is refused.
    fence: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    turn_open: Mapped[bool] = mapped_column(Boolean, server_default=false())
    lease_owner: Mapped[int | None] = mapped_column(Integer)
    lease_until: Mapped[datetime | None]
    cancel_requested: Mapped[bool] = mapped_column(Boolean, server_default=false())

    __table_args__ = (
        in_organisation(),
        CheckConstraint("kind IN ('conversation', 'call', 'proxy')", name="kind"),
        Index(None, "org_id", "user_id"),
        Index("ix_agent_sessions_open_turns", "org_id", postgresql_where=text("turn_open")),
        {"postgresql_with": {"fillfactor": 50}},
    )


def in_session() -> ForeignKeyConstraint:
    """Belongs to a session, and with it to its person and organisation."""
    return ForeignKeyConstraint(
        ["org_id", "session_id", "user_id"],
        ["agent_sessions.org_id", "agent_sessions.id", "agent_sessions.user_id"],
        ondelete="CASCADE",
    )


class AgentEvent(Base):
    """One past fact. `content` is `json`, not `jsonb`: it must come back byte for byte."""

    __tablename__ = "agent_events"
    tenancy: ClassVar[Tenancy] = Tenancy.PERSON

    org_id: Mapped[UUID]
    session_id: Mapped[UUID]
    sequence_number: Mapped[int] = mapped_column(Integer)
    user_id: Mapped[UUID]
    event_type: Mapped[str] = mapped_column(Text)
    content: Mapped[Any] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    hash: Mapped[bytes] = mapped_column(LargeBinary)

    __table_args__ = (
        PrimaryKeyConstraint("org_id", "session_id", "sequence_number", "user_id"),
        in_session(),
    )


class WaitingMessage(Base):
    """Said while a turn was going on; gets its own turn, in order."""

    __tablename__ = "agent_inbox"
    tenancy: ClassVar[Tenancy] = Tenancy.PERSON

    org_id: Mapped[UUID]
    session_id: Mapped[UUID]
    position: Mapped[int] = mapped_column(BigInteger)
    user_id: Mapped[UUID]
    content: Mapped[Any] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        PrimaryKeyConstraint("org_id", "session_id", "position", "user_id"),
        in_session(),
    )


class MessageKey(Base):
    """A message that came with an idempotency key: said again, it is not said twice."""

    __tablename__ = "agent_message_keys"
    tenancy: ClassVar[Tenancy] = Tenancy.PERSON

    org_id: Mapped[UUID]
    session_id: Mapped[UUID]
    key: Mapped[UUID]
    user_id: Mapped[UUID]

    __table_args__ = (
        PrimaryKeyConstraint("org_id", "session_id", "key", "user_id"),
        in_session(),
    )


class Effect(Base):
    """An effect outside our database that cannot be keyed (an e-mail): marked before it is tried and after it
    is done. Found half-way after a crash, nobody knows, and says so."""

    __tablename__ = "agent_effects"
    tenancy: ClassVar[Tenancy] = Tenancy.PERSON

    org_id: Mapped[UUID]
    session_id: Mapped[UUID]
    call_id: Mapped[str]
    user_id: Mapped[UUID]
    state: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    settled_at: Mapped[datetime | None]

    __table_args__ = (
        PrimaryKeyConstraint("org_id", "session_id", "call_id", "user_id"),
        in_session(),
        CheckConstraint("state IN ('attempting', 'done', 'uncertain')", name="state"),
    )


class OutboxMessage(PersonRow, Base):
    """An effect outside that takes an idempotency key: delivered by a job, as often as needed, with `id` as key."""

    __tablename__ = "outbox"

    kind: Mapped[str]
    payload: Mapped[dict[str, Any]]
    session_id: Mapped[UUID | None]
    call_id: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    delivered_at: Mapped[datetime | None]
    failed_at: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    last_error: Mapped[str | None]

    __table_args__ = (in_organisation(),)
