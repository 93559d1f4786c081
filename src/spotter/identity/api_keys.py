"""API keys: shown once, stored as a hash, limited by role, scopes and time."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import select, update

from spotter.clock import now
from spotter.errors import Forbidden, InvalidInput, NotFound
from spotter.identity import audit
from spotter.identity.principal import PermissionScope, Principal, Role
from spotter.identity.tables import ApiKey
from spotter.identity.tokens import new_opaque
from spotter.ids import new_id
from spotter.store.unit_of_work import UnitOfWork


async def create_key(
    uow: UnitOfWork,
    by: Principal,
    *,
    name: str,
    role: Role,
    scopes: Sequence[PermissionScope],
    expires_at: datetime | None,
) -> tuple[ApiKey, str]:
    by.require_role(Role.ADMIN)
    if role not in (Role.ADMIN, Role.STAFF):
        raise InvalidInput("A key acts for the organisation: its role is admin or staff.")
    if not set(scopes) <= by.scopes:
        raise Forbidden("A key cannot have scopes that its maker lacks.")
    if expires_at is not None and expires_at <= now():
        raise InvalidInput("expires_at lies in the past.")
    secret = new_opaque("api_key")
    key = ApiKey(
        org_id=by.org_id,
        id=new_id(),
        name=name,
        prefix=secret.lookup or "",
        key_hash=secret.hash,
        role=role.value,
        scopes=sorted(scope.value for scope in set(scopes)),
        created_by=by.user_id,
        created_at=now(),
        expires_at=expires_at,
    )
    uow.session.add(key)
    detail = {"role": key.role, "scopes": key.scopes}
    await audit.record(uow, "api_key.created", target=str(key.id), detail=detail)
    return key, secret.plain


async def list_keys(uow: UnitOfWork) -> list[ApiKey]:
    return list(await uow.session.scalars(select(ApiKey).order_by(ApiKey.created_at, ApiKey.id)))


async def get_key(uow: UnitOfWork, key_id: UUID) -> ApiKey:
    key = await uow.session.scalar(select(ApiKey).where(ApiKey.id == key_id))
    if key is None:
        raise NotFound("There is no such API key.")
    return key


async def revoke_key(uow: UnitOfWork, key_id: UUID) -> None:
    """From the next request on: keys are looked up on each one, nothing is cached."""
    revoked = await uow.session.execute(
        update(ApiKey)
        .where(ApiKey.id == key_id, ApiKey.revoked_at.is_(None))
        .values(revoked_at=now())
        .returning(ApiKey.id)
    )
    if revoked.first() is None:
        raise NotFound("There is no such API key, or it is revoked already.")
    await audit.record(uow, "api_key.revoked", target=str(key_id))
