"""A workout in the making: exercises with their amounts, cheap to turn and count."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, assert_never

from spotter.training.exercise import Exercise
from spotter.training.rules import counts, shares_of
from spotter.training.timing import Block, total_seconds
from spotter.training.vocabulary import Muscle, Pattern
from spotter.training.workout import (
    DurationExercise,
    HoldExercise,
    IntervalsExercise,
    Phase,
    RepsExercise,
    WorkoutExercise,
)


class Form(StrEnum):
    REPS = "reps"
    HOLD = "hold"
    TIME = "time"
    ROUNDS = "rounds"


@dataclass(slots=True)
class Part:
    known: Exercise
    form: Form
    sets: int
    amount: int
    """Repetitions or seconds in a set, of each side."""
    rest: int = 0
    phase: Phase = Phase.MAIN
    weight_kg: float | None = None
    pair: str | None = None
    notes: str = ""
    most_sets: int = 1
    least_rest: int = 0
    most_rest: int = 0
    most_amount: int = 0
    """Of what is simply done for a while."""

    @property
    def counted(self) -> bool:
        """Whether its sets are sets that muscles feel."""
        return self.form is not Form.TIME and counts(self.known)

    @property
    def block(self) -> Block:
        form, known = self.form, self.known
        work = self.amount * known.seconds_per_unit if form is Form.REPS else float(self.amount)
        if known.unilateral and (form is Form.REPS or form is Form.HOLD):
            work *= 2
        return Block(self.sets, work, self.rest, self.phase is Phase.MAIN, self.pair)

    def exercise(self) -> WorkoutExercise:
        shared: dict[str, Any] = {
            "phase": self.phase,
            "pair": self.pair,
            "notes": self.notes,
            **told(self.known),
        }
        sided = {"per_side": self.known.unilateral, "weight_kg": self.weight_kg}
        match self.form:
            case Form.REPS:
                return RepsExercise(
                    sets=self.sets, reps=self.amount, rest_between_sets=self.rest, **sided, **shared
                )
            case Form.HOLD:
                return HoldExercise(
                    sets=self.sets, hold_time=self.amount, rest_between_sets=self.rest, **sided, **shared
                )
            case Form.TIME:
                return DurationExercise(duration=self.amount, **shared)
            case Form.ROUNDS:
                return IntervalsExercise(
                    rounds=self.sets, work_time=self.amount, rest_time=self.rest, **shared
                )
            case _:
                assert_never(self.form)


def seconds(parts: Sequence[Part]) -> float:
    return total_seconds([part.block for part in parts])


def sets_of_muscles(parts: Iterable[Part]) -> dict[Muscle, float]:
    """Fractional, of what counts."""
    found: dict[Muscle, float] = {}
    for part in parts:
        if part.counted:
            for muscle, share in shares_of(part.known).items():
                found[muscle] = found.get(muscle, 0.0) + share * part.sets
    return found


def told(known: Exercise) -> dict[str, Any]:
    """What the catalogue says of it, in the words of a workout."""
    return {
        "name": known.name,
        "exercise_id": known.id,
        "instructions": " ".join(known.cues[:2]),
        "muscles": [muscle.value for muscle in known.primary],
        "categories": [category_of(known)],
    }


def category_of(known: Exercise) -> str:
    match known.pattern:
        case Pattern.CARDIO | Pattern.LOCOMOTION:
            return "cardio"
        case Pattern.MOBILITY:
            return "mobility"
        case Pattern.JUMP:
            return "power"
        case Pattern.HOLD_SKILL:
            return "skill"
        case _:
            return "strength"
