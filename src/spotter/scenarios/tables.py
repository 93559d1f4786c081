"""Organisations' own agents and scenarios, and every version they had."""

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import Index, Integer, PrimaryKeyConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from spotter.store.tables import Base, OrganisationRow, Tenancy, Timestamped, belongs_to, in_organisation


class Definition(OrganisationRow, Timestamped):
    """`name` is what it is called by: an agent's name, a scenario's id. Without a project it is the organisation's.
    Put away by `archived_at`, never deleted: old sessions tell of it."""

    name: Mapped[str]
    project_id: Mapped[UUID | None]
    version: Mapped[int] = mapped_column(Integer, server_default=text("1"))
    definition: Mapped[dict[str, Any]]
    updated_by: Mapped[UUID | None]
    archived_at: Mapped[datetime | None]


class DefinitionVersion:
    """As it was. Added, never changed."""

    tenancy: ClassVar[Tenancy] = Tenancy.STAFF

    org_id: Mapped[UUID]
    definition_id: Mapped[UUID]
    version: Mapped[int] = mapped_column(Integer)
    definition: Mapped[dict[str, Any]]
    note: Mapped[str] = mapped_column(server_default="")
    created_by: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


def _one_of_a_name(table: str) -> Index:
    return Index(
        f"ix_{table}_name",
        "org_id",
        "project_id",
        "name",
        unique=True,
        postgresql_where=text("archived_at IS NULL"),
        postgresql_nulls_not_distinct=True,
    )


class AiAgent(Definition, Base):
    __tablename__ = "ai_agents"
    __table_args__ = (
        in_organisation(),
        belongs_to("project_id", "projects"),
        _one_of_a_name("ai_agents"),
    )


class AiAgentVersion(DefinitionVersion, Base):
    __tablename__ = "ai_agent_versions"
    __table_args__ = (
        PrimaryKeyConstraint("org_id", "definition_id", "version"),
        belongs_to("definition_id", "ai_agents"),
    )


class Scenario(Definition, Base):
    __tablename__ = "scenarios"
    __table_args__ = (
        in_organisation(),
        belongs_to("project_id", "projects"),
        _one_of_a_name("scenarios"),
    )


class ScenarioVersion(DefinitionVersion, Base):
    __tablename__ = "scenario_versions"
    __table_args__ = (
        PrimaryKeyConstraint("org_id", "definition_id", "version"),
        belongs_to("definition_id", "scenarios"),
    )
