"""From the words somebody used to the values the training room plans with."""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

from spotter.offline.acting.mind import Mind
from spotter.offline.acting.state import MADE
from spotter.offline.acting.turn import joined
from spotter.offline.understanding import Slots
from spotter.offline.understanding.slots import Injury as Hurt
from spotter.training import words
from spotter.training.athlete import Effort, Goal, Request
from spotter.training.limits import Injury, Severity, Side
from spotter.training.vocabulary import (
    Equipment,
    Joint,
    Muscle,
    Pattern,
    Region,
    Split,
)

_GOALS: Final = {"muscle": Goal.HYPERTROPHY}
_EFFORTS: Final = {"low": Effort.EASY, "medium": Effort.NORMAL, "high": Effort.HARD}
_LONGEST: Final = 300
_MANY: Final = 6
_BARE_PLACES: Final = frozenset({"hotel", "park", "office", "travel"})
CONDITIONS: Final = {
    "pregnancy": "pregnant",
    "hypertension": "high blood pressure",
    "heart": "heart condition",
}
"""Those that the rules heed, in the words they are kept in."""


def effort_of(intensity: str | None) -> Effort | None:
    return _EFFORTS.get(intensity or "")


def goal_of(name: str) -> Goal | None:
    return _GOALS.get(name) or words.goal_of(name)


_REGION_MUSCLES: Final[Mapping[str, frozenset[Muscle]]] = {
    Region.LOWER: frozenset({Muscle.QUADS, Muscle.HAMSTRINGS, Muscle.GLUTES}),
    Region.CORE: frozenset({Muscle.ABS, Muscle.OBLIQUES}),
    Region.UPPER: frozenset({Muscle.CHEST, Muscle.LATS, Muscle.UPPER_BACK, Muscle.FRONT_DELTS}),
}


def region_muscles(region: str) -> frozenset[Muscle]:
    """Those that somebody means first."""
    return _REGION_MUSCLES.get(region, frozenset())


def equipment_of(slots: Slots, has: frozenset[Equipment] | None) -> frozenset[Equipment] | None:
    """What there is this time; nothing when nothing was said about it."""
    kit = slots.equipment
    named = frozenset(Equipment(item) for item in kit.available if item in set(Equipment))
    missing = frozenset(Equipment(item) for item in kit.without if item in set(Equipment))
    if slots.location == "gym" and not named:
        return words.FULL_GYM - missing
    if named:
        return named - missing
    if kit.only:
        return frozenset({Equipment.NONE})
    if slots.location in _BARE_PLACES:
        return frozenset({Equipment.NONE})
    return has - missing if has is not None and missing & has else None


def kit_text(items: Iterable[Equipment]) -> str:
    """As `set_preference` can read it back."""
    found = sorted(item.value.replace("_", " ") for item in items if item is not Equipment.NONE)
    if frozenset(items) == words.FULL_GYM:
        return "full gym"
    return ", ".join(found) or "none"


def kit_shown(items: Iterable[Equipment] | None) -> str:
    """In a sentence; nobody has said means that nothing is taken for granted."""
    told = kit_text(items or ())
    if told.count(",") >= _MANY or told == "full gym":
        return "gym equipment"
    return (
        "no equipment" if told == "none" else f"with {joined([_called(each) for each in told.split(', ')])}"
    )


def _called(item: str) -> str:
    return {"pullup bar": "a pull-up bar", "dumbbell": "dumbbells"}.get(
        item, item if item.endswith("s") else f"{'an' if item[0] in 'aeiou' else 'a'} {item}"
    )


def injury_of(hurt: Hurt) -> Injury | None:
    joint = words.joint_of(hurt.part.replace("_", " "))
    if joint is None and hurt.part in set(Joint):
        joint = Joint(hurt.part)
    return Injury(joint, Severity(hurt.severity.value), Side(hurt.side.value)) if joint else None


def hurt_text(hurt: Hurt) -> str:
    side = "" if hurt.side.value == "both" else f"{hurt.side.value} "
    return f"{side}{hurt.part.replace('_', ' ')}"


def request_of(slots: Slots, mind: Mind, today: date) -> Request:
    splits = frozenset(Split(name) for name in slots.splits if name in set(Split))
    goals = [goal for each in slots.goals if each.weight > 0 and (goal := goal_of(each.name))]
    patterns = frozenset(Pattern(name) for name in slots.patterns if name in set(Pattern))
    if slots.conditions and Goal.MOBILITY not in goals:
        goals = [goal for goal in goals if goal not in (Goal.POWER, Goal.STRENGTH)]
    return Request(
        minutes=slots.duration.longest or slots.duration.minutes
        if slots.duration and slots.duration.change is None
        else None,
        regions=frozenset(Region(name) for name in slots.regions if name in set(Region)),
        splits=splits,
        muscles=frozenset(Muscle(name) for name in slots.muscles if name in set(Muscle)),
        patterns=patterns,
        goal=goals[0] if goals else None,
        effort=effort_of(slots.intensity),
        include=tuple(each for each in slots.exercises if each in mind.book),
        exclude=unwanted(slots, mind),
        today=today,
    )


def unwanted(slots: Slots, mind: Mind) -> frozenset[str]:
    found: set[str] = set()
    for taste in slots.tastes:
        if not taste.wanted:
            found |= mind.meant(taste.kind, taste.value, taste.words)
    return frozenset(found)


_KINDS: Final[Mapping[str, Any]] = {
    "regions": Region,
    "splits": Split,
    "muscles": Muscle,
    "patterns": Pattern,
}


def written(request: Request) -> str:
    """Short, for our own later reading; what is kept as a preference is not repeated."""
    parts = [f"minutes={request.minutes}"] if request.minutes else []
    parts += [
        f"{name}={','.join(sorted(getattr(request, name)))}" for name in _KINDS if getattr(request, name)
    ]
    parts += [f"goal={request.goal.value}"] if request.goal else []
    parts += [f"effort={request.effort.value}"] if request.effort else []
    parts += [f"include={','.join(request.include)}"] if request.include else []
    text = " ".join((MADE, *parts))
    return text if len(text) <= _LONGEST else " ".join((MADE, *parts[:-1]))[:_LONGEST]


def read_request(text: str, today: date) -> Request:
    found = dict(re.findall(r"(\w+)=(\S+)", text.removeprefix(MADE)))
    values: dict[str, Any] = {
        name: frozenset(kind(one) for one in found[name].split(",") if one in set(kind))
        for name, kind in _KINDS.items()
        if name in found
    }
    if found.get("minutes", "").isdigit():
        values["minutes"] = int(found["minutes"])
    if found.get("goal") in set(Goal):
        values["goal"] = Goal(found["goal"])
    if found.get("effort") in set(Effort):
        values["effort"] = Effort(found["effort"])
    if "include" in found:
        values["include"] = tuple(found["include"].split(","))
    return Request(today=today, **values)


_REGION_NAMES: Final = {"upper": "upper body", "lower": "legs", "core": "core", "full_body": "full body"}
_GROUPS: Final = {
    frozenset({"biceps", "triceps", "brachialis", "forearms"}): "arms",
    frozenset({"front_delts", "side_delts", "rear_delts"}): "shoulders",
    frozenset({"lats", "upper_back", "lower_back"}): "back",
}


def topics(slots: Slots) -> list[str]:
    """What a request is about, in words: «upper body»."""
    muscles = set(slots.muscles)
    grouped: list[str] = []
    for group, name in _GROUPS.items():
        if group <= muscles:
            grouped.append(name)
            muscles -= group
    grouped += [each.replace("_", " ") for each in slots.muscles if each in muscles]
    names = [_REGION_NAMES.get(each, each) for each in slots.regions] + list(slots.splits) + grouped
    names += [each.replace("_", " ") for each in slots.patterns]
    names += [each.name.replace("_", " ") for each in slots.goals if not names]
    return list(dict.fromkeys(names))


def about(slots: Slots) -> str:
    return " and ".join(topics(slots))
