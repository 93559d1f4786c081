"""Workouts that are planned for a day."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select

from spotter.errors import NotFound
from spotter.ids import new_id
from spotter.store.unit_of_work import UnitOfWork
from spotter.training.tables import ScheduledWorkout


async def plan(
    uow: UnitOfWork,
    title: str,
    scheduled_for: datetime,
    *,
    minutes: int | None = None,
    focus: Sequence[str] = (),
    workout: Mapping[str, Any] | None = None,
    notes: str = "",
) -> ScheduledWorkout:
    assert uow.scope.org_id is not None
    assert uow.scope.user_id is not None
    row = ScheduledWorkout(
        org_id=uow.scope.org_id,
        id=new_id(),
        user_id=uow.scope.user_id,
        title=title,
        scheduled_for=scheduled_for,
        minutes=minutes,
        focus=list(focus),
        workout=dict(workout) if workout is not None else None,
        notes=notes,
        status="planned",
    )
    uow.session.add(row)
    await uow.session.flush()
    return row


async def between(
    uow: UnitOfWork, start: datetime, end: datetime, *, cancelled_too: bool = False
) -> Sequence[ScheduledWorkout]:
    query = select(ScheduledWorkout).where(
        ScheduledWorkout.user_id == uow.scope.user_id,
        ScheduledWorkout.scheduled_for >= start,
        ScheduledWorkout.scheduled_for < end,
    )
    if not cancelled_too:
        query = query.where(ScheduledWorkout.status != "cancelled")
    return (
        await uow.session.scalars(query.order_by(ScheduledWorkout.scheduled_for, ScheduledWorkout.id))
    ).all()


async def change(uow: UnitOfWork, scheduled_id: UUID, values: Mapping[str, Any]) -> ScheduledWorkout:
    row = await uow.session.scalar(
        select(ScheduledWorkout).where(
            ScheduledWorkout.id == scheduled_id,
            ScheduledWorkout.user_id == uow.scope.user_id,
            ScheduledWorkout.status != "cancelled",
        )
    )
    if row is None:
        raise NotFound("There is no such scheduled workout.")
    for name, value in values.items():
        setattr(row, name, value)
    await uow.session.flush()
    return row
