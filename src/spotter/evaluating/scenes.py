"""The conversations in which the utterances are said, as the trainer's models see them. Nothing is carried out here: a
model that looks something up is told what this athlete's records would say."""

import json
from collections.abc import Mapping
from datetime import datetime, time
from functools import cache
from typing import Any, Final
from uuid import UUID, uuid5

from spotter.llm.prompt import (
    AssistantMessage,
    Fragment,
    History,
    Message,
    Prompt,
    Section,
    ToolCall,
    ToolResult,
    UserMessage,
)
from spotter.offline.evals import NOW, TABLES, Case
from spotter.offline.understanding import Table
from spotter.scenarios.agent_files import AgentFile
from spotter.scenarios.builtin_files import builtin_agents

_NAMESPACE: Final = UUID("3b1c6a52-7c0e-5a55-8c35-000000000e7a")
_AMOUNTS: Final = ("3x10", "3x10 @16kg", "3x10 @20kg", "3x8", "3x45s")


def id_of(name: str) -> UUID:
    """Of what a case calls e1 or s1."""
    return uuid5(_NAMESPACE, name)


TOLD: Final[Mapping[str, str]] = {
    "user_profile": "age 34 | height 178 cm | weight 78 kg",
    "user_settings": "duration 30 min | level intermediate | equipment bench, dumbbell, kettlebell | units metric",
    "category_goals": "strength: +5",
    "muscle_goals": "No muscle goals set.",
    "active_preferences": f"[{id_of('burpees')}] exclusion: burpees {{exercise_id=burpee}}\n"
    f"[{id_of('knee')}] injury: left knee, mild {{joint=knee severity=mild side=left}}",
    "workout_history": "2026-11-14: Push-up 3x10, Dumbbell row 3x10 @20kg\n2026-11-12: Goblet squat 3x10 @16kg",
    "exercise_distribution": "Categories: strength:3\nMuscles: chest:1, lats:1, quads:1",
}
_SUGGESTED: Final = (
    "incline-push-up: Incline push-up (chest)\nglute-bridge: Glute bridge (glutes)\ndead-bug: Dead bug (abs)"
)


@cache
def trainer() -> AgentFile:
    return builtin_agents()["trainer"]


def prompt_of(case: Case) -> Prompt:
    """Ending with what is said, and what is known about whoever says it."""
    history = History(Fragment(message) for message in _before(TABLES[case.table]))
    history.append(Fragment(UserMessage(case.text)))
    history.extend(
        Fragment(UserMessage(f'<data source="{source}">\n{text}\n</data>')) for source, text in TOLD.items()
    )
    when = Section(f"Now it is {NOW:%A %Y-%m-%d %H:%M} UTC.", stable=False)
    return Prompt(messages=history, system=(Section(trainer().instructions), when))


def result_of(call: ToolCall, case: Case) -> ToolResult:
    """What a look-up finds, or that something was said."""
    match call.name:
        case "fetch_data":
            text = "\n".join(f"{source}:\n{told}" for source, told in TOLD.items())
        case "get_scheduled_workouts":
            text = _plans(TABLES[case.table]) or "Nothing is scheduled in this time."
        case "get_exercise_suggestions":
            text = _SUGGESTED
        case "validate_exercise":
            text = "It suits."
        case _:
            text = "Done."
    return ToolResult(call.id, text)


def _before(table: Table) -> list[Message]:
    """How it came to what is on the table."""
    found: list[Message] = []
    if table.workout:
        found.append(UserMessage("A workout please."))
        found += _called("generate_workout", {"workout": {"exercises": _written(table)}}, _workout(table))
        found += _spoken_of(table)
    if table.scheduled:
        found.append(UserMessage("What is on my calendar?"))
        found += _called("get_scheduled_workouts", {}, _plans(table))
    if table.question is not None:
        if not found:
            found.append(UserMessage("Let's train."))
        asked = {"question": table.question.text, "options": list(table.question.options)}
        found += _called("message_ask_user", asked, f"Asked: {table.question.text}")
    elif found:
        found += _called("idle", {"reason": "Answered."}, "Idle: Answered.")
    return found


def _spoken_of(table: Table) -> list[Message]:
    """So that «that one» means something."""
    item = next((item for item in table.workout if item.id == table.focus), None)
    if item is None:
        return []
    idle = _called("idle", {"reason": "Made a workout."}, "Idle: Made a workout.", "first")
    adjusted = {"exercise_id": str(id_of(item.id)), "adjustments": {"rest_between_sets": 75}}
    return [
        *idle,
        UserMessage(f"75 seconds of rest for the {item.name.lower()}."),
        *_called("adjust_exercise", adjusted, _workout(table, f"Adjusted {item.name}")),
    ]


def _called(name: str, arguments: Mapping[str, Any], result: str, place: str = "last") -> list[Message]:
    call = ToolCall(f"{place}_{name}", name, json.dumps(arguments))
    return [AssistantMessage(calls=(call,)), ToolResult(call.id, result)]


def _written(table: Table) -> list[dict[str, Any]]:
    return [
        {"type": "hold", "name": item.name, "sets": 3, "hold_time": 45}
        if item.name == "Plank"
        else {"type": "reps", "name": item.name, "sets": 3, "reps": 10}
        for item in table.workout
    ]


def _workout(table: Table, headline: str = "") -> str:
    lines = [
        f"[{id_of(item.id)}] main: {item.name} {amount}"
        for item, amount in zip(table.workout, _AMOUNTS, strict=False)
    ]
    return "\n".join(
        [
            f"{headline or f'Workout with {len(lines)} exercises'}.",
            *lines,
            f"About {table.minutes or 30} min.",
        ]
    )


def _plans(table: Table) -> str:
    return "\n".join(
        f"[{id_of(plan.id)}] {datetime.combine(plan.day or NOW.date(), time(18), NOW.tzinfo):%a %Y-%m-%d %H:%M %z} "
        f"{plan.title}"
        for plan in table.scheduled
    )
