"""Who talks to the coach: somebody signed in, a guest who was here before, or a new guest."""

from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from fastapi import Depends, Request, Response

from spotter.api.access import current_principal, optional_principal
from spotter.api.client_address import client_address
from spotter.api.gcra import Rate
from spotter.api.rate_limits import address_key, too_many
from spotter.api.services import Services, services_of
from spotter.errors import Forbidden, Unauthenticated
from spotter.identity.guests import LIFETIME
from spotter.identity.principal import PermissionScope, Principal
from spotter.logs import add_log_context
from spotter.scenarios.coach import adopting

TOKEN: Final = "X-Guest-Token"  # noqa: S105 - the name of a header
ORGANISATION: Final = "X-Organisation"
COOKIE: Final = "spotter_guest"
MESSAGES: Final = Rate(20, 60)
"""Of all guests at one address."""
ARRIVALS: Final = Rate(10, 3600)


@dataclass(frozen=True, slots=True)
class Visitor:
    principal: Principal
    token: str | None = None
    """Of a guest; told with the answer."""
    had_cookie: bool = False
    """Of a guest they were before they signed in."""


async def visitor(request: Request) -> Visitor:
    """A person. Whoever brings a guest's token along while signed in takes over what the guest had."""
    principal = await optional_principal(request)
    token = request.headers.get(TOKEN) or request.cookies.get(COOKIE)
    if principal is None:
        return await _guest(request, token)
    principal.require_scope(PermissionScope.WRITE)
    if principal.user_id is None:
        raise Forbidden("The coach coaches people. Sign in as one; an API key has no body.")
    if token is not None:
        await _adopt(services_of(request), token, principal)
    return Visitor(principal, had_cookie=COOKIE in request.cookies)


async def known_visitor(request: Request) -> Principal:
    """The same, without letting anybody in."""
    token = request.headers.get(TOKEN) or request.cookies.get(COOKIE)
    if token is not None and await optional_principal(request) is None:
        return await services_of(request).guests.principal(token)
    return await current_principal(request)


async def _guest(request: Request, token: str | None) -> Visitor:
    services = services_of(request)
    _limit(request, services, "guests", MESSAGES)
    if token is not None:
        return Visitor(await services.guests.principal(token), token)
    _limit(request, services, "new guests", ARRIVALS)
    admitted = await services.guests.admit(request.headers.get(ORGANISATION))
    add_log_context(org_id=str(admitted.principal.org_id), caller=admitted.principal.key)
    return Visitor(admitted.principal, admitted.token)


def _limit(request: Request, services: Services, name: str, rate: Rate) -> None:
    if not services.limits.enabled:
        return
    state = services.limits.limiter.take(name, rate, f"guest:{address_key(client_address(request.scope))}")
    if not state.allowed:
        raise too_many(state)


async def _adopt(services: Services, token: str, principal: Principal) -> None:
    try:
        guest = await services.guests.principal(token)
    except Unauthenticated:
        return  # adopted before, or too old: nothing is left of it
    person: UUID | None = principal.user_id
    if guest.org_id == principal.org_id and person is not None:
        assert guest.user_id is not None
        await adopting.adopt(services.database, guest.org_id, guest.user_id, person)


def tell(response: Response, services: Services, one: Visitor) -> None:
    """A guest's token, for the next message; a browser keeps it where no script can read it."""
    if one.token is None:
        if one.had_cookie:
            response.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")
        return
    response.headers[TOKEN] = one.token
    response.set_cookie(
        COOKIE,
        one.token,
        max_age=int(LIFETIME.total_seconds()),
        httponly=True,
        secure=services.settings.public_url is not None and services.settings.public_url.scheme == "https",
        samesite="lax",
        path="/",
    )


TalkingVisitor = Annotated[Visitor, Depends(visitor)]
KnownVisitor = Annotated[Principal, Depends(known_visitor)]
