"""Money that nobody will settle or book: given back, and booked."""

from typing import Final
from uuid import UUID

from spotter.store.database import Database

_SWEEP: Final = "SELECT spotter_sweep_reservation(%s, %s)"


async def release_abandoned(database: Database, org_id: UUID, reservation_id: UUID) -> bool:
    """False when it was settled meanwhile, or its turn lives: the database looks again before it gives back."""
    async with database.hot.connection() as connection:
        row = await (await connection.execute(_SWEEP, (org_id, reservation_id))).fetchone()
    return bool(row and row[0])
