"""The last word on every workout, whoever wrote it (F4).

What is not safe, not possible or not wanted is replaced by the nearest thing that is, or taken out, and each change is
told with its reason. Checking twice changes nothing more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from spotter.training import check_amounts, drills, shortening, words
from spotter.training.athlete import Athlete
from spotter.training.catalogue import Catalogue, swaps
from spotter.training.check_amounts import Placed
from spotter.training.choosing import Pool
from spotter.training.exercise import Exercise
from spotter.training.limits import Limits
from spotter.training.progression import Performed
from spotter.training.record import sessions_of
from spotter.training.rules import MAX_MINUTES, limits_of, must_be_cleared, strains, with_the_floor
from spotter.training.timing import seconds_of
from spotter.training.vocabulary import Intensity, Muscle, Pattern, Suits
from spotter.training.workout import Phase, Workout, WorkoutExercise

SEE_CLINICIAN: Final = (
    "Their health answers say that a doctor or physiotherapist should clear them first. Do not give a workout; tell "
    "them kindly, and offer to go on once they are cleared."
)
_SUITS: Final = {Phase.WARM_UP: Suits.WARM_UP, Phase.COOL_DOWN: Suits.COOL_DOWN}
_EASY: Final = frozenset({Pattern.MOBILITY, Pattern.CARDIO, Pattern.LOCOMOTION})
_GENTLE: Final = frozenset({Intensity.LIGHT, Intensity.STRETCHING, Intensity.CALISTHENICS})
_GENTLE_LEVEL: Final = 3
_WARM_UP_SECONDS: Final = 180
_COOL_DOWN_SECONDS: Final = 100
_TOLERANCE: Final = 1.1


@dataclass(frozen=True, slots=True)
class Checked:
    workout: Workout
    changes: tuple[str, ...] = ()
    refused: str | None = None
    """Why there can be no such workout at all; then nothing of it may be used."""


def check_workout(
    workout: Workout, athlete: Athlete, book: Catalogue, *, minutes: int | None = None, whole: bool = True
) -> Checked:
    """`whole` also sees to a warm-up and a cool-down; a change to a workout that has been agreed on does not bring back
    what the athlete took out. `minutes` is the time there is; without it, the athlete's usual time holds."""
    if must_be_cleared(athlete):
        return Checked(workout, refused=SEE_CLINICIAN)
    checking = _Checking(athlete, book)
    placed = checking.sorted(checking.choose(workout.exercises))
    placed = check_amounts.bounded(placed, athlete, _sessions(athlete), checking.changes)
    if whole:
        placed = checking.with_warm_up(placed)
    time = min(minutes or athlete.minutes or MAX_MINUTES, MAX_MINUTES)
    placed = shortening.in_time(placed, book, time, _TOLERANCE, checking.changes)
    if not any(one.exercise.phase is Phase.MAIN for one in placed):
        why = " ".join(checking.changes) or "It has no main part."
        return Checked(
            workout, refused=f"Nothing of this workout can be done as it is. {why} Plan another one."
        )
    if whole:
        placed = checking.with_cool_down(placed, time * 60 * _TOLERANCE)
    exercises = [one.exercise for one in placed]
    summary = workout.summary.model_copy(
        update={"total_duration_estimate": round(seconds_of(exercises, book) / 60, 1)}
    )
    checked = workout.model_copy(update={"exercises": exercises, "summary": summary})
    return Checked(checked, tuple(dict.fromkeys(checking.changes)))


def why_not(exercise: Exercise, athlete: Athlete, limits: Limits) -> list[str]:
    """What speaks against an exercise for somebody; nothing if it is fine."""
    reasons = limits.reasons(exercise)
    if (strain := strains(exercise, athlete)) is not None:
        reasons.append(strain)
    if athlete.equipment is not None and exercise.setup_with(with_the_floor(athlete.equipment)) is None:
        needed = ", ".join(sorted(item.replace("_", " ") for item in exercise.equipment))
        reasons.append(f"needs {needed}")
    if exercise.id in athlete.excluded:
        reasons.append("not wanted")
    return reasons


def why_not_so(exercise: WorkoutExercise, known: Exercise, athlete: Athlete, book: Catalogue) -> list[str]:
    """What the check would change about how much of it, if the athlete were given just this."""
    checking = _Checking(athlete, book)
    placed = checking.sorted([Placed(exercise, known)])
    check_amounts.bounded(placed, athlete, _sessions(athlete), checking.changes)
    return checking.changes


class _Checking:
    """One workout being looked at."""

    def __init__(self, athlete: Athlete, book: Catalogue) -> None:
        self._athlete = athlete
        self._book = book
        self._limits = limits_of(athlete)
        self.changes: list[str] = []

    @cached_property
    def _pool(self) -> Pool:
        return Pool(self._athlete, self._book, self._limits)

    @cached_property
    def _possible(self) -> Catalogue:
        return Catalogue(self._pool.allowed)

    def choose(self, exercises: Sequence[WorkoutExercise]) -> list[Placed]:
        known = [self._known(one) for one in exercises]
        taken = {each.id for each in known if each is not None}
        seen: set[tuple[Phase, str]] = set()
        placed: list[Placed] = []
        for one, found in zip(exercises, known, strict=True):
            chosen = self._choose(one, found, taken)
            if chosen is None:
                continue
            key = (chosen.exercise.phase, chosen.known.id)
            if key in seen:
                self.changes.append(f"{chosen.known.name} was in it twice: once is enough.")
                continue
            seen.add(key)
            taken.add(chosen.known.id)
            placed.append(chosen)
        return placed

    def sorted(self, placed: Sequence[Placed]) -> list[Placed]:
        """Warm-up, main part, cool-down. What is no drill is work, wherever somebody put it."""
        mains = {one.known.id for one in placed if one.exercise.phase is Phase.MAIN}
        found: list[Placed] = []
        for one in placed:
            if one.exercise.phase is not Phase.MAIN and not _drill(one.known):
                if one.known.id in mains:
                    self.changes.append(
                        f"{one.known.name} is in the main part already: it leads up to itself."
                    )
                    continue
                self.changes.append(
                    f"{one.known.name} is no {_PARTS[one.exercise.phase]}: it counts as work."
                )
                mains.add(one.known.id)
                found.append(one.having(phase=Phase.MAIN, pair=None))
                continue
            found.append(one)
        return sorted(found, key=lambda one: _ORDER[one.exercise.phase])

    def with_warm_up(self, placed: Sequence[Placed]) -> list[Placed]:
        warm = [one.exercise for one in placed if one.exercise.phase is Phase.WARM_UP]
        if seconds_of(warm, self._book) >= shortening.LEAST_WARM_UP:
            return list(placed)
        trained = [one.known for one in placed]
        parts = drills.warm_up(self._pool.allowed, trained, _WARM_UP_SECONDS, _no_ties, gently=True)
        if not parts:
            return list(placed)
        self.changes.append("A warm-up was added: no main part without one.")
        return [*(Placed(part.exercise(), part.known) for part in parts), *placed]

    def with_cool_down(self, placed: Sequence[Placed], most: float) -> list[Placed]:
        """If there is time for it."""
        if any(one.exercise.phase is Phase.COOL_DOWN for one in placed):
            return list(placed)
        trained = [one.known for one in placed]
        parts = drills.cool_down(self._pool.allowed, trained, _COOL_DOWN_SECONDS, _no_ties)
        longer = [*placed, *(Placed(part.exercise(), part.known) for part in parts)]
        if not parts or seconds_of([one.exercise for one in longer], self._book) > most:
            return list(placed)
        self.changes.append("A short cool-down was added.")
        return longer

    def _known(self, one: WorkoutExercise) -> Exercise | None:
        if one.exercise_id is not None and (known := self._book.get(one.exercise_id)) is not None:
            return known
        found = self._book.find(one.name)
        return found.exercise if found is not None else None

    def _choose(self, one: WorkoutExercise, known: Exercise | None, taken: set[str]) -> Placed | None:
        if known is None:
            other = self._for_muscles(one, taken)
            self._tell(one.name, "is not in the catalogue, so nobody can say that it is safe", other)
            return self._put(one, other)
        if one.exercise_id != known.id and self._book.named(one.name) is not known:
            self.changes.append(f"“{one.name}” was taken to mean {known.name}.")
        reasons = why_not(known, self._athlete, self._limits)
        if not reasons:
            return Placed(one, known)
        other = self._instead_of(known, one.phase, taken)
        self._tell(known.name, f"does not suit ({'; '.join(reasons)})", other)
        return self._put(one, other)

    def _instead_of(self, known: Exercise, phase: Phase, taken: set[str]) -> Exercise | None:
        found = swaps(self._possible, known, limits=self._limits, exclude=taken, limit=30)
        fitting = [swap.exercise for swap in found if self._fits(swap.exercise, phase)]
        return fitting[0] if fitting else None

    def _for_muscles(self, one: WorkoutExercise, taken: set[str]) -> Exercise | None:
        muscles: frozenset[Muscle] = frozenset().union(*(words.muscles_of(name) for name in one.muscles))
        if not muscles:
            return None
        fitting = [
            each
            for each in self._pool.allowed
            if each.id not in taken and not muscles.isdisjoint(each.primary) and self._fits(each, one.phase)
        ]
        fitting.sort(key=lambda each: (-len(muscles & set(each.primary)), each.level, each.id))
        return fitting[0] if fitting else None

    def _fits(self, exercise: Exercise, phase: Phase) -> bool:
        if strains(exercise, self._athlete) is not None:
            return False
        if phase is Phase.MAIN:
            return exercise.pattern is not Pattern.MOBILITY
        return _SUITS[phase] in exercise.suits

    def _put(self, one: WorkoutExercise, other: Exercise | None) -> Placed | None:
        """Its number of sets stays, its amounts are the other's own: a load or a count does not carry over."""
        return Placed(check_amounts.usual(other, one), other) if other is not None else None

    def _tell(self, name: str, why: str, other: Exercise | None) -> None:
        instead = f"{other.name} instead" if other is not None else "taken out"
        self.changes.append(f"{name} {why}: {instead}.")


_ORDER: Final = {Phase.WARM_UP: 0, Phase.MAIN: 1, Phase.COOL_DOWN: 2}
_PARTS: Final = {Phase.WARM_UP: "warm-up", Phase.COOL_DOWN: "cool-down"}


def _sessions(athlete: Athlete) -> dict[str, list[Performed]]:
    return sessions_of(sorted(athlete.past, key=lambda past: past.done_at))


def _drill(exercise: Exercise) -> bool:
    """Whether it can be part of a warm-up or a cool-down."""
    if exercise.pattern in _EASY or not exercise.suits.isdisjoint(_SUITS.values()):
        return True
    return exercise.intensity in _GENTLE and exercise.level <= _GENTLE_LEVEL


def _no_ties(exercise: Exercise) -> float:
    return 0.0
