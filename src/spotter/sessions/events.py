"""The kinds of events. Past facts: frozen, nothing extra, each with a version and room to be upcast.

A call and its result are two events. What a model call cost is a field of the first event it caused; what
safety thought of a text is a field of the event that holds it. The last event of a turn says how it ended.
"""

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field


class Ending(StrEnum):
    """How a turn ended."""

    FINAL = "final"
    IDLE = "idle"
    ASKED = "asked"
    APPROVAL = "approval"
    LIMIT = "limit"
    FAILED = "failed"
    CANCELLED = "cancelled"
    CALLED = "called"
    """A program's own call was answered; no model was asked."""


class Outcome(StrEnum):
    """How a call ended. Every call has exactly one of these once its turn is over."""

    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    CANCELLED = "cancelled"
    UNCERTAIN = "uncertain"


class _Content(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    event_type: ClassVar[str]

    v: int = 1


class UsageRecord(BaseModel):
    """Tokens of one model call, all four kinds, and who answered."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    provider: str = ""
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reported: bool = True
    request_id: str = ""
    failed: tuple[str, ...] = ()
    """Models that were asked before and did not answer."""
    audio_input: int = 0
    audio_output: int = 0
    audio_cache_read: int = 0
    """How many of the tokens above are sound."""
    held: int = 0
    held_tokens: int = 0
    """Where nobody reported what was used: what had been held back for it (micro-dollars), and counts instead."""


class UserMessage(_Content):
    event_type: ClassVar[str] = "user_message"

    text: str
    message_id: UUID | None = None
    source: Literal["text", "voice", "job", "api"] = "text"
    item: str = ""
    """Of something that was spoken: the provider's id for it."""
    moderation: dict[str, Any] | None = None
    """What safety decided about it, before it was recorded. `redacted` says that this is not all that was said."""


class AssistantMessage(_Content):
    event_type: ClassVar[str] = "assistant_message"

    text: str
    agent: str = ""
    usage: UsageRecord | None = None
    replay: tuple[str, tuple[str, ...]] | None = None
    """(dialect, blocks) that the provider wants back unchanged with this message."""
    moderation: dict[str, Any] | None = None
    offline: bool = False
    source: Literal["text", "voice"] = "text"
    item: str = ""
    ends: Ending | None = None


DIRECT: Final = "direct_"
"""How the ids of calls begin that no model made: a program called the tool itself, and the call opened its turn."""


def is_direct(call_id: str) -> bool:
    return call_id.startswith(DIRECT)


class Action(_Content):
    """A call. `args` is the raw string the model wrote, so that the prompt rebuilds byte for byte."""

    event_type: ClassVar[str] = "action"

    tool: str
    args: str
    call_id: str
    agent: str = ""
    usage: UsageRecord | None = None
    moderation: dict[str, Any] | None = None
    """Of a call that speaks to the person."""
    source: Literal["", "api", "voice"] = ""
    """Of a call that no model of ours made: a program's, or one of whoever speaks with the person."""


class Result(_Content):
    event_type: ClassVar[str] = "result"

    tool: str
    call_id: str
    outcome: Outcome = Outcome.OK
    result: Any = None
    error: str | None = None
    formatted: str = ""
    """What the model reads."""
    ms: int = 0
    ends: Ending | None = None
    moderation: dict[str, Any] | None = None
    withheld: str | None = None
    """What the model would have read, where safety kept that back."""


class Knowledge(_Content):
    event_type: ClassVar[str] = "knowledge"

    source: str
    data: Any = None
    formatted: str = ""
    reason: str = ""
    usage: UsageRecord | None = None
    untrusted: bool = False
    """Words of strangers: read as data, and remembered when something is to be sent outside."""
    private: bool = False
    moderation: dict[str, Any] | None = None
    withheld: str | None = None


class WaitingCall(BaseModel):
    """A call that a person has not decided about yet."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    approval_id: UUID
    call_id: str
    tool: str
    args: str


class FlaggedMessage(BaseModel):
    """A message after which no workout is planned."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sequence: int
    category: str


class Checkpoint(_Content):
    """Everything before `covers` is told by `summary` from here on. Nothing is deleted. What must not get lost in
    a summary stands beside it."""

    event_type: ClassVar[str] = "checkpoint"

    summary: str
    covers: int
    usage: UsageRecord | None = None
    waiting: tuple[WaitingCall, ...] = ()
    read: tuple[str, ...] = ()
    """Which tools' results, and which marked knowledge, the context has held so far."""
    red_flag: FlaggedMessage | None = None
    moderation: dict[str, Any] | None = None
    withheld: str | None = None
    """The summary as it was written, where safety kept some of it back."""


class Handoff(_Content):
    event_type: ClassVar[str] = "handoff"

    from_agent: str
    to_agent: str
    reason: str = ""
    history: Literal["all", "turn"] = "all"
    """What the next agent reads of what was said before: everything, or only what belongs to this turn."""


class Stage(_Content):
    """A step in the course of a session, taken or refused."""

    event_type: ClassVar[str] = "stage"

    from_stage: str
    to_stage: str
    accepted: bool = True
    reason: str = ""


Move: TypeAlias = Handoff | Stage
"""Another agent, or another place in the course of things. The session's row follows it."""


class ApprovalRequested(_Content):
    event_type: ClassVar[str] = "approval_requested"

    approval_id: UUID
    call_id: str
    tool: str
    args: str
    """As they will be carried out: checked, complete, in one spelling."""
    reason: str = ""
    replaces: UUID | None = None
    """The request whose arguments somebody edited, or whose tool has changed since."""
    ends: Ending | None = None


class ApprovalDecided(_Content):
    """Holds all that is needed to go on: the request may lie before a checkpoint. Outside of a turn, it reopens the
    last one."""

    event_type: ClassVar[str] = "approval_decided"

    approval_id: UUID
    call_id: str
    approved: bool
    by: UUID | None = None
    by_key: bool = False
    """Not a person decided, but an API key: `by` is its id."""
    reason: str = ""
    tool: str = ""
    args: str = ""
    edited: bool = False
    """The arguments are not those the model gave."""
    agent: str = ""
    """Who made the call: it is carried out as theirs, whoever speaks by now."""


class TurnResumed(_Content):
    """A decision came while another turn was going on; now there is time for it."""

    event_type: ClassVar[str] = "turn_resumed"


class Voice(_Content):
    """Somebody begins to speak with an agent through a voice provider, or has ended. What is said meanwhile comes as
    messages of the source `voice`."""

    event_type: ClassVar[str] = "voice"

    voice_id: UUID
    state: Literal["started", "ended"]
    model: str = ""
    reason: str = ""
    usage: UsageRecord | None = None
    """At the end, where nobody had reported what was used."""


class Interrupt(_Content):
    """Whoever is speaking must stop now; `text` is what the person is told instead."""

    event_type: ClassVar[str] = "interrupt"

    reason: Literal["red_flag", "blocked", "budget", "time"]
    category: str = ""
    text: str = ""


class Notice(_Content):
    """Something a person is told about Spotter itself, beside the answer. No model reads it."""

    event_type: ClassVar[str] = "notice"

    code: Literal["fallback", "not_set_up", "budget"]
    text: str


class Failure(_Content):
    """Something went wrong that a person should know of."""

    event_type: ClassVar[str] = "error"

    code: str
    detail: str
    usage: UsageRecord | None = None
    ends: Ending | None = None


class TurnEnded(_Content):
    """A turn that ended without an answer: a limit, a cancel."""

    event_type: ClassVar[str] = "turn_ended"

    ends: Ending
    reason: str = ""
    limit: str | None = None
    detail: dict[str, Any] | None = None
    """Of a budget: what is left, and when it begins anew."""


class Erased(_Content):
    """What is left of an event whose content was shredded: that it was, and when in the order of things."""

    event_type: ClassVar[str] = "erased"

    erased: Annotated[bool, Field()] = True


Content: TypeAlias = (
    UserMessage
    | AssistantMessage
    | Action
    | Result
    | Knowledge
    | Checkpoint
    | Handoff
    | Stage
    | ApprovalRequested
    | ApprovalDecided
    | TurnResumed
    | Voice
    | Interrupt
    | Notice
    | Failure
    | TurnEnded
    | Erased
)

KINDS: dict[str, type[Content]] = {
    kind.event_type: kind
    for kind in (
        UserMessage,
        AssistantMessage,
        Action,
        Result,
        Knowledge,
        Checkpoint,
        Handoff,
        Stage,
        ApprovalRequested,
        ApprovalDecided,
        TurnResumed,
        Voice,
        Interrupt,
        Notice,
        Failure,
        TurnEnded,
        Erased,
    )
}

_CAN_END = frozenset(kind for kind in KINDS.values() if "ends" in kind.model_fields)


def ending_of(content: Content) -> Ending | None:
    """How the turn ended, if this event ended it."""
    # By kind: pydantic takes its time to say that a model has no such field, and every event is asked.
    return getattr(content, "ends") if type(content) in _CAN_END else None  # noqa: B009 - of several kinds
