"""The workout on the table, as a page shows it: what to do, what was ticked off, and the end of it."""

from typing import Annotated, Any
from uuid import UUID, uuid5

from fastapi import Query, Request
from pydantic import AwareDatetime, BaseModel, Field

from spotter.api import talk
from spotter.api.access import Caller
from spotter.api.fields import Body, Moment, storable_text
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.transactions import Transaction
from spotter.clock import now
from spotter.errors import Conflict, InvalidInput
from spotter.scenarios.coach import closing
from spotter.scenarios.coach.stages import SCENARIO
from spotter.sessions import directory
from spotter.sessions.events import Knowledge, Move
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import experience, table, ticks
from spotter.training.done import done_workout
from spotter.training.experience_log import Earned
from spotter.training.finishing import Finished, finish
from spotter.training.tables import WorkoutOnTable
from spotter.training.workout import Workout

routes = router("workout", prefix="/api/training/workout")

_LATEST = 300
"""Seconds that a device's clock may run ahead of ours."""


class SetMark(BaseModel):
    exercise_id: UUID
    set_number: int
    done: bool
    reps: int | None
    seconds: int | None
    weight_kg: float | None
    at: AwareDatetime


class CurrentWorkout(BaseModel):
    session_id: UUID | None = Field(description="the conversation it belongs to; null when there is none")
    workout: Workout | None
    sets: list[SetMark]
    changed_at: AwareDatetime | None


class NewMark(Body):
    exercise_id: UUID
    set_number: Annotated[int, Field(ge=1, le=60)]
    done: bool = True
    at: Moment = Field(description="when it was ticked: of two about a set, the later holds")
    reps: Annotated[int, Field(ge=0, le=500)] | None = None
    seconds: Annotated[int, Field(ge=0, le=4 * 3600)] | None = None
    weight_kg: Annotated[float, Field(ge=0, le=500)] | None = None


class NewMarks(Body):
    session_id: UUID
    sets: Annotated[list[NewMark], Field(min_length=1, max_length=500)]


class Finish(Body):
    session_id: UUID
    notes: Annotated[str, Field(max_length=2000)] = ""


class EarnedBadge(BaseModel):
    id: str
    name: str
    description: str


class Experience(BaseModel):
    total_xp: int
    level: int
    level_began_at: int
    next_level_at: int
    streak_weeks: int
    best_streak_weeks: int
    freezes: int


class FinishedWorkout(BaseModel):
    workout_id: UUID
    exercises: int
    planned: int
    sets: int
    minutes: int | None
    xp: int
    experience: Experience
    badges: list[EarnedBadge]


def experience_of(earned: Earned) -> Experience:
    return Experience(
        total_xp=earned.total,
        level=earned.level,
        level_began_at=experience.points_to_reach(earned.level),
        next_level_at=experience.points_to_reach(earned.level + 1),
        streak_weeks=earned.streak.weeks,
        best_streak_weeks=earned.streak.best,
        freezes=earned.streak.freezes,
    )


@routes.get("")
async def get_current_workout(
    caller: Caller,
    uow: Transaction,
    session_id: Annotated[
        UUID | None, Query(description="of this conversation; of the latest if not given")
    ] = None,
) -> CurrentWorkout:
    """The workout that is being done, if there is one, with the sets that were ticked off."""
    caller.require_person()
    if session_id is not None:
        await directory.own(uow, session_id)
    row = await table.latest_open(uow, session_id)
    return _shown(row)


@routes.post("/sets", responses=problem_responses(404))
async def mark_sets(caller: Caller, uow: Transaction, body: NewMarks) -> CurrentWorkout:
    """Tick sets off, or take ticks back. Safe to send again, and in any order."""
    caller.require_person()
    await directory.own(uow, body.session_id)
    soon = now().timestamp() + _LATEST
    if any(one.at.timestamp() > soon for one in body.sets):
        raise InvalidInput("A tick lies in the future: the clock of this device is wrong. Nothing was kept.")
    given = [
        ticks.Tick(one.exercise_id, one.set_number, one.done, one.at, one.reps, one.seconds, one.weight_kg)
        for one in body.sets
    ]
    return _shown(await ticks.mark(uow, body.session_id, given))


@routes.post("/finish", responses=problem_responses(404))
async def finish_workout(request: Request, caller: Caller, uow: Transaction, body: Finish) -> FinishedWorkout:
    """Log what was ticked off and take the workout off the table. The trainer is told."""
    caller.require_person()
    session = await directory.own(uow, body.session_id)
    row = await ticks.open_workout(uow, body.session_id)
    workout = table.read(row)
    reports = ticks.reports(workout, row.sets)
    if not reports:
        raise Conflict("No set is ticked yet, so there is nothing to log. Tick one, or take the workout off.")
    # The ids are this very workout's, so that it cannot be logged twice.
    key = uuid5(body.session_id, ",".join(sorted(str(one.id) for one in workout.exercises)))
    done = done_workout(workout, reports, key, body.session_id, now(), storable_text(body.notes))
    moves: tuple[Move, ...] = ()
    if session.scenario == SCENARIO:
        finished, moves = await closing.finish(uow, session.id, row, done)
    else:
        finished = await finish(uow, row, done)
    await _tell_trainer(request, caller, uow, body.session_id, finished, moves)
    return FinishedWorkout(
        workout_id=finished.workout_id,
        exercises=finished.exercises,
        planned=finished.planned,
        sets=len(finished.done.sets),
        minutes=finished.done.minutes,
        xp=finished.earned.points,
        experience=experience_of(finished.earned),
        badges=[
            EarnedBadge(id=one.id, name=one.name, description=one.description) for one in finished.badges
        ],
    )


@routes.delete("/{session_id}", status_code=204)
async def discard_workout(caller: Caller, uow: Transaction, session_id: UUID) -> None:
    """Take the workout off the table without logging anything."""
    caller.require_person()
    await directory.own(uow, session_id)
    await uow.session.delete(await ticks.open_workout(uow, session_id))


async def _tell_trainer(
    request: Request,
    caller: Caller,
    uow: UnitOfWork,
    session_id: UUID,
    finished: Finished,
    moves: tuple[Move, ...],
) -> None:
    """As something the agent knows from now on, in the conversation's own log and in this transaction."""
    services = services_of(request)
    told = (
        f"The athlete finished the workout in the app: {finished.exercises} of {finished.planned} exercises, "
        f"{len(finished.done.sets)} sets. It is logged. {finished.earned.told()}"
    )
    data: dict[str, Any] = {
        "workout_id": str(finished.workout_id),
        "exercises": finished.exercises,
        "planned": finished.planned,
        "sets": len(finished.done.sets),
        "experience": finished.earned.as_json(),
        "badges": [badge.name for badge in finished.badges],
    }
    event = Knowledge(source="workout_finished", data=data, formatted=told)
    done = await services.log.append(caller.scope, session_id, [event, *moves], connection=await uow.driver())
    uow.after_commit(lambda: talk.wake(services, session_id, done.last, caller.user_id))


def _shown(row: WorkoutOnTable | None) -> CurrentWorkout:
    if row is None:
        return CurrentWorkout(session_id=None, workout=None, sets=[], changed_at=None)
    workout = table.read(row)
    known = {str(one.id) for one in workout.exercises}
    marks = [
        SetMark(
            exercise_id=one["exercise_id"],
            set_number=one["set_number"],
            done=not one.get("undone"),
            reps=one.get("reps"),
            seconds=one.get("seconds"),
            weight_kg=one.get("weight_kg"),
            at=one["at"],
        )
        for one in row.sets
        if one.get("exercise_id") in known
    ]
    return CurrentWorkout(session_id=row.session_id, workout=workout, sets=marks, changed_at=row.updated_at)
