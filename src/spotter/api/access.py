"""Who calls, as a dependency. One extractor for every header that can carry a credential."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, Request, Security, WebSocket
from fastapi.security import APIKeyHeader, HTTPBearer
from starlette.requests import HTTPConnection

from spotter.api import widget_gate
from spotter.api.services import services_of
from spotter.errors import Unauthenticated
from spotter.identity import audit
from spotter.identity.principal import PermissionScope, Principal, Role
from spotter.logs import add_log_context

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

# For the OpenAPI document only: they say where a credential goes. `credential_of` reads it.
_BEARER: Any = Security(HTTPBearer(scheme_name="bearer", description="an access token", auto_error=False))
_API_KEY: Any = Security(APIKeyHeader(name="X-API-Key", scheme_name="api_key", auto_error=False))


def credential_of(connection: HTTPConnection) -> str | None:
    """The credential of this request. Two that differ are refused: which one counts must not be a guess."""
    found = {key.strip() for key in connection.headers.getlist("x-api-key")}
    for authorization in connection.headers.getlist("authorization"):
        scheme, _, value = authorization.partition(" ")
        if scheme.lower() != "bearer" or not value.strip():
            raise Unauthenticated("Send the token as `Authorization: Bearer …`.")
        found.add(value.strip())
    if len(found) > 1:
        raise Unauthenticated("Two different credentials were sent. Send one.")
    return next(iter(found), None)


async def optional_principal(connection: HTTPConnection) -> Principal | None:
    """The caller, or None when no credential was sent. A wrong credential is refused, not ignored."""
    state = connection.state
    if not hasattr(state, "principal"):
        credential = credential_of(connection)
        state.principal = await _authenticate(connection, credential) if credential is not None else None
    principal: Principal | None = state.principal
    return principal


async def watcher(websocket: WebSocket, stream: str) -> Principal:
    """Who opens a WebSocket: by a header, as everywhere, or by a ticket for this stream in its address. No other
    credential is ever read from an address."""
    ticket = websocket.query_params.get("ticket")
    if ticket is None:
        principal = await optional_principal(websocket)
    elif credential_of(websocket) is not None:
        raise Unauthenticated("Two different credentials were sent. Send one.")
    else:
        services = services_of(websocket)
        principal = await services.authenticator.by_ticket(services.tickets.read(ticket, stream))
        _admit(websocket, principal)
        websocket.state.principal = principal
    if principal is None:
        raise Unauthenticated(
            "This needs a sign-in: send `Authorization: Bearer …`, or a ticket from /api/me/tickets."
        )
    principal.require_scope(PermissionScope.READ)
    return principal


async def current_principal(request: Request, bearer: Any = _BEARER, api_key: Any = _API_KEY) -> Principal:
    principal = await optional_principal(request)
    if principal is None:
        raise Unauthenticated("This needs a sign-in: send `Authorization: Bearer …` or `X-API-Key: …`.")
    principal.require_scope(PermissionScope.READ if request.method in _SAFE else PermissionScope.WRITE)
    return principal


def at_least(role: Role) -> Callable[[Request], Awaitable[Principal]]:
    """A dependency that also demands a role. Administration by API key takes the admin scope too."""

    async def dependency(request: Request, bearer: Any = _BEARER, api_key: Any = _API_KEY) -> Principal:
        principal = await current_principal(request)
        principal.require_role(role)
        if role.at_least(Role.ADMIN):
            principal.require_scope(PermissionScope.ADMIN)
        return principal

    return dependency


async def tool_caller(request: Request, bearer: Any = _BEARER, api_key: Any = _API_KEY) -> Principal:
    """Who may write may call tools; a key can also be limited to that."""
    principal = await optional_principal(request)
    if principal is None:
        raise Unauthenticated("This needs a sign-in: send `Authorization: Bearer …` or `X-API-Key: …`.")
    if PermissionScope.WRITE not in principal.scopes:
        principal.require_scope(PermissionScope.TOOLS)
    return principal


async def billing_admin(request: Request, bearer: Any = _BEARER, api_key: Any = _API_KEY) -> Principal:
    """Who sets what this organisation pays: its administrators, or only with the operator's token (decision 0022)."""
    principal = await at_least(Role.ADMIN)(request)
    services_of(request).billing_authority.require(request.headers.get("x-operator-token"))
    return principal


Caller = Annotated[Principal, Depends(current_principal)]
StaffCaller = Annotated[Principal, Depends(at_least(Role.STAFF))]
ToolCaller = Annotated[Principal, Depends(tool_caller)]
AdminCaller = Annotated[Principal, Depends(at_least(Role.ADMIN))]
BillingCaller = Annotated[Principal, Depends(billing_admin)]


async def _authenticate(connection: HTTPConnection, credential: str) -> Principal:
    services = services_of(connection)
    principal = await services.authenticator.principal(credential)
    _admit(connection, principal)
    await widget_gate.hold(connection, principal)
    return principal


def _admit(connection: HTTPConnection, principal: Principal) -> None:
    audit.acting_key.set(principal.id if principal.kind == "api_key" else None)
    services_of(connection).limits.enforce(connection.scope, principal.key)
    add_log_context(org_id=str(principal.org_id), caller=principal.key)
