"""A visit as it stands, for programs and for the agents: the `data` of the coach's answers (A1)."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from spotter.clock import now
from spotter.scenarios.coach import facts
from spotter.scenarios.coach.stages import CoachStage
from spotter.scenarios.coach.standing import Standing
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import badge_log, experience_log, goals, preferences, profile, schedule, table, underway
from spotter.training.catalogue import catalogue
from spotter.training.sources import amount
from spotter.training.tables import ScheduledWorkout, WorkoutOnTable
from spotter.training.timing import block_of
from spotter.training.underway import Current
from spotter.training.vocabulary import UnitType
from spotter.training.workout import WorkoutExercise

_AHEAD: Final = timedelta(weeks=13)


async def data_for(uow: UnitOfWork, session: Standing) -> dict[str, Any]:
    """What belongs to the stage it stands in."""
    match session.stage:
        case CoachStage.INTAKE:
            return {
                "profile": await profile_of(uow, session),
                "screening": await screening_of(uow, session.user_id),
                "missing": await still_missing(uow, session.user_id),
            }
        case CoachStage.PLANNING:
            return {"plan": await plan_of(uow)}
        case CoachStage.WORKOUT:
            return await workout_of(uow, session)
        case CoachStage.LOGGING | CoachStage.COMPLETE:
            return await log_of(uow, session)


async def whole(uow: UnitOfWork, session: Standing) -> dict[str, Any]:
    """For the agent who has to go on with it."""
    stage = session.stage
    found: dict[str, Any] = {
        "stage": stage,
        "profile": await profile_of(uow, session),
        "screening": await screening_of(uow, session.user_id),
        "missing": await still_missing(uow, session.user_id),
    }
    if stage is not CoachStage.INTAKE:
        found |= await data_for(uow, session)
    if stage is CoachStage.COMPLETE:
        found["next"] = await next_planned(uow)
    return found


async def still_missing(uow: UnitOfWork, user_id: UUID) -> list[str]:
    screened = (await screening_of(uow, user_id))["state"] == "cleared"
    return [*([] if screened else ["screening"]), *await facts.missing(uow, user_id)]


async def profile_of(uow: UnitOfWork, session: Standing) -> dict[str, Any]:
    user_id = session.user_id
    stats = await profile.body_stats(uow, user_id)
    settings = await profile.settings(uow, user_id)
    wishes = await preferences.active(uow, session.id)
    known = facts.known_settings(settings)
    return {
        "age": stats.age if stats else None,
        "height_cm": stats.height_cm if stats else None,
        "weight_kg": stats.weight_g / 1000 if stats and stats.weight_g is not None else None,
        "gender": stats.gender if stats else None,
        "level": settings.fitness_level if settings else None,
        "equipment": sorted(settings.available_equipment) if settings and known["equipment"] else None,
        "goals": sorted(
            name for name, weight in (await goals.category_goals(uow, user_id)).items() if weight > 0
        ),
        "injuries": [wish.value for wish in wishes if wish.preference_type == "injury"],
        "days_per_week": settings.days_per_week if settings else None,
        "minutes": settings.preferred_workout_duration if settings else None,
    }


async def screening_of(uow: UnitOfWork, user_id: UUID) -> dict[str, Any]:
    """`state`: unknown, cleared, see_clinician, or red_flag where something was said since."""
    newest = await profile.latest_screening(uow, user_id)
    red_flag = await facts.red_flag_stands(uow, user_id)
    state = "red_flag" if red_flag else profile.clearance_by(newest).value
    if newest is None:
        return {"state": state, "answers": None, "version": None, "answered_at": None, "valid_until": None}
    return {
        "state": state,
        "answers": newest.answers,
        "version": newest.version,
        "answered_at": newest.created_at.isoformat(),
        "valid_until": (newest.consent_at + profile.VALID_FOR).isoformat(),
    }


async def plan_of(uow: UnitOfWork) -> dict[str, Any] | None:
    rows = await upcoming(uow)
    return {"sessions": [planned(row) for row in rows]} if rows else None


async def upcoming(uow: UnitOfWork) -> Sequence[ScheduledWorkout]:
    start = now() - timedelta(hours=18)
    rows = await schedule.between(uow, start, start + _AHEAD)
    return [row for row in rows if row.status == "planned"]


async def next_planned(uow: UnitOfWork) -> dict[str, Any] | None:
    rows = await upcoming(uow)
    return planned(rows[0]) if rows else None


def planned(row: ScheduledWorkout) -> dict[str, Any]:
    items = (row.workout or {}).get("exercises", [])
    return {
        "id": str(row.id),
        "title": row.title,
        "date": row.scheduled_for.date().isoformat(),
        "minutes": row.minutes,
        "focus": list(row.focus),
        "exercises": [amount(item) for item in items if item.get("phase") == "main"],
    }


async def workout_of(uow: UnitOfWork, session: Standing) -> dict[str, Any]:
    row = await facts.workout_row(uow, session)
    if row is None:
        return {"workout": None, "current": None}
    workout = table.read(row)
    return {
        "workout": table.as_json(workout),
        "current": shown_current(underway.current(workout, row.sets)),
        "sets_left": underway.left(workout, row.sets),
    }


def shown_current(current: Current | None) -> dict[str, Any] | None:
    if current is None:
        return None
    if current.part is not None:
        return {"part": current.part, "exercises": [_brief(one) for one in current.exercises]}
    return {"set_number": current.set_number, "sets": current.sets, **_brief(current.exercise)}


def _brief(one: WorkoutExercise) -> dict[str, Any]:
    known = catalogue().get(one.exercise_id) if one.exercise_id else None
    shown = one.model_dump(
        mode="json",
        exclude_none=True,
        include={"id", "name", "type", "reps", "hold_time", "duration", "work_time", "weight_kg", "per_side"},
    )
    cues = (
        list(known.cues[:2])
        if known is not None and known.cues
        else [one.instructions] * bool(one.instructions)
    )
    return {
        **shown,
        "amount": amount(one.model_dump(mode="json")),
        "loaded": known is not None and known.unit is UnitType.WEIGHT_REPS,
        "rest": round(block_of(one, None).rest),
        "cues": cues,
    }


async def log_of(uow: UnitOfWork, session: Standing) -> dict[str, Any]:
    row = await facts.workout_row(uow, session)
    standing = await experience_log.standing(uow, session.user_id, now().date())
    return {
        "log": _logged(row) if row is not None else [],
        "xp": standing.total,
        "level": standing.level,
        "streak": standing.streak.weeks,
        "badges": [
            {"id": badge.id, "name": badge.name, "description": badge.description}
            for badge in await badge_log.held(uow, session.user_id)
        ],
    }


def _logged(row: WorkoutOnTable) -> list[dict[str, Any]]:
    return [
        {
            name: value
            for name, value in (
                ("exercise", one.name),
                ("set_number", one.set_number),
                ("reps", one.reps),
                ("seconds", one.seconds),
                ("weight_kg", one.weight_kg),
                ("rpe", one.rpe),
            )
            if value is not None
        }
        for one in underway.sets_of(row.sets)
    ]
