"""The course of a visit to the coach (A2): where it can stand, who speaks there, and which steps are allowed. Pure.

A step is judged by what is stored about the person, never by what a model says of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from spotter.training.athlete import Clearance

SCENARIO: Final = "coach"


class CoachStage(StrEnum):
    INTAKE = "intake"
    PLANNING = "planning"
    WORKOUT = "workout"
    LOGGING = "logging"
    COMPLETE = "complete"


AGENTS: Final[Mapping[CoachStage, str]] = {
    CoachStage.INTAKE: "intake_safety",
    CoachStage.PLANNING: "program_designer",
    CoachStage.WORKOUT: "technique_coach",
    CoachStage.LOGGING: "gamification",
    CoachStage.COMPLETE: "gamification",
}

_FORWARD: Final = (
    (CoachStage.INTAKE, CoachStage.PLANNING),
    (CoachStage.PLANNING, CoachStage.WORKOUT),
    (CoachStage.WORKOUT, CoachStage.LOGGING),
    (CoachStage.LOGGING, CoachStage.COMPLETE),
)
_BACK: Final = (
    (CoachStage.PLANNING, CoachStage.INTAKE),
    (CoachStage.WORKOUT, CoachStage.PLANNING),
    (CoachStage.WORKOUT, CoachStage.INTAKE),
    (CoachStage.LOGGING, CoachStage.WORKOUT),
    (CoachStage.COMPLETE, CoachStage.PLANNING),
)
STEPS: Final = frozenset(_FORWARD + _BACK)
_TRAINING: Final = frozenset({CoachStage.PLANNING, CoachStage.WORKOUT})
"""Nobody gets here, from wherever, without having passed the health questions."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is stored, as far as a step depends on it."""

    clearance: Clearance = Clearance.UNKNOWN
    red_flag: bool = False
    """Something alarming was said after the health questions were last answered."""
    missing: tuple[str, ...] = ()
    """Of the profile, what a plan cannot be made without."""
    workout_ready: bool = False
    """A workout lies on the table, not yet written into the log."""
    sets_done: int = 0
    workout_logged: bool = False
    """The workout of this visit is in the log."""


@dataclass(frozen=True, slots=True)
class Allowed:
    agent: str


@dataclass(frozen=True, slots=True)
class Refused:
    reason: str


Judgement: TypeAlias = Allowed | Refused


def judge(now: CoachStage, to: CoachStage, facts: Facts) -> Judgement:
    if now is to:
        return Refused(f"You are in {now} already.")
    if (now, to) not in STEPS:
        return Refused(_no_way(now, to))
    if to in _TRAINING and (reason := not_yet(facts)) is not None:
        return Refused(reason)
    if (reason := _unmet(now, to, facts)) is not None:
        return Refused(reason)
    return Allowed(AGENTS[to])


def _no_way(now: CoachStage, to: CoachStage) -> str:
    there = sorted((step[1] for step in STEPS if step[0] is now), key=list(CoachStage).index)
    return f"There is no way from {now} to {to}. From here it goes to {' or '.join(there)}."


def not_yet(facts: Facts) -> str | None:
    """The gate. Every way into training passes here."""
    if facts.red_flag:
        return "Something was said that needs a doctor first. After that, answer the health questions again."
    match facts.clearance:
        case Clearance.CLEARED:
            return None
        case Clearance.SEE_CLINICIAN:
            return (
                "The health answers say: see a doctor first. With their go-ahead, answer the questions again."
            )
        case Clearance.UNKNOWN:
            return "The health questions come first. They have not been answered and confirmed, or not for a year."


def _unmet(now: CoachStage, to: CoachStage, facts: Facts) -> str | None:
    match (now, to):
        case (CoachStage.INTAKE, CoachStage.PLANNING) if facts.missing:
            return f"A plan needs to know first: {', '.join(facts.missing)}."
        case (CoachStage.PLANNING | CoachStage.LOGGING, CoachStage.WORKOUT) if not facts.workout_ready:
            return "There is no workout to do yet. Plan one first."
        case (CoachStage.WORKOUT, CoachStage.LOGGING) if not facts.sets_done:
            return "No set has been done yet. Log one, or go back to planning."
        case (CoachStage.LOGGING, CoachStage.COMPLETE) if not facts.workout_logged:
            return "The workout is not in the log yet."
        case _:
            return None
