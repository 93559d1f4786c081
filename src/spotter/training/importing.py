"""A file of somebody else's into the database: read as a whole first, then stored in batches.

Each batch is a transaction. Whoever is interrupted runs it again: what is there is passed over.
"""

import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import history, own_exercises
from spotter.training.catalogue import Catalogue, catalogue
from spotter.training.history import Done
from spotter.training.importers import (
    ImportedExercise,
    LoggedWorkout,
    Report,
    Skipped,
    UnreadableFile,
    read_exercises,
    read_log,
)
from spotter.training.importers.checking import NOT_SAFE, Checked, Screen
from spotter.training.importers.keeping import kept
from spotter.training.importers.reading import decoded

LOGS: Final = ("strong", "hevy")
COLLECTIONS: Final = ("free-exercise-db", "exercemus", "wger")
KINDS: Final = (*LOGS, *COLLECTIONS)
_AT_ONCE: Final = 50
_MOST_BYTES: Final = 100_000_000
_EXAMPLES: Final = 3

T = TypeVar("T")
Step: TypeAlias = Callable[[int], None]
"""Told how many more are through."""


@dataclass(slots=True)
class Contents:
    """What was understood of a file."""

    source: str = ""
    workouts: list[Done] = field(default_factory=list)
    exercises: list[ImportedExercise] = field(default_factory=list)
    report: Report = field(default_factory=Report)
    matched: dict[str, tuple[str, float]] = field(default_factory=dict)
    unmatched: Counter[str] = field(default_factory=Counter)
    """By how many sets each has."""

    def __len__(self) -> int:
        return len(self.workouts) or len(self.exercises)

    @property
    def sets(self) -> int:
        return sum(len(workout.sets) for workout in self.workouts)

    @property
    def not_safe(self) -> int:
        """How many texts were not kept."""
        return self.report.reasons[NOT_SAFE]


@dataclass(slots=True)
class Stored:
    added: int = 0
    added_sets: int = 0
    there: int = 0


@dataclass(frozen=True, slots=True)
class Reader:
    """`zone` is where the athlete trained: exports have local times. `pounds` is what weights without a unit are in.
    `screen` says what may be kept of its words; there is no import without one."""

    book: Catalogue
    zone: tzinfo
    now: datetime
    screen: Screen
    pounds: bool = False

    def read(self, path: Path, kind: str | None = None) -> Contents:
        """Raises `UnreadableFile` when it is nothing we know, or not of the kind it should be."""
        if path.stat().st_size > _MOST_BYTES:
            raise UnreadableFile(
                f"{path.name} has more than {_MOST_BYTES // 1_000_000} MB. Nothing was imported."
            )
        return self.understand(path.read_bytes(), path.name, kind)

    def understand(self, data: bytes, name: str, kind: str | None = None) -> Contents:
        """The same with what was in it."""
        text = decoded(data)
        is_json = text.lstrip()[:1] in {"[", "{"} if kind is None else kind in COLLECTIONS
        contents = self._collection(text) if is_json else self._log(text)
        if kind is not None and contents.source not in {kind, ""}:
            raise UnreadableFile(
                f"{name} is a file of {contents.source}, not of {kind}. Nothing was imported; leave --kind out."
            )
        return contents

    def _log(self, text: str) -> Contents:
        contents, checked = Contents(), Checked(self.screen)
        found = read_log(io.StringIO(text, newline=""), self.book, zone=self.zone, pounds=self.pounds)
        for one in found:
            if isinstance(one, Skipped):
                contents.report.note(one)
                continue
            workout, left_out = checked.workout(one)
            done = kept(workout, self.book, self.now)
            for each in (done, *left_out):
                contents.report.note(each)
            if isinstance(done, Done):
                contents.source = workout.source
                contents.workouts.append(done)
                _note_names(contents, workout)
        contents.workouts.sort(key=lambda done: done.completed_at)
        return contents

    def _collection(self, text: str) -> Contents:
        contents, checked = Contents(), Checked(self.screen)
        # Compared with ours alone: one that was imported before would be taken for its own likeness.
        for read in read_exercises(text, catalogue()):
            one = checked.imported(read) if isinstance(read, ImportedExercise) else read
            contents.report.note(one)
            if isinstance(one, ImportedExercise):
                contents.source = one.source
                contents.exercises.append(one)
        return contents


def _note_names(contents: Contents, workout: LoggedWorkout) -> None:
    for exercise in workout.exercises:
        if exercise.exercise_id is None:
            contents.unmatched[exercise.name] += len(exercise.sets)
        else:
            contents.matched[exercise.name] = exercise.exercise_id, exercise.confidence


async def store(database: Database, scope: Scope, contents: Contents, step: Step) -> Stored:
    stored = Stored()
    for some in _batches(contents.workouts):
        async with database.unit_of_work(scope) as uow:
            added = await history.log_all(uow, some)
        stored.added += len(added)
        stored.added_sets += sum(len(done.sets) for done in some if done.source_key in added)
        stored.there += len(some) - len(added)
        step(len(some))
    for batch in _batches(contents.exercises):
        async with database.unit_of_work(scope) as uow:
            new = await own_exercises.add(uow, batch)
        stored.added += new
        stored.there += len(batch) - new
        step(len(batch))
    return stored


async def foresee(uow: UnitOfWork, contents: Contents) -> Stored:
    """What `store` would do. Changes nothing."""
    keys = [done.source_key for done in contents.workouts]
    ids = [one.exercise.id for one in contents.exercises]
    there = await history.known_keys(uow, keys) if keys else await own_exercises.known(uow, ids)
    fresh = [done for done in contents.workouts if done.source_key not in there]
    added = len(fresh) if keys else sum(1 for each in ids if each not in there)
    return Stored(added, sum(len(done.sets) for done in fresh), len(contents) - added)


def report_lines(contents: Contents, stored: Stored, *, dry_run: bool) -> Iterator[str]:
    """For people, at the end."""
    thing = "exercises" if contents.exercises else "workouts"
    of = f" of {contents.source}" if contents.source else ""
    sets = f" with {contents.sets} sets" if contents.workouts else ""
    added_sets = f" ({stored.added_sets} sets)" if contents.workouts else ""
    yield f"Read           {len(contents)} {thing}{sets}{of}"
    yield f"{'Would add' if dry_run else 'Added':14} {stored.added}{added_sets}"
    yield f"Already there  {stored.there}"
    yield f"Skipped        {contents.report.reasons.total()}"
    for reason, count in contents.report.reasons.most_common():
        yield f"  {count:6}  {reason}{_examples(contents.report.skipped, reason)}"
    yield from _name_lines(contents)
    if dry_run:
        yield "This was a dry run: nothing was changed."


def _name_lines(contents: Contents) -> Iterator[str]:
    if not contents.workouts:
        return
    near = {name: known for name, (known, confidence) in contents.matched.items() if confidence < 1}
    yield f"Exercises      {len(contents.matched)} known, {len(contents.unmatched)} kept under their own names"
    if near:
        yield "  taken for the nearest of ours:"
        yield from (f"    {name} → {known}" for name, known in sorted(near.items()))
    if contents.unmatched:
        yield "  not in the catalogue (in the history, but no workout is planned from them):"
        yield from (f"    {name} ({count} sets)" for name, count in contents.unmatched.most_common(20))
        if len(contents.unmatched) > 20:
            yield f"    and {len(contents.unmatched) - 20} more"


def _examples(skipped: Sequence[Skipped], reason: str) -> str:
    found = [f"{one.where} {one.name}".strip() for one in skipped if one.reason == reason][:_EXAMPLES]
    return f" ({', '.join(found)}{', …' if len(found) == _EXAMPLES else ''})" if found else ""


def _batches(found: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(found), _AT_ONCE):
        yield found[start : start + _AT_ONCE]
