"""What somebody tells about themselves, as `save_profile` takes it."""

import re
from typing import Any, Final

from spotter.offline.acting.translating import CONDITIONS, equipment_of, goal_of, hurt_text, injury_of
from spotter.offline.coaching.phrases import says
from spotter.offline.coaching.scene import Scene
from spotter.offline.understanding import Slots
from spotter.training import words
from spotter.training.athlete import Goal
from spotter.training.vocabulary import Equipment

_NUMBERS: Final = {
    word: number
    for number, spelt in enumerate(
        ("one once", "two twice couple", "three thrice", "four", "five", "six", "seven"), start=1
    )
    for word in spelt.split()
}
_NUMBER: Final = "|".join((r"\d", *_NUMBERS))
_DAYS: Final = re.compile(
    rf"\b({_NUMBER})(?: ?(?:-|to|or) ?(?:{_NUMBER}))? ?(?:x|times?|days?|sessions?|workouts?)?"
    r" ?(?:a|per|each|every|/) ?(?:week|wk)\b"
    rf"|\b({_NUMBER}) ?(?:days?|sessions?|times)\b"
)
_EVERY_OTHER: Final = re.compile(r"\bevery (?:other|second) day\b")
_DAILY: Final = re.compile(r"\b(?:every ?day|daily)\b")
_AGE: Final = re.compile(
    r"\b(?:i'?m|i am|aged?|age is)\s+(\d{2})\b(?!\s*(?:kg|kilos?|cm|min|lbs?|%|years? of))"
    r"|\b(\d{2})\s*(?:years? old|y/?o|yrs? old)\b"
)
_WEIGHT: Final = re.compile(
    r"\b(\d{2,3}(?:\.\d)?)\s*(?:kg|kilos?)\b(?! (?:dumbbells?|kettlebells?|plates?|barbell))"
)
_HEIGHT_CM: Final = re.compile(r"\b(1\d{2}|2[0-2]\d)\s*cm\b")
_HEIGHT_M: Final = re.compile(r"\b([12])[.,](\d{2})\s*m\b")
_MINUTES: Final = re.compile(r"\b(\d{2,3})\s*(?:-|to)?\s*(?:min|mins|minutes?|m)\b")
_GOALS: Final = (Goal.FAT_LOSS, Goal.STRENGTH, Goal.HYPERTROPHY, Goal.ENDURANCE, Goal.MOBILITY)
_LEVELS: Final = ("beginner", "advanced", "intermediate")


def profile_in(scene: Scene, asked: bool) -> dict[str, Any]:
    """`asked`: we have asked for it, so that short answers count too."""
    said = scene.said
    slots = scene.understood().slots
    found: dict[str, Any] = {
        **_body(said),
        "goals": _goals(said, slots) or None,
        "level": _level(said, slots),
        "equipment": _kit(said, slots, asked),
        "days_per_week": _days(said, asked),
        "minutes": _minutes(said, slots),
        "injuries": _injuries(slots) or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def _body(said: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if age := _AGE.search(said):
        found["age"] = int(age[1] or age[2])
    if weight := _WEIGHT.search(said):
        found["weight_kg"] = float(weight[1])
    if height := _HEIGHT_CM.search(said):
        found["height_cm"] = int(height[1])
    elif metres := _HEIGHT_M.search(said):
        found["height_cm"] = int(metres[1]) * 100 + int(metres[2])
    if says("profile.woman", said):
        found["gender"] = "female"
    elif says("profile.man", said):
        found["gender"] = "male"
    return found


def _goals(said: str, slots: Slots) -> list[str]:
    named = [
        goal.value for each in slots.goals if each.weight > 0 and (goal := goal_of(each.name)) is not None
    ]
    named += [goal.value for goal in _GOALS if says(f"profile.{goal.value}", said)]
    if not named and says("profile.fitter", said):
        # All-round training, the way beginners do best: moderate amounts of everything big.
        named = [Goal.HYPERTROPHY.value, Goal.ENDURANCE.value]
    return list(dict.fromkeys(named))


def _level(said: str, slots: Slots) -> str | None:
    if slots.level in _LEVELS:
        return slots.level
    return next((level for level in _LEVELS if says(f"profile.{level}", said)), None)


def _kit(said: str, slots: Slots, asked: bool) -> list[str] | None:
    kit = equipment_of(slots, None)
    if kit == words.FULL_GYM or (kit is None and says("profile.gym", said)):
        return ["full gym"]
    if kit is not None:
        return sorted(item.value.replace("_", " ") for item in kit if item is not Equipment.NONE)
    if says("profile.no_kit", said) and (
        asked or "equipment" in said or "bodyweight" in said.replace(" ", "")
    ):
        return []
    return None


def _days(said: str, asked: bool) -> int | None:
    if _EVERY_OTHER.search(said):
        return 3
    if _DAILY.search(said):
        return 6
    found = _DAYS.search(said)
    if found is None or (found[1] is None and not asked):
        return None
    word = found[1] or found[2]
    number = int(word) if word.isdigit() else _NUMBERS[word]
    return number if 1 <= number <= 7 else None


def _minutes(said: str, slots: Slots) -> int | None:
    if slots.duration is not None and slots.duration.change is None:
        return max(5, min(180, slots.duration.minutes))
    if found := _MINUTES.search(said):
        return max(5, min(180, int(found[1])))
    return None


def _injuries(slots: Slots) -> list[str]:
    hurts = [
        f"{hurt_text(each)}, {injury.severity.value}"
        for each in slots.injuries
        if not each.better and (injury := injury_of(each)) is not None
    ]
    return hurts + [CONDITIONS[each] for each in slots.conditions if each in CONDITIONS]
