"""A workout somebody did, whichever app wrote it down."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID, uuid5

from spotter.training.catalogue import Catalogue
from spotter.training.vocabulary import SetType

_NAMESPACE: Final = UUID("6f1f6f0e-5b0c-5d39-9a6a-7a0f6f9c2d11")

KILOGRAMS_IN_A_POUND: Final = 0.45359237
METRES_IN_A_MILE: Final = 1609.344


@dataclass(frozen=True, slots=True)
class LoggedSet:
    type: SetType = SetType.NORMAL
    reps: int | None = None
    weight_kg: float | None = None
    seconds: float | None = None
    distance_m: float | None = None
    rpe: float | None = None
    notes: str = ""

    @property
    def empty(self) -> bool:
        return self.reps is None and self.seconds is None and self.distance_m is None


@dataclass(frozen=True, slots=True)
class LoggedExercise:
    name: str
    """As it was written, also when we know which exercise it is."""
    sets: tuple[LoggedSet, ...]
    exercise_id: str | None = None
    """In the catalogue; nothing when no name there is near enough."""
    confidence: float = 0.0
    superset: str | None = None
    notes: str = ""


@dataclass(frozen=True, slots=True)
class LoggedWorkout:
    id: UUID
    source: str
    title: str
    started: datetime
    ended: datetime | None
    exercises: tuple[LoggedExercise, ...]
    notes: str = ""

    @property
    def sets(self) -> int:
        return sum(len(exercise.sets) for exercise in self.exercises)


def workout_id(source: str, started: datetime, title: str) -> UUID:
    """The same for the same workout, in whatever zone it is read, so that importing twice changes nothing."""
    return uuid5(_NAMESPACE, f"{source}\n{started.replace(tzinfo=None).isoformat()}\n{title}")


@dataclass(frozen=True, slots=True)
class SetRow:
    """One line of a log."""

    started: datetime
    title: str
    exercise: str
    set: LoggedSet
    ended: datetime | None = None
    superset: str | None = None
    exercise_notes: str = ""
    workout_notes: str = ""


@dataclass(slots=True)
class _Open:
    first: SetRow
    exercises: list[LoggedExercise] = field(default_factory=list)
    notes: str = ""


class Assembler:
    """Puts rows together to workouts. They may come in any order; sets of one exercise in a row belong together."""

    def __init__(self, source: str, book: Catalogue) -> None:
        self._source = source
        self._book = book
        self._open: dict[tuple[datetime, str], _Open] = {}
        self._names: dict[str, tuple[str | None, float]] = {}

    def add(self, row: SetRow) -> None:
        workout = self._open.setdefault((row.started, row.title), _Open(row))
        workout.notes = workout.notes or row.workout_notes
        last = workout.exercises[-1] if workout.exercises else None
        if last is not None and (last.name, last.superset) == (row.exercise, row.superset):
            workout.exercises[-1] = replace(
                last, sets=(*last.sets, row.set), notes=last.notes or row.exercise_notes
            )
            return
        found, confidence = self._known(row.exercise)
        workout.exercises.append(
            LoggedExercise(
                name=row.exercise,
                sets=(row.set,),
                exercise_id=found,
                confidence=confidence,
                superset=row.superset,
                notes=row.exercise_notes,
            )
        )

    def workouts(self) -> Iterator[LoggedWorkout]:
        for (started, title), workout in self._open.items():
            yield LoggedWorkout(
                id=workout_id(self._source, started, title),
                source=self._source,
                title=title,
                started=started,
                ended=workout.first.ended,
                exercises=tuple(workout.exercises),
                notes=workout.notes,
            )

    def _known(self, name: str) -> tuple[str | None, float]:
        if name not in self._names:
            match = self._book.find(name)
            self._names[name] = (match.exercise.id, match.confidence) if match else (None, 0.0)
        return self._names[name]


def unmatched(workouts: Iterable[LoggedWorkout]) -> list[str]:
    """Names that stay as they are because the catalogue has nothing like them."""
    return sorted(
        {each.name for workout in workouts for each in workout.exercises if each.exercise_id is None}
    )
