"""The next step of any agent: the trainer's script where its tools are there, else the tool that fits best."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from spotter.llm.port import ModelSettings, NamedTool
from spotter.llm.prompt import Prompt, ToolCall, Tools
from spotter.offline.acting import anybody
from spotter.offline.acting.dialogue import Dialogue, read
from spotter.offline.acting.mind import mind_for
from spotter.offline.acting.script import Call, next_calls
from spotter.offline.acting.trainer import converse
from spotter.offline.acting.turn import ASK, IDLE, NOTIFY, Turn
from spotter.offline.coaching import is_coach, play
from spotter.training.local_time import TODAY, zone_in

_TRAINER: Final = frozenset({"generate_workout", "set_preference", "log_workout"})


@dataclass(frozen=True, slots=True)
class Step:
    text: str = ""
    calls: tuple[ToolCall, ...] = ()


def next_step(prompt: Prompt, tools: Tools, settings: ModelSettings, now: datetime) -> Step:
    names = frozenset(tools.names)
    if settings.tool_choice == "none" or not names:
        return Step(anybody.alone(prompt))
    if isinstance(settings.tool_choice, NamedTool):
        return _with_ids(anybody.forced(prompt, tools, settings.tool_choice.name, now), prompt, settings)
    if is_coach(names):
        played = play(prompt, names, now)
        return Step(played) if isinstance(played, str) else _with_ids(played, prompt, settings)
    if names >= _TRAINER:
        return _trainer(prompt, names, settings, now)
    answer = anybody.answer(prompt, tools, now)
    if isinstance(answer, str):
        return _said(answer, names, prompt, settings)
    return _with_ids(answer, prompt, settings)


def _trainer(prompt: Prompt, names: frozenset[str], settings: ModelSettings, now: datetime) -> Step:
    heard = read(prompt)
    here = now.astimezone(zone_in(heard.state.told.get(TODAY, "")))
    turn = Turn(mind_for(heard.state), heard.state, here, heard.text, names, heard.before, heard.caution)
    calls = next_calls(converse(turn), heard.done, turn.hear)
    if calls:
        return _with_ids(calls, prompt, settings)
    if IDLE in names and not _is_over(heard):
        return _with_ids([Call(IDLE, {"reason": turn.reason[:300]})], prompt, settings)
    return Step("\n".join(turn.lines) or "Done.")


def _is_over(heard: Dialogue) -> bool:
    return any(outcome.tool == IDLE and not outcome.failed for outcome in heard.done)


def _said(text: str, names: frozenset[str], prompt: Prompt, settings: ModelSettings) -> Step:
    """Agents that only speak through tools are spoken for that way."""
    if settings.tool_choice != "required":
        return Step(text)
    if text.endswith("?") and ASK in names:
        return _with_ids([Call(ASK, {"question": text})], prompt, settings)
    if NOTIFY in names:
        calls = [Call(NOTIFY, {"message": text})]
        calls += [Call(IDLE, {"reason": "Answered."})] if IDLE in names else []
        return _with_ids(calls, prompt, settings)
    return Step(text)


def _with_ids(calls: Sequence[Call], prompt: Prompt, settings: ModelSettings) -> Step:
    """The same prompt gives the same ids, and no id twice in a history."""
    made = calls if settings.parallel_tool_calls else calls[:1]
    taken = prompt.call_ids()
    found: list[ToolCall] = []
    number = len(taken)
    for call in made:
        number += 1
        while f"offline_{number}" in taken:
            number += 1
        found.append(ToolCall(f"offline_{number}", call.tool, call.written()))
    return Step(calls=tuple(found))
