"""Organisations."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from spotter.api.access import AdminCaller, Caller
from spotter.api.fields import Body, Name, Slug, Timezone, storable_text
from spotter.api.routing import router
from spotter.api.transactions import Transaction
from spotter.errors import NotFound
from spotter.identity import organisations, tables
from spotter.identity.principal import Principal

routes = router("organisations", prefix="/api/organisations")

Topic = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
Fact = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Facts = Annotated[dict[Topic, Fact], Field(max_length=40)]


class Organisation(BaseModel):
    id: UUID
    slug: str
    name: str
    timezone: str
    guests: bool = Field(description="whether people may talk to the coach without signing in")
    facts: dict[str, str] = Field(
        description="what it has written down about itself, by topic; its front desk knows nothing else"
    )
    created_at: datetime


class NewOrganisation(Body):
    name: Name
    slug: Slug
    timezone: Timezone = "UTC"


class CreatedOrganisation(BaseModel):
    id: UUID
    slug: str
    name: str


class OrganisationChange(Body):
    name: Name | None = None
    timezone: Timezone | None = None
    guests: bool | None = None
    facts: Facts | None = Field(
        default=None,
        description="by topic, in place of those before; everybody you talk to may read them",
        examples=[{"Opening hours": "Monday to Friday 6 to 22, weekends 8 to 20"}],
    )


def _shown(row: tables.Organisation) -> Organisation:
    return Organisation(
        id=row.id,
        slug=row.slug,
        name=row.name,
        timezone=row.timezone,
        guests=row.guests,
        facts=row.facts,
        created_at=row.created_at,
    )


def _require_own(caller: Principal, organisation_id: UUID) -> None:
    if organisation_id != caller.org_id:
        raise NotFound("There is no such organisation here. To act for another one, switch to it first.")


@routes.post("", status_code=201)
async def create_organisation(caller: Caller, uow: Transaction, body: NewOrganisation) -> CreatedOrganisation:
    """Start another organisation; you become its owner. Switch to it to work there."""
    org_id = await organisations.add_organisation(
        uow, slug=body.slug, name=body.name, owner=caller.require_person(), timezone=body.timezone
    )
    # Back to where the call came from: the answer, if it is to be kept, is kept there.
    await uow.act_for(caller.scope)
    return CreatedOrganisation(id=org_id, slug=body.slug, name=body.name)


@routes.get("/{organisation_id}")
async def get_organisation(caller: Caller, uow: Transaction, organisation_id: UUID) -> Organisation:
    """The organisation you act for."""
    _require_own(caller, organisation_id)
    return _shown(await organisations.get_organisation(uow))


@routes.patch("/{organisation_id}")
async def update_organisation(
    caller: AdminCaller, uow: Transaction, organisation_id: UUID, body: OrganisationChange
) -> Organisation:
    """Change its name or time zone, whether it takes guests, or what is known about it."""
    _require_own(caller, organisation_id)
    changed = await organisations.update_organisation(
        uow,
        name=body.name,
        timezone=body.timezone,
        guests=body.guests,
        facts={storable_text(topic): storable_text(fact) for topic, fact in body.facts.items()}
        if body.facts is not None
        else None,
    )
    return _shown(changed)
