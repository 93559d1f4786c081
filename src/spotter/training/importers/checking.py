"""Words of a file before they are kept: what gives orders, or may be kept nowhere, stays in the file. Pure.

Who judges is given: this room knows nothing of safety. The numbers of a workout are kept whatever was written beside
them; only of a collection's exercise, which is nothing but words, is nothing kept when its name is bad.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from spotter.training.importers.imported import ImportedExercise
from spotter.training.importers.logged import LoggedExercise, LoggedWorkout
from spotter.training.importers.outcome import Skipped

Screen: TypeAlias = Callable[[str], str | None]
"""The text as it may be kept; None where it may not be."""

NOT_SAFE: Final = "words that are not safe to keep"
UNNAMED: Final = "Exercise without a name"
_NO_WORD: Final = re.compile(r"[\W_]+")


@dataclass(slots=True)
class Checked:
    screen: Screen
    _known: dict[str, str | None] = field(default_factory=dict)
    """A log says the same few names a thousand times."""

    def workout(self, workout: LoggedWorkout) -> tuple[LoggedWorkout, list[Skipped]]:
        """With what was left out of it. Its id stays that of the file, so that it is still imported once."""
        left_out = [
            Skipped(f"{workout.started:%Y-%m-%d}", "", NOT_SAFE)
            for text in _texts(workout)
            if self._text(text) is None
        ]
        exercises = tuple(self._exercise(one) for one in workout.exercises)
        title, notes = self._or_nothing(workout.title), self._or_nothing(workout.notes)
        clean = replace(workout, title=title, notes=notes, exercises=exercises)
        return clean, left_out

    def imported(self, one: ImportedExercise) -> ImportedExercise | Skipped:
        name = self._text(one.exercise.name)
        # The id is told to models too, and is a line of words with hyphens.
        if name is None or self._text(_NO_WORD.sub(" ", one.source_id)) is None:
            return Skipped("", "", NOT_SAFE)
        return replace(
            one,
            exercise=replace(one.exercise, name=name, aliases=self._good(one.exercise.aliases)),
            instructions=self._good(one.instructions),
            licence=self._or_nothing(one.licence),
            licence_author=self._or_nothing(one.licence_author),
        )

    def _exercise(self, exercise: LoggedExercise) -> LoggedExercise:
        sets = tuple(replace(one, notes=self._or_nothing(one.notes)) for one in exercise.sets)
        name = self._text(exercise.name)
        return replace(
            exercise,
            name=UNNAMED if name is None else name,
            notes=self._or_nothing(exercise.notes),
            sets=sets,
        )

    def _good(self, texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(kept for text in texts if (kept := self._text(text)) is not None)

    def _or_nothing(self, text: str) -> str:
        return self._text(text) or ""

    def _text(self, text: str) -> str | None:
        if not text:
            return text
        if text not in self._known:
            self._known[text] = self.screen(text)
        return self._known[text]


def _texts(workout: LoggedWorkout) -> Iterable[str]:
    yield from (workout.title, workout.notes)
    for exercise in workout.exercises:
        yield from (exercise.name, exercise.notes)
        yield from (one.notes for one in exercise.sets)
