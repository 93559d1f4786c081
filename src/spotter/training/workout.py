"""A workout as it is agreed on: what every model writes, every check reads and every athlete sees (C5).

Field names and bounds are the contract. `exercise_id` names an entry of the catalogue; a model may leave it out, and
the name is then looked up.
"""

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

Seconds = Annotated[int, Field(ge=1, le=4 * 3600)]
Rest = Annotated[int, Field(ge=0, le=900)]
Sets = Annotated[int, Field(ge=1, le=20)]
Words = Annotated[list[Annotated[str, Field(min_length=1, max_length=60)]], Field(max_length=12)]


class Phase(StrEnum):
    WARM_UP = "warmup"
    MAIN = "main"
    COOL_DOWN = "cooldown"


class Difficulty(StrEnum):
    BEGINNER = "beginner"
    INTERMEDIATE = "intermediate"
    ADVANCED = "advanced"


class _Exercise(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    id: UUID | None = Field(default=None, description="given by Spotter; leave it out")
    name: Annotated[str, Field(min_length=1, max_length=120)]
    exercise_id: Annotated[str, Field(max_length=80)] | None = Field(
        default=None, description="its id in the catalogue, if you know it"
    )
    instructions: Annotated[str, Field(max_length=600)] = Field(default="", description="brief form cues")
    notes: Annotated[str, Field(max_length=600)] = Field(default="", description="modifications or tips")
    categories: Words = Field(default=[], description="e.g. strength, cardio, mobility")
    muscles: Words = Field(default=[], description="target muscles")
    phase: Phase = Phase.MAIN
    pair: Annotated[str, Field(max_length=2)] | None = Field(
        default=None, description="exercises with the same letter alternate (a superset)"
    )


class _Loaded(_Exercise):
    weight_kg: Annotated[float, Field(ge=0, le=500)] | None = None
    per_side: bool = Field(default=False, description="the numbers count for each side")


class RepsExercise(_Loaded):
    type: Literal["reps"] = "reps"
    sets: Sets
    reps: Annotated[int, Field(ge=1, le=200)]
    rest_between_sets: Rest = Field(default=60, description="seconds")


class HoldExercise(_Loaded):
    type: Literal["hold"] = "hold"
    sets: Sets
    hold_time: Seconds = Field(description="seconds")
    rest_between_sets: Rest = Field(default=60, description="seconds")


class DurationExercise(_Exercise):
    type: Literal["duration"] = "duration"
    duration: Seconds = Field(description="total seconds")


class IntervalsExercise(_Exercise):
    type: Literal["intervals"] = "intervals"
    rounds: Annotated[int, Field(ge=1, le=60)]
    work_time: Seconds = Field(description="seconds")
    rest_time: Rest = Field(description="seconds")


WorkoutExercise: TypeAlias = Annotated[
    RepsExercise | HoldExercise | DurationExercise | IntervalsExercise, Field(discriminator="type")
]


class Summary(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    total_duration_estimate: Annotated[float, Field(ge=0, le=600)] | None = Field(
        default=None, description="minutes"
    )
    focus_areas: Words = []
    difficulty: Difficulty | None = None


class Workout(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    exercises: Annotated[list[WorkoutExercise], Field(min_length=1, max_length=40)]
    summary: Summary = Summary()
