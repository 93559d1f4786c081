"""What day it is where the athlete is: in their own time zone, or the organisation's. Written and read here."""

import re
from datetime import datetime
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from spotter.identity.organisations import get_organisation
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import profile

TODAY: Final = "today"
"""The source under which an agent is told."""
UTC_ZONE: Final = ZoneInfo("UTC")
_ZONE: Final = re.compile(r"time zone (\S+)")


async def zone_of(uow: UnitOfWork, user_id: UUID | None = None) -> ZoneInfo:
    """Of a person, or of whoever this is done for."""
    whose = user_id or uow.scope.user_id
    own = await profile.settings(uow, whose) if whose is not None else None
    name = (own.timezone if own is not None else None) or (await get_organisation(uow)).timezone
    return ZoneInfo(name)


def today_line(now: datetime, zone: ZoneInfo) -> str:
    """By the day, not the minute: what has not changed is not told again, and providers' caches hold."""
    local = now.astimezone(zone)
    return f"{local:%A %Y-%m-%d}, time zone {zone.key} ({local:%z}). Days and times they name are local ones."


def zone_in(told: str) -> ZoneInfo:
    """UTC as long as nobody has told a zone."""
    found = _ZONE.search(told)
    try:
        return ZoneInfo(found[1]) if found else UTC_ZONE
    except (ZoneInfoNotFoundError, ValueError):
        return UTC_ZONE


def local(moment: datetime, zone: ZoneInfo) -> datetime:
    """A time without an offset is one on the wall there."""
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)
