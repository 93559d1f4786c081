"""Technique Coach: one set at a time, with a cue and a rest, and an answer when something hurts."""

import re
from collections.abc import Iterator
from typing import Any, Final

from spotter.offline.acting.changing import dosed
from spotter.offline.acting.script import Call, Script
from spotter.offline.coaching import hurting, sets
from spotter.offline.coaching.phrases import says
from spotter.offline.coaching.scene import Scene
from spotter.offline.understanding import Intent
from spotter.training.catalogue import easier, harder
from spotter.training.rules import limits_of, with_the_floor
from spotter.training.vocabulary import Equipment

_SETS: Final = re.compile(r"\b(?:all|both|(\d)) sets?\b|\b(\d)\s*[x×]\s*(\d{1,3})\b")
_NUMBER: Final = re.compile(r"\b(\d{1,3})\b(?!\s*(?:kg|kilos?|lbs?|%|/\s*10|out of))")
_KG: Final = re.compile(r"\b(\d{1,3}(?:\.\d{1,2})?)\s*(?:kg|kilos?)\b")
_RPE: Final = re.compile(r"\brpe\s*(\d{1,2}(?:\.5)?)\b|\beffort\s*(\d{1,2})\b")


def converse(scene: Scene) -> Script:
    yield from scene.look()
    current = scene.visit.get("current")
    if scene.heard.arrived:
        yield from _begin(scene)
    elif hurting.is_about_pain(scene):
        yield from hurting.respond(scene)
    elif says("workout.stop", scene.said):
        yield from _end(scene)
    elif current is None:
        yield from _all_done(scene)
    elif current.get("part"):
        yield from _part(scene, current)
    elif numbers := list(_reported(scene, current)):
        yield from _log(scene, current, numbers)
    else:
        yield from _about_the_set(scene, current)


def _begin(scene: Scene) -> Script:
    current = scene.visit.get("current")
    if current is None:
        yield from _all_done(scene)
        return
    if current.get("part") == "warmup":
        scene.say(
            "Let's go! I lead you through it; tell me after each set what you did, and right away if anything hurts."
        )
    sets.show(scene)


def _part(scene: Scene, current: dict[str, Any]) -> Script:
    part = current["part"]
    skipped = says("workout.skip", scene.said)
    if skipped or says("workout.ready", scene.said):
        done = yield [Call("finish_part", {"part": part, "skipped": skipped})]
        if not scene.did(done[0], "note that"):
            return
        yield from scene.look()
        if scene.visit.get("current") is None:
            yield from _end(scene)
        else:
            sets.show(
                scene,
                "Good. Let's get to work." if not skipped else "All right, then start the first set gently.",
            )
    elif says("workout.how", scene.said):
        for each in current["exercises"]:
            if each.get("cues"):
                scene.say(f"{each['name']}: {sets.sentence(each['cues'][0])}")
    else:
        sets.show(scene)


Number = dict[str, Any]


def _reported(scene: Scene, current: dict[str, Any]) -> Iterator[Number]:
    """What was done, as far as it was said. «Done» means as planned."""
    said = scene.said
    weight = {"weight_kg": float(kg[1])} if (kg := _KG.search(said)) else {}
    if not weight and current.get("weight_kg"):
        weight = {"weight_kg": current["weight_kg"]}
    rpe = {"rpe": float(found[1] or found[2])} if (found := _RPE.search(said)) else {}
    bare = _RPE.sub(" ", said)
    unit = "reps" if current.get("type") == "reps" else "seconds"
    planned = (
        current.get("reps")
        or current.get("hold_time")
        or current.get("duration")
        or current.get("work_time")
        or 1
    )
    first, last = current["set_number"], current["sets"]
    several = _SETS.search(bare)
    if several is not None:
        count = int(several[1] or several[2] or last - first + 1)
        rest = _NUMBER.findall(bare.replace(several[0], " "))
        amount = int(several[3]) if several[3] else int(rest[0]) if rest else planned
        amounts = [amount] * max(1, min(count, last - first + 1))
    else:
        amounts = [int(each) for each in _NUMBER.findall(bare)][: last - first + 1]
    if not amounts and says("workout.ready", said) and not _questions(said):
        amounts = [planned]
    for place, amount in enumerate(amounts):
        yield {"set_number": first + place, unit: amount, **weight, **rpe}


def _questions(said: str) -> bool:
    return says("workout.how", said) or says("workout.swap", said) or said.rstrip().endswith("?")


def _log(scene: Scene, current: dict[str, Any], numbers: list[Number]) -> Script:
    outcomes = yield [Call("log_set", {"exercise_id": current["id"], **each}) for each in numbers]
    worked = [scene.did(each, "log that") for each in outcomes]
    if not all(worked):
        return
    yield from scene.look()
    after = scene.visit.get("current")
    if after is None:
        yield from _end(scene)
        return
    sets.show(scene, _praise(scene, current, numbers[-1], after))


def _praise(scene: Scene, current: dict[str, Any], number: Number, after: dict[str, Any]) -> str:
    """True or nothing: what was reached, then how long to rest."""
    planned = current.get("reps") or current.get("hold_time") or 0
    got = number.get("reps") or number.get("seconds") or 0
    rest = current.get("rest") or 0
    same = after.get("id") == current["id"]
    if after.get("part"):
        return "Logged."
    if planned and got > planned:
        word = f"{got}, that is more than planned. Nice!"
    elif planned and got < planned * 0.7:
        word = f"{got} is logged. Fine: good form counts more than the number."
    else:
        word = "Logged, well done." if same else f"That was {current['name']}, done!"
    pause = f" Rest about {sets.pause(rest)}, then:" if rest >= 20 else " Then:"
    return word + pause


def _about_the_set(scene: Scene, current: dict[str, Any]) -> Script:
    said = scene.said
    if says("workout.skip", said):
        done = yield [Call("remove_exercise", {"exercise_id": current["id"], "reason": "skipped"})]
        if scene.did(done[0], "leave it out"):
            yield from scene.look()
            sets.show(scene, f"All right, without the {current['name']}.")
    elif says("workout.easier", said) or says("workout.harder", said):
        yield from _step(scene, current, down=says("workout.easier", said))
    elif says("workout.swap", said):
        yield from sets.swap(scene, str(current["id"]))
        sets.show(scene)
    elif says("workout.rest", said):
        scene.say(
            f"Take about {sets.pause(current.get('rest') or 60)}. Breathe, shake it out; the next set waits."
        )
        sets.show(scene)
    elif says("workout.how", said):
        scene.say(
            f"{current['name']}: "
            + " ".join(sets.sentence(cue) for cue in current.get("cues") or ["Slow and controlled."])
        )
        scene.say("Try a first slow repetition, then tell me how many you did.")
    else:
        if Intent.THANKS in scene.understood().intents:
            scene.say("Any time!")
        sets.show(scene)
        scene.say("Tell me how many you did, or say “swap”, “easier” or “stop”.")


def _step(scene: Scene, current: dict[str, Any], *, down: bool) -> Script:
    target = next((one for one in scene.table() if one.id == str(current["id"])), None)
    known = scene.mind.exercise(target) if target else None
    athlete = scene.athlete()
    available = with_the_floor(athlete.equipment or frozenset({Equipment.NONE, Equipment.CHAIR}))
    move = easier if down else harder
    new = move(scene.mind.book, known, available=available, limits=limits_of(athlete)) if known else None
    if target is None or new is None:
        yield from _fewer(scene, current, down=down)
        return
    arguments = {"exercise_id": target.id, "new_exercise": dosed(scene.turn(), new, target, athlete)}
    done = yield [Call("swap_exercise", arguments)]
    if scene.did(done[0], "change it"):
        yield from scene.look()
        sets.show(scene, f"Let's take {new.name} instead: {'a step easier' if down else 'a step up'}.")


def _fewer(scene: Scene, current: dict[str, Any], *, down: bool) -> Script:
    name = {"reps": "reps", "hold": "hold_time"}.get(str(current.get("type")))
    if name is None:
        scene.say("Just go slower or faster, as it suits you.")
        sets.show(scene)
        return
    step = 2 if name == "reps" else 5
    value = max(1, current[name] - step) if down else current[name] + step
    done = yield [Call("adjust_exercise", {"exercise_id": current["id"], "adjustments": {name: value}})]
    if scene.did(done[0], "change it"):
        yield from scene.look()
        sets.show(scene, "Changed.")


def _end(scene: Scene) -> Script:
    done = yield [Call("move_on", {"to": "logging", "reason": "The workout is over."})]
    if "Not moved" in done[0].text:
        yield [Call("move_on", {"to": "planning", "reason": "They stopped before the first set."})]


def _all_done(scene: Scene) -> Script:
    yield from _end(scene)
