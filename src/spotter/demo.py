"""The demo organisation: what a newcomer finds. Nobody has a password; `spotter link` and `token` let one in."""

import logging

from spotter.errors import Conflict
from spotter.identity import audit, look_ups
from spotter.identity.organisations import add_organisation, add_person, update_organisation
from spotter.identity.principal import Role
from spotter.store.database import Database
from spotter.store.scope import UNSCOPED, Scope
from spotter.store.unit_of_work import UnitOfWork

log = logging.getLogger(__name__)

SLUG = "demo"
OWNER = "owner@demo.spotter"
PEOPLE = (
    (OWNER, "Olivia Owner", Role.OWNER),
    ("staff@demo.spotter", "Sam Staff", Role.STAFF),
    ("member@demo.spotter", "Mia Member", Role.MEMBER),
)

FACTS = {
    "Opening hours": "Monday to Friday 6 to 22, Saturday and Sunday 8 to 20.",
    "Prices": "Membership 39 a month, day pass 12, first visit free.",
    "Address": "This is a demo: the gym exists only on this machine.",
}


async def seed(database: Database) -> bool:
    """True when something was added. All of it or nothing, and safe to run twice or by two at once."""
    try:
        async with database.unit_of_work(UNSCOPED) as uow:
            if await look_ups.find_organisation(uow, SLUG) is not None:
                return False
            await _add_everybody(uow)
    except Conflict:
        log.info("another process is adding the demo organisation")
        return False
    return True


async def _add_everybody(uow: UnitOfWork) -> None:
    people = {email: await add_person(uow, email, name, None) for email, name, _ in PEOPLE}
    org_id = await add_organisation(
        uow, slug=SLUG, name="Demo Gym", owner=people[OWNER], timezone="Europe/Berlin"
    )
    await uow.act_for(UNSCOPED)
    for email, _, role in PEOPLE[1:]:
        await look_ups.join_organisation(uow, org_id, people[email], role)
    await uow.act_for(Scope(org_id, None, "service"))
    await update_organisation(uow, guests=True, facts=FACTS)
    await audit.record(uow, "demo.seeded", target=SLUG)
