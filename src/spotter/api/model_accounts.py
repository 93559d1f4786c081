"""An organisation's own accounts with model providers, and its own model servers. Keys are sealed, never shown."""

import asyncio
import socket
from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Path, Request
from pydantic import BaseModel, Field, StringConstraints
from sqlalchemy import select

from spotter.api.access import AdminCaller
from spotter.api.fields import Body
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.transactions import Transaction
from spotter.errors import InvalidInput
from spotter.identity.tables import Secret
from spotter.llm.resolver import Dialect
from spotter.runtime.models import PREFIX, ModelAccount

routes = router("models", prefix="/api/model-accounts")

AccountName = Annotated[str, Path(pattern=r"^[a-z][a-z0-9-]{0,39}$", examples=["openai"])]


class NewModelAccount(Body):
    api_key: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None
    base_url: Annotated[str, StringConstraints(min_length=8, max_length=500)] | None = Field(
        default=None, description="of your own server; OpenAI's kind ends in /v1"
    )
    dialect: Dialect = "openai"


class ShownModelAccount(BaseModel):
    """What is stored, without the key."""

    name: str
    base_url: str | None
    dialect: Dialect
    has_key: bool


class ModelAccounts(BaseModel):
    items: list[ShownModelAccount]


def _shown(name: str, account: ModelAccount) -> ShownModelAccount:
    return ShownModelAccount(
        name=name, base_url=account.base_url, dialect=account.dialect, has_key=account.api_key is not None
    )


@routes.get("")
async def list_model_accounts(request: Request, caller: AdminCaller, uow: Transaction) -> ModelAccounts:
    """Which providers and servers this organisation has set up for itself."""
    secrets = services_of(request).secrets
    names = await uow.session.scalars(
        select(Secret.name).where(Secret.name.startswith(PREFIX)).order_by(Secret.name)
    )
    items = []
    for name in names:
        stored = await secrets.get(uow, name)
        if stored is not None:
            items.append(_shown(name.removeprefix(PREFIX), ModelAccount.load(stored)))
    return ModelAccounts(items=items)


@routes.put("/{model_account_name}")
async def put_model_account(
    request: Request,
    caller: AdminCaller,
    uow: Transaction,
    model_account_name: AccountName,
    body: NewModelAccount,
) -> ShownModelAccount:
    """Set a key (for `openai`, `anthropic`, …) or a server of your own, used as `name:model`."""
    if body.api_key is None and body.base_url is None:
        raise InvalidInput("Give an api_key, a base_url, or both.")
    services = services_of(request)
    if body.base_url is not None:
        await _check_address(body.base_url, private_allowed=not services.settings.binds_public_address)
    account = ModelAccount(body.api_key, body.base_url, body.dialect)
    await services.secrets.put(uow, PREFIX + model_account_name, account.dump())
    return _shown(model_account_name, account)


@routes.delete("/{model_account_name}", status_code=204)
async def delete_model_account(
    request: Request, caller: AdminCaller, uow: Transaction, model_account_name: AccountName
) -> None:
    """Forget a key or server."""
    await services_of(request).secrets.delete(uow, PREFIX + model_account_name)


async def _check_address(url: str, *, private_allowed: bool) -> None:
    """A tenant must not make a public server call into its own network. On a laptop that is the point of it."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InvalidInput("base_url is not an address.") from None
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.username
        or parts.query
        or parts.fragment
    ):
        raise InvalidInput(
            "base_url is an http(s) address without a user name or query, e.g. https://host/v1."
        )
    if private_allowed:
        return
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(parts.hostname, port or 443, type=socket.SOCK_STREAM)
    except OSError:
        raise InvalidInput("base_url names a host that cannot be found.") from None
    if not all(ip_address(str(address[4][0]).split("%")[0]).is_global for address in found):
        raise InvalidInput(
            "base_url leads to a private address, which this server does not call for tenants."
        )
