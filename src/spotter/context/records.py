"""Kinds of records that a page can show. One entry each; other rooms join by adding theirs to `KINDS`."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from uuid import UUID

from sqlalchemy import select

from spotter.clock import now
from spotter.context.tables import Draft
from spotter.identity import projects
from spotter.sessions.directory import CONVERSATION
from spotter.sessions.tables import AgentSession
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import goals
from spotter.training.sources import weights, workout_line
from spotter.training.tables import LoggedWorkout, Preference, ScheduledWorkout


@dataclass(frozen=True, slots=True)
class Wanted:
    """Of whom, from where, and which: the last `limit`, or those with these ids."""

    user_id: UUID | None
    project_id: UUID
    limit: int
    ids: Collection[UUID] | None = None


@dataclass(frozen=True, slots=True)
class Record:
    id: UUID | None
    """None where there is nothing a tool could be given."""
    label: str
    """For the person."""
    told: str
    """For the model."""
    strange: bool = False
    """Somebody else's words are in it."""
    data: Mapping[str, Any] | None = None
    """For programs, where they get more than a label."""


Fetch: TypeAlias = Callable[[UnitOfWork, Wanted], Awaitable[Sequence[Record]]]


@dataclass(frozen=True, slots=True)
class RecordKind:
    name: str
    """What its references are called: `workout_1`."""
    title: str
    fetch: Fetch
    words: tuple[str, ...]
    """Of pages that are about it."""
    always: bool = False
    """The recent ones are shown even where others were chosen."""


async def _workouts(uow: UnitOfWork, wanted: Wanted) -> Sequence[Record]:
    query = select(LoggedWorkout).where(LoggedWorkout.user_id == wanted.user_id)
    rows = await _chosen(uow, query, LoggedWorkout, LoggedWorkout.completed_at.desc(), wanted)
    strange = wanted.user_id != uow.scope.user_id
    return [
        Record(row.id, f"{row.completed_at:%Y-%m-%d} {row.title or 'Workout'}", workout_line(row), strange)
        for row in rows
    ]


async def _scheduled(uow: UnitOfWork, wanted: Wanted) -> Sequence[Record]:
    query = select(ScheduledWorkout).where(
        ScheduledWorkout.user_id == wanted.user_id, ScheduledWorkout.status == "planned"
    )
    if wanted.ids is None:
        query = query.where(ScheduledWorkout.scheduled_for > now())
    rows = await _chosen(uow, query, ScheduledWorkout, ScheduledWorkout.scheduled_for.asc(), wanted)
    strange = wanted.user_id != uow.scope.user_id
    return [
        Record(row.id, f"{row.scheduled_for:%Y-%m-%d %H:%M} {row.title}", _planned(row), strange)
        for row in rows
    ]


def _planned(row: ScheduledWorkout) -> str:
    lasting = f", {row.minutes} min" if row.minutes else ""
    return f"{row.scheduled_for:%a %Y-%m-%d %H:%M %Z} {row.title}{lasting}"


async def _preferences(uow: UnitOfWork, wanted: Wanted) -> Sequence[Record]:
    query = select(Preference).where(Preference.user_id == wanted.user_id, Preference.is_active)
    rows = await _chosen(uow, query, Preference, Preference.updated_at.desc(), wanted)
    strange = wanted.user_id != uow.scope.user_id
    return [
        Record(row.id, f"{row.preference_type}: {row.value}", f"{row.preference_type}: {row.value}", strange)
        for row in rows
    ]


async def _goals(uow: UnitOfWork, wanted: Wanted) -> Sequence[Record]:
    if wanted.ids is not None or wanted.user_id is None:
        return ()
    told = (
        ("categories", weights(await goals.category_goals(uow, wanted.user_id))),
        ("muscles", weights(await goals.muscle_goals(uow, wanted.user_id))),
    )
    return [Record(None, name, f"{name}: {text}") for name, text in told if text]


async def _sessions(uow: UnitOfWork, wanted: Wanted) -> Sequence[Record]:
    query = select(AgentSession).where(
        AgentSession.user_id == wanted.user_id,
        AgentSession.erased_at.is_(None),
        AgentSession.kind == CONVERSATION,
    )
    rows = await _chosen(uow, query, AgentSession, AgentSession.updated_at.desc(), wanted)
    strange = wanted.user_id != uow.scope.user_id
    return [
        Record(
            row.id,
            row.title or f"with {row.agent}",
            f"{row.updated_at:%Y-%m-%d %H:%M} with {row.agent} {row.title}".rstrip(),
            strange,
        )
        for row in rows
    ]


async def _drafts(uow: UnitOfWork, wanted: Wanted) -> Sequence[Record]:
    query = select(Draft).where(Draft.project_id == wanted.project_id)
    rows = await _chosen(uow, query, Draft, Draft.updated_at.desc(), wanted)
    return [
        Record(
            row.id,
            row.title or row.key,
            f"{row.key}, version {row.version}, {row.updated_at:%Y-%m-%d}{f': {row.title}' if row.title else ''}",
            row.updated_by != uow.scope.user_id,
            {
                "key": row.key,
                "title": row.title,
                "version": row.version,
                "updated_at": row.updated_at.isoformat(),
            },
        )
        for row in rows
    ]


async def _people(uow: UnitOfWork, wanted: Wanted) -> Sequence[Record]:
    """Without names for the model: it has the reference, and whoever reads the label knows who that is."""
    found = await projects.people(uow, wanted.project_id)
    if wanted.ids is not None:
        found = [one for one in found if one.user_id in wanted.ids]
    return [
        Record(
            one.user_id, one.name or one.email, f"{one.role}, in the project since {one.added_at:%Y-%m-%d}"
        )
        for one in found[: wanted.limit]
    ]


async def _chosen(uow: UnitOfWork, query: Any, table: Any, order: Any, wanted: Wanted) -> Sequence[Any]:
    if wanted.ids is not None:
        query = query.where(table.id.in_(wanted.ids))
    rows: Sequence[Any] = (
        await uow.session.scalars(query.order_by(order, table.id).limit(wanted.limit))
    ).all()
    return rows


KINDS: Final[tuple[RecordKind, ...]] = (
    RecordKind("workout", "Workouts done", _workouts, ("workout", "history", "progress", "log")),
    RecordKind("scheduled_workout", "Workouts planned", _scheduled, ("calendar", "schedule", "plan")),
    RecordKind("goal", "Goals", _goals, ("goal", "profile", "plan")),
    RecordKind("preference", "Preferences", _preferences, ("preference", "profile", "settings")),
    RecordKind("session", "Conversations", _sessions, ("session", "conversation", "chat")),
    RecordKind("draft", "Drafts", _drafts, ("draft", "content", "editor"), always=True),
    RecordKind("member", "People in the project", _people, ("member", "people", "team", "project")),
)
