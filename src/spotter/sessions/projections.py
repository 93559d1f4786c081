"""What can be read off a log. Pure folds: the same events always give the same picture."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic_core import from_json

from spotter.sessions.codec import Event
from spotter.sessions.events import (
    Action,
    ApprovalDecided,
    ApprovalRequested,
    AssistantMessage,
    Checkpoint,
    Ending,
    Failure,
    Knowledge,
    Notice,
    Result,
    UsageRecord,
    UserMessage,
    Voice,
    ending_of,
)

ASK_TOOL = "message_ask_user"
NOTIFY_TOOL = "message_notify_user"
NOTICE = "notice"
"""The source of what was not said by an agent, but about one."""


@dataclass(frozen=True, slots=True)
class Message:
    sequence: int
    role: Literal["user", "assistant"]
    text: str
    at: datetime
    source: str = "text"
    message_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Question:
    sequence: int
    text: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Totals:
    """What a session has used: all four kinds of tokens, by model call."""

    calls: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    unreported: int = 0


def arguments_of(action: Action) -> dict[str, Any]:
    """The call's arguments as an object; what is no object is shown as it was."""
    try:
        parsed = from_json(action.args or "{}")
    except ValueError:
        parsed = None
    return parsed if isinstance(parsed, dict) else {"_raw": action.args}


def messages(events: Iterable[Event]) -> list[Message]:
    """What was said, by whom. A tool that speaks to the person counts as speech."""
    said: list[Message] = []
    for event in events:
        match event.content:
            case UserMessage() as spoken:
                said.append(
                    Message(event.sequence, "user", spoken.text, event.at, spoken.source, spoken.message_id)
                )
            case AssistantMessage(text=text, source=source) if text:
                said.append(Message(event.sequence, "assistant", text, event.at, source))
            case Notice(text=text):
                said.append(Message(event.sequence, "assistant", text, event.at, NOTICE))
            case Action(tool=tool) as call if tool in (ASK_TOOL, NOTIFY_TOOL):
                arguments = arguments_of(call)
                text = arguments.get("message") or arguments.get("text") or arguments.get("question") or ""
                said.append(Message(event.sequence, "assistant", str(text), event.at))
            case Result() as result if (asked := _asked_by(result)) is not None:
                said.append(Message(event.sequence, "assistant", asked[0], event.at))
            case _:
                pass
    return said


def _asked_by(result: Result) -> tuple[str, tuple[str, ...]] | None:
    """The question with which another tool than the asking one ended the turn, in its own words."""
    if result.ends is not Ending.ASKED or result.tool == ASK_TOOL or not isinstance(result.result, dict):
        return None
    options = result.result.get("options")
    shown = tuple(str(option) for option in options) if isinstance(options, list) else ()
    return str(result.result.get("question", "")), shown


def open_question(events: Sequence[Event]) -> Question | None:
    """The question that nobody has answered yet."""
    for event in reversed(events):
        match event.content:
            case UserMessage():
                return None
            case Action(tool=tool) as call if tool == ASK_TOOL:
                arguments = arguments_of(call)
                options = arguments.get("options")
                shown = tuple(str(option) for option in options) if isinstance(options, list) else ()
                text = arguments.get("question") or arguments.get("message") or arguments.get("text") or ""
                return Question(event.sequence, str(text), shown)
            case Result() as result if (asked := _asked_by(result)) is not None:
                return Question(event.sequence, *asked)
            case _:
                pass
    return None


def pending_approvals(events: Iterable[Event]) -> list[ApprovalRequested]:
    """What nobody has decided about yet. A call has one request at a time: a newer one replaces it."""
    waiting: dict[str, ApprovalRequested] = {}
    for event in events:
        match event.content:
            case ApprovalRequested(call_id=call_id) as request:
                waiting[call_id] = request
            case ApprovalDecided(call_id=call_id) | Result(call_id=call_id):
                waiting.pop(call_id, None)
            case _:
                pass
    return list(waiting.values())


def asked_and_unanswered(events: Iterable[Event]) -> list[ApprovalRequested]:
    """Calls that a person was asked about, decided or not, and that have no result."""
    asked: dict[str, ApprovalRequested] = {}
    for event in events:
        match event.content:
            case ApprovalRequested(call_id=call_id) as request:
                asked[call_id] = request
            case Result(call_id=call_id):
                asked.pop(call_id, None)
            case _:
                pass
    return list(asked.values())


def unanswered_calls(events: Iterable[Event]) -> list[Action]:
    """Calls without a result, in the order they were made."""
    waiting: dict[str, Action] = {}
    for event in events:
        match event.content:
            case Action(call_id=call_id) as call:
                waiting[call_id] = call
            case Result(call_id=call_id):
                waiting.pop(call_id, None)
            case _:
                pass
    return list(waiting.values())


def turn_ending(events: Sequence[Event]) -> Ending | None:
    """How the last turn ended; None while it is going on."""
    for event in reversed(events):
        if (ending := ending_of(event.content)) is not None:
            return ending
        if isinstance(event.content, UserMessage) and event.content.source != "voice":
            return None
    return None


def usage_of(event: Event) -> UsageRecord | None:
    match event.content:
        case AssistantMessage() | Action() | Checkpoint() | Knowledge() | Failure() | Voice():
            return event.content.usage
        case _:
            return None


def totals(events: Iterable[Event]) -> Totals:
    used = [usage for event in events if (usage := usage_of(event)) is not None]
    return Totals(
        calls=len(used),
        input=sum(usage.input for usage in used),
        output=sum(usage.output for usage in used),
        cache_read=sum(usage.cache_read for usage in used),
        cache_write=sum(usage.cache_write for usage in used),
        unreported=sum(not usage.reported for usage in used),
    )


def transcript(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Everything as plain JSON, for people and other programs."""
    return [
        {
            "sequence": event.sequence,
            "type": event.type,
            "at": event.at.isoformat(),
            **event.content.model_dump(mode="json", exclude_defaults=True),
        }
        for event in events
    ]
