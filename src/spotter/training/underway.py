"""A workout while it is done: what comes next, what was done, and what of it goes into the history.

The warm-up and the cool-down are a part each: nobody wants to report every arm circle.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias
from uuid import UUID

from spotter.clock import now
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import table
from spotter.training.amount_done import amount_done
from spotter.training.history import Done, DoneSet
from spotter.training.tables import WorkoutOnTable
from spotter.training.timers import timer_for
from spotter.training.timing import block_of
from spotter.training.workout import Phase, Workout, WorkoutExercise

Part: TypeAlias = Literal["warmup", "cooldown"]
PARTS: Final[Mapping[Part, Phase]] = {"warmup": Phase.WARM_UP, "cooldown": Phase.COOL_DOWN}
_HALF: Final = 2


@dataclass(frozen=True, slots=True)
class Current:
    """What is to be done now: a whole part, or one set."""

    exercises: tuple[WorkoutExercise, ...]
    part: Part | None = None
    set_number: int = 1
    sets: int = 1

    @property
    def exercise(self) -> WorkoutExercise:
        return self.exercises[0]


@dataclass(frozen=True, slots=True)
class SetDone:
    exercise_id: UUID
    name: str
    catalogue_id: str
    set_number: int
    reps: int | None = None
    seconds: int | None = None
    weight_kg: float | None = None
    rpe: float | None = None
    notes: str = ""


def sets_of(entries: Iterable[Mapping[str, Any]]) -> list[SetDone]:
    return [_set(entry) for entry in entries if "part" not in entry and not entry.get("undone")]


def parts_of(entries: Iterable[Mapping[str, Any]]) -> set[str]:
    return {str(entry["part"]) for entry in entries if "part" in entry}


def planned_sets(exercise: WorkoutExercise) -> int:
    return block_of(exercise, None).sets


def current(workout: Workout, entries: Sequence[Mapping[str, Any]]) -> Current | None:
    """None when all is done. Exercises that share a letter take turns, as they were planned."""
    parts = parts_of(entries)
    done = _counts(entries)
    warm_up = _of(workout, Phase.WARM_UP)
    main = _of(workout, Phase.MAIN)
    if warm_up and "warmup" not in parts and not done:
        return Current(warm_up, "warmup")
    for exercise, number in in_order(main):
        if number > done.get(exercise.id, 0):
            return Current((exercise,), None, number, planned_sets(exercise))
    cool_down = _of(workout, Phase.COOL_DOWN)
    return Current(cool_down, "cooldown") if cool_down and "cooldown" not in parts else None


def in_order(exercises: Sequence[WorkoutExercise]) -> list[tuple[WorkoutExercise, int]]:
    """Every set of the main part in the order in which it is done."""
    order: list[tuple[WorkoutExercise, int]] = []
    seen: set[str] = set()
    for exercise in exercises:
        if exercise.pair is None:
            order += [(exercise, number) for number in range(1, planned_sets(exercise) + 1)]
        elif exercise.pair not in seen:
            seen.add(exercise.pair)
            group = [one for one in exercises if one.pair == exercise.pair]
            rounds = max(planned_sets(one) for one in group)
            order += [
                (one, number)
                for number in range(1, rounds + 1)
                for one in group
                if number <= planned_sets(one)
            ]
    return order


def left(workout: Workout, entries: Sequence[Mapping[str, Any]]) -> int:
    """Sets of the main part that are still to be done."""
    done = _counts(entries)
    return sum(
        max(0, planned_sets(one) - done.get(one.id, 0))
        for one in workout.exercises
        if one.phase is Phase.MAIN
    )


async def begin(uow: UnitOfWork, session_id: UUID, workout: Workout, request: Mapping[str, Any]) -> Workout:
    """Puts it on the table with nothing done yet. `request` says what it was planned as."""
    placed = await table.put(uow, session_id, workout, request)
    row = await table.on_table(uow, session_id)
    assert row is not None
    await _write(uow, row, [])
    return placed


async def add_set(uow: UnitOfWork, row: WorkoutOnTable, done: SetDone) -> None:
    """The same set again is a correction."""
    entry = {
        "exercise_id": str(done.exercise_id),
        "name": done.name,
        "catalogue_id": done.catalogue_id,
        "set_number": done.set_number,
        "reps": done.reps,
        "seconds": done.seconds,
        "weight_kg": done.weight_kg,
        "rpe": done.rpe,
        "notes": done.notes,
        "at": now().isoformat(),
    }
    key = (entry["exercise_id"], done.set_number)
    kept = [one for one in row.sets if (one.get("exercise_id"), one.get("set_number")) != key]
    await _write(uow, row, [*kept, entry])


async def finish_part(uow: UnitOfWork, row: WorkoutOnTable, part: Part, *, skipped: bool) -> None:
    kept = [one for one in row.sets if one.get("part") != part]
    await _write(uow, row, [*kept, {"part": part, "skipped": skipped, "at": now().isoformat()}])


async def _write(uow: UnitOfWork, row: WorkoutOnTable, entries: list[dict[str, Any]]) -> None:
    row.sets = entries
    row.updated_at = now()
    await uow.session.flush()


def done_workout(
    workout: Workout,
    entries: Sequence[Mapping[str, Any]],
    key: UUID,
    session_id: UUID,
    at: datetime,
    notes: str = "",
) -> Done:
    """As the history keeps it. What was swapped out after some sets is in it with those."""
    sets, parts = sets_of(entries), parts_of(entries)
    items = [_item(one, sets, parts) for one in workout.exercises]
    there = {one.id for one in workout.exercises}
    gone = {one.exercise_id: one for one in sets if one.exercise_id not in there}
    items += [
        {"name": one.name, "exercise_id": one.catalogue_id, "completed": False} for one in gone.values()
    ]
    seconds = sum(
        timer_for(one).seconds
        for one, item in zip(workout.exercises, items, strict=False)
        if item["completed"]
    )
    return Done(
        completed_at=at,
        items=items,
        sets=[logged(one) for one in sets],
        source_key=f"call:{key}",
        title=", ".join(workout.summary.focus_areas[:3]),
        notes=notes,
        minutes=round(seconds / 60) if seconds else None,
        session_id=session_id,
    )


def _item(one: WorkoutExercise, sets: Sequence[SetDone], parts: set[str]) -> dict[str, Any]:
    """Half of its sets make an exercise done."""
    shown: dict[str, Any] = one.model_dump(mode="json", exclude_none=True)
    if one.phase is not Phase.MAIN:
        return {**shown, "completed": one.phase.value in parts}
    done = [logged(each) for each in sets if each.exercise_id == one.id]
    enough = len(done) * _HALF >= planned_sets(one)
    return {**shown, **numbers_done(one.type, done), "completed": enough, "sets_done": len(done)}


def numbers_done(kind: str, sets: Sequence[DoneSet]) -> dict[str, Any]:
    """Without how many: that many were planned stays known, since half of them make an exercise done."""
    return {name: value for name, value in amount_done(kind, sets).items() if name not in {"sets", "rounds"}}


def logged(one: SetDone) -> DoneSet:
    """As the history keeps it."""
    return DoneSet(
        one.catalogue_id or one.name,
        one.name,
        one.set_number,
        one.reps,
        one.seconds,
        one.weight_kg,
        rpe=one.rpe,
        notes=one.notes,
    )


def _of(workout: Workout, phase: Phase) -> tuple[WorkoutExercise, ...]:
    return tuple(one for one in workout.exercises if one.phase is phase)


def _counts(entries: Iterable[Mapping[str, Any]]) -> dict[UUID | None, int]:
    """By exercise, the highest set that was reported: who tells of the third has done the second."""
    found: dict[UUID | None, int] = {}
    for one in sets_of(entries):
        found[one.exercise_id] = max(found.get(one.exercise_id, 0), one.set_number)
    return found


def _set(entry: Mapping[str, Any]) -> SetDone:
    return SetDone(
        UUID(entry["exercise_id"]),
        entry["name"],
        entry.get("catalogue_id") or "",
        entry["set_number"],
        entry.get("reps"),
        entry.get("seconds"),
        entry.get("weight_kg"),
        entry.get("rpe"),
        entry.get("notes") or "",
    )
