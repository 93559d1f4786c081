"""A session's log as AG-UI tells it: the messages and the state so far, and what each new event adds. Pure.

Ids are read off the log, so that whoever streams an answer and whoever loads it later call it the same: what an agent
says in one step of a turn is `<id of the message it answers>.<step>`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from ag_ui.core import (
    AssistantMessage,
    BaseEvent,
    CustomEvent,
    FunctionCall,
    Message,
    MessagesSnapshotEvent,
    StateDeltaEvent,
    StateSnapshotEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCall,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
    ToolMessage,
    UserMessage,
)
from pydantic_core import to_json

from spotter.runtime.pushes import pushes
from spotter.runtime.watch import Said
from spotter.sessions import events as log
from spotter.sessions.codec import Event
from spotter.sessions.projections import ASK_TOOL, NOTIFY_TOOL, open_question, usage_of
from spotter.sessions.projections import messages as said_in
from spotter.sessions.tables import AgentSession

USAGE: Final = "spotter.usage"
RECORDED: Final = "spotter.recorded"
NOTICE: Final = "spotter.notice"
INTERRUPTED: Final = "spotter.interrupted"
_SPEAKING: Final = (ASK_TOOL, NOTIFY_TOOL)
_PLAN: Final = "plan"
_WORKOUT: Final = "workout"


@dataclass(slots=True)
class Picture:
    """Feed it every event of a session, in order."""

    names: Mapping[UUID, str] = field(default_factory=dict)
    """What the client calls its own messages."""
    messages: list[Message] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    last: int = 0
    """The number of the last event."""
    ending: log.Ending | None = None
    """How the last turn ended; None while it is going on."""
    closing: log.Content | None = None
    """The event that ended it."""
    asked_at: int = 0
    """The number of the event that asks the open question."""
    differs: bool = False
    """What was streamed is not what was recorded in the end: the client needs the messages once more."""
    _turn: str = ""
    _step: int = 0
    _in_step: bool = False
    _speech: "_Speech | None" = None

    @classmethod
    def of(
        cls, session: AgentSession, past: Iterable[Event], names: Mapping[UUID, str] | None = None
    ) -> "Picture":
        picture, past = cls(names or {}), list(past)
        agent, stage = _beginning(session, past)
        picture.state = {
            "agent": agent,
            "scenario": session.scenario,
            "stage": stage,
            _WORKOUT: None,
            _PLAN: None,
            "question": None,
            "notice": None,
        }
        for event in past:
            picture.take(event)
        return picture

    @property
    def snapshots(self) -> list[BaseEvent]:
        return [self.messages_snapshot, StateSnapshotEvent(snapshot=dict(self.state))]

    @property
    def messages_snapshot(self) -> MessagesSnapshotEvent:
        return MessagesSnapshotEvent(messages=list(self.messages))

    def take(self, event: Event) -> list[BaseEvent]:
        """What this event means to the client."""
        told = self._told(event)
        self._in_step = isinstance(event.content, log.AssistantMessage | log.Action)
        told += self._state_of(event)
        if (usage := usage_of(event)) is not None:
            value = {**usage.model_dump(mode="json", exclude_defaults=True), "sequence": event.sequence}
            told.append(CustomEvent(name=USAGE, value=value))
        self.last = event.sequence
        self._course(event.content)
        return told

    def _course(self, content: log.Content) -> None:
        if (ending := log.ending_of(content)) is not None:
            self.ending, self.closing = ending, content
        elif isinstance(content, log.ApprovalDecided | log.TurnResumed) or (
            isinstance(content, log.UserMessage) and content.source != "voice"
        ):
            self.ending = self.closing = None

    def hear(self, said: Said) -> list[BaseEvent]:
        """Words as they are spoken, before they are in the log."""
        told: list[BaseEvent] = []
        if self._speech is not None and self._speech.key != said.key:
            # Begun anew, by another process or another model: what was heard is void.
            told += self._end_speech()
            self.differs = True
        if self._speech is None:
            again = ".again" if self.differs else ""
            self._speech = _Speech(said.key, f"{self._turn}.{self._step + 1}{again}")
            told.append(TextMessageStartEvent(message_id=self._speech.id, role="assistant"))
        self._speech.text += said.text
        told.append(TextMessageContentEvent(message_id=self._speech.id, delta=said.text))
        return told

    def end(self) -> list[BaseEvent]:
        """Before the run ends: nothing stays open, and what differs is put right."""
        told: list[BaseEvent] = []
        if self._speech is not None:
            told += self._end_speech()
            self.differs = True
        if self.differs:
            told.append(self.messages_snapshot)
            self.differs = False
        return told

    def _told(self, event: Event) -> list[BaseEvent]:
        match event.content:
            case log.UserMessage() as message:
                return self._asked(event, message)
            case log.AssistantMessage() as message:
                return self._answered(event, message)
            case log.Action() as call:
                return self._called(event, call)
            case log.Result() as result:
                return self._came_of(event, result)
            case log.Interrupt() | log.Notice() as aside:
                name = NOTICE if isinstance(aside, log.Notice) else INTERRUPTED
                return [CustomEvent(name=name, value=aside.model_dump(mode="json"))]
            case _:
                return []

    def _asked(self, event: Event, message: log.UserMessage) -> list[BaseEvent]:
        ours = str(message.message_id) if message.message_id else f"event-{event.sequence}"
        if message.source != "voice":
            self._turn, self._step = ours, 0
        theirs = self.names.get(message.message_id) if message.message_id else None
        self.messages.append(
            UserMessage(
                id=theirs or ours, content=message.text, metadata=_metadata(event, source=message.source)
            )
        )
        if theirs is None:
            return _whole(ours, message.text, event, "user")
        return [CustomEvent(name=RECORDED, value={"messageId": theirs, **_metadata(event)})]

    def _answered(self, event: Event, message: log.AssistantMessage) -> list[BaseEvent]:
        text = message.text
        if message.source == "voice":
            return self._spoken(event, f"event-{event.sequence}", text)
        self._step += 1
        identifier = f"{self._turn}.{self._step}"
        speech, self._speech = self._speech, None
        if speech is None:
            return self._spoken(event, identifier, text) if text else []
        told: list[BaseEvent] = []
        if text.startswith(speech.text):
            if rest := text[len(speech.text) :]:
                told.append(TextMessageContentEvent(message_id=speech.id, delta=rest))
        else:
            self.differs = True
        told.append(TextMessageEndEvent(message_id=speech.id, metadata=_metadata(event)))
        self.differs |= speech.id != identifier
        self._add(identifier, event, text)
        return told

    def _spoken(self, event: Event, identifier: str, text: str) -> list[BaseEvent]:
        self._add(identifier, event, text)
        return _whole(identifier, text, event, "assistant")

    def _add(self, identifier: str, event: Event, text: str) -> None:
        self.messages.append(
            AssistantMessage(
                id=identifier, content=text, metadata=self._by(event), name=self.state.get("agent")
            )
        )

    def _called(self, event: Event, call: log.Action) -> list[BaseEvent]:
        if not self._in_step:
            self._step += 1
        if call.tool in _SPEAKING:
            (said,) = said_in([event])
            return self._spoken(event, f"{self._turn}.{self._step}.{call.call_id}", said.text)
        parent = f"{self._turn}.{self._step}"
        made = ToolCall(
            id=call.call_id,
            function=FunctionCall(name=call.tool, arguments=call.args),
            metadata=_metadata(event),
        )
        carrier = self.messages[-1] if self.messages else None
        if not isinstance(carrier, AssistantMessage) or carrier.id != parent:
            carrier = AssistantMessage(id=parent, metadata=self._by(event), name=self.state.get("agent"))
            self.messages.append(carrier)
        carrier.tool_calls = [*(carrier.tool_calls or []), made]
        return [
            ToolCallStartEvent(
                tool_call_id=call.call_id,
                tool_call_name=call.tool,
                parent_message_id=parent,
                metadata=_metadata(event),
                timestamp=_milliseconds(event),
            ),
            ToolCallArgsEvent(tool_call_id=call.call_id, delta=call.args),
            ToolCallEndEvent(tool_call_id=call.call_id),
        ]

    def _came_of(self, event: Event, result: log.Result) -> list[BaseEvent]:
        if result.tool in _SPEAKING and result.outcome is log.Outcome.OK:
            return []
        identifier, content = f"result-{result.call_id}", _content(result)
        metadata = _metadata(event, tool=result.tool, outcome=result.outcome.value, ms=result.ms)
        self.messages.append(
            ToolMessage(
                id=identifier,
                tool_call_id=result.call_id,
                content=content,
                error=result.error,
                metadata=metadata,
            )
        )
        told: list[BaseEvent] = [
            ToolCallResultEvent(
                message_id=identifier,
                tool_call_id=result.call_id,
                content=content,
                role="tool",
                metadata=metadata,
                timestamp=_milliseconds(event),
            )
        ]
        for asked in said_in([event]):
            told += self._spoken(event, f"asked-{result.call_id}", asked.text)
        return told

    def _state_of(self, event: Event) -> list[BaseEvent]:
        changes = _changes(event)
        if (question := open_question([event])) is not None:
            changes["question"] = {"text": question.text, "options": list(question.options)}
            self.asked_at = question.sequence
        elif isinstance(event.content, log.UserMessage):
            changes["question"] = None
        changed = {name: value for name, value in changes.items() if self.state.get(name) != value}
        if not changed:
            return []
        self.state.update(changed)
        patch = [{"op": "replace", "path": f"/{name}", "value": value} for name, value in changed.items()]
        return [StateDeltaEvent.model_validate({"delta": patch})]

    def _end_speech(self) -> list[BaseEvent]:
        assert self._speech is not None
        ended, self._speech = self._speech.id, None
        return [TextMessageEndEvent(message_id=ended)]

    def _by(self, event: Event) -> dict[str, Any]:
        offline = isinstance(event.content, log.AssistantMessage) and event.content.offline
        return _metadata(event, agent=self.state.get("agent"), **({"offline": True} if offline else {}))


@dataclass(slots=True)
class _Speech:
    key: str
    id: str
    text: str = ""


def _beginning(session: AgentSession, past: Sequence[Event]) -> tuple[str, str | None]:
    """Who answered first, and where things stood: the row tells how it is now."""
    agent, stage = session.agent, session.stage
    for event in reversed(past):
        match event.content:
            case log.Handoff(from_agent=before):
                agent = before
            case log.Stage(from_stage=before, accepted=True):
                stage = before
            case _:
                pass
    return agent, stage


def _changes(event: Event) -> dict[str, Any]:
    """What of the state is different after this event."""
    changes: dict[str, Any] = {}
    for push in pushes(event):
        match push:
            case {"type": "agent_switched", "to_agent": agent}:
                changes["agent"] = agent
            case {"type": "stage_changed", "to_stage": stage}:
                changes["stage"] = stage
            case {"type": "workout_changed", "exercises": exercises, "summary": summary}:
                changes[_WORKOUT] = {"exercises": exercises, "summary": summary}
            case _:
                pass
    match event.content:
        case log.Result(outcome=log.Outcome.OK, result={"workout": {"exercises": _} as workout}):
            changes[_WORKOUT] = workout
        case log.Result(outcome=log.Outcome.OK, result={"plan": plan}):
            changes[_PLAN] = plan
        case log.Notice(code="not_set_up", text=text):
            changes["notice"] = text
        case (
            log.AssistantMessage(usage=log.UsageRecord(failed=()))
            | log.Action(usage=log.UsageRecord(failed=()))
        ):
            changes["notice"] = None
        case _:
            pass
    return changes


def _milliseconds(event: Event) -> int:
    return int(event.at.timestamp() * 1000)


def _metadata(event: Event, **more: Any) -> dict[str, Any]:
    """`sequence` is what a fork, the log and the bill know it by."""
    return {"sequence": event.sequence, "at": event.at.isoformat(), **more}


def _whole(identifier: str, text: str, event: Event, role: str) -> list[BaseEvent]:
    return [
        TextMessageStartEvent.model_validate(
            {"message_id": identifier, "role": role, "timestamp": _milliseconds(event)}
        ),
        TextMessageContentEvent(message_id=identifier, delta=text),
        TextMessageEndEvent(message_id=identifier, metadata=_metadata(event)),
    ]


def _content(result: log.Result) -> str:
    if result.outcome is not log.Outcome.OK:
        return result.error or result.formatted
    return result.result if isinstance(result.result, str) else to_json(result.result).decode()
