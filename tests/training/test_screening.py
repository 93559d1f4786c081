"""The health questions, pain while training, plans of weeks, and a workout in progress: the pure rules."""

from datetime import date, timedelta
from uuid import uuid4

import pytest

from spotter.training import pain, screening, underway
from spotter.training.athlete import Athlete, Clearance, Goal
from spotter.training.catalogue import catalogue
from spotter.training.check import check_workout
from spotter.training.limits import Injury, Severity
from spotter.training.pain import Advice, Sign
from spotter.training.programme import programme
from spotter.training.screening import Answer, Topic
from spotter.training.vocabulary import Equipment, Joint, Level
from spotter.training.workout import Phase, RepsExercise, Workout


def answers(topic: Topic | None = None, answer: Answer = "no") -> dict[Topic, Answer]:
    return {each: answer if each is topic else "no" for each in Topic}


@pytest.mark.parametrize("topic", list(Topic))
def test_one_yes_needs_a_doctor_unless_it_is_a_joint(topic: Topic) -> None:
    verdict = screening.judge(answers(topic, "yes"))
    if topic is Topic.JOINTS:
        assert verdict.clearance is Clearance.CLEARED
    else:
        assert verdict.clearance is Clearance.SEE_CLINICIAN
        assert screening.QUESTIONS[topic].named in screening.see_a_doctor(verdict)
    assert screening.judge(answers(topic, "cleared")).clearance is Clearance.CLEARED


def test_an_unanswered_topic_leaves_it_open() -> None:
    given = answers()
    del given[Topic.MEDICINE]
    assert screening.judge(given).clearance is Clearance.UNKNOWN


def test_after_a_red_flag_only_a_doctors_word_counts() -> None:
    assert screening.judge(answers(), red_flag=True).clearance is Clearance.SEE_CLINICIAN
    assert screening.judge(answers(), red_flag=True, seen_by_doctor=True).clearance is Clearance.CLEARED


@pytest.mark.parametrize(
    "text", ["yes", "Yes!", "Yes, that's right.", "correct", "yep, all good", "I agree", "ok yes please"]
)
def test_a_plain_yes(text: str) -> None:
    assert screening.is_plain_yes(text)


@pytest.mark.parametrize(
    "text",
    ["", "no", "no, that is right", "yes but my heart", "yes, except 3", "not really", "yes?? who are you",
     "maybe", "3", "start the workout", "yes I have chest pain", "that is all"],
)  # fmt: skip
def test_no_plain_yes(text: str) -> None:
    assert not screening.is_plain_yes(text)


@pytest.mark.parametrize(
    ("level", "signs", "advice"),
    [
        (0, (), Advice.GO_ON), (3, (), Advice.GO_ON), (4, (), Advice.EASE), (5, (), Advice.EASE),
        (6, (), Advice.SWAP), (10, (), Advice.SWAP), (2, (Sign.SHARP,), Advice.SWAP),
        (1, (Sign.SWELLING,), Advice.STOP), (0, (Sign.NUMBNESS, Sign.SHARP), Advice.STOP),
    ],
)  # fmt: skip
def test_the_pain_scale(level: int, signs: tuple[Sign, ...], advice: Advice) -> None:
    assert pain.judge(level, signs).advice is advice


START = date(2026, 3, 2)


def somebody(**known: object) -> Athlete:
    return Athlete(user_id=uuid4(), equipment=frozenset({Equipment.DUMBBELL}), minutes=30, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize("days", range(1, 7))
def test_a_plan_has_its_days_and_passes_the_check(days: int) -> None:
    athlete = somebody(goals={Goal.STRENGTH: 8}, level=Level.INTERMEDIATE)
    plan = programme(athlete, catalogue(), weeks=4, days=days, start=START)
    assert len(plan.sessions) == 4 * days
    assert len({one.day for one in plan.sessions}) == 4 * days
    assert all(START <= one.day < START + timedelta(weeks=4) for one in plan.sessions)
    for one in plan.sessions[:days]:
        checked = check_workout(one.workout, athlete, catalogue())
        assert checked.refused is None
        assert not checked.changes
    assert plan.reasons


def test_a_plan_grows_and_has_a_lighter_week() -> None:
    plan = programme(somebody(goals={Goal.HYPERTROPHY: 8}), catalogue(), weeks=4, days=3, start=START)
    first, second, third, fourth = (
        [
            one
            for one in plan.sessions[3 * week].workout.exercises
            if isinstance(one, RepsExercise) and one.phase is Phase.MAIN
        ]
        for week in range(4)
    )
    assert [one.reps for one in second] == [one.reps + 1 for one in first]
    assert [one.reps for one in third] == [one.reps + 2 for one in first]
    assert sum(one.sets for one in fourth) < sum(one.sets for one in first)


def test_a_plan_goes_around_an_injury() -> None:
    hurt = somebody(injuries=(Injury(Joint.KNEE, Severity.SEVERE),))
    plan = programme(hurt, catalogue(), weeks=1, days=3, start=START)
    for session in plan.sessions:
        for one in session.workout.exercises:
            assert one.exercise_id is not None
            assert catalogue()[one.exercise_id].joints.get(Joint.KNEE, 0) == 0, one.name


def test_sets_come_in_order_and_pairs_take_turns() -> None:
    def exercise(name: str, sets: int, pair: str | None = None, phase: Phase = Phase.MAIN) -> RepsExercise:
        return RepsExercise(id=uuid4(), name=name, sets=sets, reps=8, pair=pair, phase=phase)

    workout = Workout(
        exercises=[exercise("warm", 1, phase=Phase.WARM_UP), exercise("a", 2, "A"), exercise("b", 2, "A"),
                   exercise("c", 1), exercise("cool", 1, phase=Phase.COOL_DOWN)]
    )  # fmt: skip
    entries: list[dict[str, object]] = []
    seen: list[str] = []
    while (now := underway.current(workout, entries)) is not None:
        if now.part is not None:
            seen.append(now.part)
            entries.append({"part": now.part})
            continue
        seen.append(f"{now.exercise.name}{now.set_number}")
        entries.append(
            {
                "exercise_id": str(now.exercise.id),
                "name": now.exercise.name,
                "set_number": now.set_number,
                "reps": 8,
            }
        )
    assert seen == ["warmup", "a1", "b1", "a2", "b2", "c1", "cooldown"]
    assert underway.left(workout, entries) == 0
