"""A guest signs in: what they said and what is known of them becomes the person's own, under the same ids.

Rows of people carry their person in the key, so they are copied and the guest's own go; both happen in one
transaction. Where the person has an answer of their own (a profile, a goal), theirs stays.
"""

from typing import Any, Final
from uuid import UUID

from sqlalchemy import Table, inspect, literal, select
from sqlalchemy.dialects.postgresql import insert

from spotter.errors import Conflict
from spotter.identity import audit, guests
from spotter.scenarios.coach.stages import SCENARIO
from spotter.sessions.tables import AgentEvent, AgentSession, MessageKey
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import history
from spotter.training.tables import (
    BodyStats,
    CategoryGoal,
    Distribution,
    ExperienceEntry,
    LoggedSet,
    LoggedWorkout,
    MuscleGoal,
    Preference,
    ScheduledWorkout,
    Screening,
    UserSettings,
    WorkoutOnTable,
)

_IN_ORDER: Final = (
    AgentSession,
    AgentEvent,
    MessageKey,
    WorkoutOnTable,
    BodyStats,
    UserSettings,
    CategoryGoal,
    MuscleGoal,
    Preference,
    LoggedWorkout,
    LoggedSet,
    Distribution,
    ScheduledWorkout,
    Screening,
    ExperienceEntry,
)
"""What others refer to comes first."""


async def adopt(database: Database, org_id: UUID, guest: UUID, person: UUID) -> bool:
    """False when there is no such guest any more: then it was adopted before, or has expired."""
    async with database.unit_of_work(Scope(org_id, None, "service")) as uow:
        sessions = (
            await uow.session.scalars(
                select(AgentSession)
                .where(AgentSession.user_id == guest, AgentSession.scenario == SCENARIO)
                .with_for_update()
            )
        ).all()
        if not sessions:
            return False
        if any(session.turn_open for session in sessions):
            raise Conflict("An answer is being given in this session. Wait for it, then try again.")
        for model in _IN_ORDER:
            await _copy(uow, model, guest, person)
        if not await guests.retire(uow, guest, adopted=True):
            uow.give_up()
            return False
        categories, muscles = await history.recount(uow, person)
        row = await history.distribution(uow, person)
        if row is not None:
            row.category_counts, row.muscle_counts = dict(categories), dict(muscles)
        await audit.record(
            uow, "coach.session_adopted", target=str(person), detail={"sessions": len(sessions)}
        )
    return True


async def _copy(uow: UnitOfWork, model: type[Any], guest: UUID, person: UUID) -> None:
    table = inspect(model).local_table
    assert isinstance(table, Table)
    columns = list(table.columns)
    values = [literal(person).label("user_id") if column.name == "user_id" else column for column in columns]
    rows = select(*values).where(table.c.user_id == guest)
    await uow.session.execute(
        insert(table).from_select([column.name for column in columns], rows).on_conflict_do_nothing()
    )
