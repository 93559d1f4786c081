"""What every table has in common: ids, times, names of constraints, and who may see its rows.

A tenant table's primary key is `(org_id, id)`: references between tenant tables then always carry the
organisation, and a clash of ids cannot tell one tenant what another one has.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    DateTime,
    ForeignKeyConstraint,
    MetaData,
    Table,
    Text,
    Uuid,
    func,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from typing_extensions import override

from spotter.ids import new_id

type_map: dict[Any, Any] = {
    UUID: Uuid(),
    str: Text(),
    datetime: DateTime(timezone=True),
    dict[str, Any]: JSONB(),
    list[str]: ARRAY(Text()),
}


class Tenancy(StrEnum):
    """Whose rows a table holds; the isolation test compares this with the policies in the database."""

    ORGANISATION = "organisation"
    """Seen by everyone who acts for the organisation."""
    PERSON = "person"
    """Belongs to `user_id` inside the organisation; seen by that person and by staff."""
    STAFF = "staff"
    """The organisation's own business; members do not see it."""
    ACCOUNT = "account"
    """Belongs to a person across organisations; has policies of its own."""
    SYSTEM = "system"
    """No tenant's data."""


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = type_map
    tenancy: ClassVar[Tenancy]

    @override
    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        table = cls.__dict__.get("__table__")
        if isinstance(table, Table):
            table.info["tenancy"] = cls.tenancy


class Installation(Base):
    """One row: which secret this database was set up with, so that a machine with another one is told so."""

    __tablename__ = "installation"
    tenancy: ClassVar[Tenancy] = Tenancy.SYSTEM

    singleton: Mapped[bool] = mapped_column(primary_key=True, server_default=true())
    key_fingerprint: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (CheckConstraint("singleton", name="one_row"),)


class Timestamped:
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class OrganisationRow:
    """Mixin for tenant tables: `(org_id, id)` is the key."""

    tenancy: ClassVar[Tenancy] = Tenancy.ORGANISATION
    org_id: Mapped[UUID] = mapped_column(primary_key=True, sort_order=-3)
    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id, sort_order=-2)


class StaffRow(OrganisationRow):
    """Mixin for rows only staff may see."""

    tenancy: ClassVar[Tenancy] = Tenancy.STAFF


class PersonRow(OrganisationRow):
    """Mixin for rows that belong to one person of an organisation. The person is part of the key for the
    same reason the organisation is: members must not refer to, or detect, each other's rows."""

    tenancy: ClassVar[Tenancy] = Tenancy.PERSON
    user_id: Mapped[UUID] = mapped_column(primary_key=True, sort_order=-1)


def in_organisation() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["org_id"], ["organisations.id"], ondelete="CASCADE")


def in_membership() -> ForeignKeyConstraint:
    """The person must be (or have been) a member of the same organisation."""
    return ForeignKeyConstraint(
        ["org_id", "user_id"], ["memberships.org_id", "memberships.user_id"], ondelete="CASCADE"
    )


def belongs_to_same_person(column: str, table: str) -> ForeignKeyConstraint:
    """A reference that can leave neither the organisation nor the person."""
    return ForeignKeyConstraint(
        ["org_id", column, "user_id"],
        [f"{table}.org_id", f"{table}.id", f"{table}.user_id"],
        ondelete="CASCADE",
    )


def belongs_to(column: str, table: str) -> ForeignKeyConstraint:
    """A reference that cannot leave the organisation."""
    return ForeignKeyConstraint(["org_id", column], [f"{table}.org_id", f"{table}.id"], ondelete="CASCADE")
