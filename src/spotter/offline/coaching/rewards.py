"""Gamification: what was done, what it earned, and one honest next step."""

import re
from collections import Counter
from datetime import date
from typing import Any, Final

from spotter.offline.acting.script import Call, Script
from spotter.offline.acting.turn import joined
from spotter.offline.coaching.phrases import says
from spotter.offline.coaching.scene import Scene
from spotter.offline.understanding import Intent

_EARNED: Final = re.compile(r"\+(\d+) XP, (\d+) in all, level (\d+)(?:, (\d+) weeks in a row)?")
_BADGES: Final = re.compile(r"New badges: (.+?)\.$")


def converse(scene: Scene) -> Script:
    yield from scene.look()
    if scene.visit.get("stage") == "complete":
        yield from _after(scene)
    elif scene.heard.arrived:
        _sum_up(scene)
    elif says("log.more", scene.said):
        done = yield [Call("move_on", {"to": "workout", "reason": "They want to do more."})]
        scene.did(done[0], "go back")
    elif says("log.fix", scene.said) and (fix := _fix(scene)) is not None:
        done = yield [Call("log_set", fix)]
        if scene.did(done[0], "correct that"):
            scene.say("Corrected. Anything else, or shall I write it down?")
    else:
        yield from _write_down(scene)


def _sum_up(scene: Scene) -> None:
    log = scene.visit.get("log") or []
    counts = Counter(str(entry["exercise"]) for entry in log)
    named = joined([f"{count} × {name}" for name, count in counts.items()])
    scene.say(f"Nice work! You did {len(log)} {'set' if len(log) == 1 else 'sets'}: {named}.")
    scene.say(
        "Is that right? Tell me if something has to be corrected; otherwise say “yes” and I write it down."
    )


def _write_down(scene: Scene) -> Script:
    done = yield [Call("complete_workout", {"notes": scene.text[:300]} if len(scene.text) > 12 else {})]
    if not scene.did(done[0], "write it down"):
        return
    earned = _EARNED.search(done[0].text)
    yield from scene.look()
    if earned:
        level = int(earned[3])
        scene.say(
            f"It is in your log. You earned {earned[1]} XP, {earned[2]} in all; you are on level {level}, and level "
            f"{level + 1} starts at {50 * (level + 1) * level}."
        )
    if badges := _BADGES.search(done[0].text):
        scene.say(f"New badge: {badges[1]}!")
    _streak(scene)
    _next_step(scene)


def _streak(scene: Scene) -> None:
    weeks = scene.visit.get("streak") or 0
    days = scene.profile.get("days_per_week") or 2
    if weeks:
        scene.say(f"Your streak: {weeks} {'week' if weeks == 1 else 'weeks'} in a row.")
    elif days > 1:
        scene.say(
            f"Your streak starts with the first full week: {days} sessions, rest days included in the deal."
        )


def _next_step(scene: Scene) -> None:
    coming = scene.visit.get("next")
    log: list[dict[str, Any]] = scene.visit.get("log") or []
    advice = _advice(log)
    if coming:
        day = f"{date.fromisoformat(coming['date']):%A}"
        scene.say(f"Next step: {str(coming['title']).partition(', week')[0]} on {day}. {advice}")
    else:
        scene.say(f"Next step: tell me when you want to train again. {advice}")


def _advice(log: list[dict[str, Any]]) -> str:
    """About something that was really seen."""
    by_name: dict[str, list[int]] = {}
    for entry in log:
        amount = entry.get("reps") or entry.get("seconds")
        if amount is not None:
            by_name.setdefault(str(entry["exercise"]), []).append(int(amount))
    dropped = next(
        (name for name, each in by_name.items() if len(each) > 1 and each[-1] < each[0] * 0.75), None
    )
    if dropped:
        return f"On the {dropped} you faded towards the end: take a little more rest there."
    return "Sleep well, expect a bit of soreness, and keep two repetitions in reserve again."


def _fix(scene: Scene) -> dict[str, Any] | None:
    log: list[dict[str, Any]] = scene.visit.get("log") or []
    number = re.search(r"\b(\d{1,3})\b(?!\s*(?:kg|st|nd|rd|th))", re.sub(r"\bset \d\b", "", scene.said))
    if number is None or not log:
        return None
    named = next((entry for entry in reversed(log) if str(entry["exercise"]).lower() in scene.said), log[-1])
    which = re.search(r"\bset (\d)\b", scene.said)
    unit = "seconds" if "seconds" in named else "reps"
    return {
        "name": named["exercise"],
        "set_number": int(which[1]) if which else named["set_number"],
        unit: int(number[1]),
    }


def _after(scene: Scene) -> Script:
    said = scene.said
    if says("log.progress", said):
        done = yield [Call("get_progress_summary", {"days": 30})]
        if scene.did(done[0], "look that up"):
            scene.say(done[0].text)
    elif says("log.fix", said) and (fix := _fix(scene)) is not None:
        done = yield [Call("log_set", fix)]
        if scene.did(done[0], "correct that"):
            yield from scene.look()
            scene.say(f"Corrected in your log. You have {scene.visit.get('xp')} XP now.")
    elif says("log.again", said):
        done = yield [Call("move_on", {"to": "planning", "reason": "The next visit."})]
        if "Not moved" in done[0].text:
            scene.say(done[0].text.removeprefix("Not moved: "))
    elif Intent.THANKS in scene.understood().intents:
        scene.say("You are welcome. See you next time!")
    else:
        _next_step(scene)
        scene.say("Say “next session” when you are back.")
