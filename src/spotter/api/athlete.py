"""What an athlete wants, has and cannot do, set by hand. The trainer's tools write to the same places."""

from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import Request
from pydantic import AwareDatetime, BaseModel, Field, StringConstraints

from spotter.api import talk
from spotter.api.access import Caller
from spotter.api.fields import Body, Moment, storable_text
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.transactions import Transaction
from spotter.clock import now
from spotter.errors import InvalidInput
from spotter.identity.organisations import check_timezone
from spotter.identity.principal import Principal
from spotter.sessions.events import Knowledge
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import goals, preferences, profile, rechecking, understood
from spotter.training.preferences import Duration, PreferenceType
from spotter.training.rechecking import Rechecked
from spotter.training.tables import Preference
from spotter.training.vocabulary import Equipment, Level, Muscle

routes = router("athlete", prefix="/api/training")

Weight = Annotated[int, Field(ge=-10, le=10, description="from -10 (avoid) to 10 (most of all)")]
Category = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$")]


class Goals(BaseModel):
    categories: dict[str, int]
    muscles: dict[str, int]


class GoalChange(Body):
    """Only what is given changes."""

    categories: Annotated[dict[Category, Weight], Field(max_length=40, default_factory=dict)]
    muscles: Annotated[dict[Muscle, Weight], Field(max_length=40, default_factory=dict)]


class AthletePreference(BaseModel):
    id: UUID
    type: PreferenceType
    value: str
    duration: Duration
    expires_at: AwareDatetime | None
    created_at: AwareDatetime


class AthletePreferences(BaseModel):
    items: list[AthletePreference]


class NewPreference(Body):
    type: PreferenceType
    value: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
    expires_at: Moment | None = Field(default=None, description="for good if not given")


class TrainingSettings(BaseModel):
    level: Level | None
    minutes: int | None
    days_per_week: int | None
    equipment: list[Equipment] | None = Field(description="null: nobody has said yet")
    timezone: str | None = Field(description="null: the organisation's holds")


class SettingsChange(Body):
    level: Level | None = None
    minutes: Annotated[int, Field(ge=5, le=180)] | None = None
    days_per_week: Annotated[int, Field(ge=1, le=7)] | None = None
    equipment: Annotated[list[Equipment], Field(max_length=60)] | None = None
    timezone: Annotated[str, Field(max_length=64)] | None = Field(
        default=None, description="a name such as Europe/Berlin; null: the organisation's holds again"
    )


@routes.get("/goals")
async def get_goals(caller: Caller, uow: Transaction) -> Goals:
    """What you train for, by category and by muscle."""
    return await _goals(uow, caller.require_person())


@routes.patch("/goals")
async def change_goals(caller: Caller, uow: Transaction, body: GoalChange) -> Goals:
    """Change what you train for. The next workout heeds it."""
    user_id = caller.require_person()
    await goals.set_category_goals(uow, body.categories)
    await goals.set_muscle_goals(uow, {muscle.value: weight for muscle, weight in body.muscles.items()})
    return await _goals(uow, user_id)


@routes.get("/preferences")
async def list_preferences(caller: Caller, uow: Transaction) -> AthletePreferences:
    """What is kept about you and still holds."""
    caller.require_person()
    found = await preferences.active(uow)
    return AthletePreferences(items=[_preference(one) for one in reversed(found)])


@routes.post("/preferences", status_code=201)
async def add_preference(
    request: Request, caller: Caller, uow: Transaction, body: NewPreference
) -> AthletePreference:
    """Keep something: an injury, what you have, what you do not want. A workout on the table is checked again."""
    caller.require_person()
    if body.expires_at is not None and body.expires_at <= now():
        raise InvalidInput("It would have expired already. Choose a day to come.")
    value = storable_text(body.value)
    duration = Duration.PERMANENT if body.expires_at is None else Duration.TEMPORARY
    details = understood.details_of(body.type, value, {})
    kept = await preferences.keep(uow, body.type, value, duration, details, expires_at=body.expires_at)
    shown = _preference(kept)
    for changed in await rechecking.recheck(uow):
        await _tell_trainer(request, caller, uow, changed)
    return shown


@routes.delete("/preferences/{preference_id}", status_code=204, responses=problem_responses(404))
async def remove_preference(caller: Caller, uow: Transaction, preference_id: UUID) -> None:
    """Take one back."""
    caller.require_person()
    await preferences.take_back(uow, preference_id)


@routes.get("/settings")
async def get_training_settings(caller: Caller, uow: Transaction) -> TrainingSettings:
    """Level, time, days, equipment and time zone."""
    return await _settings(uow, caller.require_person())


@routes.patch("/settings")
async def change_training_settings(
    caller: Caller, uow: Transaction, body: SettingsChange
) -> TrainingSettings:
    """Change some of them. Only what is given changes."""
    user_id = caller.require_person()
    if body.timezone is not None:
        check_timezone(body.timezone)
    values: dict[str, Any] = {
        "fitness_level": body.level.value if body.level else None,
        "preferred_workout_duration": body.minutes,
        "days_per_week": body.days_per_week,
        "available_equipment": [item.value for item in body.equipment]
        if body.equipment is not None
        else None,
    }
    given = {name: value for name, value in values.items() if value is not None}
    if "timezone" in body.model_fields_set:
        given["timezone"] = body.timezone
    await profile.change_settings(uow, given)
    return await _settings(uow, user_id)


async def _tell_trainer(request: Request, caller: Principal, uow: UnitOfWork, changed: Rechecked) -> None:
    """The conversation's own log says what lies on the table now, and why."""
    services = services_of(request)
    event = Knowledge(source="workout_checked", data=changed.as_json(), formatted=changed.told())
    done = await services.log.append(caller.scope, changed.session_id, [event], connection=await uow.driver())
    uow.after_commit(partial(talk.wake, services, changed.session_id, done.last, caller.user_id))


async def _goals(uow: UnitOfWork, user_id: UUID) -> Goals:
    return Goals(
        categories=await goals.category_goals(uow, user_id), muscles=await goals.muscle_goals(uow, user_id)
    )


async def _settings(uow: UnitOfWork, user_id: UUID) -> TrainingSettings:
    row = await profile.settings(uow, user_id)
    if row is None:
        return TrainingSettings(level=None, minutes=None, days_per_week=None, equipment=None, timezone=None)
    known = [Equipment(item) for item in row.available_equipment if item in set(Equipment)]
    return TrainingSettings(
        level=Level(row.fitness_level) if row.fitness_level in set(Level) else None,
        minutes=row.preferred_workout_duration,
        days_per_week=row.days_per_week,
        equipment=known if row.equipment_known else None,
        timezone=row.timezone,
    )


def _preference(row: Preference) -> AthletePreference:
    return AthletePreference(
        id=row.id,
        type=PreferenceType(row.preference_type),
        value=row.value,
        duration=Duration(row.duration_type),
        expires_at=row.expires_at,
        created_at=row.created_at,
    )
