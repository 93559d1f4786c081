"""What an athlete trains for: categories and muscles, each with a weight from −10 (avoid) to 10 (most of all)."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from spotter.clock import now
from spotter.store.unit_of_work import UnitOfWork
from spotter.training.tables import CategoryGoal, MuscleGoal


def clamped(weight: float) -> int:
    return max(-10, min(10, round(weight)))


async def set_category_goals(uow: UnitOfWork, goals: Mapping[str, int]) -> None:
    await _upsert(uow, CategoryGoal, "category_name", goals)


async def set_muscle_goals(uow: UnitOfWork, goals: Mapping[str, int]) -> None:
    await _upsert(uow, MuscleGoal, "muscle_name", goals)


async def category_goals(uow: UnitOfWork, user_id: UUID) -> dict[str, int]:
    rows = await uow.session.scalars(select(CategoryGoal).where(CategoryGoal.user_id == user_id))
    return {row.category_name: row.weight for row in rows}


async def muscle_goals(uow: UnitOfWork, user_id: UUID) -> dict[str, int]:
    rows = await uow.session.scalars(select(MuscleGoal).where(MuscleGoal.user_id == user_id))
    return {row.muscle_name: row.weight for row in rows}


async def _upsert(
    uow: UnitOfWork, table: type[CategoryGoal] | type[MuscleGoal], name: str, goals: Mapping[str, int]
) -> None:
    assert uow.scope.user_id is not None
    for goal, weight in goals.items():
        row: dict[str, Any] = {
            "org_id": uow.scope.org_id,
            "user_id": uow.scope.user_id,
            name: goal,
            "weight": weight,
        }
        await uow.session.execute(
            insert(table)
            .values(**row)
            .on_conflict_do_update(
                index_elements=["org_id", "user_id", name], set_={"weight": weight, "updated_at": now()}
            )
        )
