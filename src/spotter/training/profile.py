"""Body, settings and health answers of an athlete."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from spotter.clock import now
from spotter.ids import new_id
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import screening
from spotter.training.athlete import Clearance
from spotter.training.tables import BodyStats, Screening, UserSettings

VALID_FOR: Final = timedelta(days=365)


async def body_stats(uow: UnitOfWork, user_id: UUID) -> BodyStats | None:
    return await uow.session.scalar(select(BodyStats).where(BodyStats.user_id == user_id))


async def settings(uow: UnitOfWork, user_id: UUID) -> UserSettings | None:
    return await uow.session.scalar(select(UserSettings).where(UserSettings.user_id == user_id))


async def change_body_stats(uow: UnitOfWork, values: Mapping[str, Any]) -> None:
    await _upsert(uow, BodyStats, values)


async def change_settings(uow: UnitOfWork, values: Mapping[str, Any]) -> None:
    if "available_equipment" in values:
        values = {**values, "equipment_known": True}
    await _upsert(uow, UserSettings, values)


async def answer_screening(uow: UnitOfWork, answers: Mapping[str, Any], *, cleared: bool) -> None:
    assert uow.scope.org_id is not None
    assert uow.scope.user_id is not None
    uow.session.add(
        Screening(
            org_id=uow.scope.org_id,
            id=new_id(),
            user_id=uow.scope.user_id,
            version=screening.VERSION,
            answers=dict(answers),
            cleared=cleared,
            consent_at=now(),
        )
    )
    await uow.session.flush()


async def clearance(uow: UnitOfWork, user_id: UUID) -> Clearance:
    """By the newest answers; they hold for a year."""
    return clearance_by(await latest_screening(uow, user_id))


async def latest_screening(uow: UnitOfWork, user_id: UUID, *, passed: bool = False) -> Screening | None:
    wanted = [Screening.user_id == user_id, *([Screening.cleared] if passed else [])]
    return await uow.session.scalar(
        select(Screening).where(*wanted).order_by(Screening.created_at.desc(), Screening.id.desc()).limit(1)
    )


def clearance_by(newest: Screening | None) -> Clearance:
    if newest is None or newest.consent_at < now() - VALID_FOR:
        return Clearance.UNKNOWN
    return Clearance.CLEARED if newest.cleared else Clearance.SEE_CLINICIAN


async def _upsert(
    uow: UnitOfWork, table: type[BodyStats] | type[UserSettings], values: Mapping[str, Any]
) -> None:
    if not values:
        return
    whose = {"org_id": uow.scope.org_id, "user_id": uow.scope.user_id}
    await uow.session.execute(
        insert(table)
        .values(**whose, **values)
        .on_conflict_do_update(index_elements=["org_id", "user_id"], set_={**values, "updated_at": now()})
    )
    uow.session.expire_all()
