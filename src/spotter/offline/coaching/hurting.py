"""Something hurts in the middle of a workout: where, how much, and what the rules say to do about it."""

import re
from typing import Final

from spotter.offline.acting.script import Call, Script
from spotter.offline.acting.translating import injury_of
from spotter.offline.coaching import sets
from spotter.offline.coaching.phrases import phrase, says
from spotter.offline.coaching.scene import Scene
from spotter.training import words
from spotter.training.limits import Injury, Severity
from spotter.training.pain import Advice, Sign

THANKS: Final = "Thanks for telling me right away."
ASKED: Final = "How strong is it from 0 to 10"
_LEVEL: Final = re.compile(
    r"\b(10|\d)\s*(?:/|out of|of)\s*10\b|\b(?:a|an|about|like a?|maybe a?)\s+(10|\d)\b|^\W*(10|\d)\W*$|[,:]\s*(10|\d)\b"
)
_WORDS: Final = (("pain.strong", 7), ("pain.middling", 5), ("pain.slight", 2))
_NOT: Final = re.compile(r"\b(?:no|not|isn'?t|without|never)\b[^,.;]*$")


def is_about_pain(scene: Scene) -> bool:
    if ASKED in scene.heard.asked:
        return True
    said = scene.said
    return says("pain.words", said) and not says("pain.none", said)


def respond(scene: Scene) -> Script:
    text = f"{scene.heard.before}. {scene.text}" if ASKED in scene.heard.asked else scene.text
    said = text.lower()
    where = _where(scene, text)
    level = _level(scene, said)
    signs = [sign for sign in Sign if _shows(sign, said)]
    if where is None or (level is None and not signs):
        _ask(scene, where)
        return
    arguments = {
        "joint": where.joint.value,
        "side": where.side.value,
        "level": level if level is not None else 6,
    }
    done = yield [
        Call("report_pain", {**arguments, **({"signs": [sign.value for sign in signs]} if signs else {})})
    ]
    if not scene.did(done[0], "note that"):
        return
    advice, advised = read(done[0].text)
    place = where.joint.value.replace("_", " ")
    scene.say(f"{THANKS} {advised}")
    yield from scene.look()
    if advice in (Advice.SWAP, Advice.EASE):
        severity = Severity.SEVERE if advice is Advice.SWAP else Severity.MODERATE
        yield from _around(scene, Injury(where.joint, severity, where.side))
        scene.say(f"From here on nothing {'loads' if advice is Advice.SWAP else 'strains'} your {place}.")
    sets.show(scene)


def _shows(sign: Sign, said: str) -> bool:
    found = phrase(f"pain.{sign.value}").search(said)
    return found is not None and not _NOT.search(said[: found.start()])


def _ask(scene: Scene, where: Injury | None) -> None:
    first = "Stop for a moment." if ASKED not in scene.heard.asked else "I want to get this right."
    place = "" if where is not None else "Where exactly does it hurt? "
    scene.say(f"{first} {place}{ASKED}, and is it sharp, swollen, numb, or did something give way or pop?")


def _where(scene: Scene, text: str) -> Injury | None:
    for hurt in scene.understood(text).slots.injuries:
        if (injury := injury_of(hurt)) is not None:
            return injury
    joint = words.joint_of(text)
    return Injury(joint, Severity.MODERATE, words.side_of(text)) if joint is not None else None


def _level(scene: Scene, said: str) -> int | None:
    if found := _LEVEL.search(said):
        return int(next(each for each in found.groups() if each is not None))
    if ASKED in scene.heard.asked and (number := re.search(r"\b(10|\d)\b", scene.said)):
        return int(number[1])
    return next((level for title, level in _WORDS if says(title, said)), None)


def read(text: str) -> tuple[Advice, str]:
    """What the tool advised, and in which words. To stop hands the visit back to intake, who tells it."""
    found = re.match(r"Advice: (\w+)\. (.*?)(?: It is loaded by: .*)?$", text, re.DOTALL)
    if found is None or found[1] not in set(Advice):
        return Advice.SWAP, "Stop that one now."
    return Advice(found[1]), found[2]


def _around(scene: Scene, injury: Injury) -> Script:
    """What is still to come and loads the place goes, one after the other."""
    allowed = 0 if injury.severity is Severity.SEVERE else 1
    done = {str(entry.arguments.get("exercise_id")) for entry in scene.heard.past if entry.tool == "log_set"}
    for one in scene.table():
        known = scene.mind.exercise(one)
        if one.phase != "main" or known is None or known.joints.get(injury.joint, 0) <= allowed:
            continue
        current = scene.visit.get("current") or {}
        if one.id in done and one.id != str(current.get("id")):
            continue
        yield from sets.swap(scene, one.id, injury)
