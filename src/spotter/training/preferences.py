"""What an athlete wants, has and cannot do: kept until it expires, its session ends, or they take it back."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import or_, select
from sqlalchemy.dialects.postgresql import insert

from spotter.clock import now
from spotter.errors import NotFound
from spotter.ids import new_id
from spotter.store.unit_of_work import UnitOfWork
from spotter.training.tables import Preference

DEFAULT_DAYS: Final = 7


class PreferenceType(StrEnum):
    EQUIPMENT = "equipment"
    LOCATION = "location"
    TIME_AVAILABLE = "time_available"
    INJURY = "injury"
    EXCLUSION = "exclusion"
    FOCUS = "focus"
    INTENSITY = "intensity"
    CUSTOM = "custom"


class Duration(StrEnum):
    PERMANENT = "permanent"
    SESSION = "session"
    TEMPORARY = "temporary"


async def keep(
    uow: UnitOfWork,
    kind: PreferenceType,
    value: str,
    duration: Duration,
    details: Mapping[str, Any],
    *,
    session_id: UUID | None = None,
    expires_at: datetime | None = None,
) -> Preference:
    """Said again, it is the same preference with what is new about it."""
    if duration is Duration.TEMPORARY and expires_at is None:
        expires_at = now() + timedelta(days=DEFAULT_DAYS)
    if duration is Duration.TEMPORARY and expires_at is not None:
        details = {**details, "expires_at": expires_at.isoformat()}
    changing = {
        "duration_type": duration.value,
        "metadata": dict(details),
        "is_active": True,
        "session_id": session_id if duration is Duration.SESSION else None,
        "expires_at": expires_at if duration is Duration.TEMPORARY else None,
        "updated_at": now(),
    }
    row = {"preference_type": kind.value, "value": " ".join(value.split()), **_whose(uow), "id": new_id()}
    statement = (
        insert(Preference.__table__)  # type: ignore[arg-type]
        .values(**row, **changing)
        .on_conflict_do_update(
            index_elements=["org_id", "user_id", "preference_type", "value"], set_=changing
        )
        .returning(Preference.id)
    )
    kept = (await uow.session.execute(statement)).scalar_one()
    uow.session.expire_all()
    return await _own(uow, kept)


async def active(uow: UnitOfWork, session_id: UUID | None = None) -> Sequence[Preference]:
    """Oldest first, so that what was said last wins."""
    query = select(Preference).where(
        Preference.user_id == uow.scope.user_id,
        Preference.is_active,
        or_(Preference.expires_at.is_(None), Preference.expires_at > now()),
        or_(Preference.duration_type != Duration.SESSION.value, Preference.session_id == session_id),
    )
    return (await uow.session.scalars(query.order_by(Preference.updated_at, Preference.id))).all()


async def take_back(uow: UnitOfWork, preference_id: UUID) -> Preference:
    """One's own only, also for staff."""
    preference = await _own(uow, preference_id)
    preference.is_active = False
    await uow.session.flush()
    return preference


async def _own(uow: UnitOfWork, preference_id: UUID) -> Preference:
    found = await uow.session.scalar(
        select(Preference).where(
            Preference.id == preference_id,
            Preference.user_id == uow.scope.user_id,
            Preference.is_active,
        )
    )
    if found is None:
        raise NotFound("There is no such preference.")
    return found


def _whose(uow: UnitOfWork) -> dict[str, UUID]:
    assert uow.scope.org_id is not None
    assert uow.scope.user_id is not None
    return {"org_id": uow.scope.org_id, "user_id": uow.scope.user_id}
