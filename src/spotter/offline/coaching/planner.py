"""Program Designer: makes the plan, explains it, changes it, and starts the first session when they are ready."""

import re
from datetime import date
from typing import Any, Final

from spotter.offline.acting.script import Call, Outcome, Script
from spotter.offline.acting.turn import joined
from spotter.offline.coaching.phrases import says
from spotter.offline.coaching.profiling import profile_in
from spotter.offline.coaching.scene import Scene
from spotter.offline.understanding import Intent

_WEEKS: Final = re.compile(r"\b(\d{1,2}|one|two|three|four|six|eight|ten|twelve)[ -]?weeks?\b")
_WORDS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "six": 6, "eight": 8, "ten": 10, "twelve": 12}
_LINE: Final = re.compile(r"^\[[0-9a-f-]{36}\] (\w{3} \d{4}-\d\d-\d\d) (.+?) \((\S+) min\): (.*)$")
_OFFER: Final = (
    "Shall we do the first session now? It is also fine to start another day, or to change something first."
)


def converse(scene: Scene) -> Script:
    yield from scene.look()
    if scene.heard.arrived:
        yield from _arrived(scene)
        return
    if says("plan.health", scene.said):
        yield [Call("move_on", {"to": "intake", "reason": "Something about their health is new."})]
        return
    changed = profile_in(scene, asked=False)
    weeks = _weeks(scene)
    plan = scene.visit.get("plan")
    if changed:
        done = yield [Call("save_profile", changed)]
        if scene.did(done[0], "keep that"):
            yield from _make(scene, weeks, _changed(changed))
    elif weeks or not plan:
        yield from _make(scene, weeks, "Here is your plan.")
    elif says("plan.later", scene.said):
        _later(scene, plan)
    elif says("plan.why", scene.said):
        _why(scene)
        scene.say(_OFFER)
    elif says("plan.start", scene.said):
        done = yield [Call("start_workout")]
        scene.did(done[0], "start it")
    elif says("plan.show", scene.said):
        _show(scene, plan)
        scene.say(_OFFER)
    else:
        _else(scene)


def _arrived(scene: Scene) -> Script:
    """From the questions, or back from a workout or a finished visit."""
    if scene.visit.get("plan"):
        _show(scene, scene.visit["plan"])
        scene.say("Shall we start, or would you like to change something?")
        return
    yield from _make(scene, None, "Thank you, that all looks good. Here is your plan.")


def _make(scene: Scene, weeks: int | None, opening: str) -> Script:
    done = yield [Call("create_plan", {"weeks": weeks} if weeks else {})]
    if not scene.did(done[0], "make a plan"):
        return
    scene.say(opening)
    _told(scene, done[0])
    scene.say(_OFFER)


def _changed(changed: dict[str, Any]) -> str:
    hurts = [str(each).rpartition(",")[0] or str(each) for each in changed.get("injuries", ())]
    if hurts:
        return (
            f"Good that you say so. I noted your {joined(hurts)} and went through the whole plan again: what could "
            "strain it is out, the rest you only do as far as it feels fine."
        )
    return "Here it is, changed to that."


def _told(scene: Scene, outcome: Outcome) -> None:
    lines = outcome.text.splitlines()
    sessions = [match for line in lines if (match := _LINE.match(line))]
    headline = re.search(r"plan of (\d+) weeks with (\d+) sessions", lines[0]) if lines else None
    if headline:
        weeks = "one week" if headline[1] == "1" else f"{headline[1]} weeks"
        times = "once a week" if headline[2] == "1" else f"{headline[2]} times a week"
        scene.say(f"{weeks.capitalize()}, {times}, about {sessions[0][3] if sessions else '?'} minutes each.")
    if sessions:
        days = ", ".join(f"{_day(match[1])}: {_title(match[2])}" for match in sessions)
        scene.say(f"The first week: {days}.")
        scene.say(
            f"First up, {_title(sessions[0][2])}:\n"
            + "\n".join(f"• {each}" for each in _split(sessions[0][4]))
        )
    why = next((line.removeprefix("Why: ") for line in lines if line.startswith("Why: ")), "")
    if why:
        scene.say(f"Why like this? {_brief(why)}")
    left = next((line for line in lines if line.startswith("Left out: ")), "")
    if left:
        scene.say(left)


def _brief(why: str) -> str:
    return " ".join(re.split(r"(?<=[.!?]) ", why)[:4])


def _day(text: str) -> str:
    return f"{date.fromisoformat(text[4:]):%A}"


def _title(text: str) -> str:
    return text.partition(", week")[0]


def _split(exercises: str) -> list[str]:
    return [re.sub(r"(?<= )(\d+)x(?=\d)", r"\1 × ", each) for each in exercises.split(", ")]


def _why(scene: Scene) -> None:
    made = scene.last("create_plan")
    why = (
        next((line.removeprefix("Why: ") for line in made.text.splitlines() if line.startswith("Why: ")), "")
        if made
        else ""
    )
    scene.say(why or "It is built from your goal, your level, what you have and the days you gave me.")


def _show(scene: Scene, plan: dict[str, Any]) -> None:
    sessions = plan.get("sessions", [])[:4]
    lines = [
        f"• {date.fromisoformat(each['date']):%A %d %B}: {_title(each['title'])}, {each.get('minutes') or '?'} min"
        for each in sessions
    ]
    scene.say("Next on your calendar:\n" + "\n".join(lines))


def _later(scene: Scene, plan: dict[str, Any]) -> None:
    first = plan["sessions"][0]
    scene.say(
        f"That is fine. Your plan is on the calendar; the first session waits for you on "
        f"{date.fromisoformat(first['date']):%A}. Come back whenever you are ready and say “let's start”."
    )


def _weeks(scene: Scene) -> int | None:
    found = _WEEKS.search(scene.said)
    if found is None:
        return None
    number = int(found[1]) if found[1].isdigit() else _WORDS[found[1]]
    return max(1, min(12, number))


def _else(scene: Scene) -> None:
    if Intent.THANKS in scene.understood().intents:
        scene.say("You are welcome! Say “let's start” when you want to train.")
    else:
        scene.say(
            "I can change days, minutes, equipment or goals, tell you why the plan is as it is, or start the first "
            "session. What would you like?"
        )
