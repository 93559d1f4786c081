"""The course of a visit: every pair of stages, every condition of a step, and what the log tells of it."""

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from spotter.scenarios.builtin_files import builtin_scenarios
from spotter.scenarios.coach.course import course_of
from spotter.scenarios.coach.director import back_to_intake
from spotter.scenarios.coach.stages import AGENTS, STEPS, Allowed, CoachStage, Facts, Refused, judge
from spotter.sessions.codec import Event
from spotter.sessions.events import Content, Handoff, Stage, UserMessage
from spotter.training.athlete import Clearance

FIT = Facts(Clearance.CLEARED, workout_ready=True, sets_done=3, workout_logged=True)
LEGAL = {
    ("intake", "planning"),
    ("planning", "workout"),
    ("workout", "logging"),
    ("logging", "complete"),
    ("planning", "intake"),
    ("workout", "planning"),
    ("workout", "intake"),
    ("logging", "workout"),
    ("complete", "planning"),
}


@pytest.mark.parametrize(("now", "to"), list(product(CoachStage, CoachStage)))
def test_every_pair(now: CoachStage, to: CoachStage) -> None:
    judgement = judge(now, to, FIT)
    if (now.value, to.value) in LEGAL:
        assert judgement == Allowed(AGENTS[to])
    else:
        assert isinstance(judgement, Refused)
        assert now.value in judgement.reason


@pytest.mark.parametrize(
    ("now", "to", "facts", "why"),
    [
        ("intake", "planning", Facts(), "health questions come first"),
        ("intake", "planning", Facts(Clearance.SEE_CLINICIAN), "see a doctor first"),
        ("intake", "planning", Facts(Clearance.CLEARED, red_flag=True), "needs a doctor"),
        ("intake", "planning", Facts(Clearance.CLEARED, missing=("goals",)), "goals"),
        ("planning", "workout", Facts(workout_ready=True), "health questions come first"),
        ("planning", "workout", Facts(Clearance.SEE_CLINICIAN, workout_ready=True), "see a doctor first"),
        (
            "planning",
            "workout",
            Facts(Clearance.CLEARED, red_flag=True, workout_ready=True),
            "needs a doctor",
        ),
        ("planning", "workout", Facts(Clearance.CLEARED), "no workout"),
        ("logging", "workout", Facts(workout_ready=True, sets_done=1), "health questions come first"),
        ("complete", "planning", Facts(), "health questions come first"),
        ("workout", "logging", Facts(Clearance.CLEARED, workout_ready=True), "No set"),
        ("logging", "complete", Facts(Clearance.CLEARED, sets_done=1), "not in the log"),
    ],
)
def test_what_a_step_needs(now: str, to: str, facts: Facts, why: str) -> None:
    judgement = judge(CoachStage(now), CoachStage(to), facts)
    assert isinstance(judgement, Refused)
    assert why in judgement.reason


@pytest.mark.parametrize("way_out", [("workout", "intake"), ("workout", "planning"), ("planning", "intake")])
def test_nobody_is_kept_in_training(way_out: tuple[str, str]) -> None:
    """Away from a workout one may always go, also with a red flag; towards it not."""
    now, to = map(CoachStage, way_out)
    flagged = judge(now, to, Facts(Clearance.SEE_CLINICIAN, red_flag=True))
    assert isinstance(flagged, Allowed) == (to is CoachStage.INTAKE)


@pytest.mark.parametrize("now", list(CoachStage))
def test_the_way_back_after_a_red_flag_takes_allowed_steps(now: CoachStage) -> None:
    moves = back_to_intake(now, AGENTS[now])
    stages = [move for move in moves if isinstance(move, Stage)]
    assert all((step.from_stage, step.to_stage) in STEPS for step in stages)
    if now is CoachStage.INTAKE:
        assert moves == ()
    else:
        assert stages[-1].to_stage == CoachStage.INTAKE
        assert isinstance(moves[-1], Handoff)
        assert moves[-1].to_agent == "intake_safety"


def test_the_file_says_the_same_as_the_table() -> None:
    scenario = builtin_scenarios()["coach"]
    assert scenario.stages is not None
    assert scenario.stages.first == CoachStage.INTAKE
    assert dict(scenario.stages.agents) == {stage.value: agent for stage, agent in AGENTS.items()}


def test_the_log_tells_times_and_steps() -> None:
    start = datetime(2026, 3, 1, 9, tzinfo=UTC)
    told: list[Content] = [
        UserMessage(text="hi"),
        UserMessage(text="no to all"),
        Stage(from_stage="intake", to_stage="workout", accepted=False, reason="not yet"),
        Stage(from_stage="intake", to_stage="planning"),
        UserMessage(text="go"),
    ]
    events = [
        Event(number, start + timedelta(minutes=number), one) for number, one in enumerate(told, start=1)
    ]
    course = course_of(events)
    assert course.stage == "planning"
    assert course.entered_at == start + timedelta(minutes=4)
    assert course.steps == {"intake": 2, "planning": 1}
    assert course.total_steps == 3
    assert [(one.to_stage, one.accepted) for one in course.taken] == [("workout", False), ("planning", True)]
