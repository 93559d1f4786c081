"""Questions asked before the organisation is known, through the `spotter_auth` functions.

They answer only in a transaction without a tenant, and only with what the caller already proved to hold
(a hash of a secret, an e-mail to check a password against).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text

from spotter.identity.principal import Role
from spotter.store.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class Login:
    user_id: UUID
    password_hash: str | None


@dataclass(frozen=True, slots=True)
class Place:
    """A person's place in one organisation."""

    org_id: UUID
    slug: str
    name: str
    role: Role
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class Owned:
    """Where a secret belongs."""

    org_id: UUID
    id: UUID
    user_id: UUID | None = None


async def _row(uow: UnitOfWork, call: str, **arguments: object) -> Row[Any] | None:
    return (await uow.session.execute(text(f"SELECT * FROM spotter_auth.{call}"), arguments)).first()  # noqa: S608


async def find_login(uow: UnitOfWork, email: str) -> Login | None:
    row = await _row(uow, "find_login(:email)", email=email)
    return Login(row.user_id, row.password_hash) if row else None


async def places_of(uow: UnitOfWork, user_id: UUID) -> list[Place]:
    rows = await uow.session.execute(
        text("SELECT * FROM spotter_auth.memberships_of(:person)"), {"person": user_id}
    )
    return [Place(row.org_id, row.slug, row.name, Role(row.role), row.joined_at) for row in rows]


async def find_organisation(uow: UnitOfWork, slug: str) -> UUID | None:
    row = await _row(uow, "find_organisation(:slug)", slug=slug)
    return row.org_id if row else None


async def find_external(uow: UnitOfWork, issuer: str, subject: str) -> UUID | None:
    row = await _row(uow, "find_external(:issuer, :subject)", issuer=issuer, subject=subject)
    return row.user_id if row else None


async def find_api_key(uow: UnitOfWork, key_hash: str) -> Owned | None:
    row = await _row(uow, "find_api_key(:hash)", hash=key_hash)
    return Owned(row.org_id, row.id) if row else None


@dataclass(frozen=True, slots=True)
class FoundWidget:
    org_id: UUID
    name: str
    origins: list[str]


async def find_widget(uow: UnitOfWork, widget_id: UUID) -> FoundWidget | None:
    """One that is switched on."""
    row = await _row(uow, "find_widget(:widget)", widget=widget_id)
    return FoundWidget(row.org_id, row.name, row.origins) if row else None


async def find_invitation(uow: UnitOfWork, token_hash: str) -> Owned | None:
    row = await _row(uow, "find_invitation(:hash)", hash=token_hash)
    return Owned(row.org_id, row.id) if row else None


async def find_refresh_token(uow: UnitOfWork, token_hash: str) -> Owned | None:
    row = await _row(uow, "find_refresh_token(:hash)", hash=token_hash)
    return Owned(row.org_id, row.id, row.user_id) if row else None


async def find_sign_in_link(uow: UnitOfWork, token_hash: str) -> Owned | None:
    row = await _row(uow, "find_sign_in_link(:hash)", hash=token_hash)
    return Owned(row.org_id, row.id, row.user_id) if row else None


async def create_user(uow: UnitOfWork, user_id: UUID, email: str, name: str) -> bool:
    """False when somebody has that e-mail already."""
    return await _done(uow, "create_user(:id, :email, :name)", id=user_id, email=email, name=name)


async def create_organisation(uow: UnitOfWork, org_id: UUID, slug: str, name: str, timezone: str) -> bool:
    """False when the slug is taken."""
    return await _done(
        uow,
        "create_organisation(:id, :slug, :name, :timezone)",
        id=org_id,
        slug=slug,
        name=name,
        timezone=timezone,
    )


async def join_organisation(uow: UnitOfWork, org_id: UUID, user_id: UUID, role: Role) -> bool:
    """False when the person is a member already; then nothing changes."""
    return await _done(
        uow, "join_organisation(:org, :person, :role)", org=org_id, person=user_id, role=role.value
    )


async def link_external(uow: UnitOfWork, issuer: str, subject: str, user_id: UUID) -> bool:
    return await _done(
        uow, "link_external(:issuer, :subject, :person)", issuer=issuer, subject=subject, person=user_id
    )


async def _done(uow: UnitOfWork, call: str, **arguments: object) -> bool:
    row = await _row(uow, call, **arguments)
    return bool(row and row[0])
