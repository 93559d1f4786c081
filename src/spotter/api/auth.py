"""Signing in and out."""

from uuid import UUID

from fastapi import Request, Response
from pydantic import BaseModel, Field

from spotter.api.access import Caller
from spotter.api.cookies import clear_sign_in, set_sign_in, sign_in_of
from spotter.api.fields import (
    Body,
    Email,
    Name,
    NewPassword,
    OpaqueToken,
    OptionalName,
    OrganisationName,
    Password,
    Slug,
    Timezone,
)
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.transactions import Transaction
from spotter.errors import Forbidden, Unauthenticated
from spotter.identity import organisations
from spotter.identity.sign_in import SignedIn

routes = router("auth", prefix="/api/auth")


class Tokens(BaseModel):
    access_token: str = Field(description="send it as `Authorization: Bearer …`")
    refresh_token: str = Field(description="gives the next pair once; keep the new one")
    token_type: str = "bearer"  # noqa: S105 - the kind of token, not one
    expires_in: int = Field(description="seconds until the access token expires")
    user_id: UUID
    organisation_id: UUID


class PasswordSignIn(Body):
    email: Email
    password: Password
    organisation: OrganisationName | None = Field(
        default=None, description="slug or id; without it, the one joined first"
    )


class LinkSignIn(Body):
    token: OpaqueToken


class Refresh(Body):
    refresh_token: OpaqueToken | None = Field(
        default=None, description="without it, the browser's cookie is used"
    )


class Switch(Body):
    organisation: OrganisationName = Field(description="slug or id")


class SignUp(Body):
    email: Email
    password: NewPassword
    name: OptionalName = ""
    organisation_name: Name
    organisation_slug: Slug
    timezone: Timezone = "UTC"


class Accept(Body):
    token: OpaqueToken
    name: OptionalName = ""
    password: NewPassword = Field(description="a new one, or yours if this e-mail has an account")


def device_of(request: Request) -> str:
    return request.headers.get("user-agent", "")[:200]


def tokens_of(signed_in: SignedIn) -> Tokens:
    return Tokens(
        access_token=signed_in.access_token,
        refresh_token=signed_in.refresh_token,
        expires_in=signed_in.expires_in,
        user_id=signed_in.user_id,
        organisation_id=signed_in.org_id,
    )


@routes.post("/sign-in", responses=problem_responses(403, 404))
async def sign_in(request: Request, response: Response, body: PasswordSignIn) -> Tokens:
    """Sign in with e-mail and password."""
    services = services_of(request)
    signed_in = await services.sign_in.with_password(
        body.email, body.password, body.organisation, device_of(request)
    )
    set_sign_in(response, signed_in, services.settings)
    return tokens_of(signed_in)


@routes.post("/link")
async def sign_in_by_link(request: Request, response: Response, body: LinkSignIn) -> Tokens:
    """Sign in with the secret of a one-time link."""
    services = services_of(request)
    signed_in = await services.sign_in.with_link(body.token, device_of(request))
    set_sign_in(response, signed_in, services.settings)
    return tokens_of(signed_in)


@routes.post("/refresh")
async def refresh_sign_in(request: Request, response: Response, body: Refresh) -> Tokens:
    """Exchange a refresh token for a new pair. Each one works once."""
    services = services_of(request)
    token = body.refresh_token or sign_in_of(request)
    if token is None:
        raise Unauthenticated("Send the refresh token, or sign in first.")
    signed_in = await services.sign_in.refresh(token)
    set_sign_in(response, signed_in, services.settings)
    return tokens_of(signed_in)


@routes.post("/sign-out", status_code=204)
async def sign_out(request: Request, response: Response, caller: Caller, uow: Transaction) -> None:
    """End this sign-in: its refresh token and its access tokens stop working at once."""
    if caller.session_id is None:
        raise Forbidden("There is no sign-in to end: this credential was not made by signing in here.")
    await services_of(request).sign_in.end(uow, caller.require_person(), caller.session_id)
    clear_sign_in(response)


@routes.post("/switch", responses=problem_responses(404))
async def switch_organisation(request: Request, response: Response, caller: Caller, body: Switch) -> Tokens:
    """Sign in to another of your organisations."""
    services = services_of(request)
    signed_in = await services.sign_in.switch(caller.require_person(), body.organisation, device_of(request))
    set_sign_in(response, signed_in, services.settings)
    return tokens_of(signed_in)


@routes.post("/sign-up", status_code=201, responses=problem_responses(403))
async def sign_up(request: Request, response: Response, body: SignUp) -> Tokens:
    """Make an account and an organisation of your own, if this installation allows it."""
    services = services_of(request)
    if services.settings.sign_up != "open":
        raise Forbidden("This installation does not take sign-ups. Ask its operator for an invitation.")
    user_id = await organisations.sign_up(
        services.database,
        email=body.email,
        name=body.name,
        password=body.password,
        slug=body.organisation_slug,
        organisation=body.organisation_name,
        timezone=body.timezone,
    )
    signed_in = await services.sign_in.switch(user_id, body.organisation_slug, device_of(request))
    set_sign_in(response, signed_in, services.settings)
    return tokens_of(signed_in)


@routes.post("/accept-invitation", status_code=201)
async def accept_invitation_to_join(request: Request, response: Response, body: Accept) -> Tokens:
    """Join an organisation with the secret of an invitation."""
    services = services_of(request)
    org_id, user_id = await organisations.accept_invitation(
        services.database, body.token, body.name, body.password
    )
    signed_in = await services.sign_in.switch(user_id, str(org_id), device_of(request))
    set_sign_in(response, signed_in, services.settings)
    return tokens_of(signed_in)
