"""A prompt, read: what was known before the message that has to be answered, the message, and what was done since."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from spotter.llm.prompt import AssistantMessage, Fragment, Message, Prompt, ToolCall, ToolResult, UserMessage
from spotter.offline.acting.script import Outcome
from spotter.offline.acting.state import State
from spotter.training import recall

SUMMARY: Final = "[What happened before, in short]\n"
_CAUTION: Final = "[A note from Spotter about the message above: "
_ASIDES: Final = (
    SUMMARY,
    _CAUTION,
    "[The conversation was handed to ",
    "[The session is now in the stage ",
    "[The result of ",
)
"""What the runtime says in a person's place."""
_UNFINISHED: Final = "No result yet: this call is still waiting."


@dataclass(frozen=True, slots=True)
class Dialogue:
    state: State
    text: str
    done: tuple[Outcome, ...]
    """Since the message."""
    before: str = ""
    """What the person said before that."""
    caution: str = ""
    """What the safety rules want kept in mind about the message."""


def read(prompt: Prompt) -> Dialogue:
    messages = [fragment.message for fragment in (*prompt.messages, *prompt.trailing)]
    start = _last_said(messages)
    state = State()
    before = _fold(messages[:start], state)
    rest = messages[start:]
    said = rest[0].text if rest and isinstance(rest[0], UserMessage) else ""
    for message in rest[1:]:
        if isinstance(message, UserMessage):
            _hear(message.text, state)
    done = tuple(outcomes(rest[1:]))
    if any(outcome.tool in ("idle", "message_ask_user") and not outcome.failed for outcome in done):
        return _after_the_end(state, said, done)
    notes = [message.text for message in rest[1:] if isinstance(message, UserMessage)]
    caution = " ".join(note.removeprefix(_CAUTION) for note in notes if note.startswith(_CAUTION))
    return Dialogue(state, said, done, before, caution)


def _after_the_end(state: State, said: str, done: tuple[Outcome, ...]) -> Dialogue:
    """That turn was over. What came since is no order: a note, or something in the form of one."""
    for outcome in done:
        state.take(outcome)
    return Dialogue(state, "", (), said)


def is_said(message: Message) -> bool:
    """By a person, in their own words."""
    return (
        isinstance(message, UserMessage)
        and recall.note(message.text) is None
        and not message.text.startswith(_ASIDES)
    )


def _last_said(messages: Sequence[Message]) -> int:
    for at in range(len(messages) - 1, -1, -1):
        if is_said(messages[at]):
            return at
    return len(messages)


def _fold(messages: Sequence[Message], state: State) -> str:
    """All turns that are over. Returns what was said last."""
    said = ""
    calls: dict[str, ToolCall] = {}
    for message in messages:
        match message:
            case UserMessage(text):
                if is_said(message):
                    said = text
                    state.start_turn()
                else:
                    _hear(text, state)
            case AssistantMessage(calls=made):
                calls |= {call.id: call for call in made}
            case ToolResult():
                if (outcome := _outcome(calls, message)) is not None:
                    state.take(outcome)
    return said


def _hear(text: str, state: State) -> None:
    if (told := recall.note(text)) is not None:
        state.take_note(*told)
    elif text.startswith(SUMMARY):
        state.take_summary(text)


def outcomes(messages: Sequence[Message]) -> Iterator[Outcome]:
    calls: dict[str, ToolCall] = {}
    for message in messages:
        if isinstance(message, AssistantMessage):
            calls |= {call.id: call for call in message.calls}
        elif isinstance(message, ToolResult) and (outcome := _outcome(calls, message)) is not None:
            yield outcome


def _outcome(calls: Mapping[str, ToolCall], result: ToolResult) -> Outcome | None:
    call = calls.get(result.call_id)
    if call is None:
        return None
    text = recall.unwrapped(result.text)
    failed = result.is_error or text == _UNFINISHED
    return Outcome(call.id, call.name, _arguments(call.arguments), text, failed)


@lru_cache(maxsize=2048)
def _arguments(raw: str) -> Mapping[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def last_text(fragments: Sequence[Fragment]) -> str:
    """What the person said last, whoever answers."""
    return next(
        (
            fragment.message.text
            for fragment in reversed(fragments)
            if isinstance(fragment.message, UserMessage) and is_said(fragment.message)
        ),
        "",
    )
