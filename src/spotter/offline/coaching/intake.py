"""Intake & Safety: who somebody is, and the health questions, in as few rounds as it takes."""

from typing import Final

from spotter.offline.acting.script import Call, Script
from spotter.offline.acting.turn import joined
from spotter.offline.coaching import health, hurting
from spotter.offline.coaching.phrases import says
from spotter.offline.coaching.profiling import profile_in
from spotter.offline.coaching.scene import Scene
from spotter.offline.understanding import Intent
from spotter.training.screening import QUESTIONS, Answer, Topic, is_plain_yes

HEALTH_ASKED: Final = "seven quick health questions"
_DOCTOR_ASKED: Final = "does a doctor who knows about it say exercise is fine"
_ABOUT_ASKED: Final = "tell me a little about you"
_READ_BACK: Final = "Asked: Let me read that back."
_AFTER_ALARM: Final = "Has a doctor looked at it since"
_GREETING: Final = (
    "Hi, I am your coach, good to have you here! First I get to know you, then I make a plan that fits, and we train "
    "it together step by step. No experience needed."
)
_MISSING: Final = {
    "goals": "what you would like to get out of it",
    "level": "how much you have trained so far",
    "equipment": "what you have to train with (nothing is fine)",
    "days_per_week": "how many days a week suit you",
    "minutes": "how many minutes you have each time",
}
_EXAMPLE: Final = (
    "For example: “get stronger, complete beginner, two dumbbells at home, 3 days a week, 30 minutes”."
)
_SHORT: Final = {
    "goals": "your goal",
    "level": "beginner or trained",
    "equipment": "equipment",
    "days_per_week": "days a week",
    "minutes": "minutes",
}


def converse(scene: Scene) -> Script:
    yield from scene.look()
    if scene.heard.arrived:
        _welcome_back(scene)
        return
    asked = scene.heard.asked
    if asked.startswith(_READ_BACK):
        yield from _after_reading_back(scene)
        if scene.lines:
            return
        yield from scene.look()
    elif _DOCTOR_ASKED in asked or HEALTH_ASKED in asked or _AFTER_ALARM in asked:
        yield from _health_answer(scene)
        if scene.lines:
            return
    yield from _keep_profile(scene)
    yield from _next_question(scene)


def _welcome_back(scene: Scene) -> None:
    """From a workout that had to end, or from planning, because something about their health is new."""
    hurt = scene.last("report_pain")
    if hurt is not None and hurt in scene.heard.recent:
        scene.say(f"{hurting.THANKS} {hurting.read(hurt.text)[1]}")
        scene.say(
            "I ended the workout, and it was right to stop. What you did stays with you. Once it is better, or "
            "somebody has looked at it, tell me and we plan around it."
        )
    else:
        scene.say("Let's look at your health first. " + _health_question(None))


def _after_reading_back(scene: Scene) -> Script:
    if is_plain_yes(scene.text):
        done = yield [Call("confirm_screening")]
        if done[0].failed:
            scene.say(done[0].text)
        return
    before = scene.last("answer_screening")
    answers: dict[Topic, Answer] = {
        topic: before.arguments.get(topic.value, "no") if before else "no" for topic in Topic
    }
    changed = health.mentioned(scene.said)
    if not changed:
        scene.say("No problem. Which of the answers should be different? Just tell me in your own words.")
        return
    cleared = health.cleared_in(scene.said)
    for topic, yes in changed.items():
        answers[topic] = health.answer(topic, yes, cleared=cleared)
    yield from _write_down(scene, answers)


def _health_answer(scene: Scene) -> Script:
    state = (scene.visit.get("screening") or {}).get("state")
    if says("health.why", scene.said) and not health.mentioned(scene.said):
        scene.say(
            "I ask so that nothing in your plan can harm you. Your answers stay with your profile here; they are not "
            "shared, and you can have them deleted. " + _health_question(state)
        )
        return
    if _DOCTOR_ASKED in scene.heard.asked:
        answers = health.answers_in(scene.heard.before) or _written(scene)
        said_yes = is_plain_yes(scene.text) or health.cleared_in(scene.said)
        if said_yes:
            answers = {
                topic: "cleared" if _worrying(topic, each) else each for topic, each in answers.items()
            }
        if answers:
            yield from _write_down(scene, answers)
        return
    answers = health.answers_in(scene.said)
    if not answers:
        if health.is_bare_yes(scene.said):
            scene.say("Thanks for telling me. Which of them apply? A few words for each are enough.")
        return
    worrying = [topic for topic, each in answers.items() if _worrying(topic, each)]
    if worrying and not health.cleared_in(scene.said):
        yield from _keep_profile(scene)
        named = joined([QUESTIONS[topic].named for topic in worrying])
        scene.say(
            f"Thank you for telling me about {named}. One question back: {_DOCTOR_ASKED} for you? If you have not "
            "asked yet, just say so."
        )
        return
    yield from _keep_profile(scene)
    yield from _write_down(scene, answers)


def _worrying(topic: Topic, answer: Answer) -> bool:
    return answer == "yes" and topic is not Topic.JOINTS


def _written(scene: Scene) -> dict[Topic, Answer]:
    kept = (scene.visit.get("screening") or {}).get("answers") or {}
    return {topic: kept[topic.value] for topic in Topic if topic.value in kept}


def _write_down(scene: Scene, answers: dict[Topic, Answer]) -> Script:
    seen = (scene.visit.get("screening") or {}).get("state") in ("red_flag", "see_clinician") and (
        health.cleared_in(scene.said) or (_AFTER_ALARM in scene.heard.asked and is_plain_yes(scene.text))
    )
    arguments = {topic.value: answers[topic] for topic in Topic}
    done = yield [Call("answer_screening", {**arguments, **({"seen_by_doctor": True} if seen else {})})]
    if done[0].failed:
        scene.did(done[0], "write that down")


def _keep_profile(scene: Scene) -> Script:
    found = profile_in(scene, asked=_ABOUT_ASKED in scene.heard.asked or "still need" in scene.heard.asked)
    if not found:
        return
    done = yield [Call("save_profile", found)]
    if scene.did(done[0], "keep that"):
        yield from scene.look()
        if found.get("injuries"):
            named = joined([str(each).rpartition(",")[0] or str(each) for each in found["injuries"]])
            scene.say(f"I noted your {named}: the plan goes around it.")


def _next_question(scene: Scene) -> Script:
    state = (scene.visit.get("screening") or {}).get("state")
    if state in ("red_flag", "see_clinician"):
        yield from _doctor_first(scene, state)
        return
    missing = [name for name in scene.missing if name in _MISSING]
    first = not scene.heard.asked
    if first:
        scene.say(_GREETING)
    if says("intake.nervous", scene.said):
        scene.say("It is normal to be nervous, most people are. We start gently, and you set the pace.")
    if missing:
        _ask_about(scene, missing, first)
    elif "screening" in scene.missing:
        if not first and HEALTH_ASKED not in scene.heard.asked:
            scene.say("Great, that is all I need for the plan.")
        elif HEALTH_ASKED in scene.heard.asked:
            scene.say("I want to be sure I get this right.")
        scene.say(_health_question(state))
    else:
        done = yield [Call("move_on", {"to": "planning", "reason": "Everything needed is known."})]
        if "Not moved" in done[0].text:
            scene.say(done[0].text.removeprefix("Not moved: "))


def _ask_about(scene: Scene, missing: list[str], first: bool) -> None:
    if not first and not scene.lines and len(missing) == len(_MISSING):
        again = "Sorry, I did not get that." if _ABOUT_ASKED in scene.heard.asked else "Gladly!"
        scene.say(f"{again} In a few words, {_ABOUT_ASKED}: {joined(list(_SHORT.values()))}. {_EXAMPLE}")
    elif len(missing) == len(_MISSING):
        scene.say(
            f"To begin, {_ABOUT_ASKED}: {joined([_MISSING[name] for name in missing])}. And does anything hurt?"
        )
        scene.say(_EXAMPLE)
    else:
        thanks = "" if first or scene.lines else "Thanks! "
        scene.say(
            f"{thanks}I still need {joined([_SHORT[name] for name in missing])}; then come a few health questions."
        )


def _health_question(state: str | None) -> str:
    lines = [f"{number}. {QUESTIONS[topic].text}" for number, topic in enumerate(Topic, start=1)]
    before = "Now " if state != "red_flag" else "Then once more the "
    return (
        f"{before}{HEALTH_ASKED}, so that training is safe for you:\n" + "\n".join(lines) + "\n"
        "If none applies, “no to all” is enough. Otherwise tell me which, in your own words."
    )


def _doctor_first(scene: Scene, state: str) -> Script:
    """Kind, and firm. The way on is a doctor's word, and the person's own yes to what we wrote down."""
    if health.cleared_in(scene.said):
        answers = _written(scene) or health.answers_in(scene.said)
        answers = {topic: "cleared" if _worrying(topic, each) else each for topic, each in answers.items()}
        if answers and all(topic in answers for topic in Topic):
            yield from _write_down(scene, answers)
            return
        scene.say("That is good news. " + _health_question("red_flag"))
        return
    if Intent.THANKS in scene.understood().intents:
        scene.say("Of course. Take care, and come back when you have talked to a doctor; I keep your place.")
        return
    if says("intake.insist", scene.said):
        scene.say(
            "I understand that you want to get going, and I like that. But I take no risk with your health."
        )
    if state == "red_flag":
        scene.say(
            f"What you told me comes first. {_AFTER_ALARM}, and did they say that you may train? If it is happening "
            "again or getting worse, please get help right away. Without a doctor's go-ahead I start no workout."
        )
    else:
        scene.say(
            "Your health answers say: a doctor first. As soon as you have their go-ahead, tell me “my doctor says it "
            "is fine” and we go on from here. Until then a relaxed walk is a good start, if you feel well."
        )
