"""The audit part of `spotter verify`: every organisation's chain, sealed up to now and read from its beginning."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import psycopg

from spotter.identity.audit_chain import WAITING, Checked, check, seal
from spotter.store.database import Database

_MOST_SHOWN: Final = 50
_MOST_LATE: Final = 10
# Between two batches of a long chain much is worked out here, while the snapshot is kept.
_PATIENT: Final = "-c idle_in_transaction_session_timeout=0"
_ORGANISATIONS: Final = "SELECT id FROM organisations ORDER BY id"
_ACT_FOR: Final = """
    SELECT set_config('spotter.org_id', %s, true), set_config('spotter.user_id', '', true),
           set_config('spotter.role', 'service', true)
"""


@dataclass(slots=True)
class AuditFindings:
    chains: list[Checked] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(chain.count for chain in self.chains)

    @property
    def good(self) -> bool:
        return self.count == 0

    def lines(self, *, heads: bool = False) -> Iterator[str]:
        """With `heads`, the end of each chain, to be noted where nobody who runs this can change it."""
        entries = sum(chain.entries for chain in self.chains)
        yield f"{entries} audit entries in the chains of {len(self.chains)} organisations."
        if waiting := sum(chain.waiting_long for chain in self.chains):
            minutes = round(WAITING.total_seconds() / 60)
            yield f"{waiting} audit entries waited more than {minutes} minutes to be sealed: does a worker run?"
        if late := sum(chain.late for chain in self.chains):
            yield f"{late} audit entries are dated long before they were sealed:"
            shown = [(chain.org_id, number) for chain in self.chains for number in chain.late_numbers]
            yield from (f"  organisation {org_id}, entry {number}" for org_id, number in shown[:_MOST_LATE])
        if early := sum(chain.early for chain in self.chains):
            yield f"{early} audit entries are dated after they were sealed: is a clock wrong?"
        if forgotten := sum(chain.forgotten for chain in self.chains):
            yield f"{forgotten} audit entries have forgotten their address, as they should for erased people."
        if heads:
            for chain in self.chains:
                if chain.head is not None:
                    yield f"  chain {chain.org_id} ends at {chain.head.number} {chain.head.hash.hex()}"
        wrong = [(chain.org_id, *broken) for chain in self.chains for broken in chain.broken]
        for org_id, number, what in wrong[:_MOST_SHOWN]:
            yield f"  S18  organisation {org_id}, audit entry {number} {what}"


async def verify_audit(database: Database, org_id: UUID | None = None) -> AuditFindings:
    findings = AuditFindings()
    async with await psycopg.AsyncConnection.connect(
        database.urls.runtime_direct, application_name="spotter verify", options=_PATIENT
    ) as connection:
        await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
        await connection.set_read_only(True)
        for one in [org_id] if org_id else await _organisations(database):
            async with connection.transaction():
                await connection.execute(_ACT_FOR, (str(one),))
                waited = await check(connection, one, most=0)
            await seal(database, one, wait=True)
            async with connection.transaction():
                await connection.execute(_ACT_FOR, (str(one),))
                found = await check(connection, one)
            found.waiting_long = waited.waiting_long
            findings.chains.append(found)
    return findings


async def _organisations(database: Database) -> list[Any]:
    """As the job login, which sees ids only."""
    async with await psycopg.AsyncConnection.connect(
        database.urls.job, autocommit=True, application_name="spotter verify"
    ) as connection:
        return [row[0] for row in await (await connection.execute(_ORGANISATIONS)).fetchall()]
