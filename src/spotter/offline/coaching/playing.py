"""Which of the four speaks, and what they do next."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from spotter.llm.prompt import Prompt
from spotter.offline.acting.mind import mind
from spotter.offline.acting.script import Call, Script, next_calls
from spotter.offline.coaching import intake, planner, rewards, technique
from spotter.offline.coaching.scene import LOOK, Scene, heard

_BY_TOOL: Final[Mapping[str, Callable[[Scene], Script]]] = {
    "answer_screening": intake.converse,
    "create_plan": planner.converse,
    "report_pain": technique.converse,
    "complete_workout": rewards.converse,
}


def is_coach(names: frozenset[str]) -> bool:
    return LOOK in names and any(name in names for name in _BY_TOOL)


def play(prompt: Prompt, names: frozenset[str], now: datetime) -> list[Call] | str:
    """The next calls, or what there is to say."""
    said = heard(prompt)
    scene = Scene(mind(), now, said, names)
    role = next(play for name, play in _BY_TOOL.items() if name in names)
    calls = next_calls(role(scene), said.done, lambda _: None)
    return calls or "\n".join(scene.lines) or "I am here. What would you like to do next?"
