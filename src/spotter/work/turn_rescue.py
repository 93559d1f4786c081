"""Turns whose process died, messages and decisions nobody took up, and what dead turns had reserved: found across
organisations, gone on with in theirs."""

import asyncio
import logging
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import select

from spotter.billing.sweeping import release_abandoned
from spotter.identity.tables import Membership
from spotter.runtime.turns import INSTANCE_LOCK, Turns
from spotter.store.scope import NOBODY, Scope
from spotter.tasks import end_tasks
from spotter.work.job import Workshop
from spotter.work.looking import helping_one, looking_for

log = logging.getLogger(__name__)

# One statement, for it is asked every second for ever. Reservations: of a turn that lives, never; of one without a
# turn, when it has expired.
_LOOK = """
    SELECT 'open', org_id, id, user_id, fence, lease_owner, lease_until < now() FROM agent_sessions WHERE turn_open
    UNION ALL
    (
        SELECT 'waiting', w.org_id, w.session_id, w.user_id, NULL::bigint, NULL::int, NULL::bool FROM agent_inbox w
        JOIN agent_sessions s ON s.org_id = w.org_id AND s.id = w.session_id AND NOT s.turn_open
        WHERE w.created_at < now() - interval '1 second'
        UNION
        SELECT 'waiting', a.org_id, a.session_id, a.user_id, NULL::bigint, NULL::int, NULL::bool FROM approvals a
        JOIN agent_sessions s
            ON s.org_id = a.org_id AND s.id = a.session_id AND NOT s.turn_open AND s.erased_at IS NULL
        WHERE a.settled_at IS NULL AND a.decided_at < now() - interval '1 second'
    )
    UNION ALL
    SELECT 'reserved', r.org_id, r.id, NULL, NULL, NULL, NULL FROM spend_reservations r
    LEFT JOIN agent_sessions s ON s.org_id = r.org_id AND s.id = r.session_id
    WHERE CASE WHEN r.session_id IS NULL THEN r.expires_at < now()
        ELSE s.id IS NULL OR NOT s.turn_open OR s.fence <> r.fence END
"""


class TurnRescue:
    """A turn is taken over when its lease ran out, or when its process' lock was missing in two looks in a row. Taking
    over a turn whose process lives after all does no harm: that process is fenced and stops."""

    def __init__(self, workshop: Workshop, turns: Turns) -> None:
        self._workshop = workshop
        self._turns = turns
        self._suspects: set[tuple[UUID, int]] = set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._keep_looking(), name="turn rescue")

    async def stop(self) -> None:
        await end_tasks(self._task)

    async def _keep_looking(self) -> None:
        every = self._workshop.settings.turn_rescue_every
        while True:
            with looking_for("abandoned turns"):
                # Kept for all looks: connecting anew each time would be most of what an idle Spotter costs.
                async with await self._workshop.as_job() as connection:
                    while True:
                        await self.look(connection)
                        await asyncio.sleep(every)
            await asyncio.sleep(every)

    async def look(self, connection: psycopg.AsyncConnection[Any]) -> None:
        rows = await (await connection.execute(_LOOK.encode())).fetchall()
        opened, waiting, reserved = (
            [row for row in rows if row[0] == kind] for kind in ("open", "waiting", "reserved")
        )
        if opened:
            await self._take_over(opened)
        else:
            self._suspects.clear()
        for _, org_id, session_id, user_id, *_ in waiting:
            with helping_one(f"what waits in session {session_id}"):
                await self._turns.take_up_waiting(await self._scope(org_id, user_id), session_id)
        for _, org_id, reservation_id, *_ in reserved:
            with helping_one(f"the abandoned reservation {reservation_id}"):
                await self._release(org_id, reservation_id)

    async def _take_over(self, opened: list[Any]) -> None:
        alive = await self._workshop.bus.live_holders(INSTANCE_LOCK)
        orphans = {(row[2], row[4]) for row in opened if row[5] not in alive}
        # Noted before anybody is helped: a look that is cut short still counts as the first of two.
        dead, self._suspects = orphans & self._suspects, orphans
        for _, org_id, session_id, user_id, fence, _, expired in opened:
            if expired or (session_id, fence) in dead:
                with helping_one(f"the abandoned turn of session {session_id}"):
                    await self._take_over_one(await self._scope(org_id, user_id), session_id, fence)

    async def _take_over_one(self, scope: Scope, session_id: UUID, fence: int) -> None:
        if await self._turns.take_over(scope, session_id, fence):
            log.warning("took over a turn whose process died", extra={"session_id": str(session_id)})

    async def _release(self, org_id: UUID, reservation_id: UUID) -> None:
        if await release_abandoned(self._workshop.database, org_id, reservation_id):
            log.info("released what a dead turn had reserved", extra={"org_id": str(org_id)})

    async def _scope(self, org_id: UUID, user_id: UUID) -> Scope:
        """The person whose turn it is, with the role they have now."""
        if user_id == NOBODY:
            return Scope(org_id, None, "service")
        async with self._workshop.database.unit_of_work(Scope(org_id, user_id)) as uow:
            role = await uow.session.scalar(
                select(Membership.role).where(Membership.org_id == org_id, Membership.user_id == user_id)
            )
        return Scope(org_id, user_id, role or "member")
