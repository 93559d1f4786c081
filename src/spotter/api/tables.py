"""Stored answers to requests that carried an Idempotency-Key."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, PrimaryKeyConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from spotter.store.tables import Base, Tenancy


class IdempotentAnswer(Base):
    """`org_id` is the nil UUID for calls made before sign-in, `user_id` where no person calls; so neither
    has a foreign key."""

    __tablename__ = "idempotent_answers"
    tenancy = Tenancy.PERSON

    org_id: Mapped[UUID]
    user_id: Mapped[UUID]
    caller: Mapped[str]
    key: Mapped[str]
    request_hash: Mapped[str]
    claimed_until: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    status: Mapped[int | None]
    sealed_answer: Mapped[str | None]

    __table_args__ = (PrimaryKeyConstraint("org_id", "user_id", "caller", "key"), Index(None, "created_at"))
