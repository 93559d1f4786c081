"""Who somebody is and whether they may train: the profile and the health questions.

A model may write down what it heard. It counts only once the person has said yes to it, in words that are ours and that
they were shown: that is looked up in the log here, and no argument can stand in for it.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import Field
from sqlalchemy import select

from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, ToolFailed, tool
from spotter.scenarios.coach import facts, moving, visit
from spotter.scenarios.coach.stages import CoachStage, Refused
from spotter.scenarios.coach.standing import Standing
from spotter.sessions.events import Ending, Outcome
from spotter.sessions.tables import AgentEvent
from spotter.store.unit_of_work import UnitOfWork
from spotter.tools.coach.visiting import standing
from spotter.training import goals, preferences, profile, screening, words
from spotter.training.athlete import Clearance, Goal
from spotter.training.preferences import Duration, PreferenceType
from spotter.training.screening import Answer as Said
from spotter.training.screening import Topic
from spotter.training.vocabulary import Equipment, Level

_GOAL_WEIGHT: Final = 8
_ASKING: Final = "answer_screening"
_YES, _CHANGE = "Yes, that is right", "No, let me correct something"
Words = Annotated[list[Annotated[str, Field(min_length=1, max_length=120)]], Field(max_length=20)]


@tool(category="coach", examples=["I am 34 and want to get stronger", "I train at home with dumbbells"])
async def save_profile(
    context: ToolContext,
    *,
    age: Annotated[int, Field(ge=10, le=110)] | None = None,
    height_cm: Annotated[float, Field(ge=80, le=260)] | None = None,
    weight_kg: Annotated[float, Field(ge=20, le=400)] | None = None,
    gender: Annotated[str, Field(max_length=40)] | None = None,
    level: Level | None = None,
    equipment: Words | None = None,
    goals: Words | None = None,
    injuries: Words | None = None,
    days_per_week: Annotated[int, Field(ge=1, le=7)] | None = None,
    minutes: Annotated[int, Field(ge=5, le=180)] | None = None,
) -> Answer:
    """Keep what somebody told you about themselves; leave out what they did not say. Equipment by name («dumbbell»,
    «bands», «full gym»; an empty list means none at all). Goals: strength, hypertrophy, endurance, power, skill,
    mobility, fat_loss, cardio. Injuries in a few words with the joint: «left knee, mild»."""
    uow, session = await standing(context)
    weight_g = round(weight_kg * 1000) if weight_kg is not None else None
    height = round(height_cm) if height_cm is not None else None
    await profile.change_body_stats(uow, _given(age=age, height_cm=height, weight_g=weight_g, gender=gender))
    await profile.change_settings(
        uow,
        _given(
            fitness_level=level.value if level else None,
            available_equipment=_equipment(equipment),
            days_per_week=days_per_week,
            preferred_workout_duration=minutes,
        ),
    )
    if goals:
        await _keep_goals(uow, goals)
    for injury in injuries or ():
        await _keep_injury(uow, session, injury)
    kept = await visit.profile_of(uow, session)
    missing = await visit.still_missing(uow, session.user_id)
    told = ", ".join(f"{name} {value}" for name, value in kept.items() if value not in (None, []))
    return Answer(
        {"success": True, "profile": kept, "missing": missing},
        f"Kept: {told or 'nothing yet'}. Still missing: {', '.join(missing) or 'nothing'}.",
    )


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _equipment(names: list[str] | None) -> list[str] | None:
    if names is None:
        return None
    found: set[Equipment] = set()
    for name in names:
        known = words.equipment_of(name)
        if known is None:
            raise FixAndRetry(f"Equipment {name!r} is not known. Use plain names such as dumbbell or bands.")
        found |= known
    return sorted(item.value for item in found - {Equipment.NONE})


async def _keep_goals(uow: UnitOfWork, names: list[str]) -> None:
    known = {name: words.goal_of(name) for name in names}
    unknown = [name for name, goal in known.items() if goal is None]
    if unknown:
        raise FixAndRetry(f"{', '.join(unknown)}: not known as goals. Use some of {', '.join(Goal)}.")
    await goals.set_category_goals(uow, {goal.value: _GOAL_WEIGHT for goal in known.values() if goal})


async def _keep_injury(uow: UnitOfWork, session: Standing, value: str) -> None:
    if condition := words.condition_of(value):
        details = {"condition": condition.value}
    elif injury := words.injury_of(value):
        details = {
            "joint": injury.joint.value,
            "severity": injury.severity.value,
            "side": injury.side.value,
        }
    else:
        raise FixAndRetry(
            f"It is not clear which joint {value!r} is about. Name one, such as knee or lower back."
        )
    await preferences.keep(
        uow, PreferenceType.INJURY, value, Duration.PERMANENT, details, session_id=session.id
    )


@tool(
    category="coach",
    name=_ASKING,
    ends_turn=True,
    examples=["no to all of them", "I have high blood pressure, my doctor says ok"],
)
async def answer_screening(
    context: ToolContext,
    *,
    heart: Said,
    chest_pain: Said,
    fainting: Said,
    condition: Said,
    medicine: Said,
    joints: Said,
    supervised: Said,
    seen_by_doctor: Annotated[
        bool,
        Field(description="a doctor has looked at what raised an alarm earlier, and says they may train"),
    ] = False,
) -> Answer:
    """Write down the answers to the seven health questions, exactly as the person gave them: no, yes, or cleared (yes,
    and a doctor who knows of it says exercise is fine). Never guess one. Spotter reads them back to the person and asks
    whether they are right; this ends your turn. Call it alone."""
    uow, session = await standing(context)
    given = (heart, chest_pain, fainting, condition, medicine, joints, supervised)
    answers: dict[Topic, Said] = dict(zip(Topic, given, strict=True))
    red_flag = await facts.red_flag_stands(uow, session.user_id)
    verdict = screening.judge(answers, red_flag=red_flag, seen_by_doctor=seen_by_doctor)
    stored = {topic.value: answer for topic, answer in answers.items()}
    if seen_by_doctor:
        stored["seen_by_doctor"] = "yes"
    if verdict.clearance is not Clearance.CLEARED:
        # At once: an older «all clear» must not stand beside it for a minute.
        await profile.answer_screening(uow, stored, cleared=False)
        told = screening.see_a_doctor(verdict)
        data = {"success": True, "answers": stored, "state": "see_clinician", "question": told, "options": []}
        return Answer(data, f"Told: {told}", ends=Ending.ASKED)
    question = (
        f"Let me read that back. You said {screening.told_back(answers, seen_by_doctor=seen_by_doctor)} Is that right, "
        "and may I keep it with your profile? A plain “yes” is enough; if something is off, tell me what."
    )
    data = {
        "success": True,
        "answers": stored,
        "state": "asked",
        "question": question,
        "options": [_YES, _CHANGE],
    }
    return Answer(data, f"Asked: {question}", ends=Ending.ASKED)


@tool(category="coach", examples=["yes, that is right", "correct"])
async def confirm_screening(context: ToolContext) -> Answer:
    """Keep the health answers, after the person was asked whether they are right and has just said yes. What they said
    is looked up; a yes of yours does not count. Goes on to planning when nothing else is missing."""
    uow, session = await standing(context)
    answers = await _agreed_to(uow, session)
    red_flag = await facts.red_flag_stands(uow, session.user_id)
    seen = answers.get("seen_by_doctor") == "yes"
    verdict = screening.judge(
        {topic: answers[topic.value] for topic in Topic}, red_flag=red_flag, seen_by_doctor=seen
    )
    cleared = verdict.clearance is Clearance.CLEARED
    await profile.answer_screening(uow, answers, cleared=cleared)
    if not cleared:
        raise ToolFailed(screening.see_a_doctor(verdict))
    missing = await visit.still_missing(uow, session.user_id)
    data = {"success": True, "state": "cleared", "missing": missing}
    if session.stage is not CoachStage.INTAKE:
        return Answer(data, "Health answers kept: good to train.")
    moved = await moving.take(uow, session, CoachStage.PLANNING, "The health questions are answered.")
    if isinstance(moved, Refused):
        return Answer(data, f"Health answers kept: good to train. Before planning: {moved.reason}")
    return Answer(data, "Health answers kept: good to train. On to planning.", moves=moved)


async def _agreed_to(uow: UnitOfWork, session: Standing) -> dict[str, Literal["no", "yes", "cleared"]]:
    """The answers that were read back to the person, if their very next words were a plain yes."""
    rows = await uow.session.scalars(
        select(AgentEvent)
        .where(
            AgentEvent.session_id == session.id,
            AgentEvent.user_id == session.user_id,
            AgentEvent.event_type.in_(("result", "user_message")),
        )
        .order_by(AgentEvent.sequence_number.desc())
        .limit(60)
    )
    said: str | None = None
    for row in rows:
        content = row.content
        if row.event_type == "user_message":
            if said is not None:
                break  # something else was said in between
            said = str(content.get("text", ""))
        elif content.get("tool") == _ASKING and content.get("ends") == Ending.ASKED and said is not None:
            result = content.get("result") or {}
            if content.get("outcome", Outcome.OK) != Outcome.OK or result.get("state") != "asked":
                break
            if not screening.is_plain_yes(said):
                raise FixAndRetry(
                    "They have not said a plain yes to what was read back. Ask them what is off."
                )
            found: dict[str, Literal["no", "yes", "cleared"]] = result["answers"]
            return found
    raise FixAndRetry(
        f"Nothing was read back to them that they could say yes to. Call {_ASKING} with their answers first, alone."
    )


TOOLS = (save_profile, answer_screening, confirm_screening)
