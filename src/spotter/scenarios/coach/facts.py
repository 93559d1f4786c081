"""What is stored about a person and their visit, as far as a step depends on it."""

from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import select, text

from spotter.runtime import verdicts
from spotter.scenarios.coach.stages import Facts
from spotter.scenarios.coach.standing import Standing
from spotter.sessions.events import UserMessage
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import goals, profile, underway
from spotter.training.tables import UserSettings, WorkoutOnTable

NEEDED: Final = ("goals", "level", "equipment", "days_per_week", "minutes")
"""Of a profile, what a plan cannot be made without."""
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)

# In whichever of their sessions it was said: who told the trainer of chest pain does not start with the coach.
_STOPPED: Final = text(
    "SELECT e.content, e.sequence_number FROM agent_events e"
    " JOIN agent_sessions s ON s.org_id = e.org_id AND s.id = e.session_id AND s.user_id = e.user_id"
    " WHERE s.user_id = :person AND s.updated_at >= :since AND e.event_type = 'user_message'"
    " AND e.created_at > :since AND e.content #>> '{moderation,action}' IN ('block', 'emergency')"
    " ORDER BY e.created_at DESC LIMIT 50"
)


async def load(uow: UnitOfWork, session: Standing) -> Facts:
    row = await workout_row(uow, session)
    return Facts(
        clearance=await profile.clearance(uow, session.user_id),
        red_flag=await red_flag_stands(uow, session.user_id),
        missing=tuple(await missing(uow, session.user_id)),
        workout_ready=row is not None and row.state == "open",
        sets_done=len(underway.sets_of(row.sets)) if row is not None else 0,
        workout_logged=row is not None and row.state == "logged",
    )


async def red_flag_stands(uow: UnitOfWork, user_id: UUID) -> bool:
    """Whether something alarming was said since they were last found fit. Answers that did not pass change nothing:
    otherwise a second round of «no» would make it forgotten."""
    passed = await profile.latest_screening(uow, user_id, passed=True)
    since = passed.created_at if passed is not None else _LONG_AGO
    rows = await uow.session.execute(_STOPPED, {"person": user_id, "since": since})
    return any(_is_red_flag(content, sequence) for content, sequence in rows)


def _is_red_flag(content: Any, sequence: int) -> bool:
    message = UserMessage.model_construct(text="", moderation=content.get("moderation"))
    return verdicts.red_flag_of(message, sequence) is not None


async def missing(uow: UnitOfWork, user_id: UUID) -> list[str]:
    settings = await profile.settings(uow, user_id)
    known = {
        "goals": bool(await goals.category_goals(uow, user_id) or await goals.muscle_goals(uow, user_id)),
        **known_settings(settings),
    }
    return [name for name in NEEDED if not known[name]]


def known_settings(settings: UserSettings | None) -> dict[str, bool]:
    if settings is None:
        return dict.fromkeys(("level", "equipment", "days_per_week", "minutes"), False)
    return {
        "level": settings.fitness_level is not None,
        "equipment": settings.equipment_known,
        "days_per_week": settings.days_per_week is not None,
        "minutes": settings.preferred_workout_duration is not None,
    }


async def workout_row(uow: UnitOfWork, session: Standing) -> WorkoutOnTable | None:
    return await uow.session.scalar(
        select(WorkoutOnTable).where(
            WorkoutOnTable.session_id == session.id, WorkoutOnTable.user_id == session.user_id
        )
    )
