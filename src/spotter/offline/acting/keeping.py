"""Preferences, injuries and goals: kept with the tools first, so that whatever is made next heeds them."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from spotter.offline.acting.mind import WHEELCHAIR
from spotter.offline.acting.script import Call, Outcome, Script
from spotter.offline.acting.translating import CONDITIONS, equipment_of, hurt_text, injury_of, kit_text
from spotter.offline.acting.turn import Turn, for_people, joined
from spotter.offline.understanding import Slots
from spotter.offline.understanding.slots import Lasting
from spotter.offline.understanding.slots import Taste as Said
from spotter.training.limits import Severity
from spotter.training.recall import Kept

_MOST_EXCLUSIONS: Final = 6
_MOST_NAMED: Final = 3
_FEW: Final = 2
_NOTED: Final = {
    "pregnant": "I noted that you are pregnant: nothing flat on the back, no jumps, moderate effort. Please check with "
    "your midwife or doctor that training is fine for you.",
    "high blood pressure": "I noted your high blood pressure: moderate loads, no held breath, longer rests.",
    "heart condition": "I noted your heart condition. A doctor has to clear you before I plan anything.",
}
_SEATED: Final = re.compile(r"\bwheelchair\b|\bcan(?:'t|not| not) stand\b|\b(?:only|just) seated\b")
_TYPE_WORDS: Final = {
    "equipment": ("equipment", "kit", "gear"),
    "time_available": ("time", "duration", "minutes", "length"),
    "location": ("place", "location"),
    "intensity": ("intensity", "effort"),
    "injury": ("injury", "injuries", "pain"),
    "focus": ("focus",),
}


def _call(kind: str, value: str, lasting: Lasting, metadata: dict[str, Any] | None = None) -> Call:
    arguments: dict[str, Any] = {
        "preference_type": kind,
        "value": value,
        "duration_type": lasting.value,
    }
    return Call("set_preference", {**arguments, **({"metadata": metadata} if metadata else {})})


def injuries(turn: Turn, slots: Slots) -> list[Call]:
    """What hurts, unless it is known just so. It stays until it is taken back, unless they said for how long."""
    known = set(turn.athlete.injuries)
    lasting = slots.lasting or Lasting.PERMANENT
    calls: list[Call] = []
    for hurt in slots.injuries:
        injury = injury_of(hurt)
        if hurt.better or injury in known:
            continue
        if injury is None:
            calls.append(_call("custom", f"avoid {hurt.part.replace('_', ' ')}", lasting))
            continue
        told = {"joint": injury.joint.value, "side": injury.side.value, "severity": injury.severity.value}
        calls.append(_call("injury", f"{hurt_text(hurt)}, {injury.severity.value}", lasting, told))
    for condition in slots.conditions:
        if condition in CONDITIONS:
            calls.append(_call("injury", CONDITIONS[condition], Lasting.PERMANENT))
        elif condition != "illness":
            calls.append(_call("custom", condition, Lasting.PERMANENT))
    if _SEATED.search(turn.text.lower()) and WHEELCHAIR not in {
        kept.value for kept in turn.state.preferences
    }:
        calls.append(_call("custom", WHEELCHAIR, Lasting.PERMANENT))
    calls += [
        _call("custom", f"sore {muscle.replace('_', ' ')}", Lasting.SESSION)
        for muscle in slots.sore
        if f"sore {muscle.replace('_', ' ')}" not in {kept.value for kept in turn.state.preferences}
    ]
    return calls


def exclusions(turn: Turn, slots: Slots) -> list[Call]:
    """A name that many exercises bear excludes the likeliest of them one by one, and the rest in words."""
    return [call for taste in slots.tastes if not taste.wanted for call in _exclusion(turn, taste)]


def _exclusion(turn: Turn, taste: Said) -> Iterator[Call]:
    spoken = taste.words or taste.value.replace("_", " ").replace("-", " ")
    family = turn.mind.family(taste.value, taste.words) if taste.kind == "exercise" else []
    if family and (taste.lasting is not Lasting.SESSION or len(family) <= _FEW):
        wanted = [each for each in family if each.id not in turn.athlete.excluded]
        for each in wanted[:_MOST_EXCLUSIONS]:
            yield _call("exclusion", each.name, taste.lasting, {"exercise_id": each.id})
        if len(family) <= _MOST_EXCLUSIONS:
            return
    if f"no {spoken}" not in {kept.value for kept in turn.state.preferences}:
        yield _call("custom", f"no {spoken}", taste.lasting)


def told_of_injuries(turn: Turn, slots: Slots, outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.tool != "set_preference" or outcome.failed:
            continue
        kind, value = outcome.arguments.get("preference_type"), str(outcome.arguments.get("value", ""))
        if value in _NOTED:
            turn.say(_NOTED[value])
        elif kind == "injury":
            named = value.rpartition(",")[0] or value
            today = outcome.arguments.get("duration_type") == Lasting.SESSION.value
            until = "today" if today else "until you tell me it is better"
            turn.say(f"I noted your {named} and will plan around it {until}.")
        elif value == WHEELCHAIR:
            turn.say("I noted the wheelchair: I only take what can be done sitting.")
        elif kind == "custom" and value.startswith("avoid "):
            turn.say(f"I leave your {value.removeprefix('avoid ')} alone until you tell me it is better.")
        elif kind == "custom" and value in slots.conditions:
            turn.say(
                f"I noted the {value}. Please ask your doctor what suits you; start easy and stop if it gets worse."
            )
    values = [str(each.arguments.get("value", "")) for each in outcomes if not each.failed]
    sore = [value.removeprefix("sore ") for value in values if value.startswith("sore ")]
    if sore:
        turn.say(f"I go easy on your {joined(sore)} this time.")
    if any(hurt.severity.value == Severity.SEVERE.value for hurt in slots.injuries):
        turn.say("A pain that strong should be seen by a doctor or physiotherapist before you load it.")
    if "illness" in slots.conditions:
        turn.say(
            "While you are ill, rest is the best training. With a fever or anything in the chest, please do nothing at "
            "all; when it is only a runny nose, ask me for 15 easy minutes of mobility."
        )


def report_injury(turn: Turn, slots: Slots) -> Script:
    yield from turn.look_up("active_preferences")
    calls = injuries(turn, slots)
    outcomes = (yield calls) if calls else []
    turn.failed([each for each in outcomes if each.tool == "set_preference"], "keep that")
    told_of_injuries(turn, slots, outcomes)
    if not calls and slots.injuries:
        turn.say(f"I have your {joined([hurt_text(each) for each in slots.injuries])} in mind already.")


def injury_better(turn: Turn, slots: Slots) -> Script:
    yield from turn.look_up("active_preferences")
    healed = [hurt for hurt in slots.injuries if hurt.better]
    joints = {injury.joint.value for hurt in healed if (injury := injury_of(hurt)) is not None}
    names = {hurt.part.replace("_", " ") for hurt in healed}
    gone = [
        kept
        for kept in turn.state.preferences
        if (kept.preference_type == "injury" and kept.details.get("joint") in joints)
        or (kept.preference_type in ("injury", "custom") and any(name in kept.value for name in names))
    ]
    if not gone:
        turn.say(f"Good to hear! I had nothing noted about your {joined(sorted(names)) or 'injury'}.")
        return
    yield from _take_back(turn, gone, "Good to hear!")


def _take_back(turn: Turn, gone: Sequence[Kept], before: str = "") -> Script:
    outcomes = yield [Call("delete_preference", {"preference_id": each.id}) for each in gone]
    turn.failed(outcomes, "take that back")
    done = {str(each.arguments.get("preference_id")) for each in outcomes if not each.failed}
    names = [_shown(each) for each in gone if each.id in done]
    more = f" and {len(names) - _MOST_NAMED} more like it" if len(names) > _MOST_NAMED else ""
    if names:
        turn.say(f"{before} I took back: {', '.join(names[:_MOST_NAMED])}{more}.".strip())


def set_preference(turn: Turn, slots: Slots) -> Script:
    yield from turn.look_up("active_preferences", "user_settings")
    calls = [*exclusions(turn, slots), *_circumstances(turn, slots), *_likes(slots)]
    if calls:
        _told_kept(turn, (yield calls))
    elif slots.tastes:
        turn.say("That is noted already; nothing had to change.")
    else:
        turn.ask(
            "What should I remember for you?",
            ("I only have dumbbells", "I have 30 minutes most days", "I never want burpees"),
        )


def _circumstances(turn: Turn, slots: Slots) -> Iterator[Call]:
    lasting = slots.lasting or Lasting.PERMANENT
    has = turn.athlete.equipment
    disliked = any(taste.kind == "equipment" for taste in slots.tastes)
    kit = equipment_of(slots, has) if slots.equipment and not disliked else None
    if kit is not None:
        kit = kit if has is None or slots.equipment.only else kit | has
        yield _call("equipment", kit_text(kit), lasting)
        if lasting is Lasting.PERMANENT:
            yield from overtaken(turn, "equipment")
    elif slots.location and not slots.tastes:
        yield _call("location", slots.location, lasting)
    if slots.duration:
        yield _call("time_available", f"{slots.duration.minutes} minutes", lasting)
    if slots.intensity:
        yield _call("intensity", slots.intensity, lasting)
    if slots.level:
        yield _call("custom", f"level {slots.level}", lasting)
    if slots.when and slots.when.every:
        yield _call("custom", f"trains on {joined(list(slots.when.every))}", lasting)


def overtaken(turn: Turn, kind: str) -> Iterator[Call]:
    """What was said for this conversation gives way to what is said now."""
    for kept in turn.state.preferences:
        if kept.preference_type == kind and kept.duration_type == Lasting.SESSION.value:
            yield Call("delete_preference", {"preference_id": kept.id})


def _likes(slots: Slots) -> Iterator[Call]:
    for taste in slots.tastes:
        if taste.wanted:
            kind = "focus" if taste.kind == "muscle" else "custom"
            value = taste.value if kind == "focus" else f"likes {taste.words or taste.value}"
            yield _call(kind, value.replace("_", " "), taste.lasting)


def _told_kept(turn: Turn, outcomes: Sequence[Outcome]) -> None:
    kept = [each for each in outcomes if each.tool == "set_preference" and not each.failed]
    for outcome in outcomes:
        if outcome.failed:
            turn.say(f"I could not keep that: {for_people(outcome.text)}")
    gone = [str(each.arguments["value"]) for each in kept if each.arguments["preference_type"] == "exclusion"]
    whole = [str(each.arguments["value"]) for each in kept if _is_ban(each)]
    if gone or whole:
        for_now = all(each.arguments.get("duration_type") == "session" for each in kept)
        names = [value.removeprefix("no ") for value in whole] or [_several(name.lower()) for name in gone]
        turn.say(f"No more {joined(names, 'or')}{' today' if for_now else ' from me'}.")
    others = [each for each in kept if each.arguments["preference_type"] != "exclusion" and not _is_ban(each)]
    if others:
        told = [
            f"{str(each.arguments['preference_type']).replace('_', ' ')}: {each.arguments['value']}"
            if each.arguments["preference_type"] != "custom"
            else str(each.arguments["value"])
            for each in others
        ]
        turn.say(f"I will remember: {'; '.join(told)}.")
    if any(str(each.arguments["value"]).startswith("level ") for each in others):
        turn.say("Your level itself is in your settings; I plan by those.")


def _several(name: str) -> str:
    """«No more burpees»; what is many or no count noun already stays."""
    if name.endswith(("s", "ing")):
        return name
    return f"{name}es" if name.endswith(("ch", "sh", "x")) else f"{name}s"


def _is_ban(outcome: Outcome) -> bool:
    value = str(outcome.arguments.get("value", ""))
    return outcome.arguments.get("preference_type") == "custom" and value.startswith("no ")


def delete_preference(turn: Turn, slots: Slots) -> Script:
    yield from turn.look_up("active_preferences")
    kept = turn.state.preferences
    if not kept:
        turn.say("There is nothing I keep about you at the moment, so there is nothing to forget.")
        return
    gone = matching(turn, slots)
    if not gone and slots.exercises:
        names = [known.name.lower() for name in slots.exercises if (known := turn.mind.book.get(name))]
        turn.say(f"I have nothing noted against {joined(names) or 'that'}, so there is nothing to take back.")
        return
    if not gone:
        turn.ask("Which of these should I forget?", [f"Forget {_shown(each)}" for each in kept])
        return
    yield from _take_back(turn, gone)


def matching(turn: Turn, slots: Slots) -> list[Kept]:
    """Those that the message names, by exercise, by kind or by their own words."""
    said = turn.text.lower()
    if any(word in said for word in ("all my preferences", "all preferences", "everything you know")):
        return list(turn.state.preferences)
    ids = {each.id for name in slots.exercises for each in turn.mind.family(name, _spoken(said, name))}
    words = {word.strip(".,!?'\"").rstrip("s") for word in said.split() if len(word) > 3}
    found: list[Kept] = []
    for kept in turn.state.preferences:
        own = {word.rstrip("s") for word in kept.value.lower().replace(",", " ").split() if len(word) > 3}
        if (
            kept.details.get("exercise_id") in ids
            or any(word in said.split() for word in _TYPE_WORDS.get(kept.preference_type, ()))
            or (own - _WEAK) & words
        ):
            found.append(kept)
    return found


_WEAK: Final = frozenset({"mild", "moderate", "severe", "left", "right", "minute", "like", "level"})


def _spoken(said: str, name: str) -> str:
    return name.replace("-", " ") if name.replace("-", " ") in said else ""


def _shown(kept: Kept) -> str:
    if kept.preference_type in ("custom", "injury"):
        return kept.value
    return f"{'no' if kept.preference_type == 'exclusion' else kept.preference_type.replace('_', ' ')} {kept.value}"


_LASTING: Final = {"session": " (for this conversation)", "temporary": " (for a while)"}


def _remembered(kept: Kept) -> str:
    lasting = _LASTING.get(kept.duration_type, "")
    match kept.preference_type:
        case "exclusion":
            return f"no {_several(kept.value.lower())}{lasting}"
        case "injury":
            return f"to plan around: {kept.value}{lasting}"
        case "custom":
            return f"{kept.value}{lasting}"
        case "time_available":
            return f"time: {kept.value}{lasting}"
        case kind:
            return f"{kind.replace('_', ' ')}: {kept.value}{lasting}"


def list_preferences(turn: Turn, _: Slots) -> Script:
    outcomes = yield [Call("fetch_data", {"sources": ["active_preferences"]})]
    if turn.failed(outcomes, "look that up"):
        return
    lines = [f"- {_remembered(kept)}" for kept in turn.state.preferences]
    turn.say("\n".join(["This is what I keep in mind for you:", *lines]) if lines else "I keep nothing yet.")


def _goal(name: str) -> str:
    return {"hypertrophy": "muscle", "cardio": "your heart"}.get(name, name.replace("_", " "))


def set_goal(turn: Turn, slots: Slots) -> Script:
    categories: dict[str, int] = {}
    muscles: dict[str, int] = {}
    for goal in slots.goals:
        if goal.kind == "muscle":
            muscles[goal.name] = goal.weight
        else:
            name = {"muscle": "hypertrophy", "general": "general_fitness"}.get(goal.name, goal.name)
            categories["skill" if goal.kind == "skill" else name] = goal.weight
    if not categories and not muscles:
        turn.ask(
            "What do you want to train for?",
            (
                "I want to get stronger",
                "I want to build muscle",
                "I want to lose fat",
                "I want more mobility",
            ),
        )
        return
    outcomes = yield [
        Call(
            "set_goals",
            {
                "category_goals": [{"category": name, "weight": each} for name, each in categories.items()],
                "muscle_goals": [{"muscle": name, "weight": each} for name, each in muscles.items()],
            },
        )
    ]
    if not turn.failed(outcomes, "set your goals"):
        more = [name for name, weight in (categories | muscles).items() if weight > 0]
        less = [name for name, weight in (categories | muscles).items() if weight <= 0]
        said = [f"you train for {joined([_goal(each) for each in more])}"] if more else []
        said += [f"less weight on {joined([_goal(each) for each in less])}"] if less else []
        turn.say(f"Noted: {', '.join(said)}. Your next workouts follow that.")
    skills = [each.name for each in slots.goals if each.kind == "skill" and each.name in turn.mind.book]
    if skills:
        turn.say(f"For the {turn.mind.book[skills[0]].name.lower()} itself, ask me for a workout with it.")
