"""The workout a session is about, while it is being agreed on and done."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from spotter.clock import now
from spotter.ids import new_id
from spotter.store.unit_of_work import UnitOfWork
from spotter.training.tables import WorkoutOnTable
from spotter.training.workout import Workout, WorkoutExercise


async def on_table(uow: UnitOfWork, session_id: UUID) -> WorkoutOnTable | None:
    """Locked: two changes to one workout come one after the other."""
    return await uow.session.scalar(
        select(WorkoutOnTable)
        .where(WorkoutOnTable.session_id == session_id, WorkoutOnTable.user_id == uow.scope.user_id)
        .with_for_update()
    )


async def latest_open(uow: UnitOfWork, session_id: UUID | None = None) -> WorkoutOnTable | None:
    """The one that was touched last, of all conversations or of one."""
    query = select(WorkoutOnTable).where(
        WorkoutOnTable.user_id == uow.scope.user_id, WorkoutOnTable.state == "open"
    )
    if session_id is not None:
        query = query.where(WorkoutOnTable.session_id == session_id)
    return await uow.session.scalar(query.order_by(WorkoutOnTable.updated_at.desc()).limit(1))


async def all_open(uow: UnitOfWork) -> Sequence[WorkoutOnTable]:
    """Of all conversations, locked, and always in the same order, so that nobody waits for one another."""
    query = (
        select(WorkoutOnTable)
        .where(WorkoutOnTable.user_id == uow.scope.user_id, WorkoutOnTable.state == "open")
        .order_by(WorkoutOnTable.session_id)
        .with_for_update()
    )
    return (await uow.session.scalars(query)).all()


async def put(
    uow: UnitOfWork, session_id: UUID, workout: Workout, request: Mapping[str, Any] | None = None
) -> Workout:
    """In the place of whatever lay there. Every exercise gets an id to speak of it."""
    named = workout.model_copy(update={"exercises": [with_id(one) for one in workout.exercises]})
    changing: dict[str, Any] = {"workout": as_json(named), "state": "open", "updated_at": now()}
    if request is not None:
        changing["request"] = dict(request)
    await uow.session.execute(
        insert(WorkoutOnTable)
        .values(org_id=uow.scope.org_id, session_id=session_id, user_id=uow.scope.user_id, **changing)
        .on_conflict_do_update(index_elements=["org_id", "session_id", "user_id"], set_=changing)
    )
    uow.session.expire_all()
    return named


async def take_off(uow: UnitOfWork, session_id: UUID) -> None:
    """Without logging anything."""
    await uow.session.execute(
        delete(WorkoutOnTable).where(
            WorkoutOnTable.session_id == session_id, WorkoutOnTable.user_id == uow.scope.user_id
        )
    )


async def clear(uow: UnitOfWork, row: WorkoutOnTable) -> None:
    """It was done and is in the history now."""
    row.state = "logged"
    await uow.session.flush()


def read(row: WorkoutOnTable) -> Workout:
    return Workout.model_validate(row.workout)


def as_json(workout: Workout) -> dict[str, Any]:
    return workout.model_dump(mode="json", exclude_none=True)


def with_id(exercise: WorkoutExercise) -> WorkoutExercise:
    return exercise if exercise.id is not None else exercise.model_copy(update={"id": new_id()})
