"""Who did what, when, from where. Written in the transaction of the deed, sealed into a chain soon after.

What agents do (calls, approvals, limits) is recorded by the database itself, with the events that tell of it.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final
from uuid import UUID

from sqlalchemy import insert, text

from spotter.clock import now
from spotter.identity.tables import AuditEntry
from spotter.ids import new_id
from spotter.logs import correlation_id
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork

client_address: ContextVar[str | None] = ContextVar("client_address", default=None)
acting_key: ContextVar[UUID | None] = ContextVar("acting_key", default=None)
"""The API key that calls, when no person does."""

_WHEREABOUTS: Final = text(
    "SELECT set_config('spotter.client_address', :ip, true),"
    " set_config('spotter.correlation_id', :correlation, true)"
)


async def record(
    uow: UnitOfWork,
    action: str,
    *,
    target: str = "",
    actor_kind: str | None = None,
    actor_id: UUID | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """The actor is the transaction's person, or the API key that calls, unless told otherwise. Nothing secret and
    nothing personal but ids goes into `target` and `detail`: an entry stays when the person is erased."""
    assert uow.scope.org_id is not None, "an audit entry belongs to an organisation"
    if actor_kind is None:
        actor_kind, actor_id = _actor(uow.scope)
    await uow.session.flush()
    # A plain insert: the ORM would read the row back, which members may not.
    await uow.session.execute(
        insert(AuditEntry.__table__).values(  # type: ignore[arg-type]
            org_id=uow.scope.org_id,
            id=new_id(),
            at=now(),
            actor_kind=actor_kind,
            actor_id=actor_id,
            action=action,
            target=target,
            ip=client_address.get(),
            correlation_id=correlation_id.get(),
            detail=dict(detail or {}),
        )
    )


async def whereabouts(uow: UnitOfWork) -> None:
    """Tells the database from where this transaction's request came: for what the database itself records of it."""
    known = {"ip": client_address.get() or "", "correlation": correlation_id.get() or ""}
    await uow.session.execute(_WHEREABOUTS, known)


async def record_apart(database: Database, org_id: UUID, action: str, **more: Any) -> None:
    """In a transaction of its own, for what was refused: the one of the deed is rolled back."""
    more = {"actor_kind": "anonymous", **more}
    async with database.unit_of_work(Scope(org_id, None, "service")) as uow:
        await record(uow, action, **more)


async def forget_addresses(uow: UnitOfWork, user_id: UUID) -> int:
    """For a person who is erased. The chain holds a salted digest of each address, and the salt goes with it."""
    forgotten = await uow.session.scalar(
        text("SELECT spotter_auth.forget_addresses(:person)"), {"person": user_id}
    )
    return int(forgotten or 0)


def _actor(scope: Scope) -> tuple[str, UUID | None]:
    if scope.user_id is not None:
        return "user", scope.user_id
    key = acting_key.get()
    return ("api_key", key) if key is not None else ("service", None)
