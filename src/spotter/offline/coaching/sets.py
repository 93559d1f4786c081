"""The set to do now, in words; and putting another exercise in its place."""

import re
from typing import Any

from spotter.offline.acting.changing import dosed, stand_ins
from spotter.offline.acting.script import Call, Script
from spotter.offline.coaching.scene import Scene
from spotter.training.limits import Injury


def show(scene: Scene, praise: str = "") -> None:
    """What to do now."""
    current = scene.visit.get("current")
    if praise:
        scene.say(praise)
    if current is None:
        return
    if current.get("part"):
        named = "\n".join(f"• {clean(each['amount'])}" for each in current["exercises"])
        if current["part"] == "warmup":
            scene.say(f"First we warm up, easy and unhurried:\n{named}\nSay “ready” when you are warm.")
        else:
            scene.say(f"The work is done! Now cool down:\n{named}\nSay “done” when you are through.")
        return
    side = " on each side" if current.get("per_side") else ""
    weight = f" with {current['weight_kg']:g} kg" if current.get("weight_kg") else ""
    scene.say(
        f"Set {current['set_number']} of {current['sets']}: {current['name']}, {_amount(current)}{side}{weight}."
    )
    if current["set_number"] == 1 and current.get("loaded") and not current.get("weight_kg"):
        scene.say(
            "Pick a weight with which two or three more would still be possible; light is fine on the first day."
        )
    if current["set_number"] == 1 and current.get("cues"):
        scene.say("Mind: " + " ".join(sentence(cue) for cue in current["cues"][:2]))


def clean(amount: str) -> str:
    """«Walk 90 s», «Reverse lunge 8 times»: one round of a drill needs no count of rounds."""
    told = re.sub(r"(?<= )1x(\d+)s\b", r"\1 s", amount)
    told = re.sub(r"(?<= )1x(\d+)\b", r"\1 times", told)
    return re.sub(r"(\d)s\b", r"\1 s", re.sub(r"(?<= )(\d+)x(?=\d)", r"\1 × ", told))


def _amount(current: dict[str, Any]) -> str:
    match current.get("type"):
        case "reps":
            return f"{current['reps']} repetitions"
        case "hold":
            return f"hold for {current['hold_time']} seconds"
        case "duration":
            return (
                f"{round(current['duration'] / 60)} minutes"
                if current["duration"] >= 120
                else f"{current['duration']} seconds"
            )
        case _:
            return f"{current.get('work_time', 20)} seconds of work"


def sentence(cue: str) -> str:
    text = cue.strip()
    return text if text.endswith((".", "!")) else f"{text}."


def swap(scene: Scene, exercise_id: str, *more: Injury) -> Script:
    """For the best stand-in that suits; out where there is none."""
    target = next((one for one in scene.table() if one.id == exercise_id), None)
    if target is None:
        return
    athlete = scene.athlete(*more)
    new = next(iter(stand_ins(scene.turn(), target, athlete)), None)
    if new is None:
        done = yield [Call("remove_exercise", {"exercise_id": target.id, "reason": "nothing suits instead"})]
        if not done[0].failed:
            scene.say(f"{target.name} is out; nothing else with what you have does the same job.")
    else:
        arguments = {"exercise_id": target.id, "new_exercise": dosed(scene.turn(), new, target, athlete)}
        done = yield [Call("swap_exercise", arguments)]
        if scene.did(done[0], f"swap {target.name}"):
            scene.say(f"{target.name} is out, {new.name} is in.")
    yield from scene.look()


def pause(seconds: int) -> str:
    """«45 seconds», «2½ minutes»: nobody counts to 155."""
    if seconds < 75:
        return f"{max(15, round(seconds / 15) * 15)} seconds"
    halves = round(seconds / 30)
    whole = f"{halves // 2}{'½' if halves % 2 else ''}"
    return "1 minute" if whole == "1" else f"{whole} minutes"
