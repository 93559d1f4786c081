"""API keys of the organisation."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field

from spotter.api.access import AdminCaller
from spotter.api.fields import Body, Name
from spotter.api.routing import router
from spotter.api.transactions import Transaction
from spotter.identity import api_keys, tables
from spotter.identity.principal import PermissionScope, Role

routes = router("API keys", prefix="/api/api-keys")


class ApiKey(BaseModel):
    id: UUID
    name: str
    prefix: str = Field(description="the beginning of the key, to tell keys apart")
    role: Role
    scopes: list[PermissionScope]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class NewApiKey(Body):
    name: Name
    role: Literal["admin", "staff"] = "staff"
    scopes: list[PermissionScope] = Field(default=[PermissionScope.READ], min_length=1, max_length=10)
    expires_at: AwareDatetime | None = None


class CreatedApiKey(ApiKey):
    key: str = Field(description="shown once; send it as `X-API-Key: …` or `Authorization: Bearer …`")


class ApiKeys(BaseModel):
    items: list[ApiKey]


def _shown(row: tables.ApiKey) -> ApiKey:
    return ApiKey(
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        role=Role(row.role),
        scopes=[PermissionScope(scope) for scope in row.scopes],
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        last_used_at=row.last_used_at,
    )


@routes.get("")
async def list_api_keys(caller: AdminCaller, uow: Transaction) -> ApiKeys:
    """All keys, revoked ones too."""
    return ApiKeys(items=[_shown(row) for row in await api_keys.list_keys(uow)])


@routes.post("", status_code=201)
async def create_api_key(caller: AdminCaller, uow: Transaction, body: NewApiKey) -> CreatedApiKey:
    """Make a key. It is shown in this answer and never again."""
    row, plain = await api_keys.create_key(
        uow, caller, name=body.name, role=Role(body.role), scopes=body.scopes, expires_at=body.expires_at
    )
    return CreatedApiKey(**_shown(row).model_dump(), key=plain)


@routes.get("/{api_key_id}")
async def get_api_key(caller: AdminCaller, uow: Transaction, api_key_id: UUID) -> ApiKey:
    """One key, without its secret."""
    return _shown(await api_keys.get_key(uow, api_key_id))


@routes.delete("/{api_key_id}", status_code=204)
async def revoke_api_key(caller: AdminCaller, uow: Transaction, api_key_id: UUID) -> None:
    """Revoke a key; it stops working at once."""
    await api_keys.revoke_key(uow, api_key_id)
