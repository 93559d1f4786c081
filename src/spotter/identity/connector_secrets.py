"""Credentials of connected services, sealed before they reach the database."""

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from spotter.clock import now
from spotter.errors import NotFound
from spotter.identity import audit
from spotter.identity.tables import Secret
from spotter.identity.vault import Vault
from spotter.ids import new_id
from spotter.store.unit_of_work import UnitOfWork


class ConnectorSecrets:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def put(self, uow: UnitOfWork, name: str, value: str) -> None:
        sealed = self._vault.seal(value, context=_context(uow, name))
        row = insert(Secret).values(org_id=uow.scope.org_id, id=new_id(), name=name, sealed=sealed)
        await uow.session.execute(
            row.on_conflict_do_update(
                index_elements=["org_id", "name"], set_={"sealed": row.excluded.sealed, "updated_at": now()}
            )
        )
        uow.settings_changed()
        await audit.record(uow, "secret.stored", target=name)

    async def get(self, uow: UnitOfWork, name: str) -> str | None:
        sealed = await uow.session.scalar(select(Secret.sealed).where(Secret.name == name))
        if sealed is None:
            return None
        return self._vault.open(sealed, context=_context(uow, name)).decode()

    async def delete(self, uow: UnitOfWork, name: str) -> None:
        gone = await uow.session.execute(delete(Secret).where(Secret.name == name).returning(Secret.id))
        if gone.first() is None:
            raise NotFound("There is no such secret.")
        uow.settings_changed()
        await audit.record(uow, "secret.deleted", target=name)


def _context(uow: UnitOfWork, name: str) -> str:
    """Bound to its place: moved to another organisation or name, it does not open."""
    return f"org:{uow.scope.org_id}/secret:{name}"
