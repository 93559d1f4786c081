"""One's own profile, organisations and sign-ins."""

from datetime import datetime
from uuid import UUID

from fastapi import Request, Response
from pydantic import BaseModel, Field
from sqlalchemy import select

from spotter.api.access import Caller
from spotter.api.auth import Tokens, device_of, tokens_of
from spotter.api.cookies import set_sign_in
from spotter.api.fields import Body, NewPassword, OptionalName, Password
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.transactions import Transaction
from spotter.clock import now
from spotter.identity import look_ups
from spotter.identity.organisations import get_organisation, update_profile
from spotter.identity.principal import PrincipalKind, Role
from spotter.identity.tables import SignInSession, User
from spotter.store.scope import UNSCOPED
from spotter.store.unit_of_work import UnitOfWork

routes = router("me", prefix="/api/me")


class OrganisationHere(BaseModel):
    id: UUID
    slug: str
    name: str
    timezone: str


class Me(BaseModel):
    """Who is calling. For an API key `user_id`, `email` and `name` are null."""

    kind: PrincipalKind
    user_id: UUID | None
    email: str | None
    name: str | None
    role: Role
    scopes: list[str]
    organisation: OrganisationHere


class MyOrganisation(BaseModel):
    id: UUID
    slug: str
    name: str
    role: Role


class MyOrganisations(BaseModel):
    items: list[MyOrganisation]


class ProfileChange(Body):
    name: OptionalName


class PasswordChange(Body):
    current_password: Password | None = Field(default=None, description="not needed if none was set yet")
    new_password: NewPassword


class MySession(BaseModel):
    id: UUID
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime
    device: str
    current: bool


class MySessions(BaseModel):
    items: list[MySession]


async def _me(caller: Caller, uow: UnitOfWork) -> Me:
    user = await uow.session.get(User, caller.user_id) if caller.user_id else None
    organisation = await get_organisation(uow)
    return Me(
        kind=caller.kind,
        user_id=caller.user_id,
        email=user.email if user else None,
        name=user.name if user else None,
        role=caller.role,
        scopes=sorted(caller.scopes),
        organisation=OrganisationHere(
            id=organisation.id,
            slug=organisation.slug,
            name=organisation.name,
            timezone=organisation.timezone,
        ),
    )


@routes.get("")
async def get_me(caller: Caller, uow: Transaction) -> Me:
    """Who am I, and where?"""
    return await _me(caller, uow)


@routes.patch("")
async def update_me(caller: Caller, uow: Transaction, body: ProfileChange) -> Me:
    """Change your name."""
    await update_profile(uow, caller.require_person(), body.name)
    return await _me(caller, uow)


@routes.get("/organisations")
async def list_my_organisations(request: Request, caller: Caller) -> MyOrganisations:
    """The organisations you can switch to."""
    user_id = caller.require_person()
    async with services_of(request).database.unit_of_work(UNSCOPED) as uow:
        places = await look_ups.places_of(uow, user_id)
    return MyOrganisations(
        items=[MyOrganisation(id=p.org_id, slug=p.slug, name=p.name, role=p.role) for p in places]
    )


@routes.post("/password")
async def change_my_password(
    request: Request, response: Response, caller: Caller, body: PasswordChange
) -> Tokens:
    """Set or change your password. Ends all your sign-ins but the new one in the answer."""
    services = services_of(request)
    user_id = caller.require_person()
    async with services.database.unit_of_work(caller.scope) as uow:
        email = await uow.session.scalar(select(User.email).where(User.id == user_id))
    signed_in = await services.sign_in.change_password(
        caller.scope, email or "", body.current_password, body.new_password, device_of(request)
    )
    set_sign_in(response, signed_in, services.settings)
    return tokens_of(signed_in)


@routes.get("/sessions")
async def list_my_sessions(caller: Caller, uow: Transaction) -> MySessions:
    """Where you are signed in."""
    user_id = caller.require_person()
    rows = await uow.session.scalars(
        select(SignInSession)
        .where(
            SignInSession.user_id == user_id,
            SignInSession.revoked_at.is_(None),
            SignInSession.expires_at > now(),
        )
        .order_by(SignInSession.last_used_at.desc())
        .limit(100)
    )
    items = [
        MySession(
            id=row.id,
            created_at=row.created_at,
            last_used_at=row.last_used_at,
            expires_at=row.expires_at,
            device=row.device,
            current=row.id == caller.session_id,
        )
        for row in rows
    ]
    return MySessions(items=items)


@routes.delete("/sessions/{session_id}", status_code=204)
async def end_my_session(request: Request, caller: Caller, uow: Transaction, session_id: UUID) -> None:
    """Sign out one device."""
    await services_of(request).sign_in.end(
        uow, caller.require_person(), session_id, because="ended by its owner"
    )
