"""Agents we know nothing special about: their tools' own words decide, and what was not said is asked for."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from spotter.llm.faults import ModelBadRequest
from spotter.llm.prompt import Message, Prompt, Tools, ToolSpec
from spotter.offline.acting.chatting import WHAT_WE_ARE
from spotter.offline.acting.dialogue import is_said, last_text, outcomes
from spotter.offline.acting.script import Call, Outcome
from spotter.offline.acting.turn import ASK, IDLE, NOTIFY, for_people
from spotter.offline.choosing import Offered, Verdict, choose, fill_arguments, question_for

_LONGEST_QUOTE: Final = 200
_GIVEN: Final = re.compile(r"\S+@\S+|https?://\S+|“[^”]*”|\"[^\"]*\"|\b[0-9a-f]{8}-[0-9a-f-]{27}\b")
"""What is handed over says nothing of what is wanted."""
_TALKING: Final = frozenset({ASK, IDLE, NOTIFY})
LOOK_UP: Final = "look_up_"
HAND_OVER: Final = "transfer_to_"
"""With whom the conversation goes on is told by the rest of the tool's name."""


def alone(prompt: Prompt) -> str:
    """Without tools there is little we can honestly do."""
    said = last_text(prompt.messages)
    quote = said if len(said) <= _LONGEST_QUOTE else f"{said[:_LONGEST_QUOTE]}…"
    heard = f"You said: “{quote}”. " if quote else ""
    return (
        f"Hello! I am Spotter's offline model, here because no provider key is set. {heard}That is "
        "beyond me, but it is safely in the log, and a model with a key can answer it there. The trainer works "
        "with me as it is: ask it for a workout."
    )


def answer(prompt: Prompt, tools: Tools, now: datetime) -> str | list[Call]:
    """A call, or what there is to say: a result, a question, or that nothing here fits."""
    since = _since_said([fragment.message for fragment in prompt.messages])
    handed = [each.tool for each in since if each.tool.startswith(HAND_OVER) and not each.failed]
    done = [each for each in since if each.tool not in _TALKING and each.tool not in handed]
    if done:
        return _told(done)
    said = last_text(prompt.messages)
    # Whoever was handed the conversation does not hand it on for the same words: that could go round for ever.
    offered = [
        _offered(spec)
        for spec in tools.specs
        if spec.name not in _TALKING and not (handed and spec.name.startswith(HAND_OVER))
    ]
    choice = choose(_GIVEN.sub(" ", said), offered)
    if choice.verdict is Verdict.ASK and not handed:
        names = [_words(each.tool.name) for each in choice.candidates]
        return f"Do you mean: {', '.join(names[:-1])} or {names[-1]}?"
    if choice.tool is None:
        return _nothing_fits(offered, handed)
    if choice.tool.name.startswith(HAND_OVER):
        return [Call(choice.tool.name)]
    filled = fill_arguments(choice.tool, said, now)
    if filled.missing:
        return question_for(choice.tool, filled.missing)
    return [Call(choice.tool.name, filled.arguments)]


def forced(prompt: Prompt, tools: Tools, name: str, now: datetime) -> list[Call]:
    spec = next((each for each in tools.specs if each.name == name), None)
    if spec is None:
        raise ModelBadRequest(f"The tool {name!r} that must be called is not among the tools.")
    filled = fill_arguments(_offered(spec), last_text(prompt.messages), now)
    return [Call(name, filled.arguments)]


def _since_said(messages: Sequence[Message]) -> list[Outcome]:
    start = max((at for at, message in enumerate(messages) if is_said(message)), default=0)
    return list(outcomes(messages[start:]))


def _told(done: Sequence[Outcome]) -> str:
    last = done[-1]
    if last.failed:
        return f"I tried to {_words(last.tool)}, but it did not work. {for_people(last.text)}".strip()
    if last.tool.startswith(LOOK_UP):
        return last.text  # it is the answer itself
    return f"Done: {_words(last.tool)}.\n{last.text}".strip()


def _nothing_fits(offered: Sequence[Offered], handed: Sequence[str] = ()) -> str:
    if handed:
        now = _words(handed[-1].removeprefix(HAND_OVER))
        return (
            f"You are with {now} now. I am Spotter's offline model; without a provider key I cannot do more here than "
            "note what you said. It is in the log, and a model with a key can go on from there."
        )
    if not offered:
        return WHAT_WE_ARE
    names = ", ".join(_words(each.name) for each in offered[:8])
    return (
        f"I am Spotter's offline model; without a provider key I can only do what my tools do: {names}. "
        "Which of these would help?"
    )


def _words(name: str) -> str:
    return name.replace("_", " ")


def _offered(spec: ToolSpec) -> Offered:
    return Offered(spec.name, spec.description, spec.parameters)
