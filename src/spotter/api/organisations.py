"""Organisations."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from spotter.api.access import AdminCaller, Caller
from spotter.api.fields import Body, Name, Slug, Timezone
from spotter.api.routing import router
from spotter.api.transactions import Transaction
from spotter.errors import NotFound
from spotter.identity import organisations, tables
from spotter.identity.principal import Principal

routes = router("organisations", prefix="/api/organisations")


class Organisation(BaseModel):
    id: UUID
    slug: str
    name: str
    timezone: str
    guests: bool = Field(description="whether people may talk to the coach without signing in")
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


def _shown(row: tables.Organisation) -> Organisation:
    return Organisation(
        id=row.id,
        slug=row.slug,
        name=row.name,
        timezone=row.timezone,
        guests=row.guests,
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
    """Change its name or time zone, or whether it takes guests."""
    _require_own(caller, organisation_id)
    changed = await organisations.update_organisation(
        uow, name=body.name, timezone=body.timezone, guests=body.guests
    )
    return _shown(changed)
