"""The initializer's choice: which data a message needs, why, and what the context holds already."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from spotter.offline.understanding import Intent, Understanding

GOALS: Final = ("category_goals", "muscle_goals")
_PLANNING: Final = (*GOALS, "active_preferences", "exercise_distribution")
_CHANGING: Final = ("active_preferences",)

_NEEDED: Final[dict[Intent, tuple[str, ...]]] = {
    Intent.CREATE: (*_PLANNING, "user_settings"),
    Intent.MORE_OF: _PLANNING,
    Intent.LESS_OF: _PLANNING,
    Intent.LONGER: _PLANNING,
    Intent.SUGGEST: _CHANGING,
    Intent.SHORTER: _CHANGING,
    Intent.SWAP: _CHANGING,
    Intent.EASIER: _CHANGING,
    Intent.HARDER: _CHANGING,
    Intent.SET_PREFERENCE: _CHANGING,
    Intent.DELETE_PREFERENCE: _CHANGING,
    Intent.LIST_PREFERENCES: _CHANGING,
    Intent.REPORT_INJURY: _CHANGING,
    Intent.INJURY_BETTER: _CHANGING,
    Intent.SET_GOAL: GOALS,
    Intent.GOAL_PROGRESS: (*GOALS, "workout_history"),
    Intent.HISTORY: ("workout_history",),
    Intent.PROGRESS: ("workout_history", "exercise_distribution"),
    Intent.STATS: ("workout_history", "exercise_distribution"),
    Intent.WHY: (*GOALS, "active_preferences"),
}

_BECAUSE: Final[dict[Intent, str]] = {
    Intent.CREATE: "a workout is planned from goals, preferences and what was trained lately",
    Intent.SET_GOAL: "goals change, so the present ones are needed",
    Intent.GOAL_PROGRESS: "progress is measured against the goals",
    Intent.HISTORY: "the question is about past workouts",
    Intent.PROGRESS: "the question is about past workouts",
    Intent.STATS: "the question is about past workouts",
    Intent.WHY: "the choice followed goals and preferences",
}


@dataclass(frozen=True, slots=True)
class Selection:
    sources: tuple[str, ...]
    reason: str


def pick_sources(
    understood: Understanding,
    available: Collection[str],
    held: Collection[str] = (),
    changed: Collection[str] = (),
) -> Selection:
    """`held` is in the context already; `changed` of it has been overtaken since and is fetched anew."""
    wanted: list[str] = []
    reasons: list[str] = []
    for asked in understood.asked:
        needed = _needed(asked.intent, understood)
        wanted += needed
        if needed:
            reasons.append(
                _BECAUSE.get(asked.intent, f"{asked.intent.value.replace('_', ' ')} looks at them")
            )
    known = [source for source in dict.fromkeys(wanted) if source in available]
    fetched = tuple(source for source in known if source not in held or source in changed)
    if not known:
        return Selection((), "Nothing to look up for this.")
    because = "; ".join(dict.fromkeys(reasons))
    if not fetched:
        return Selection((), f"All that is needed is in the context ({because}).")
    kept = [source for source in known if source not in fetched]
    also = f" Already in the context: {', '.join(kept)}." if kept else ""
    return Selection(fetched, f"{because[0].upper()}{because[1:]}.{also}")


def _needed(intent: Intent, understood: Understanding) -> tuple[str, ...]:
    slots = understood.slots
    if intent is Intent.SET_GOAL and slots.goals:
        kinds = {goal.kind for goal in slots.goals}
        return GOALS[1:] if kinds == {"muscle"} else GOALS[:1] if kinds == {"category"} else GOALS
    if intent is Intent.CREATE and slots.repeat:
        return (*_NEEDED[intent], "workout_history")
    if intent is Intent.SCHEDULE:
        return ("scheduled_workouts", "active_preferences")
    if intent in {Intent.RESCHEDULE, Intent.CANCEL_SCHEDULED, Intent.LIST_SCHEDULE}:
        return ("scheduled_workouts",)
    return _NEEDED.get(intent, ())
