"""Organisations with somebody in every role, signed in."""

from dataclasses import dataclass
from uuid import UUID

from spotter.app import House
from spotter.identity import look_ups
from spotter.identity.organisations import add_organisation, add_person
from spotter.identity.principal import Role
from spotter.ids import random_id
from spotter.store.scope import UNSCOPED, Scope


@dataclass(frozen=True, slots=True)
class Person:
    user_id: UUID
    org_id: UUID
    email: str
    role: Role
    token: str
    refresh_token: str
    session_id: UUID

    @property
    def scope(self) -> Scope:
        return Scope(self.org_id, self.user_id, self.role.value)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@dataclass(frozen=True, slots=True)
class Gym:
    org_id: UUID
    slug: str
    owner: Person
    admin: Person
    staff: Person
    member: Person
    other_member: Person

    @property
    def everybody(self) -> tuple[Person, ...]:
        return (self.owner, self.admin, self.staff, self.member, self.other_member)


async def open_gym(house: House, label: str = "gym") -> Gym:
    """A new organisation. Nothing of it clashes with any other test's."""
    slug = f"{label}-{random_id().hex[:12]}"
    roles = (Role.OWNER, Role.ADMIN, Role.STAFF, Role.MEMBER, Role.MEMBER)
    emails = [f"{role}{number}@{slug}.example" for number, role in enumerate(roles)]
    async with house.services.database.unit_of_work(UNSCOPED) as uow:
        ids = [await add_person(uow, email, email.split("@")[0].title(), None) for email in emails]
        org_id = await add_organisation(uow, slug=slug, name=slug.title(), owner=ids[0], timezone="UTC")
        await uow.act_for(UNSCOPED)
        for user_id, role in zip(ids[1:], roles[1:], strict=True):
            await look_ups.join_organisation(uow, org_id, user_id, role)
    people = [
        await sign_in(house, org_id, user_id, email, role)
        for user_id, email, role in zip(ids, emails, roles, strict=True)
    ]
    return Gym(org_id, slug, *people)


async def sign_in(house: House, org_id: UUID, user_id: UUID, email: str, role: Role) -> Person:
    async with house.services.database.unit_of_work(Scope(org_id, user_id, role.value)) as uow:
        signed_in = await house.services.sign_in.start_session(uow, device="a test")
    return Person(
        user_id, org_id, email, role, signed_in.access_token, signed_in.refresh_token, signed_in.session_id
    )
