"""Guests who have left: what they said and what was kept about them goes, every hour."""

import logging

from spotter.identity.guests import LIFETIME
from spotter.scenarios.coach import visits
from spotter.store.scope import Scope
from spotter.work.job import JobCall

log = logging.getLogger(__name__)

_HOSTS = "SELECT DISTINCT org_id FROM memberships WHERE guest_until <= now()"


async def erase_guests(call: JobCall) -> None:
    async with await call.workshop.as_job() as connection:
        rows = await (await connection.execute(_HOSTS.encode())).fetchall()
    for (org_id,) in rows:
        async with call.workshop.database.unit_of_work(Scope(org_id, None, "service")) as uow:
            gone = await visits.clean_up(uow, LIFETIME)
        log.info("guests erased", extra={"org_id": str(org_id), "guests": gone})
