"""An organisation's own safety policy. No row: the defaults in the source."""

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from spotter.store.tables import Base, Tenancy, in_organisation


class SafetyPolicy(Base):
    __tablename__ = "safety_policies"
    tenancy: ClassVar[Tenancy] = Tenancy.STAFF

    org_id: Mapped[UUID] = mapped_column(primary_key=True)
    policy: Mapped[dict[str, Any]]
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (in_organisation(),)
